/* SPDX-License-Identifier: MIT */
/* The series of a subject: its rows in all programs, with their labels, as many as the limit allows. */
#ifndef HP_METRICS_SERIES_H
#define HP_METRICS_SERIES_H

#include "cpu/native.h"
#include "subject.h"

/** A program, as it is written. */
struct hp_metrics_source {
	const struct hp_model *model;
	/** Its number among all programs. */
	size_t nth;
	/** program="server",pid="4711" */
	char *labels;
	/** Functions that were sampled, if none was measured and the model does not have them itself. */
	struct hp_native native;
};

/** A row of a program, or one of several that have the same labels. */
struct hp_series {
	/** Where its labels begin in those of the list; until then, where it is among the rows of its program. */
	size_t labels;
	const struct hp_metrics_source *source;
	const void *row;
	/** One of several that are summed up because there are too many. */
	bool is_other;
};

/** Begins as zeros. Those with the same labels are neighbours. */
struct hp_series_list {
	struct hp_series *items;
	size_t count;
	size_t room;
	/** Each ends with a NUL. */
	struct hp_text labels;
};

/** Add the rows of one program. Returns false when memory ran out. */
bool hp_series_add(struct hp_series_list *list, const struct hp_metrics_subject *subject,
		   const struct hp_metrics_source *source, size_t limit);

static inline const char *hp_series_labels(const struct hp_series_list *list, size_t at)
{
	return list->labels.bytes + list->items[at].labels;
}

void hp_series_free(struct hp_series_list *list);

#endif
