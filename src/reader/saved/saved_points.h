/* SPDX-License-Identifier: MIT */
/* Reads the histograms of a saved report, or the percentiles that replace them. */
#ifndef HP_SAVED_POINTS_H
#define HP_SAVED_POINTS_H

#include "saved.h"
#include "saved_fields.h"

/**
 * Read a histogram: [[value, count], …].
 *
 * @param points
 *         Must be empty; to be freed in any case.
 * @param found
 *         Whether there is one.
 * @return
 *         0, or a negative errno with the reason in error, as the others do.
 */
int hp_saved_points(struct json_object *row, const char *key, struct hp_points *points, bool *found,
		    struct hp_error *error);

/** Which percentiles a section has. */
int hp_saved_known(struct json_object *section, struct hp_percentiles *known,
		   struct hp_error *error);

/**
 * Construct a histogram that reproduces every percentile in the report.
 *
 * @param of
 *         The beginning of the keys, which may be empty: "delay_" for "delay_p95_ns".
 * @param unit
 *         The end of the keys: "ns" for "p95_ns".
 * @param most
 *         The value for calls above the highest percentile; at least that of the highest percentile.
 */
int hp_saved_percentiles(struct json_object *row, const struct hp_percentiles *known,
			 const char *of, const char *unit, uint64_t calls, uint64_t most,
			 struct hp_points *points, struct hp_error *error);

#endif
