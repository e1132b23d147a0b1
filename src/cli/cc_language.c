/* SPDX-License-Identifier: MIT */
/* The languages of source files, by their names and by -x. */
#include "cc_language.h"

#include "file_name.h"

#include <stddef.h>
#include <string.h>

struct entry {
	const char *word;
	enum cc_language language;
};

static const struct entry suffixes[] = {
	{ "c", CC_LANGUAGE_C },
	{ "i", CC_LANGUAGE_C },
	{ "cc", CC_LANGUAGE_CXX },
	{ "cp", CC_LANGUAGE_CXX },
	{ "cxx", CC_LANGUAGE_CXX },
	{ "cpp", CC_LANGUAGE_CXX },
	{ "CPP", CC_LANGUAGE_CXX },
	{ "c++", CC_LANGUAGE_CXX },
	{ "C", CC_LANGUAGE_CXX },
	{ "ii", CC_LANGUAGE_CXX },
	{ "h", CC_LANGUAGE_C_HEADER },
	{ "hh", CC_LANGUAGE_CXX_HEADER },
	{ "H", CC_LANGUAGE_CXX_HEADER },
	{ "hp", CC_LANGUAGE_CXX_HEADER },
	{ "hxx", CC_LANGUAGE_CXX_HEADER },
	{ "hpp", CC_LANGUAGE_CXX_HEADER },
	{ "HPP", CC_LANGUAGE_CXX_HEADER },
	{ "h++", CC_LANGUAGE_CXX_HEADER },
	{ "tcc", CC_LANGUAGE_CXX_HEADER },
};

static const struct entry names[] = {
	{ "none", CC_LANGUAGE_BY_NAME },
	{ "c", CC_LANGUAGE_C },
	{ "cpp-output", CC_LANGUAGE_C },
	{ "c++", CC_LANGUAGE_CXX },
	{ "c++-cpp-output", CC_LANGUAGE_CXX },
	{ "c-header", CC_LANGUAGE_C_HEADER },
	{ "c++-header", CC_LANGUAGE_CXX_HEADER },
	{ "c++-system-header", CC_LANGUAGE_CXX_HEADER },
	{ "c++-user-header", CC_LANGUAGE_CXX_HEADER },
};

static enum cc_language look_up(const struct entry *table, size_t count, const char *word)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(table[i].word, word) == 0)
			return table[i].language;
	return CC_LANGUAGE_OTHER;
}

enum cc_language cc_language_of_file(const char *path)
{
	const char *dot = strrchr(hp_file_name(path), '.');

	return dot ? look_up(suffixes, sizeof(suffixes) / sizeof(*suffixes), dot + 1)
		   : CC_LANGUAGE_OTHER;
}

enum cc_language cc_language_of_name(const char *name)
{
	return look_up(names, sizeof(names) / sizeof(*names), name);
}
