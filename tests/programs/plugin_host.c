/* SPDX-License-Identifier: MIT */
/*
 * Opens and closes a measured library a hundred times; built with and without measuring anything itself.
 *
 * usage: plugin_host LIBRARY
 */
#include <hotpath.h>

#include "truth.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

enum {
	TIMES = 100,
	CALLS = 70,
};

static uint64_t hosts, works, operations;

__attribute__((noinline)) static void host(void)
{
	HOTPATH_MEASURE();

	hosts++;
}

/* POSIX has it so: an object pointer that is a function's. */
static void find(void *library, const char *name, void *function)
{
	void *symbol = dlsym(library, name);

	if (!symbol)
		exit(1);
	memcpy(function, &symbol, sizeof(symbol));
}

static void use(const char *path)
{
	static struct hotpath_span operation;
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	void (*begin)(struct hotpath_span *);
	void (*work)(void);

	if (!library)
		exit(1);
	find(library, "plugin_begin", &begin);
	find(library, "plugin_work", &work);
	begin(&operation);
	for (int i = 0; i < CALLS; i++) {
		work();
		works++;
	}
	dlclose(library);
	/* Still there: closing proved nothing. */
	if (dlopen(path, RTLD_NOW | RTLD_NOLOAD))
		exit(2);
	host();
	HOTPATH_SPAN_END(operation);
	operations++;
}

int main(int argc, char **argv)
{
	HOTPATH_MAIN();
	uint64_t start = own_clock();

	if (argc < 2)
		return 1;
	for (int i = 0; i < TIMES; i++)
		use(argv[1]);
	truth("host", HOTPATH_ENABLE ? hosts : 0);
	truth("plugin_work", works);
	truth("operation", HOTPATH_ENABLE ? operations : 0);
	truth("@elapsed", own_clock() - start);
	return 0;
}
