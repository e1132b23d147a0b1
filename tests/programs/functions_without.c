/* SPDX-License-Identifier: MIT */
/*
 * Calls functions when something was taken from the program that others rely on.
 *
 * usage: functions_without nothing|descriptors|root|library FOLDER LIBRARY
 *	descriptors: all of them were closed
 *	root: FOLDER, an empty one, is the root of the file system
 *	library: LIBRARY, whose functions are named alpha, was deleted when it had been opened
 */
#include "functions.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

NOINLINE static void before(void)
{
	COUNTED();
}

NOINLINE static void after(int more)
{
	COUNTED();

	if (more)
		after(more - 1);
}

/* Standard output is kept under another number, which its truth is told to in the end. */
HOTPATH_SKIP static void take(const char *what, const char *folder, const char *library)
{
	if (strcmp(what, "descriptors") == 0) {
		dup2(STDOUT_FILENO, 100);
		for (int fd = 0; fd < 100; fd++)
			close(fd);
		/* Whoever opens one now has the lowest. */
		if (open("/dev/null", O_RDONLY) != 0)
			abort();
	} else if (strcmp(what, "root") == 0) {
		if (chdir(folder) || chroot("."))
			_exit(77);
	} else if (strcmp(what, "library") == 0) {
		if (unlink(library))
			abort();
	}
}

/* As before, or nobody hears it. */
HOTPATH_SKIP static void give_back(const char *what)
{
	if (strcmp(what, "descriptors") != 0)
		return;
	/* Our own, and none that somebody left open. */
	if (dup2(0, 1) != 1 || close(1) || close(0))
		abort();
	for (int fd = 0; fd < 100; fd++)
		if (fcntl(fd, F_GETFD) != -1)
			abort();
	dup2(100, STDOUT_FILENO);
}

int main(int argc, char **argv)
{
	COUNTED();
	int (*work)(void);

	if (argc < 4)
		return 2;
	void *library = dlopen(argv[3], RTLD_NOW);
	void *symbol = dlsym(library, "alpha_work");
	memcpy(&work, &symbol, sizeof(symbol));
	before();
	take(argv[1], argv[2], argv[3]);
	for (int i = 0; i < 100; i++) {
		before();
		after(3);
		work();
	}
	give_back(argv[1]);
	counted_print(1);
	return 0;
}
