/* SPDX-License-Identifier: MIT */
/* Reads the histograms of a saved report, or the percentiles that replace them. */
#include "saved_points.h"

#include "arithmetic.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* Put a point behind the others; false when the values fall or the counts overflow. */
static bool add_point(struct hp_points *points, uint64_t *sum, uint64_t value, uint64_t count)
{
	struct hp_point *last = points->count ? &points->items[points->count - 1] : NULL;

	if ((last && value < last->value) || __builtin_add_overflow(*sum, count, sum))
		return false;
	if (count == 0)
		return true;
	if (last && value == last->value)
		last->count += count;
	else
		points->items[points->count++] = (struct hp_point){ value, count };
	return true;
}

/* One [value, count] of a histogram. */
static bool read_point(struct json_object *pair, struct hp_points *points, uint64_t *sum)
{
	uint64_t value, count;

	return json_object_is_type(pair, json_type_array) && json_object_array_length(pair) == 2 &&
	       hp_saved_u64(json_object_array_get_idx(pair, 0), &value) &&
	       hp_saved_u64(json_object_array_get_idx(pair, 1), &count) &&
	       add_point(points, sum, value, count);
}

static int make_room(struct hp_points *points, size_t room, struct hp_error *error)
{
	points->items = calloc(room + 1, sizeof(*points->items));
	return points->items ? 0 : hp_saved_fail(error, -ENOMEM, "out of memory");
}

int hp_saved_points(struct json_object *row, const char *key, struct hp_points *points, bool *found,
		    struct hp_error *error)
{
	struct json_object *array;
	uint64_t sum = 0;
	size_t length;
	int failed = hp_saved_array(row, key, &array, &length, error);

	*found = array;
	if (!failed && array)
		failed = make_room(points, length, error);
	for (size_t i = 0; !failed && i < length; i++)
		if (!read_point(json_object_array_get_idx(array, i), points, &sum))
			failed = hp_saved_fail(error, -EINVAL,
					       "damaged report: '%s' is not [[value, count], …]",
					       key);
	return failed;
}

int hp_saved_known(struct json_object *section, struct hp_percentiles *known,
		   struct hp_error *error)
{
	struct json_object *array;
	size_t length;
	double last = -1;
	int failed = hp_saved_array(section, "percentiles", &array, &length, error);

	known->count = 0;
	for (size_t i = 0; !failed && i < length; i++) {
		double percent;
		if (i == HP_SAVED_PERCENTILES ||
		    !hp_saved_double(json_object_array_get_idx(array, i), &percent) ||
		    percent <= last || percent > 100)
			return hp_saved_fail(error, -EINVAL,
					     "damaged report: 'percentiles' is not a rising list "
					     "of numbers up to 100");
		known->items[known->count++] = last = percent;
	}
	return failed;
}

int hp_saved_percentiles(struct json_object *row, const struct hp_percentiles *known,
			 const char *of, const char *unit, uint64_t calls, uint64_t most,
			 struct hp_points *points, struct hp_error *error)
{
	uint64_t before = 0, sum = 0, value = 0;
	int failed = make_room(points, known->count, error);

	for (unsigned i = 0; !failed && i < known->count; i++) {
		uint64_t rank = hp_percentile_rank(known->items[i], calls);
		char key[64];
		snprintf(key, sizeof(key), "%sp%.15g_%s", of, known->items[i], unit);
		struct json_object *number = hp_saved_member(row, key);
		if (!number || !hp_saved_u64(number, &value) ||
		    !add_point(points, &sum, value, rank - before))
			return hp_saved_fail(error, -EINVAL,
					     "damaged report: '%s' is not a percentile", key);
		before = rank;
	}
	if (!failed && calls > before)
		add_point(points, &sum, hp_max(most, value), calls - before);
	return failed;
}
