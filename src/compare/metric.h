/* SPDX-License-Identifier: MIT */
/* Figures by their names. */
#ifndef HP_METRIC_H
#define HP_METRIC_H

#include "subject.h"
#include "text.h"

/**
 * @param name
 *         "self", "p99.9".
 * @param of_program
 *         Whether to look among the figures of the whole program, or among all others.
 * @param percent
 *         Set if it is a percentile: which.
 * @return
 *         NULL when there is none.
 */
const struct hp_metric *hp_metric_find(const char *name, bool of_program, double *percent);

/** Append the names of the figures of a subject: "calls, self, p95". */
void hp_metric_list(const struct hp_subject *subject, struct hp_text *text);

#endif
