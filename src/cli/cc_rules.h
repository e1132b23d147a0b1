/* SPDX-License-Identifier: MIT */
/* What is to be measured of a program that is compiled: which files, which functions. */
#ifndef CC_RULES_H
#define CC_RULES_H

#include "text.h"

#include <stdbool.h>
#include <stddef.h>

/** One --only or --skip. */
struct cc_rule {
	bool skip;
	const char *pattern;
};

struct cc_rules {
	struct cc_rule *items;
	size_t count;
	/** Functions of fewer bytes are left out; NULL for none. */
	const char *min_size;
};

/** Whether a pattern speaks of source files: by a slash, or the suffix of one. Others are names. */
bool cc_pattern_is_path(const char *pattern);

/**
 * Whether a source file is to be measured: it matches one of the --only, if there are any for
 * files, and no --skip.
 *
 * A pattern may begin at any folder of the path, and what it matches may be a folder itself.
 */
bool cc_rules_want_file(const struct cc_rules *rules, const char *path);

/** Write the rules for functions, a line each, as the recorder reads them; nothing without any. */
void cc_rules_describe(const struct cc_rules *rules, struct hp_text *text);

#endif
