/* SPDX-License-Identifier: MIT */
/* What is compared by fields: which figures a subject has, and their values. Each table of a kind is a subject. */
#include "subject_kind.h"

#include "figure.h"
#include "rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* NULL if there is none, or it has nothing for the table. */
static const struct hp_entry *entry_at(const struct hp_subject *subject,
				       const struct hp_model *model, size_t at)
{
	const struct hp_entry *entry = hp_model_row(model, subject->kind, at);
	unsigned needs = subject->kind->tables[subject->table].needs;

	return entry && (!needs || hp_row_number(entry, needs)) ? entry : NULL;
}

bool hp_subject_kind_is_recorded(const struct hp_subject *subject, const struct hp_model *model)
{
	size_t count = hp_model_row_count(model, subject->kind);

	for (size_t i = 0; i < count; i++)
		if (entry_at(subject, model, i))
			return true;
	return false;
}

/* Readers and writers of a lock are two rows: "prices_lock, rwlock read". */
static const char *name_side(const struct hp_entry *entry, struct hp_subject_row *row)
{
	unsigned site = (unsigned)entry->site_kind - entry->kind->first_site;

	snprintf(row->text, sizeof(row->text), "%s, %s", entry->name, entry->kind->events[site]);
	return row->text;
}

/* The name, with the texts of columns if rows are told apart by these: "save, /var/db, fsync". */
static const char *name_of(const struct hp_entry *entry, struct hp_subject_row *row)
{
	size_t room = sizeof(row->text), at = 0;

	if (entry->site_kind == HP_SITE_READ_LOCK || entry->site_kind == HP_SITE_WRITE_LOCK)
		return name_side(entry, row);
	if (!entry->kind->texts_tell)
		return entry->name;
	at = (size_t)snprintf(row->text, room, "%s", entry->name);
	for (const struct hp_field *field = entry->kind->fields; !hp_field_is_end(field); field++) {
		const char *text = field->unit == HP_FIELD_TEXT && field->header
					   ? hp_row_text(entry, field->at)
					   : NULL;
		if (text && at < room)
			at += (size_t)snprintf(row->text + at, room - at, ", %s", text);
	}
	return row->text;
}

bool hp_subject_kind_get(const struct hp_subject *subject, const struct hp_model *model, size_t at,
			 struct hp_subject_row *row)
{
	const struct hp_entry *entry = entry_at(subject, model, at);

	if (!entry)
		return false;
	row->name = name_of(entry, row);
	row->file = entry->file;
	row->line = entry->line;
	row->order = entry->line;
	row->kind = entry->site_kind;
	row->share = -1;
	return true;
}

double hp_metric_field_value(const struct hp_metric *metric, const struct hp_run *run, size_t at,
			     double percent)
{
	const struct hp_model *model = run->report.model;
	const struct hp_subject *subject = metric->subject;
	const struct hp_field *field = metric->field;

	if (!hp_model_knows(model, field))
		return NAN;
	if (metric->is_percentile && !hp_run_knows_percentile(run, percent))
		return NAN;
	if (subject->figure)
		return subject->figure(run, at, field, percent);
	return hp_kind_value(field,
			     subject->row ? subject->row(model, at)
					  : hp_model_row(model, subject->kind, at),
			     percent);
}

/* ---- metrics from fields ---- */

/* Samples are compared as the time that they stand for. */
static bool is_sampled(const struct hp_field *field)
{
	return field->unit == HP_FIELD_COUNT && field->compare.kind == HP_COMPARED_TIME;
}

static enum hp_metric_unit unit_of(const struct hp_field *field)
{
	if (is_sampled(field))
		return HP_UNIT_NS;
	switch (field->unit) {
	case HP_FIELD_COUNT:
	case HP_FIELD_CALLS:
		return HP_UNIT_COUNT;
	case HP_FIELD_BYTES:
		return HP_UNIT_BYTES;
	case HP_FIELD_TIME:
	case HP_FIELD_PERCENTILE:
		return HP_UNIT_NS;
	default:
		return HP_UNIT_NUMBER;
	}
}

/* The key of the count that sums of windows are divided by. Calls of functions have it in the table of times alone. */
static const char *per_key_of(const struct hp_subject *subject, const struct hp_field *of)
{
	const struct hp_field *field = subject->kind ? subject->kind->fields : subject->fields;

	for (; !hp_field_is_end(field); field++)
		if (field->key && field->at == of->compare.per && !field->over)
			return field->key;
	return "calls";
}

static struct hp_metric metric_of(const struct hp_subject *subject, const struct hp_field *field)
{
	const struct hp_compared *compare = &field->compare;

	return (struct hp_metric){ .name = compare->name,
				   .header = compare->header ? compare->header : field->header,
				   .kind = compare->kind,
				   .unit = unit_of(field),
				   .decides = compare->decides,
				   .is_alloc = compare->is_alloc,
				   .is_percentile = field->unit == HP_FIELD_PERCENTILE,
				   .is_neutral = compare->is_neutral,
				   .needs_row = compare->needs_row,
				   .rank = compare->rank,
				   .per = compare->per,
				   .per_key = per_key_of(subject, field),
				   .is_of_runs = compare->is_of_runs,
				   .least = is_sampled(field) ? subject->least : NULL,
				   .field = field,
				   .subject = subject };
}

static int by_place(const void *left, const void *right)
{
	const struct hp_metric *a = left, *b = right;

	return a->field->compare.nth - b->field->compare.nth;
}

/* Whether a field is compared in this subject: those of a kind may be in several. */
static bool is_metric(const struct hp_subject *subject, const struct hp_field *field)
{
	return field->compare.name && (!subject->kind || field->table == subject->table);
}

unsigned hp_subject_metrics(const struct hp_subject *subject,
			    struct hp_metric metrics[HP_SUBJECT_METRICS])
{
	const struct hp_field *field = subject->kind ? subject->kind->fields : subject->fields;
	unsigned count = 0;

	for (; !hp_field_is_end(field); field++)
		if (is_metric(subject, field) && count < HP_SUBJECT_METRICS - 1)
			metrics[count++] = metric_of(subject, field);
	qsort(metrics, count, sizeof(*metrics), by_place);
	return count;
}
