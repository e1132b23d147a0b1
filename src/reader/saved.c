/* SPDX-License-Identifier: MIT */
/*
 * From a saved report to a model.
 *
 * What may be where is said in tables: a key, what its value must be, and where it goes. A key that
 * is missing or null leaves its default; one with another type makes the report damaged.
 */
#include "saved.h"

#include <errno.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	SCHEMA = 1,
	/* Objects in arrays in objects: a report has about six. */
	DEPTH_MAX = 16,
};

/** What a value must be, and how it is read. */
struct type {
	/** False when the value is not that. */
	bool (*read)(struct json_object *value, void *into);
	/** To say so. */
	const char *what;
};

struct field {
	const char *key;
	const struct type *type;
	size_t offset;
};

static int fail(struct hp_error *error, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static int fail(struct hp_error *error, int code, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(error->text, sizeof(error->text), format, arguments);
	va_end(arguments);
	return code;
}

static bool read_u64(struct json_object *value, void *into)
{
	if (!json_object_is_type(value, json_type_int) || json_object_get_int64(value) < 0)
		return false;
	*(uint64_t *)into = json_object_get_uint64(value);
	return true;
}

static bool read_u32(struct json_object *value, void *into)
{
	uint64_t number;
	if (!read_u64(value, &number) || number > UINT32_MAX)
		return false;
	*(uint32_t *)into = (uint32_t)number;
	return true;
}

/* An exit status or the number of a signal. */
static bool read_byte(struct json_object *value, void *into)
{
	uint64_t number;
	if (!read_u64(value, &number) || number > 255)
		return false;
	*(int *)into = (int)number;
	return true;
}

static bool read_double(struct json_object *value, void *into)
{
	if (!json_object_is_type(value, json_type_double) &&
	    !json_object_is_type(value, json_type_int))
		return false;
	double number = json_object_get_double(value);
	*(double *)into = number;
	return isfinite(number) && number >= 0;
}

static bool read_bool(struct json_object *value, void *into)
{
	if (!json_object_is_type(value, json_type_boolean))
		return false;
	*(bool *)into = json_object_get_boolean(value);
	return true;
}

static bool read_string(struct json_object *value, void *into)
{
	if (!json_object_is_type(value, json_type_string))
		return false;
	char *copy = strdup(json_object_get_string(value));
	free(*(char **)into);
	*(char **)into = copy;
	return copy;
}

static bool read_kind(struct json_object *value, void *into)
{
	static const char *const names[] = {
		[HP_SITE_FUNCTION] = "function",
		[HP_SITE_BLOCK] = "block",
		[HP_SITE_SPAN] = "span",
		[HP_SITE_MAIN] = "main",
	};
	const char *name = json_object_get_string(value);

	for (unsigned kind = HP_SITE_FUNCTION; kind <= HP_SITE_MAIN; kind++) {
		if (strcmp(name, names[kind]) == 0) {
			*(enum hp_site_kind *)into = (enum hp_site_kind)kind;
			return true;
		}
	}
	return false;
}

static const struct type u64 = { read_u64, "a whole number" };
static const struct type u32 = { read_u32, "a whole number of 32 bits" };
static const struct type byte = { read_byte, "a number up to 255" };
static const struct type number = { read_double, "a number" };
static const struct type boolean = { read_bool, "true or false" };
static const struct type string = { read_string, "a string" };
static const struct type kind = { read_kind, "a kind of function" };

static const struct field model_fields[] = {
	{ "program", &string, offsetof(struct hp_model, program) },
	{ "arguments", &string, offsetof(struct hp_model, arguments) },
	{ "pid", &u32, offsetof(struct hp_model, pid) },
	{ "processes", &u32, offsetof(struct hp_model, processes) },
	{ "caller", &string, offsetof(struct hp_model, caller) },
	{ "elapsed_ns", &u64, offsetof(struct hp_model, elapsed_ns) },
	{ "start_unix_ns", &u64, offsetof(struct hp_model, start_unix_ns) },
	{ NULL, NULL, 0 },
};

static const struct field exit_fields[] = {
	{ "running", &boolean, offsetof(struct hp_exit, running) },
	{ "clean", &boolean, offsetof(struct hp_exit, clean) },
	{ "status", &byte, offsetof(struct hp_exit, status) },
	{ "signal", &byte, offsetof(struct hp_exit, signal) },
	{ NULL, NULL, 0 },
};

static const struct field overhead_fields[] = {
	{ "span_ns", &number, offsetof(struct hp_model, span_ns) },
	{ "estimated_ns", &u64, offsetof(struct hp_model, estimated_ns) },
	{ NULL, NULL, 0 },
};

static const struct field dropped_fields[] = {
#define COUNTER(name, sentence) { #name, &u64, HP_COUNTER_##name * sizeof(uint64_t) },
#include "counters.def"
#undef COUNTER
	{ NULL, NULL, 0 },
};

static const struct field function_fields[] = {
	{ "name", &string, offsetof(struct hp_function, name) },
	{ "kind", &kind, offsetof(struct hp_function, kind) },
	{ "caller", &boolean, offsetof(struct hp_function, is_caller) },
	{ "calls", &u64, offsetof(struct hp_function, calls) },
	{ "open", &u64, offsetof(struct hp_function, open) },
	{ "total_ns", &u64, offsetof(struct hp_function, total_ns) },
	{ "self_ns", &u64, offsetof(struct hp_function, self_ns) },
	{ "sum_ns", &u64, offsetof(struct hp_function, sum_ns) },
	{ "min_ns", &u64, offsetof(struct hp_function, min_ns) },
	{ "max_ns", &u64, offsetof(struct hp_function, max_ns) },
	{ "module", &string, offsetof(struct hp_function, module) },
	{ "offset", &u64, offsetof(struct hp_function, offset) },
	{ NULL, NULL, 0 },
};

static const struct field location_fields[] = {
	{ "file", &string, offsetof(struct hp_function, file) },
	{ "line", &u32, offsetof(struct hp_function, line) },
	{ NULL, NULL, 0 },
};

/* The value of a key; NULL when it is missing or null. */
static struct json_object *member(struct json_object *object, const char *key)
{
	struct json_object *value = NULL;

	json_object_object_get_ex(object, key, &value);
	return value;
}

static int read_fields(struct json_object *object, const struct field *fields, void *into,
		       struct hp_error *error)
{
	for (; fields->key; fields++) {
		struct json_object *value = member(object, fields->key);
		if (value && !fields->type->read(value, (char *)into + fields->offset))
			return fail(error, -EINVAL, "damaged report: '%s' is not %s", fields->key,
				    fields->type->what);
	}
	return 0;
}

/* The fields of an object inside an object, which may be missing. */
static int read_member(struct json_object *object, const char *key, const struct field *fields,
		       void *into, struct hp_error *error)
{
	struct json_object *inside = member(object, key);
	if (!inside)
		return 0;
	if (!json_object_is_type(inside, json_type_object))
		return fail(error, -EINVAL, "damaged report: '%s' is not an object", key);
	return read_fields(inside, fields, into, error);
}

/* An array, which may be missing, and its length. */
static int find_array(struct json_object *object, const char *key, struct json_object **array,
		      size_t *length, struct hp_error *error)
{
	*array = member(object, key);
	*length = 0;
	if (!*array)
		return 0;
	if (!json_object_is_type(*array, json_type_array))
		return fail(error, -EINVAL, "damaged report: '%s' is not an array", key);
	*length = json_object_array_length(*array);
	return 0;
}

/* Put a point behind the others; false when the values fall or the counts overflow. */
static bool add_point(struct hp_function *function, uint64_t *sum, uint64_t value, uint64_t count)
{
	struct hp_point *points = function->points;
	size_t last = function->point_count;

	if ((last && value < points[last - 1].value_ns) || __builtin_add_overflow(*sum, count, sum))
		return false;
	if (count == 0)
		return true;
	if (last && value == points[last - 1].value_ns)
		points[last - 1].count += count;
	else
		points[function->point_count++] = (struct hp_point){ value, count };
	return true;
}

/* One [value, count] of a histogram. */
static bool read_point(struct json_object *pair, struct hp_function *function, uint64_t *sum)
{
	uint64_t value, count;

	return json_object_is_type(pair, json_type_array) && json_object_array_length(pair) == 2 &&
	       read_u64(json_object_array_get_idx(pair, 0), &value) &&
	       read_u64(json_object_array_get_idx(pair, 1), &count) &&
	       add_point(function, sum, value, count);
}

static int read_histogram(struct json_object *array, size_t length, struct hp_function *function,
			  struct hp_error *error)
{
	uint64_t sum = 0;

	function->points = calloc(length + 1, sizeof(*function->points));
	if (!function->points)
		return fail(error, -ENOMEM, "out of memory");
	for (size_t i = 0; i < length; i++)
		if (!read_point(json_object_array_get_idx(array, i), function, &sum))
			return fail(error, -EINVAL,
				    "damaged report: 'histogram' is not [[value, count], …]");
	return 0;
}

/* A histogram of which every percentile that was written down is what it was. */
static int read_percentiles(struct json_object *row, const struct hp_saved *saved,
			    struct hp_function *function, struct hp_error *error)
{
	uint64_t before = 0, sum = 0;

	function->points = calloc(saved->percentile_count + 1, sizeof(*function->points));
	if (!function->points)
		return fail(error, -ENOMEM, "out of memory");
	for (unsigned i = 0; i < saved->percentile_count; i++) {
		uint64_t rank = hp_percentile_rank(saved->percentiles[i], function->calls),
			 value = 0;
		char key[48];
		snprintf(key, sizeof(key), "p%.15g_ns", saved->percentiles[i]);
		struct json_object *known = member(row, key);
		if (!known || !read_u64(known, &value) ||
		    !add_point(function, &sum, value, rank - before))
			return fail(error, -EINVAL, "damaged report: '%s' is not a percentile",
				    key);
		before = rank;
	}
	if (function->calls > before)
		add_point(function, &sum, function->max_ns, function->calls - before);
	return 0;
}

/* Reports of other makers may give the mean alone. */
static void complete_sum(struct json_object *row, struct hp_function *function)
{
	struct json_object *average = member(row, "avg_ns");
	uint64_t mean;

	if (!member(row, "sum_ns") && average && read_u64(average, &mean) &&
	    __builtin_mul_overflow(mean, function->calls, &function->sum_ns))
		function->sum_ns = UINT64_MAX;
}

static int read_function(struct json_object *row, struct hp_saved *saved,
			 struct hp_function *function, struct hp_error *error)
{
	struct json_object *histogram;
	size_t points;
	if (!json_object_is_type(row, json_type_object) || !member(row, "name"))
		return fail(error, -EINVAL, "damaged report: a function has no name");

	function->kind = HP_SITE_FUNCTION;
	int failed = read_fields(row, function_fields, function, error);
	if (!failed)
		failed = read_member(row, "location", location_fields, function, error);
	if (!failed)
		failed = find_array(row, "histogram", &histogram, &points, error);
	if (failed)
		return failed;
	complete_sum(row, function);
	if (histogram)
		return read_histogram(histogram, points, function, error);
	saved->complete = false;
	return read_percentiles(row, saved, function, error);
}

static int read_known_percentiles(struct json_object *section, struct hp_saved *saved,
				  struct hp_error *error)
{
	struct json_object *array;
	size_t length;
	int failed = find_array(section, "percentiles", &array, &length, error);
	if (failed)
		return failed;

	double last = -1;
	for (size_t i = 0; i < length; i++) {
		double percent;
		if (i == HP_SAVED_PERCENTILES ||
		    !read_double(json_object_array_get_idx(array, i), &percent) ||
		    percent <= last || percent > 100)
			return fail(error, -EINVAL, "damaged report: 'percentiles' are none");
		saved->percentiles[saved->percentile_count++] = last = percent;
	}
	return 0;
}

static int read_timing(struct json_object *section, struct hp_saved *saved, struct hp_error *error)
{
	struct hp_model *model = saved->model;
	struct json_object *rows;
	size_t count;
	if (!json_object_is_type(section, json_type_object))
		return fail(error, -EINVAL, "damaged report: 'functions_timing' is not an object");
	int failed = read_known_percentiles(section, saved, error);
	if (!failed)
		failed = find_array(section, "data", &rows, &count, error);
	if (failed)
		return failed;

	model->functions = calloc(count + 1, sizeof(*model->functions));
	if (!model->functions)
		return fail(error, -ENOMEM, "out of memory");
	for (size_t i = 0; i < count && !failed; i++)
		failed = read_function(json_object_array_get_idx(rows, i), saved,
				       &model->functions[model->function_count++], error);
	return failed;
}

static int read_notes(struct json_object *report, struct hp_model *model, struct hp_error *error)
{
	struct json_object *array;
	size_t length;
	int failed = find_array(report, "notes", &array, &length, error);
	if (failed)
		return failed;

	model->notes = calloc(length + 1, sizeof(*model->notes));
	if (!model->notes)
		return fail(error, -ENOMEM, "out of memory");
	for (size_t i = 0; i < length; i++)
		if (!read_string(json_object_array_get_idx(array, i),
				 &model->notes[model->note_count++]))
			return fail(error, -EINVAL, "damaged report: 'notes' are not strings");
	return 0;
}

static int read_into_model(struct json_object *report, struct hp_saved *saved,
			   struct hp_error *error)
{
	struct json_object *section = member(report, "functions_timing");
	struct hp_model *model = calloc(1, sizeof(*model));
	if (!model)
		return fail(error, -ENOMEM, "out of memory");

	saved->model = model;
	model->exit.status = -1;
	int failed = read_fields(report, model_fields, model, error);
	if (!failed)
		failed = read_member(report, "exit", exit_fields, &model->exit, error);
	if (!failed)
		failed = read_member(report, "overhead", overhead_fields, model, error);
	if (!failed)
		failed = read_member(report, "dropped", dropped_fields, model->dropped, error);
	if (!failed)
		failed = read_notes(report, model, error);
	if (!failed && section)
		failed = read_timing(section, saved, error);
	if (model->processes == 0)
		model->processes = 1;
	return failed;
}

/* Whether it is a report at all, and one that we know. */
static int check_schema(struct json_object *report, struct hp_error *error)
{
	const char *type = json_object_get_string(member(report, "type"));
	uint64_t schema;
	if (!type || strcmp(type, "hotpath_report") != 0)
		return fail(error, -EINVAL, "JSON, but not a hotpath report");
	if (!read_u64(member(report, "schema"), &schema))
		return fail(error, -EINVAL, "damaged report: it has no schema");
	if (schema != SCHEMA)
		return fail(error, -ENOTSUP,
			    "a report of schema %" PRIu64 "; this hotpath reads %d", schema,
			    SCHEMA);
	return 0;
}

/* Why a text is no JSON, or not all of it; NULL when it is. */
static const char *syntax_problem(struct json_tokener *tokener, size_t size)
{
	enum json_tokener_error why = json_tokener_get_error(tokener);

	if (why == json_tokener_continue)
		return "unexpected end";
	if (why != json_tokener_success)
		return json_tokener_error_desc(why);
	return json_tokener_get_parse_end(tokener) < size ? "text after the end" : NULL;
}

/* The text as an object; NULL with the reason in error. */
static struct json_object *parse(const char *bytes, size_t size, struct hp_error *error)
{
	struct json_tokener *tokener = json_tokener_new_ex(DEPTH_MAX);
	if (!tokener) {
		fail(error, 0, "out of memory");
		return NULL;
	}

	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	struct json_object *report = json_tokener_parse_ex(tokener, bytes, (int)size);
	const char *problem = syntax_problem(tokener, size);
	json_tokener_free(tokener);
	if (!problem && json_object_is_type(report, json_type_object))
		return report;

	if (problem)
		fail(error, 0, "neither a segment nor a saved report (%s)", problem);
	else
		fail(error, 0, "JSON, but not a hotpath report");
	json_object_put(report);
	return NULL;
}

static bool is_space(char c)
{
	return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

int hp_saved_read(const char *bytes, size_t size, struct hp_saved *saved, struct hp_error *error)
{
	*saved = (struct hp_saved){ .complete = true };
	while (size > 0 && is_space(bytes[size - 1]))
		size--;
	if (size == 0 || size > INT_MAX)
		return fail(error, -EINVAL, size ? "too large" : "an empty file");
	struct json_object *report = parse(bytes, size, error);
	if (!report)
		return -EINVAL;

	int failed = check_schema(report, error);
	if (!failed)
		failed = read_into_model(report, saved, error);
	json_object_put(report);
	if (failed) {
		hp_model_free(saved->model);
		saved->model = NULL;
	}
	return failed;
}
