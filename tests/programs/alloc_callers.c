/* SPDX-License-Identifier: MIT */
/*
 * Allocates with stacks that are known.
 *
 * usage: alloc_callers threads COUNT | family | deep | fork | signal | library PATH TIMES | many
 */
#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define ALONE __attribute__((noinline))

/* Use a block, so that the compiler leaves out no call, and makes none a tail call. */
#define KEEP(block) __asm__ volatile("" : : "r"(block) : "memory")

ALONE static void *wrap(size_t size)
{
	void *block = malloc(size);

	KEEP(block);
	return block;
}

ALONE static void *first(void)
{
	void *block = wrap(100);

	KEEP(block);
	return block;
}

ALONE static void *second(void)
{
	void *block = wrap(200);

	KEEP(block);
	return block;
}

ALONE static void *in_thread(void *unused)
{
	for (unsigned i = 0; i < 1000; i++) {
		free(first());
		second();
	}
	KEEP(unused);
	return unused;
}

/* Run `count` threads at once, three times: threads that have ended leave their lanes to others. */
static void threads(unsigned count)
{
	pthread_t ids[64];

	for (unsigned round = 0; round < 3; round++) {
		for (unsigned i = 0; i < count; i++)
			if (pthread_create(&ids[i], NULL, in_thread, NULL))
				_exit(1);
		for (unsigned i = 0; i < count; i++)
			pthread_join(ids[i], NULL);
	}
}

#define BY(name, expression)                                                                       \
	ALONE static void *name(void)                                                              \
	{                                                                                          \
		void *block = expression;                                                          \
		KEEP(block);                                                                       \
		return block;                                                                      \
	}

static void *aligned(void)
{
	void *block = NULL;

	return posix_memalign(&block, 64, 4000) ? NULL : block;
}

BY(by_malloc, malloc(1000))
BY(by_calloc, calloc(20, 100))
BY(by_realloc, realloc(malloc(10), 3000))
BY(by_posix_memalign, aligned())
BY(by_aligned_alloc, aligned_alloc(64, 6400))
BY(by_strdup, strdup("seven b"))
BY(by_strndup, strndup("seventeen", 5))
BY(by_memalign, memalign(64, 5000))

ALONE static void family(void)
{
	by_malloc();
	by_calloc();
	by_realloc();
	by_posix_memalign();
	by_aligned_alloc();
	by_strdup();
	by_strndup();
	by_memalign();
	KEEP(0);
}

ALONE static void *deeper(unsigned levels)
{
	void *block = levels ? deeper(levels - 1) : wrap(50);

	KEEP(block);
	return block;
}

ALONE static void in_child(void)
{
	wrap(300);
	KEEP(0);
}

static void forks(void)
{
	first();
	for (unsigned i = 0; i < 2; i++) {
		pid_t child = fork();
		if (child == 0) {
			in_child();
			exit(0);
		}
		waitpid(child, NULL, 0);
	}
}

ALONE static void handle(int signal)
{
	KEEP(signal);
	first();
	KEEP(signal);
}

ALONE static void interrupted(void)
{
	signal(SIGUSR1, handle);
	for (unsigned i = 0; i < 10; i++)
		raise(SIGUSR1);
	KEEP(0);
}

typedef void keeps(size_t size);

ALONE static void open_and_close(const char *path)
{
	void *library = dlopen(path, RTLD_NOW);
	void *symbol = library ? dlsym(library, "library_keeps") : NULL;
	keeps *function;

	if (!symbol)
		_exit(1);
	memcpy(&function, &symbol, sizeof(symbol));
	function(77);
	dlclose(library);
	first();
	KEEP(library);
}

/* Two calls, so that each level doubles the number of stacks. What comes after each is its own, or a compiler would make one
   of them. */
ALONE static void branch(unsigned levels, unsigned bits)
{
	if (levels == 0)
		wrap(8);
	if (levels && (bits & 1)) {
		branch(levels - 1, bits >> 1);
		__asm__ volatile("# one");
	} else if (levels) {
		branch(levels - 1, bits >> 1);
		__asm__ volatile("# the other");
	}
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (strcmp(what, "threads") == 0)
		threads((unsigned)atoi(argv[2]));
	else if (strcmp(what, "family") == 0)
		family();
	else if (strcmp(what, "deep") == 0)
		deeper(50);
	else if (strcmp(what, "fork") == 0)
		forks();
	else if (strcmp(what, "signal") == 0)
		interrupted();
	else if (strcmp(what, "library") == 0)
		for (int i = 0; i < atoi(argv[3]); i++)
			open_and_close(argv[2]);
	else if (strcmp(what, "many") == 0)
		for (unsigned i = 0; i < 1U << 17; i++)
			branch(17, i);
	else
		return 2;
	return 0;
}
