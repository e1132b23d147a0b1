/* SPDX-License-Identifier: MIT */
/*
 * Looks up what is in GLib. RTLD_NEXT does not find functions of a library that was loaded later by a plugin, although
 * calls of them come to us: there the library is searched by its name.
 */
#include "libglib.h"

#include <dlfcn.h>

/* Search the libraries, which need the C library themselves. */
static void *look_in_loaded(const char *name)
{
	static const char libraries[][20] = { "libglib-2.0.so.0", "libgio-2.0.so.0", "libc.so.6" };
	void *found = NULL;

	for (size_t i = 0; !found && i < sizeof(libraries) / sizeof(*libraries); i++) {
		void *library = dlopen(libraries[i], RTLD_LAZY | RTLD_NOLOAD);
		found = library ? dlsym(library, name) : NULL;
	}
	return found;
}

void *libglib_ask(const char *name)
{
	void *found = next_symbol(name);

	return found ? found : look_in_loaded(name);
}

/* If the program has a copy of the variable (copy relocation), all code uses that one. */
void *libglib_variable(const char *name)
{
	void *found = dlsym(RTLD_DEFAULT, name);

	if (!found)
		found = look_in_loaded(name);
	dlerror();
	return found;
}
