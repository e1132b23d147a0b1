/* SPDX-License-Identifier: MIT */
/*
 * The functions that ours stand before. A library that a plugin brought is not where the dynamic linker looks for the
 * next ones, though calls of it come to us: such a one is asked by its name.
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

/* Like a cast, for which ISO C has no rule. What is known stays, and there may be several who look. */
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
	/* What is not there is not the program's fault. */
	dlerror();
}

/* The program's own copy, if it has one, is the one that all use. */
void *next_variable(const char *name)
{
	void *found = dlsym(RTLD_DEFAULT, name);

	if (!found)
		found = look_in(NEXT_IN_GLIB, name);
	dlerror();
	return found;
}
