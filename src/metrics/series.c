/* SPDX-License-Identifier: MIT */
/* The series of a subject: its rows in all programs, with their labels, as many as the limit allows. */
#include "series.h"

#include "array.h"
#include "file_name.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool append(struct hp_series_list *list, const struct hp_metrics_source *source,
		   const void *row)
{
	if (!hp_array_reserve(&list->items, list->count, &list->room, sizeof(*list->items)))
		return false;
	list->items[list->count] = (struct hp_series){ list->count, source, row, false };
	list->count++;
	return true;
}

/* ---- rows ---- */

static bool is_of_functions(const struct hp_metrics_subject *subject)
{
	return subject->kinds[0]->is_of_functions;
}

static bool has_row(const struct hp_metrics_subject *subject, const struct hp_function *function)
{
	for (const struct hp_kind *const *kind = subject->kinds; *kind; kind++)
		if ((*kind)->has_row(function))
			return true;
	return false;
}

static bool add_functions(struct hp_series_list *list, const struct hp_metrics_subject *subject,
			  const struct hp_metrics_source *source,
			  const struct hp_function *functions, size_t count)
{
	bool done = true;

	for (size_t i = 0; i < count && done; i++)
		if (has_row(subject, &functions[i]))
			done = append(list, source, &functions[i]);
	return done;
}

/* One that has ended is in the sums of the process; so its series ends as well. */
static bool add_threads(struct hp_series_list *list, const struct hp_metrics_source *source)
{
	const struct hp_threads *threads = &source->model->threads;
	bool done = true;

	for (size_t i = 0; i < threads->count && done; i++)
		if (threads->items[i].tid && threads->items[i].state != HP_THREAD_ENDED)
			done = append(list, source, &threads->items[i]);
	return done;
}

static bool has_site(const struct hp_metrics_subject *subject, const struct hp_entry *entry)
{
	return entry->kind == subject->kinds[0] &&
	       (!subject->first_site || (entry->site_kind >= subject->first_site &&
					 entry->site_kind <= subject->last_site));
}

static bool add_entries(struct hp_series_list *list, const struct hp_metrics_subject *subject,
			const struct hp_metrics_source *source)
{
	const struct hp_entries *entries = &source->model->entries;
	bool done = true;

	for (size_t i = 0; i < entries->count && done; i++)
		if (has_site(subject, &entries->items[i]))
			done = append(list, source, &entries->items[i]);
	return done;
}

static bool add_rows(struct hp_series_list *list, const struct hp_metrics_subject *subject,
		     const struct hp_metrics_source *source)
{
	const struct hp_model *model = source->model;
	const struct hp_native *native = model->cpu.native ? model->cpu.native : &source->native;

	if (subject->kinds[0] == &hp_kind_threads)
		return add_threads(list, source);
	if (!is_of_functions(subject))
		return add_entries(list, subject, source);
	return add_functions(list, subject, source, model->functions, model->function_count) &&
	       add_functions(list, subject, source, native->functions, native->count);
}

/* ---- the limit ---- */

/* What matters most comes first; if that is the same, what was first. */
struct weight {
	uint64_t parts[3];
};

static struct weight weight_of_entry(const struct hp_entry *entry)
{
	struct weight weight = { { 0, hp_row_number(entry, entry->kind->rates[0]), 0 } };

	for (unsigned i = 0; i < entry->kind->times; i++)
		weight.parts[0] += entry->times[i].sum_ns;
	return weight;
}

static struct weight weight_of(const struct hp_metrics_subject *subject, const void *row)
{
	const struct hp_function *function = row;

	if (subject->kinds[0] == &hp_kind_threads)
		return (struct weight){ { hp_thread_cpu_ns(row), 0, 0 } };
	if (!is_of_functions(subject))
		return weight_of_entry(row);
	return (struct weight){ { function->total_ns, function->cpu.samples,
				  function->alloc.bytes } };
}

struct ranked {
	struct weight weight;
	struct hp_series *series;
};

static int by_weight(const void *left, const void *right)
{
	const struct ranked *a = left, *b = right;

	for (unsigned i = 0; i < 3; i++)
		if (a->weight.parts[i] != b->weight.parts[i])
			return a->weight.parts[i] > b->weight.parts[i] ? -1 : 1;
	return a->series < b->series ? -1 : 1;
}

static bool apply_limit(struct hp_series *series, size_t count, size_t limit,
			const struct hp_metrics_subject *subject)
{
	if (!limit || count <= limit)
		return true;
	struct ranked *ranked = calloc(count, sizeof(*ranked));
	if (!ranked)
		return false;

	for (size_t i = 0; i < count; i++)
		ranked[i] = (struct ranked){ weight_of(subject, series[i].row), &series[i] };
	qsort(ranked, count, sizeof(*ranked), by_weight);
	for (size_t i = limit; i < count; i++)
		ranked[i].series->is_other = true;
	free(ranked);
	return true;
}

