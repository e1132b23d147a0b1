/* SPDX-License-Identifier: MIT */
/*
 * Looks up the functions behind our wrappers. RTLD_NEXT does not find those of a library that was loaded later by a
 * plugin, although calls of them come to us: there the library is searched by its name.
 */
#include "next.h"

#include <dlfcn.h>
#include <string.h>

struct next next;

static const char libraries[][24] = {
	[NEXT_IN_LIBC] = "libc.so.6",
	[NEXT_IN_GLIB] = "libglib-2.0.so.0",
	[NEXT_IN_GIO] = "libgio-2.0.so.0",
};

#define IN_LIBC(function) { NEXT_IN_LIBC, offsetof(struct next, function), #function },
#define IN_GLIB(function) { NEXT_IN_GLIB, offsetof(struct next, function), #function },
#define IN_GIO(function) { NEXT_IN_GIO, offsetof(struct next, function), #function },
static const struct {
	uint16_t library;
	uint16_t offset;
	char name[44];
} functions[] = { NEXT_LIBC(IN_LIBC) NEXT_GLIB(IN_GLIB) NEXT_GIO(IN_GIO) };

static void *look_in(enum next_library library, const char *name)
{
	void *handle = dlopen(libraries[library], RTLD_LAZY | RTLD_NOLOAD);

	return handle ? dlsym(handle, name) : NULL;
}

static void *look_up(enum next_library library, const char *name)
{
	void *found = dlsym(RTLD_NEXT, name);

	return found ? found : look_in(library, name);
}

/* Look up a function that is not known yet. Several threads may do this at the same time. */
static void find(size_t i)
{
	void **function = (void **)(void *)((char *)&next + functions[i].offset);

	if (!load(function, RELAXED))
		store(function, look_up(functions[i].library, functions[i].name), RELAXED);
}

void next_find(enum next_library last)
{
	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++)
		if (functions[i].library <= last)
			find(i);
	/* Clear the error of a failed lookup, so that the program does not see it. */
	dlerror();
}

/* If the program has a copy of the variable (copy relocation), all code uses that one. */
void *next_variable(const char *name)
{
	void *found = dlsym(RTLD_DEFAULT, name);

	if (!found)
		found = look_in(NEXT_IN_GLIB, name);
	dlerror();
	return found;
}
