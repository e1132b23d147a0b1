/* SPDX-License-Identifier: MIT */
/*
 * A library that allocates, linked or opened by name and closed again, as often as is asked for.
 *
 * usage: alloc_libraries [LIBRARY TIMES]
 */
#include "alloc_truth.h"

#include <dlfcn.h>
#include <string.h>

#ifdef LINKED
void library_keeps(size_t size);
#endif

typedef void keeps(size_t size);

SKIP static void open_and_close(const char *path)
{
	void *library = dlopen(path, RTLD_NOW);
	void *symbol = library ? dlsym(library, "library_keeps") : NULL;
	keeps *function;

	REQUIRE(symbol != NULL);
	memcpy(&function, &symbol, sizeof(symbol));
	function(77);
	dlclose(library);
}

int main(int argc, char **argv)
{
	unsigned times = argc > 2 ? (unsigned)atoi(argv[2]) : 1;

	if (argc > 1)
		for (unsigned i = 0; i < times; i++)
			open_and_close(argv[1]);
#ifdef LINKED
	library_keeps(77);
#endif
	allocated("library_begins", times * 3003UL, times * 3UL);
	freed("library_ends", times * 2001UL, times * 2UL),
		live("library_begins", times * 1002UL, times);
	allocated("library_keeps", times * 77UL, times), live("library_keeps", times * 77UL, times);
	return 0;
}
