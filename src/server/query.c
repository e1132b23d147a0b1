/* SPDX-License-Identifier: MIT */
/* The target of an HTTP request, taken apart: its path, and the values behind it. */
#include "query.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

static int fail(const char **problem, const char *reason)
{
	*problem = reason;
	return -EINVAL;
}

/* The number that a hexadecimal digit stands for; -1 for another character. */
static int digit(char c)
{
	static const char digits[] = "0123456789abcdef0123456789ABCDEF";
	const char *found = c ? strchr(digits, c) : NULL;

	return found ? (int)((found - digits) % 16) : -1;
}

/* Decode in place, which makes a string shorter at most. Returns whether its escapes are right. */
static bool decode(char *string)
{
	char *to = string;

	for (const char *from = string; *from; from++, to++) {
		*to = *from;
		if (*from == '+')
			*to = ' ';
		if (*from != '%')
			continue;
		int high = digit(from[1]), low = high < 0 ? -1 : digit(from[2]);
		if (low < 0 || high * 16 + low == 0)
			return false;
		*to = (char)(high * 16 + low);
		from += 2;
	}
	*to = '\0';
	return true;
}

static int add_item(struct hp_query *query, char *item, const char **problem)
{
	char *equals = strchr(item, '=');
	char *value = equals ? equals + 1 : item + strlen(item);

	if (!*item)
		return 0;
	if (equals)
		*equals = '\0';
	if (!decode(item) || (equals && !decode(value)))
		return fail(problem, "the query has a '%' that is not followed by two digits of a "
				     "byte other than 0");
	if (hp_query_value(query, item))
		return fail(problem, "the query has one name twice");
	if (query->count == HP_QUERY_VALUES)
		return fail(problem, "the query has too many values");
	query->items[query->count++] = (struct hp_query_item){ item, equals ? value : "" };
	return 0;
}

int hp_query_parse(struct hp_query *query, const char *target, const char **problem)
{
	size_t length = strnlen(target, HP_QUERY_SIZE);
	int failed = 0;

	query->count = 0;
	query->path = query->text;
	query->text[0] = '\0';
	if (length == HP_QUERY_SIZE)
		return fail(problem, "the path and the query are too long");
	if (*target != '/')
		return fail(problem, "the path does not begin with '/'");
	memcpy(query->text, target, length + 1);
	char *rest = strchr(query->text, '?');
	if (rest)
		*rest++ = '\0';
	while (rest && !failed) {
		char *item = strsep(&rest, "&");
		failed = add_item(query, item, problem);
	}
	return failed;
}

const char *hp_query_value(const struct hp_query *query, const char *name)
{
	for (size_t i = 0; i < query->count; i++)
		if (strcmp(query->items[i].name, name) == 0)
			return query->items[i].value;
	return NULL;
}
