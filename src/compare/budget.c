/* SPDX-License-Identifier: MIT */
/*
 * Reads a budget file.
 *
 *	{ "budgets": [
 *		{ "function": "parse_line", "metric": "avg", "limit": "50 us" },
 *		{ "function": "render", "metric": "alloc_count", "limit": 1000 },
 *		{ "function": "main", "metric": "self", "limit": "+5 %" },
 *		{ "metric": "elapsed", "limit": "2 s" } ] }
 */
#include "comparison.h"
#include "limit.h"
#include "metric.h"
#include "saved/saved_fields.h"
#include "saved/saved_parse.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	/* Nesting: object, array, entry; with some reserve. */
	DEPTH_MAX = 8,
	/* Bytes of what the user wrote, in a message. */
	QUOTE_MAX = 40,
};

/* The entry that is being read, its number from 1, and where to report errors. */
struct entry {
	struct json_object *object;
	size_t number;
	struct hp_error *error;
};

/* The beginning of a user's string, made printable. */
struct quote {
	char text[QUOTE_MAX * 2];
};

static struct quote quote(const char *string)
{
	struct hp_text text = HP_TEXT_INIT;
	struct quote quoted;
	char start[QUOTE_MAX + 1];

	snprintf(start, sizeof(start), "%s", string);
	hp_text_put_printable(&text, start);
	snprintf(quoted.text, sizeof(quoted.text), "%s%s", text.bytes ? text.bytes : "",
		 strlen(string) > QUOTE_MAX ? "…" : "");
	hp_text_free(&text);
	return quoted;
}

__attribute__((format(printf, 2, 3))) static int refuse(const struct entry *entry,
							const char *format, ...)
{
	char reason[sizeof(entry->error->text)];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(reason, sizeof(reason), format, arguments);
	va_end(arguments);
	return hp_saved_fail(entry->error, -EINVAL, "budget %zu: %s", entry->number, reason);
}

static int check_keys(const struct entry *entry)
{
	static const char *const keys[] = { "function", "metric", "limit" };

	json_object_object_foreach(entry->object, key, value)
	{
		size_t i = 0;
		(void)value;
		while (i < sizeof(keys) / sizeof(*keys) && strcmp(key, keys[i]) != 0)
			i++;
		if (i == sizeof(keys) / sizeof(*keys))
			return refuse(
				entry,
				"unknown key '%s'; the keys are 'function', 'metric' and 'limit'",
				quote(key).text);
	}
	return 0;
}

/* A string, which is copied. */
static int read_string(const struct entry *entry, const char *key, char **into)
{
	struct json_object *value = hp_saved_member(entry->object, key);
	const char *string = "";

	if (json_object_is_type(value, json_type_string))
		string = json_object_get_string(value);
	if (!*string)
		return refuse(entry, "'%s' must be a name", key);
	*into = strdup(string);
	return *into ? 0 : hp_saved_fail(entry->error, -ENOMEM, "out of memory");
}

static int refuse_metric(const struct entry *entry, const struct hp_budget *budget)
{
	bool of_program = !budget->name;
	double percent;
	if (hp_metric_find(budget->metric, !of_program, &percent))
		return refuse(entry,
			      of_program
				      ? "'%s' is not a metric of the whole program: add a "
					"'function'"
				      : "'%s' is a metric of the whole program: remove 'function'",
			      budget->metric);

	return refuse(entry, "unknown metric '%s'; 'hotpath compare --help' lists those of %s",
		      quote(budget->metric).text, of_program ? "the program" : "rows");
}

/* A limit is a number in the unit of the metric, or a string. */
static bool is_limit(struct json_object *value, enum hp_metric_unit unit, struct hp_limit *limit)
{
	uint64_t whole;

	if (json_object_is_type(value, json_type_string))
		return hp_limit_read(json_object_get_string(value), unit, limit);
	limit->is_relative = false;
	if (unit == HP_UNIT_NUMBER) {
		limit->value = json_object_get_double(value);
		return (json_object_is_type(value, json_type_double) ||
			json_object_is_type(value, json_type_int)) &&
		       isfinite(limit->value);
	}
	if (!hp_saved_u64(value, &whole))
		return false;
	limit->value = (double)whole;
	return true;
}

static int read_limit(const struct entry *entry, const struct hp_metric *metric,
		      struct hp_budget *budget)
{
	struct json_object *value = hp_saved_member(entry->object, "limit");
	struct hp_limit limit;
	if (!value)
		return refuse(entry, "'limit' is missing");
	if (!is_limit(value, metric->unit, &limit))
		return refuse(
			entry, "the limit of '%s' must be %s, not %s", budget->metric,
			hp_limit_form(metric->unit),
			quote(json_object_to_json_string_ext(value, JSON_C_TO_STRING_NOSLASHESCAPE))
				.text);
	budget->limit = limit.value;
	budget->is_relative = limit.is_relative;
	budget->unit = metric->unit;
	return 0;
}

static int read_budget(const struct entry *entry, struct hp_budget *budget)
{
	double percent;
	if (!json_object_is_type(entry->object, json_type_object))
		return refuse(entry, "it must be an object with 'metric' and 'limit'");
	int failed = check_keys(entry);
	if (!failed && hp_saved_member(entry->object, "function"))
		failed = read_string(entry, "function", &budget->name);
	if (!failed)
		failed = read_string(entry, "metric", &budget->metric);
	if (failed)
		return failed;

	const struct hp_metric *metric = hp_metric_find(budget->metric, !budget->name, &percent);
	return metric ? read_limit(entry, metric, budget) : refuse_metric(entry, budget);
}

static int read_array(struct json_object *array, struct hp_budgets *budgets, struct hp_error *error)
{
	size_t count = json_object_array_length(array);
	int failed = 0;
	budgets->items = calloc(count + 1, sizeof(*budgets->items));
	if (!budgets->items)
		return hp_saved_fail(error, -ENOMEM, "out of memory");

	for (size_t i = 0; i < count && !failed; i++) {
		struct entry entry = { json_object_array_get_idx(array, i), i + 1, error };
		failed = read_budget(&entry, &budgets->items[budgets->count++]);
	}
	return failed;
}

static int read_file(struct json_object *file, struct hp_budgets *budgets, struct hp_error *error)
{
	struct json_object *array = NULL;
	if (json_object_is_type(file, json_type_object))
		array = hp_saved_member(file, "budgets");
	if (!json_object_is_type(array, json_type_array))
		return hp_saved_fail(error, -EINVAL,
				     "not a budget file: it must be {\"budgets\": [ … ]}");

	json_object_object_foreach(file, key, value)
	{
		(void)value;
		if (strcmp(key, "budgets") != 0)
			return hp_saved_fail(error, -EINVAL,
					     "unknown key '%s'; the only key is 'budgets'",
					     quote(key).text);
	}
	return read_array(array, budgets, error);
}

int hp_budgets_read(const char *bytes, size_t size, struct hp_budgets *budgets,
		    struct hp_error *error)
{
	const char *path = budgets->path;
	struct json_object *file;
	*budgets = (struct hp_budgets){ .path = path };
	int failed = hp_saved_parse(bytes, size, DEPTH_MAX, "not JSON", &file, error);
	if (failed)
		return failed;

	failed = read_file(file, budgets, error);
	json_object_put(file);
	if (failed) {
		hp_budgets_clear(budgets);
		budgets->path = path;
	}
	return failed;
}
