/* SPDX-License-Identifier: MIT */
/* Percentiles of a function, and several models made one. */
#include "model.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t clamp(uint64_t value, uint64_t low, uint64_t high)
{
	if (value < low)
		return low;
	return value > high ? high : value;
}

uint64_t hp_percentile_rank(double percent, uint64_t count)
{
	double exact = percent / 100.0 * (double)count;
	/* 99.9 % of 1000 calls is rank 999, whatever the last bit of the product says. */
	double least = exact - exact * 1e-12;
	if (least >= (double)count)
		return count;

	uint64_t rank = (uint64_t)least;
	return (double)rank < least ? rank + 1 : rank;
}

static uint64_t count_points(const struct hp_function *function)
{
	uint64_t count = 0;
	for (size_t i = 0; i < function->point_count; i++)
		count += function->points[i].count;
	return count;
}

uint64_t hp_function_percentile(const struct hp_function *function, double percent)
{
	if (function->calls == 0)
		return 0;
	if (percent <= 0)
		return function->min_ns;
	if (percent >= 100)
		return function->max_ns;

	uint64_t rank = hp_percentile_rank(percent, count_points(function));
	uint64_t seen = 0;
	for (size_t i = 0; i < function->point_count; i++) {
		seen += function->points[i].count;
		if (seen >= rank)
			return clamp(function->points[i].value_ns, function->min_ns,
				     function->max_ns);
	}
	return function->max_ns;
}

uint64_t hp_function_average(const struct hp_function *function)
{
	return function->calls ? (function->sum_ns + function->calls / 2) / function->calls : 0;
}

static const char *file_of(const struct hp_function *function)
{
	return function->file ? function->file : "";
}

static const char *module_of(const struct hp_function *function)
{
	const char *slash = function->module ? strrchr(function->module, '/') : NULL;

	if (!function->module)
		return "";
	return slash ? slash + 1 : function->module;
}

static bool is_same_place(const struct hp_function *a, const struct hp_function *b)
{
	return a->line == b->line && a->kind == b->kind && strcmp(a->name, b->name) == 0 &&
	       strcmp(file_of(a), file_of(b)) == 0 && strcmp(module_of(a), module_of(b)) == 0;
}

/* FNV-1a. */
static uint64_t hash_string(uint64_t hash, const char *string)
{
	for (; *string; string++)
		hash = (hash ^ (unsigned char)*string) * UINT64_C(0x100000001b3);
	return hash;
}

static uint64_t hash_of(const struct hp_function *function)
{
	uint64_t hash = hash_string(UINT64_C(0xcbf29ce484222325), function->name);
	hash = hash_string(hash, file_of(function));
	hash = (hash ^ function->line) * UINT64_C(0x100000001b3);
	return hash ^ hash >> 32;
}

/* Finds the rows of a model by place: an open hash table of row numbers plus one. */
struct row_index {
	size_t *slots;
	size_t mask;
};

/* Where a function's row number is, or where it belongs. */
static size_t *find_slot(const struct row_index *rows, const struct hp_model *model,
			 const struct hp_function *function)
{
	size_t at = (size_t)hash_of(function) & rows->mask;

	while (rows->slots[at] && !is_same_place(&model->functions[rows->slots[at] - 1], function))
		at = (at + 1) & rows->mask;
	return &rows->slots[at];
}

static int index_rows(struct row_index *rows, const struct hp_model *model, size_t room)
{
	size_t size = 16;
	while (size < 2 * room)
		size *= 2;
	rows->slots = calloc(size, sizeof(*rows->slots));
	if (!rows->slots)
		return -ENOMEM;
	rows->mask = size - 1;
	for (size_t i = 0; i < model->function_count; i++)
		*find_slot(rows, model, &model->functions[i]) = i + 1;
	return 0;
}

/*
 * Put a point after the ones there are. Processes that calibrate their clocks some parts per
 * million apart have the same buckets at almost the same values: those stay one point.
 */
static void append_point(struct hp_point *points, size_t *count, struct hp_point point)
{
	if (*count) {
		struct hp_point *last = &points[*count - 1];
		if (point.value_ns - last->value_ns <= last->value_ns / 8192) {
			last->count += point.count;
			return;
		}
	}
	points[(*count)++] = point;
}

static int merge_points(struct hp_function *into, const struct hp_function *from)
{
	if (from->point_count == 0)
		return 0;
	struct hp_point *points = calloc(into->point_count + from->point_count, sizeof(*points));
	if (!points)
		return -ENOMEM;

	size_t i = 0, j = 0, count = 0;
	while (i < into->point_count || j < from->point_count) {
		bool left = j == from->point_count ||
			    (i < into->point_count &&
			     into->points[i].value_ns <= from->points[j].value_ns);
		append_point(points, &count, left ? into->points[i++] : from->points[j++]);
	}
	free(into->points);
	into->points = points;
	into->point_count = count;
	return 0;
}

