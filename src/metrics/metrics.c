/* SPDX-License-Identifier: MIT */
/*
 * Metrics: the figures of programs, as Prometheus scrapes them.
 *
 *	subject: mutexes            rows of all programs, each with its labels      series.c
 *	  family: wait_seconds      a field of the kind                             subject.c
 *	    sample, sample …        rows with the same labels are one               exposition_*.c
 */
#include "metrics.h"

#include "arithmetic.h"
#include "function.h"
#include "process.h"
#include "rows.h"
#include "series.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void hp_metrics_options_init(struct hp_metrics_options *options)
{
	*options = (struct hp_metrics_options){ HP_METRICS_TEXT, HP_METRICS_LIMIT };
}

/* ---- formats ---- */

const char *hp_metrics_content_type(enum hp_metrics_format format)
{
	return hp_exposition_format(format)->content_type;
}

/* Whether a part of an Accept header, up to the next comma, has a word. */
static bool part_has(const char *part, size_t length, const char *word)
{
	const char *found = strcasestr(part, word);

	return found && (size_t)(found - part) + strlen(word) <= length;
}

/* The weight of a part in thousandths: "q=0.25", and 1000 if it has none. */
static unsigned weight_of(const char *part, size_t length)
{
	const char *weight = strcasestr(part, "q=");
	if (!weight || (size_t)(weight - part) + strlen("q=") >= length)
		return 1000;

	const char *digit = weight + strlen("q=");
	unsigned thousandths = 0;
	for (unsigned unit = 1000; unit && isdigit((unsigned char)*digit); unit /= 10) {
		thousandths += unit * (unsigned)(*digit - '0');
		digit += 1 + (unit == 1000 && digit[1] == '.');
	}
	return thousandths;
}

/* What a part of an Accept header has that means a format; each ends with NULL. */
static const char *const text_words[] = { "text/plain", NULL };
static const char *const open_words[] = { "application/openmetrics-text", "version=1.0.0", NULL };
static const char *const protobuf_words[] = { "application/vnd.google.protobuf",
					      "proto=io.prometheus.client.MetricFamily",
					      "encoding=delimited", NULL };

static bool part_has_all(const char *part, size_t length, const char *const *words)
{
	while (*words && part_has(part, length, *words))
		words++;
	return !*words;
}

/* The weight that a client has for a format; 0 if it does not want it. */
static unsigned weight_for(const char *accept, const char *const *words)
{
	unsigned most = 0;

	for (const char *part = accept; part && *part;) {
		size_t length = strcspn(part, ",");
		if (part_has_all(part, length, words) && weight_of(part, length) > most)
			most = weight_of(part, length);
		part += length + (part[length] == ',');
	}
	return most;
}

/*
 * A client that has a weight for OpenMetrics prefers it to the text format. Protocol buffers are for a client that wants nothing else
 * more: a Prometheus that takes native histograms, which may have the same weight for OpenMetrics.
 */
enum hp_metrics_format hp_metrics_accepted(const char *accept)
{
	unsigned protobuf = weight_for(accept, protobuf_words);
	unsigned open = weight_for(accept, open_words);

	if (protobuf && protobuf >= open && protobuf >= weight_for(accept, text_words))
		return HP_METRICS_PROTOBUF;
	return open ? HP_METRICS_OPEN : HP_METRICS_TEXT;
}

/* ---- families of rows ---- */

struct writing {
	struct hp_exposition exposition;
	const struct hp_metrics_source *sources;
	size_t source_count;
	size_t limit;
};

/* Rows with the same labels, of one program. */
struct group {
	const struct hp_series_list *list;
	size_t first;
	size_t end;
};

static struct group group_at(const struct hp_series_list *list, size_t first)
{
	struct group group = { list, first, first + 1 };

	while (group.end < list->count &&
	       list->items[group.end].source == list->items[first].source &&
	       strcmp(hp_series_labels(list, group.end), hp_series_labels(list, first)) == 0)
		group.end++;
	return group;
}

/* Some figures of samples are those of measured functions only. */
static bool has_figure(const struct hp_kind *kind, const struct hp_field *field, const void *row)
{
	if (kind->has_row && !kind->has_row(row))
		return false;
	return kind != &hp_kind_cpu || field->table != HP_SAMPLES_OF_MEASURED ||
	       hp_function_was_called(row);
}

