/* SPDX-License-Identifier: MIT */
/* Functions that allocate for others: those that are well known, and those that the user names. */
#include "wrappers.h"

#include <stddef.h>
#include <string.h>

static const char well_known[] =
#define WRAPPERS(of, names) names ","
#include "wrappers.def"
#undef WRAPPERS
	"";

static char named[HP_WRAPPERS_SIZE];

bool hp_wrappers_name(const char *names)
{
	if (strlen(names) >= sizeof(named))
		return false;
	strcpy(named, names);
	return true;
}

bool hp_wrappers_are_named(void)
{
	return named[0];
}

/* The length of a name without what compilers add, parameters, or the function that it was inlined in. */
static size_t plain_length(const char *function)
{
	size_t length = strcspn(function, ".(");

	while (length && function[length - 1] == ' ')
		length--;
	return length;
}

static bool matches(const char *pattern, size_t length, const char *function, size_t plain)
{
	if (length && pattern[length - 1] == '*')
		return strncmp(pattern, function, length - 1) == 0;
	return length && length == plain && memcmp(pattern, function, length) == 0;
}

static bool is_in(const char *list, const char *function)
{
	size_t plain = plain_length(function);

	while (*list) {
		size_t skipped = strspn(list, " ,");
		size_t length = strcspn(list + skipped, ",");
		size_t end = length;
		while (end && list[skipped + end - 1] == ' ')
			end--;
		if (matches(list + skipped, end, function, plain))
			return true;
		list += skipped + length;
	}
	return false;
}

bool hp_is_wrapper(const char *function)
{
	return is_in(well_known, function) || is_in(named, function);
}
