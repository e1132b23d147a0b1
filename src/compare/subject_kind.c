/* SPDX-License-Identifier: MIT */
/* What is compared of kinds: each of their tables is a subject, and the fields say which figures it has. */
#include "subject_kind.h"

#include "figure.h"
#include "rows.h"

#include <math.h>
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

bool hp_subject_kind_get(const struct hp_subject *subject, const struct hp_model *model, size_t at,
			 struct hp_subject_row *row)
{
	const struct hp_entry *entry = entry_at(subject, model, at);

	if (!entry)
		return false;
	row->name = entry->name;
	row->file = entry->file;
	row->line = entry->line;
	row->order = entry->line;
	row->kind = entry->site_kind;
	row->share = -1;
	return true;
}

double hp_metric_kind_value(const struct hp_metric *metric, const struct hp_run *run, size_t at,
			    double percent)
{
	const struct hp_model *model = run->report.model;
	const struct hp_field *field = metric->field;

	if (!hp_model_knows(model, field))
		return NAN;
	if (metric->is_percentile && !hp_run_knows_percentile(run, percent))
		return NAN;
	return hp_kind_value(field, hp_model_row(model, metric->of_kind, at), percent);
}

/* ---- metrics from fields ---- */

static enum hp_metric_unit unit_of(const struct hp_field *field)
{
	switch (field->unit) {
	case HP_FIELD_COUNT:
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

static struct hp_metric metric_of(const struct hp_kind *kind, const struct hp_field *field)
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
				   .field = field,
				   .of_kind = kind };
}

static int by_place(const void *left, const void *right)
{
	const struct hp_metric *a = left, *b = right;

	return a->field->compare.nth - b->field->compare.nth;
}

unsigned hp_subject_kind_metrics(const struct hp_kind *kind, unsigned table,
				 struct hp_metric metrics[HP_KIND_METRICS])
{
	unsigned count = 0;

	for (const struct hp_field *field = kind->fields; !hp_field_is_end(field); field++)
		if (field->compare.name && field->table == table && count < HP_KIND_METRICS - 1)
			metrics[count++] = metric_of(kind, field);
	qsort(metrics, count, sizeof(*metrics), by_place);
	return count;
}