static uint64_t number_of(const struct hp_metric_field *metric, const struct hp_series *series)
{
	uint64_t number = metric->number ? metric->number(series->row)
					 : hp_kind_number(metric->field, series->row);

	return metric->is_samples ? number * series->source->model->cpu.period_ns : number;
}

/* Reals are values of the program, or shares: they have no sum. Returns whether any is known. */
static bool add_real(struct hp_sample *sample, const struct hp_metric_field *metric,
		     const struct hp_series *series)
{
	double value = series->is_other ? NAN : hp_kind_value(metric->field, series->row, 0);

	if (isnan(value))
		return false;
	sample->is_real = true;
	sample->real = value;
	return true;
}

static bool add_number(struct hp_sample *sample, const struct hp_metric_field *metric,
		       const struct hp_series *series)
{
	const struct hp_field *field = metric->field;
	if (field->unit > HP_FIELD_TIME)
		return add_real(sample, metric, series);
	uint64_t number = number_of(metric, series);

	sample->whole = field->merge == HP_MERGE_MOST ? hp_max(sample->whole, number)
						      : sample->whole + number;
	return true;
}

static void put_sample(struct hp_exposition *exposition, const struct hp_metric_field *metric,
		       const struct hp_kind *kind, const struct group *group)
{
	struct hp_sample sample = { 0 };
	bool is_known = false;

	for (size_t i = group->first; i < group->end; i++)
		if (has_figure(kind, metric->field, group->list->items[i].row))
			is_known |= add_number(&sample, metric, &group->list->items[i]);
	if (!is_known)
		return;
	hp_exposition_begin(exposition, &metric->family);
	hp_exposition_sample(exposition, hp_series_labels(group->list, group->first), metric->more,
			     &sample);
}

static void add_histogram(struct hp_histogram *histogram, const struct hp_field *field,
			  const void *row)
{
	const struct hp_function *function = row;

	if (field->unit == HP_FIELD_POINTS) {
		hp_histogram_add(histogram, hp_row_points(row, field->at), function->calls,
				 function->sum_ns);
		return;
	}
	const struct hp_times *times = hp_entry_times(row, field->at);
	hp_histogram_add(histogram, &times->points, times->count, times->sum_ns);
}

static void put_histogram(struct hp_exposition *exposition, const struct hp_metric_field *metric,
			  const struct hp_kind *kind, const struct group *group)
{
	struct hp_histogram histogram = hp_exposition_begin_histogram(exposition);
	bool is_known = false;

	for (size_t i = group->first; i < group->end; i++) {
		const void *row = group->list->items[i].row;
		if (!has_figure(kind, metric->field, row))
			continue;
		add_histogram(&histogram, metric->field, row);
		is_known = true;
	}
	if (!is_known)
		return;
	hp_exposition_begin(exposition, &metric->family);
	hp_exposition_histogram(exposition, hp_series_labels(group->list, group->first),
				&histogram);
}

/* What was not recorded has no series. */
static bool is_recorded(const struct hp_kind *kind, const struct hp_field *field,
			const struct hp_model *model)
{
	if (kind == &hp_kind_alloc && model->memory.mode == HP_ALLOC_NONE)
		return false;
	return hp_model_knows(model, field);
}

static void put_family(struct hp_exposition *exposition, const struct hp_metric_field *metric,
		       const struct hp_kind *kind, const struct hp_series_list *list)
{
	struct group group = { list, 0, 0 };

	for (size_t at = 0; at < list->count; at = group.end) {
		group = group_at(list, at);
		if (!is_recorded(kind, metric->field, list->items[at].source->model))
			continue;
		if (metric->family.type == HP_FAMILY_HISTOGRAM)
			put_histogram(exposition, metric, kind, &group);
		else
			put_sample(exposition, metric, kind, &group);
	}
}

static void put_kind(struct hp_exposition *exposition, const struct hp_metrics_subject *subject,
		     const struct hp_kind *kind, const struct hp_series_list *list)
{
	struct hp_metric_field metric;

	for (const struct hp_field *field = kind->fields; !hp_field_is_end(field); field++)
		if (hp_metric_field(subject, kind, field, &metric))
			put_family(exposition, &metric, kind, list);
}

