/* SPDX-License-Identifier: MIT */
/* The target of an HTTP request, taken apart: its path, and the values behind it. Anyone may have written it. */
#ifndef HP_QUERY_H
#define HP_QUERY_H

#include <stddef.h>

enum {
	/** Values behind the path; a request with more is refused. */
	HP_QUERY_VALUES = 16,
	/** Bytes of a target, with the NUL behind it; a longer one is refused. */
	HP_QUERY_SIZE = 4096,
};

struct hp_query_item {
	const char *name;
	const char *value;
};

/** The strings are inside, so that it cannot be copied. */
struct hp_query {
	const char *path;
	struct hp_query_item items[HP_QUERY_VALUES];
	size_t count;
	char text[HP_QUERY_SIZE];
};

/**
 * Take a target apart, such as "/api/report?program=4711&section=timing,cpu".
 *
 * A path is taken as it is. Names and values are decoded: %XX is a byte other than NUL, + a space.
 *
 * @param problem
 *         Set to one line that says what is wrong.
 * @return
 *         0 or -EINVAL.
 */
int hp_query_parse(struct hp_query *query, const char *target, const char **problem);

/** The value of a name, "" for a name alone; NULL when it is not there. */
const char *hp_query_value(const struct hp_query *query, const char *name);

#endif
