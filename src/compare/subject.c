/* SPDX-License-Identifier: MIT */
/* All that is compared. */
#include "subject.h"

#include "rows.h"
#include "subject_kind.h"

#include <stdlib.h>

static const struct hp_subject *const fixed[] = {
	&hp_subject_program, &hp_subject_timing, &hp_subject_tree,
	&hp_subject_alloc,   &hp_subject_cpu,
};

/* Subjects of kinds about which something is special. */
static const struct hp_subject *const special[] = { &hp_subject_special_live,
						    &hp_subject_special_threads };

enum {
	FIXED = sizeof(fixed) / sizeof(*fixed),
	SPECIAL = sizeof(special) / sizeof(*special),
	/* Options have a bit for each subject, of 32. */
	OF_KINDS = 24,
};

static struct {
	struct hp_subject subject;
	struct hp_metric metrics[HP_SUBJECT_METRICS];
} of_kinds[OF_KINDS];

static const struct hp_subject *all[FIXED + OF_KINDS + 1];

const struct hp_subject *const *const hp_subjects = all;

static struct hp_subject begin_subject(const struct hp_kind *kind, unsigned table, size_t nth)
{
	for (size_t i = 0; i < SPECIAL; i++)
		if (special[i]->kind == kind && special[i]->table == table)
			return *special[i];
	return (struct hp_subject){ .how = "",
				    .needs = table ? &of_kinds[nth - table].subject : NULL,
				    .kind = kind,
				    .table = table };
}

static const struct hp_subject *make_subject(const struct hp_kind *kind, unsigned table, size_t nth)
{
	const struct hp_kind_table *of = &kind->tables[table];
	struct hp_subject *subject = &of_kinds[nth].subject;

	*subject = begin_subject(kind, table, nth);
	subject->name = of->name;
	subject->title = subject->rows = of->compared ? of->compared : of->name;
	subject->noun = kind->noun;
	subject->metrics = of_kinds[nth].metrics;
	subject->order = of->order;
	return hp_subject_metrics(subject, of_kinds[nth].metrics) ? subject : NULL;
}

static int by_order(const void *left, const void *right)
{
	const struct hp_subject *const *a = left, *const *b = right;

	return (*a)->order - (*b)->order;
}

__attribute__((constructor)) static void list_subjects(void)
{
	size_t count = 0, made = 0;

	for (; count < FIXED; count++) {
		all[count] = fixed[count];
		if (fixed[count]->fields)
			hp_subject_metrics(fixed[count], fixed[count]->room);
	}
	for (unsigned i = 0; hp_kinds[i]; i++) {
		if (hp_kinds[i]->is_of_functions)
			continue;
		for (unsigned j = 0; hp_kinds[i]->tables[j].name && made < OF_KINDS; j++) {
			const struct hp_subject *subject = make_subject(hp_kinds[i], j, made++);
			if (subject)
				all[count++] = subject;
		}
	}
	qsort(all, count, sizeof(*all), by_order);
}

bool hp_subject_is_recorded(const struct hp_subject *subject, const struct hp_model *model)
{
	return subject->is_recorded ? subject->is_recorded(model)
				    : hp_subject_kind_is_recorded(subject, model);
}

size_t hp_subject_count(const struct hp_subject *subject, const struct hp_model *model)
{
	/* After the rows of a kind is the sum of what has none. */
	return subject->count ? subject->count(model)
			      : hp_model_row_count(model, subject->kind) + 1;
}

bool hp_subject_get(const struct hp_subject *subject, const struct hp_model *model, size_t at,
		    struct hp_subject_row *row)
{
	return subject->get ? subject->get(model, at, row)
			    : hp_subject_kind_get(subject, model, at, row);
}
