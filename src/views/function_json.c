/* SPDX-License-Identifier: MIT */
/* JSON members of functions that all sections share. */
#include "function_json.h"

#include "format.h"

const char *hp_kind_name(enum hp_site_kind kind)
{
	static const char names[][9] = {
		[HP_SITE_FUNCTION] = "function", [HP_SITE_BLOCK] = "block", [HP_SITE_SPAN] = "span",
		[HP_SITE_MAIN] = "main",	 [HP_SITE_CALL] = "call",   [HP_SITE_POLL] = "poll",
	};
	bool has_name = kind >= HP_SITE_FUNCTION && kind <= HP_SITE_POLL && names[kind][0];

	return has_name ? names[kind] : "function";
}

/* 95 rather than 95.0, as in the keys. */
static void put_percent(struct hp_json *json, double percent)
{
	uint64_t whole = (uint64_t)percent;

	if ((double)whole == percent)
		hp_json_u64(json, whole);
	else
		hp_json_double(json, percent);
}

void hp_json_percentiles(struct hp_json *json, const struct hp_report_options *options)
{
	hp_json_key(json, "percentiles");
	hp_json_begin_array(json);
	for (unsigned i = 0; i < options->percentile_count; i++)
		put_percent(json, options->percentiles[i]);
	hp_json_end_array(json);
}

/* Append as much as there is room for. Returns the new end. */
static char *append(char *end, const char *limit, const char *text)
{
	while (*text && end < limit)
		*end++ = *text++;
	*end = '\0';
	return end;
}

/* Reports have one for each function and percentile: printf would take longer than writing the number. */
void hp_json_percentile_key(struct hp_json *json, const char *of, double percent, const char *unit)
{
	char key[64], *end = key, *limit = key + sizeof(key) - 1;

	end = append(end, limit, of);
	end = append(end, limit, *of ? "_p" : "p");
	end = append(end, limit, hp_format_decimal(percent).text);
	end = append(end, limit, "_");
	append(end, limit, unit);
	hp_json_key(json, key);
}

/* The number of the quarter of an octave that a value is in; those below 4 have one each. */
static unsigned quarter_of(uint64_t value)
{
	unsigned shift = 0;

	while (value >> shift >= 8)
		shift++;
	return shift * 4 + (unsigned)(value >> shift);
}

/* The points from one on that are written as one. */
static size_t count_joined(const struct hp_points *points, size_t first, bool is_coarse)
{
	size_t count = 1;

	while (is_coarse && first + count < points->count &&
	       quarter_of(points->items[first + count].value) ==
		       quarter_of(points->items[first].value))
		count++;
	return count;
}

void hp_json_points(struct hp_json *json, const char *key, const struct hp_points *points,
		    bool is_coarse)
{
	hp_json_key(json, key);
	hp_json_begin_array(json);
	for (size_t i = 0, joined; i < points->count; i += joined) {
		uint64_t calls = 0;
		joined = count_joined(points, i, is_coarse);
		for (size_t j = 0; j < joined; j++)
			calls += points->items[i + j].count;
		hp_json_begin_array(json);
		hp_json_u64(json, points->items[i].value);
		hp_json_u64(json, calls);
		hp_json_end_array(json);
	}
	hp_json_end_array(json);
}

void hp_json_name(struct hp_json *json, const struct hp_function *function)
{
	hp_json_key(json, "name");
	hp_json_string(json, function->name);
	hp_json_key(json, "kind");
	hp_json_string(json, hp_kind_name(function->kind));
}

void hp_json_caller(struct hp_json *json, const struct hp_function *function)
{
	if (!function->is_caller)
		return;
	hp_json_key(json, "caller");
	hp_json_bool(json, true);
}

void hp_json_place(struct hp_json *json, const char *file, uint32_t line)
{
	if (!file) {
		hp_json_null(json);
		return;
	}
	hp_json_begin_object(json);
	hp_json_member_string(json, "file", file);
	hp_json_member_u64(json, "line", line);
	hp_json_end_object(json);
}

void hp_json_location(struct hp_json *json, const struct hp_function *function)
{
	hp_json_key(json, "location");
	hp_json_place(json, function->file, function->line);
	if (!function->module)
		return;
	hp_json_key(json, "module");
	hp_json_string(json, function->module);
	hp_json_key(json, "offset");
	hp_json_u64(json, function->offset);
}
