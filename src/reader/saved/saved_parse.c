/* SPDX-License-Identifier: MIT */
/*
 * Parses untrusted JSON text into json-c objects.
 *
 * A value takes many times more memory than its text: an empty object, two bytes of text, takes a kilobyte. So values
 * are counted before any is created.
 */
#include "saved_parse.h"

#include "saved_fields.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

enum {
	/*
	 * Measured memory cost of values in bytes: of any value, with its slot in the container; and in addition, of
	 * arrays, objects, and their keys.
	 */
	VALUE_COST = 72,
	ARRAY_COST = 88,
	OBJECT_COST = 720,
	KEY_COST = 112,
};

/* A report of 50 MB that consists of histograms takes less than this. */
#define COST_MAX ((uint64_t)3 << 29)

/* The position after a string whose opening quote was just read; the end of the text if it is not closed. */
static const char *skip_string(const char *at, const char *end)
{
	while (at < end) {
		const char *quote = memchr(at, '"', (size_t)(end - at));
		if (!quote)
			return end;
		const char *before = quote;
		while (before > at && before[-1] == '\\')
			before--;
		at = quote + 1;
		if ((quote - before) % 2 == 0)
			return at;
	}
	return end;
}

/* An upper bound of the memory that a text would take. */
static uint64_t cost_of(const char *bytes, size_t size)
{
	static const uint16_t costs[UCHAR_MAX + 1] = {
		[','] = VALUE_COST,
		[':'] = KEY_COST,
		['['] = VALUE_COST + ARRAY_COST,
		['{'] = VALUE_COST + OBJECT_COST,
	};
	const char *end = bytes + size;
	uint64_t cost = size;

	while (bytes < end) {
		char c = *bytes++;
		if (c == '"')
			bytes = skip_string(bytes, end);
		cost += costs[(unsigned char)c];
	}
	return cost;
}

static bool is_space(char c)
{
	return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/* Whether another report begins at a place: of a program that forks, each process has one. */
static bool begins_report(const char *bytes, size_t size, size_t at)
{
	static const char type[] = "\"type\"";

	while (at < size && is_space(bytes[at]))
		at++;
	if (at >= size || bytes[at++] != '{')
		return false;
	while (at < size && is_space(bytes[at]))
		at++;
	return size - at >= strlen(type) && memcmp(bytes + at, type, strlen(type)) == 0;
}

/* Why a text is no JSON, or not all of it; NULL when it is. */
static const char *syntax_problem(struct json_tokener *tokener, const char *bytes, size_t size)
{
	enum json_tokener_error why = json_tokener_get_error(tokener);
	size_t end = json_tokener_get_parse_end(tokener);

	if (why == json_tokener_continue)
		return "unexpected end";
	if (end > 0 && end < size && begins_report(bytes, size, end))
		return "several reports in one file; 'hotpath run' without --each writes a single one";
	if (why != json_tokener_success)
		return json_tokener_error_desc(why);
	return end < size ? "text after the end" : NULL;
}

int hp_saved_parse(const char *bytes, size_t size, int depth, const char *refusal,
		   struct json_object **value, struct hp_error *error)
{
	*value = NULL;
	while (size > 0 && is_space(bytes[size - 1]))
		size--;
	if (size == 0)
		return hp_saved_fail(error, -EINVAL, "an empty file");
	if (size > INT_MAX || cost_of(bytes, size) > COST_MAX)
		return hp_saved_fail(error, -EFBIG,
				     "too large: it would take more than 1.5 GB of memory");
	struct json_tokener *tokener = json_tokener_new_ex(depth);
	if (!tokener)
		return hp_saved_fail(error, -ENOMEM, "out of memory");

	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	*value = json_tokener_parse_ex(tokener, bytes, (int)size);
	const char *problem = syntax_problem(tokener, bytes, size);
	json_tokener_free(tokener);
	if (!problem)
		return 0;
	json_object_put(*value);
	*value = NULL;
	return hp_saved_fail(error, -EINVAL, "%s (%s)", refusal, problem);
}
