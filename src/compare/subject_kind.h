/* SPDX-License-Identifier: MIT */
/* What is compared of kinds (kind.h): each of their tables is a subject. */
#ifndef HP_SUBJECT_KIND_H
#define HP_SUBJECT_KIND_H

#include "subject.h"

/* With the end of the table. */
enum { HP_SUBJECT_METRICS = 20 };

/** The metrics of a subject, by its fields or those of its kind, in their order. Returns how many; the one after them is
    not set. */
unsigned hp_subject_metrics(const struct hp_subject *subject,
			    struct hp_metric metrics[HP_SUBJECT_METRICS]);

/** As the functions of a struct hp_subject and a struct hp_metric. */
bool hp_subject_kind_is_recorded(const struct hp_subject *subject, const struct hp_model *model);
bool hp_subject_kind_get(const struct hp_subject *subject, const struct hp_model *model, size_t at,
			 struct hp_subject_row *row);
double hp_metric_field_value(const struct hp_metric *metric, const struct hp_run *run, size_t at,
			     double percent);

#endif
