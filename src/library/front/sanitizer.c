/* SPDX-License-Identifier: MIT */
/*
 * AddressSanitizer ends a program in which a library comes before its own, as a preloaded one does. It first asks a
 * function for options, which a program may have; so we have one too, which says that it need not be first. Unlike an
 * environment variable, this also holds for programs that were started with an environment of somebody's choice.
 */
#include "loading.h"

#include <dlfcn.h>
#include <string.h>

/* Those of a library that the program needs go on to count; the sanitizer itself has a function that says nothing. */
static void append_next(char *text, size_t room)
{
	const char *(*next)(void) = (const char *(*)(void))dlsym(RTLD_NEXT,
								 "__asan_default_options");
	const char *options = next ? next() : NULL;
	size_t length = options ? strlen(options) : 0;

	if (!length || length + 1 >= room)
		return;
	text[0] = ':';
	memcpy(text + 1, options, length + 1);
}

__attribute__((visibility("default"))) const char *__asan_default_options(void);

__attribute__((visibility("default"))) const char *__asan_default_options(void)
{
	static const char own[] = HP_LOADING_ASAN_OPTION;
	static char text[1024];
	enum { OWN = sizeof(own) - 1 };

	memcpy(text, own, sizeof(own));
	append_next(text + OWN, sizeof(text) - OWN);
	return text;
}
