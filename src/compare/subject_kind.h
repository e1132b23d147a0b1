/* SPDX-License-Identifier: MIT */
/* What is compared of kinds (kind.h): each of their tables is a subject. */
#ifndef HP_SUBJECT_KIND_H
#define HP_SUBJECT_KIND_H

#include "subject.h"

/* With the end of the table. */
enum { HP_KIND_METRICS = 20 };

/** The metrics of a table, in their order. Returns how many; the one after them is not set. */
unsigned hp_subject_kind_metrics(const struct hp_kind *kind, unsigned table,
				 struct hp_metric metrics[HP_KIND_METRICS]);

/** As the functions of a struct hp_subject and a struct hp_metric. */
bool hp_subject_kind_is_recorded(const struct hp_subject *subject, const struct hp_model *model);
bool hp_subject_kind_get(const struct hp_subject *subject, const struct hp_model *model, size_t at,
			 struct hp_subject_row *row);
double hp_metric_kind_value(const struct hp_metric *metric, const struct hp_run *run, size_t at,
			    double percent);

#endif
