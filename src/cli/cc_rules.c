/* SPDX-License-Identifier: MIT */
/* Rules of `hotpath cc`: which files and functions are measured. */
#include "cc_rules.h"

#include "cc_language.h"

#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

bool cc_pattern_is_path(const char *pattern)
{
	return strchr(pattern, '/') || cc_language_of_file(pattern) != CC_LANGUAGE_OTHER;
}

/* Match a pattern, ignoring a slash at its end: everything below a folder matches the folder. */
static bool matches_path(const char *pattern, const char *path)
{
	char folder[PATH_MAX];
	int length = snprintf(folder, sizeof(folder), "%s", pattern);
	if (length <= 0 || length >= PATH_MAX)
		return false;

	while (length && folder[length - 1] == '/')
		folder[--length] = '\0';
	for (const char *tail = path;; tail++) {
		if (fnmatch(folder, tail, FNM_LEADING_DIR) == 0)
			return true;
		tail = strchr(tail, '/');
		if (!tail)
			return false;
	}
}

bool cc_rules_want_file(const struct cc_rules *rules, const char *path)
{
	bool only = false, wanted = false;

	for (size_t i = 0; i < rules->count; i++) {
		const struct cc_rule *rule = &rules->items[i];
		if (!cc_pattern_is_path(rule->pattern))
			continue;
		bool matches = matches_path(rule->pattern, path);
		if (rule->skip && matches)
			return false;
		only |= !rule->skip;
		wanted |= matches;
	}
	return wanted || !only;
}

void cc_rules_describe(const struct cc_rules *rules, struct hp_text *text)
{
	for (size_t i = 0; i < rules->count; i++) {
		const struct cc_rule *rule = &rules->items[i];
		if (!cc_pattern_is_path(rule->pattern))
			hp_text_printf(text, "%s %s\n", rule->skip ? "skip" : "only",
				       rule->pattern);
	}
	if (rules->min_size)
		hp_text_printf(text, "min-size %s\n", rules->min_size);
}