/* ---- labels ---- */

static void put_place(struct hp_text *labels, const char *file, uint32_t line)
{
	struct hp_text place = HP_TEXT_INIT;

	hp_text_printf(&place, "%s:%" PRIu32, file, line);
	if (!place.failed)
		hp_label_put(labels, "source", place.bytes);
	labels->failed |= place.failed;
	hp_text_free(&place);
}

/* Functions of one name may be in several files. */
static void label_function(struct hp_text *labels, const struct hp_function *function)
{
	if (function->file)
		put_place(labels, function->file, function->line);
	else if (function->module)
		hp_label_put(labels, "source", hp_file_name(function->module));
}

static void label_thread(struct hp_text *labels, const struct hp_thread *thread)
{
	char number[16];

	snprintf(number, sizeof(number), "%" PRIu32, thread->tid);
	hp_label_put(labels, "tid", number);
}

static void label_field(struct hp_text *labels, const struct hp_field *field,
			const struct hp_entry *entry)
{
	const char *label = hp_metric_label(field);
	struct hp_text value = HP_TEXT_INIT;
	if (!label)
		return;

	if (field->unit == HP_FIELD_SPECIAL)
		field->put(entry, &value);
	else if (hp_row_text(entry, field->at))
		hp_text_puts(&value, hp_row_text(entry, field->at));
	if (value.length)
		hp_label_put(labels, label, value.bytes);
	labels->failed |= value.failed;
	hp_text_free(&value);
}

static void label_entry(struct hp_text *labels, const struct hp_entry *entry)
{
	if (entry->file)
		put_place(labels, entry->file, entry->line);
	for (const struct hp_field *field = entry->kind->fields; !hp_field_is_end(field); field++)
		label_field(labels, field, entry);
}

static void label_row(struct hp_text *labels, const struct hp_metrics_subject *subject,
		      const void *row)
{
	if (is_of_functions(subject))
		label_function(labels, row);
	else if (subject->kinds[0] == &hp_kind_threads)
		label_thread(labels, row);
	else
		label_entry(labels, row);
}

/* Of entries whose sites are told apart. */
static void label_site(struct hp_text *labels, const struct hp_metrics_subject *subject,
		       const void *row)
{
	const struct hp_entry *entry = row;

	if (subject->site_label)
		hp_label_put(labels, subject->site_label,
			     subject->site_values[entry->site_kind - subject->first_site]);
}

static void put_labels(struct hp_text *labels, const struct hp_metrics_subject *subject,
		       const struct hp_series *series)
{
	const char *name = hp_kind_name_of(subject->kinds[0], series->row);

	hp_text_puts(labels, series->source->labels);
	hp_label_put(labels, subject->label, series->is_other ? "other" : name);
	label_site(labels, subject, series->row);
	if (!series->is_other)
		label_row(labels, subject, series->row);
	hp_text_add(labels, "", 1);
}

/* ---- order ---- */

struct named {
	const char *labels;
	struct hp_series series;
};

static int by_labels(const void *left, const void *right)
{
	const struct named *a = left, *b = right;
	int order = strcmp(a->labels, b->labels);

	return order ? order : (a->series.row > b->series.row) - (a->series.row < b->series.row);
}

static bool sort_series(struct hp_series_list *list, size_t first)
{
	size_t count = list->count - first;
	struct named *named = calloc(count + 1, sizeof(*named));
	if (!named)
		return false;

	for (size_t i = 0; i < count; i++)
		named[i] = (struct named){ hp_series_labels(list, first + i),
					   list->items[first + i] };
	qsort(named, count, sizeof(*named), by_labels);
	for (size_t i = 0; i < count; i++)
		list->items[first + i] = named[i].series;
	free(named);
	return true;
}

bool hp_series_add(struct hp_series_list *list, const struct hp_metrics_subject *subject,
		   const struct hp_metrics_source *source, size_t limit)
{
	size_t first = list->count;

	if (!add_rows(list, subject, source) ||
	    (list->count > first &&
	     !apply_limit(&list->items[first], list->count - first, limit, subject)))
		return false;
	for (size_t i = first; i < list->count; i++) {
		list->items[i].labels = list->labels.length;
		put_labels(&list->labels, subject, &list->items[i]);
	}
	return !list->labels.failed && sort_series(list, first);
}

void hp_series_free(struct hp_series_list *list)
{
	free(list->items);
	hp_text_free(&list->labels);
}
