/* SPDX-License-Identifier: MIT */
/* Which of the functions of an address is the program's own. */
#include "own_level.h"

#include <stdlib.h>
#include <string.h>

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* Where compilers and packages put headers. A program that is built elsewhere has none of its own there. */
static bool is_system_header(const char *file)
{
	return begins(file, "/usr/include/") || begins(file, "/usr/lib/gcc/") ||
	       begins(file, "/usr/lib/llvm") || begins(file, "/usr/local/include/") ||
	       strstr(file, "/include/c++/");
}

/* By its name, if its file is not known. */
static bool is_of_library(const char *name)
{
	return begins(name, "std::") || begins(name, "__gthread_") || begins(name, "__gnu_cxx::");
}

static bool is_own(const char *name, const char *file)
{
	return !is_of_library(name) && !(file && is_system_header(file));
}

uint32_t hp_name_own_level(const struct hp_name *name)
{
	const struct hp_name_detail *detail = &name->detail;
	const struct hp_betweens *between = &detail->between;

	if (!detail->inlined && !between->count)
		return 0;
	if (is_own(hp_name_shown(name), detail->inlined ? detail->file : NULL))
		return 0;
	for (uint32_t i = 0; i < between->count; i++)
		if (is_own(between->items[i].name, between->items[i].file))
			return i + 1;
	return between->count + 1;
}

/* The line of "src/work.c:33". */
static uint32_t line_of(const char *location)
{
	const char *colon = location ? strrchr(location, ':') : NULL;

	return colon ? (uint32_t)strtoul(colon + 1, NULL, 10) : 0;
}

struct hp_name_place hp_name_place(const struct hp_name *name, uint32_t level)
{
	const struct hp_name_detail *detail = &name->detail;
	struct hp_name_place place = { detail->place_file, detail->place_line };

	if (level > detail->between.count) {
		place = (struct hp_name_place){ detail->outer_file, detail->outer_line };
	} else if (level) {
		const struct hp_between *between = &detail->between.items[level - 1];
		place = (struct hp_name_place){ between->file, line_of(between->location) };
	}
	if (!place.line)
		place.file = NULL;
	return place;
}