static void put_subject(struct writing *writing, const struct hp_metrics_subject *subject)
{
	struct hp_series_list list = { NULL, 0, 0, HP_TEXT_INIT };
	bool done = true;

	for (size_t i = 0; i < writing->source_count && done; i++)
		done = hp_series_add(&list, subject, &writing->sources[i], writing->limit);
	if (!done)
		writing->exposition.text->failed = true;
	for (const struct hp_kind *const *kind = subject->kinds; done && *kind; kind++)
		put_kind(&writing->exposition, subject, *kind, &list);
	hp_series_free(&list);
}

/* Kinds without a line in the table of subjects come last. */
static void put_subjects(struct writing *writing)
{
	struct hp_metrics_subject subject;

	for (const struct hp_metrics_subject *known = hp_metrics_subjects; known->kinds; known++)
		put_subject(writing, known);
	for (size_t i = 0; hp_kinds[i]; i++) {
		const struct hp_kind *const kind[] = { hp_kinds[i], NULL };
		if (hp_metrics_subject_of(kind, &subject))
			put_subject(writing, &subject);
	}
}

/* ---- programs ---- */

/* Without calls of measured functions, those that were sampled have the CPU time. A watched model has added them up. */
static bool find_native(struct hp_metrics_source *source)
{
	const struct hp_model *model = source->model;
	bool is_measured = hp_model_has_calls(model) || model->cpu.attributed_samples;

	return is_measured || model->cpu.native || hp_native_read(&source->native, &model->cpu);
}

static bool open_source(struct hp_metrics_source *source, const struct hp_metrics_program *program,
			size_t nth)
{
	struct hp_text labels = HP_TEXT_INIT;
	char pid[16];

	*source = (struct hp_metrics_source){ .model = program->model, .nth = nth };
	snprintf(pid, sizeof(pid), "%" PRIu32, program->model->pid);
	hp_label_put(&labels, "program", hp_model_process(program->model).program);
	hp_label_put(&labels, "pid", pid);
	if (program->report)
		hp_label_put(&labels, "report", program->report);
	source->labels = labels.bytes;
	return !labels.failed && find_native(source);
}

static void close_sources(struct hp_metrics_source *sources, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		hp_native_free(&sources[i].native);
		free(sources[i].labels);
	}
	free(sources);
}

static int by_program(const void *left, const void *right)
{
	const struct hp_metrics_source *a = left, *b = right;
	int order = strcmp(a->labels, b->labels);

	return order ? order : (a->nth > b->nth) - (a->nth < b->nth);
}

/* Sort them by their labels, and leave out those that have the labels of another one. Returns how many are left. */
static size_t sort_sources(struct hp_metrics_source *sources, size_t count)
{
	size_t kept = 0;

	if (count)
		qsort(sources, count, sizeof(*sources), by_program);
	for (size_t i = 0; i < count; i++) {
		if (kept && strcmp(sources[kept - 1].labels, sources[i].labels) == 0) {
			hp_native_free(&sources[i].native);
			free(sources[i].labels);
			continue;
		}
		sources[kept++] = sources[i];
	}
	return kept;
}

void hp_metrics_write(const struct hp_metrics_program *programs, size_t count,
		      const struct hp_metrics_options *options, struct hp_text *text)
{
	struct hp_metrics_source *sources = calloc(count + 1, sizeof(*sources));
	struct writing writing = {
		.exposition = { .text = text, .format = hp_exposition_format(options->format) },
		.sources = sources,
		.limit = options->limit
	};
	bool done = sources;

	while (done && writing.source_count < count) {
		size_t nth = writing.source_count++;
		done = open_source(&sources[nth], &programs[nth], nth);
	}
	if (done) {
		writing.source_count = sort_sources(sources, count);
		hp_metrics_put_processes(&writing.exposition, sources, writing.source_count);
		put_subjects(&writing);
		hp_exposition_end(&writing.exposition);
	} else {
		text->failed = true;
	}
	if (sources)
		close_sources(sources, writing.source_count);
}