static void merge_extremes(struct hp_function *into, const struct hp_function *from)
{
	if (from->calls == 0)
		return;
	if (into->calls == 0 || from->min_ns < into->min_ns)
		into->min_ns = from->min_ns;
	if (from->max_ns > into->max_ns)
		into->max_ns = from->max_ns;
}

static int merge_function(struct hp_function *into, const struct hp_function *from)
{
	merge_extremes(into, from);
	into->is_caller |= from->is_caller;
	into->calls += from->calls;
	into->open += from->open;
	into->total_ns += from->total_ns;
	into->self_ns += from->self_ns;
	into->sum_ns += from->sum_ns;
	return merge_points(into, from);
}

/* Copy a string when there is one and its place is empty. */
static int copy_string(char **to, const char *from)
{
	if (*to || !from)
		return 0;
	*to = strdup(from);
	return *to ? 0 : -ENOMEM;
}

/* Copy a row behind the others, where there is room for it. */
static int append_function(struct hp_model *into, const struct hp_function *from)
{
	struct hp_function *function = &into->functions[into->function_count++];

	*function = *from;
	function->name = NULL;
	function->file = NULL;
	function->module = NULL;
	function->points = NULL;
	function->point_count = 0;
	if (copy_string(&function->name, from->name) || copy_string(&function->file, from->file) ||
	    copy_string(&function->module, from->module))
		return -ENOMEM;
	return merge_points(function, from);
}

static int merge_functions(struct hp_model *into, const struct hp_model *from)
{
	size_t room = into->function_count + from->function_count;
	if (from->function_count == 0)
		return 0;
	struct hp_function *functions = reallocarray(into->functions, room, sizeof(*functions));
	if (!functions)
		return -ENOMEM;
	into->functions = functions;

	struct row_index rows;
	int error = index_rows(&rows, into, room);
	if (error)
		return error;
	for (size_t i = 0; i < from->function_count && !error; i++) {
		size_t *slot = find_slot(&rows, into, &from->functions[i]);
		if (*slot) {
			error = merge_function(&into->functions[*slot - 1], &from->functions[i]);
		} else {
			error = append_function(into, &from->functions[i]);
			*slot = into->function_count;
		}
	}
	free(rows.slots);
	return error;
}

/* How much there is to say about an end: of several, the report tells the worst. */
static int gravity(const struct hp_exit *end)
{
	if (end->signal)
		return 4;
	if (!end->clean)
		return end->running ? 2 : 3;
	return end->status > 0;
}

static void merge_figures(struct hp_model *into, const struct hp_model *from)
{
	if (into->processes == 0 || gravity(&from->exit) > gravity(&into->exit))
		into->exit = from->exit;
	if (into->processes == 0)
		into->pid = from->pid;
	into->processes += from->processes;
	if (from->elapsed_ns > into->elapsed_ns)
		into->elapsed_ns = from->elapsed_ns;
	if (into->start_unix_ns == 0 || from->start_unix_ns < into->start_unix_ns)
		into->start_unix_ns = from->start_unix_ns;
	if (from->span_ns > into->span_ns)
		into->span_ns = from->span_ns;
	into->estimated_ns += from->estimated_ns;
	for (size_t i = 0; i < HP_COUNTERS; i++)
		into->dropped[i] += from->dropped[i];
}

static bool has_note(const struct hp_model *model, const char *note)
{
	for (size_t i = 0; i < model->note_count; i++)
		if (strcmp(model->notes[i], note) == 0)
			return true;
	return false;
}

bool hp_model_note(struct hp_model *model, const char *format, ...)
{
	va_list arguments;
	char *note;

	va_start(arguments, format);
	int length = vasprintf(&note, format, arguments);
	va_end(arguments);
	if (length < 0)
		return false;
	bool known = has_note(model, note);
	char **notes = known ? NULL
			     : reallocarray(model->notes, model->note_count + 1, sizeof(*notes));
	if (!notes) {
		free(note);
		return known;
	}
	model->notes = notes;
	model->notes[model->note_count++] = note;
	return true;
}

int hp_model_merge(struct hp_model *into, const struct hp_model *from)
{
	merge_figures(into, from);
	if (copy_string(&into->program, from->program) ||
	    copy_string(&into->arguments, from->arguments) ||
	    copy_string(&into->caller, from->caller))
		return -ENOMEM;
	for (size_t i = 0; i < from->note_count; i++)
		if (!hp_model_note(into, "%s", from->notes[i]))
			return -ENOMEM;
	return merge_functions(into, from);
}

void hp_function_clear(struct hp_function *function)
{
	free(function->name);
	free(function->file);
	free(function->module);
	free(function->points);
	*function = (struct hp_function){ 0 };
}

void hp_model_free(struct hp_model *model)
{
	if (!model)
		return;
	for (size_t i = 0; i < model->function_count; i++)
		hp_function_clear(&model->functions[i]);
	for (size_t i = 0; i < model->note_count; i++)
		free(model->notes[i]);
	free(model->notes);
	free(model->functions);
	free(model->program);
	free(model->arguments);
	free(model->caller);
	free(model);
}
