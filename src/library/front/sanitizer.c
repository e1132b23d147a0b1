/* SPDX-License-Identifier: MIT */
/*
 * AddressSanitizer aborts a program if another library, such as a preloaded one, comes before its own. It first calls
 * a function for options, which a program may define; so we define it too, and turn that check off. Unlike an
 * environment variable, this also works for programs that are started with a custom environment.
 */
#include "front.h"
#include "loading.h"

#include <string.h>

/* Append the options of the next definition, in a library of the program; the sanitizer's own default is empty. */
static void append_next(char *text, size_t room)
{
	const char *options = NEXT(__asan_default_options)();
	size_t length = options ? strlen(options) : 0;

	if (!length || length + 1 >= room)
		return;
	text[0] = ':';
	memcpy(text + 1, options, length + 1);
}

VISIBLE const char *__asan_default_options(void)
{
	static const char own[] = HP_LOADING_ASAN_OPTION;
	static char text[1024];
	enum { OWN = sizeof(own) - 1 };

	memcpy(text, own, sizeof(own));
	append_next(text + OWN, sizeof(text) - OWN);
	return text;
}
