/* SPDX-License-Identifier: MIT */
/* The histograms of a saved report, or what stands in their place. */
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
 * Make a histogram of which every percentile that was written down is what it was.
 *
 * @param of
 *         The beginning of the keys, which may be empty: "delay_" for "delay_p95_ns".
 * @param unit
 *         The end of the keys: "ns" for "p95_ns".
 * @param most
 *         What calls had that are above the highest of them; at least its value.
 */
int hp_saved_percentiles(struct json_object *row, const struct hp_percentiles *known,
			 const char *of, const char *unit, uint64_t calls, uint64_t most,
			 struct hp_points *points, struct hp_error *error);

#endif
