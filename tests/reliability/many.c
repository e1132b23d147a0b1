/* SPDX-License-Identifier: MIT */
/*
 * A program of many measured functions, whose output and status nothing may change.
 *
 *	many FUNCTIONS CALLS STATUS [MODE [ARGUMENT]]
 *
 * Every function is called as often as said, in turns: each of them once, then each once more. What it
 * prints is a sum of numbers that the functions return. Before the second half of the functions is
 * called for the first time:
 *
 *	close    all descriptors but the first three are closed
 *	bare     all descriptors are closed
 *	reuse    the same, and the first three are a file of the program, ARGUMENT
 *	chroot   the root is changed to ARGUMENT
 *	serve    nothing is closed, but it never ends
 *
 * $MANY_DESCRIPTORS limits how many descriptors it can have.
 */
#include <hotpath.h>

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
	FUNCTIONS_MAX = 1000,
	DESCRIPTORS = 1024,
};

static struct hotpath_site sites[FUNCTIONS_MAX];
static char names[FUNCTIONS_MAX][16];

/* As the macro does it, for a function that is chosen by number. */
__attribute__((noinline)) static unsigned call(unsigned function)
{
	struct hotpath_span span;

	hotpath_span_begin(&span, &sites[function]);
	unsigned result = function * 7 + 1;
	hotpath_span_end(&span);
	return result;
}

/* So many descriptors and no more; not earlier, because the libraries are files too. */
__attribute__((constructor)) static void limit_descriptors(void)
{
	const char *descriptors = getenv("MANY_DESCRIPTORS");

	if (descriptors) {
		struct rlimit limit = { (rlim_t)atoi(descriptors), (rlim_t)atoi(descriptors) };
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

static void name_functions(unsigned functions)
{
	for (unsigned i = 0; i < functions; i++) {
		snprintf(names[i], sizeof(names[i]), "f%u", i);
		sites[i] =
			(struct hotpath_site){ names[i], __FILE__, i, HOTPATH_SITE_FUNCTION, 0, 0 };
	}
}

static void close_from(int first)
{
	for (int fd = first; fd < DESCRIPTORS; fd++)
		close(fd);
}

/* Its data end up where standard error was: whatever is written there damages them. */
static int reuse(const char *path)
{
	static const char text[] = "precious data\n";

	close_from(0);
	if (open(path, O_RDWR | O_CREAT, 0600) != 0 || dup(0) != 1 || dup(0) != 2)
		return -1;
	return write(2, text, sizeof(text) - 1) > 0 ? 0 : -1;
}

static int cut_off(const char *mode, const char *argument)
{
	if (strcmp(mode, "close") == 0)
		close_from(3);
	else if (strcmp(mode, "bare") == 0)
		close_from(0);
	else if (strcmp(mode, "reuse") == 0)
		return reuse(argument);
	else if (strcmp(mode, "chroot") == 0)
		return chroot(argument) || chdir("/");
	return 0;
}

static unsigned long turn(unsigned from, unsigned to)
{
	unsigned long sum = 0;

	for (unsigned function = from; function < to; function++)
		sum += call(function);
	return sum;
}

int main(int argc, char **argv)
{
	HOTPATH_MAIN();
	unsigned functions = argc > 3 ? (unsigned)atoi(argv[1]) : 0;
	unsigned calls = functions ? (unsigned)atoi(argv[2]) : 0;
	const char *mode = argc > 4 ? argv[4] : "";
	unsigned long sum = 0;

	if (!functions || functions > FUNCTIONS_MAX)
		return 2;
	name_functions(functions);
	sum += turn(0, functions / 2);
	if (cut_off(mode, argc > 5 ? argv[5] : NULL))
		return 3;
	sum += turn(functions / 2, functions);
	for (unsigned i = 1; i < calls; i++)
		sum += turn(0, functions);
	while (strcmp(mode, "serve") == 0) {
		turn(0, functions);
		usleep(1000);
	}
	printf("sum %lu\n", sum);
	return atoi(argv[3]);
}
