/* SPDX-License-Identifier: MIT */
/* Rules of `hotpath cc`: which files and functions are measured. */
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

/**
 * Whether a pattern is for source files: it contains a slash, or ends in a source suffix. Others are for function
 * names.
 */
bool cc_pattern_is_path(const char *pattern);

/**
 * Whether a source file is measured: it matches an --only pattern for files, if there is any, and no --skip pattern.
 *
 * A pattern may match from any folder of the path on, and may match a folder.
 */
bool cc_rules_want_file(const struct cc_rules *rules, const char *path);

/** Write the rules for functions, one per line, as the recorder reads them; nothing if there are none. */
void cc_rules_describe(const struct cc_rules *rules, struct hp_text *text);

#endif
