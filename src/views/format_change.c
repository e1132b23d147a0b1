/* SPDX-License-Identifier: MIT */
/*
 * Number formats that only comparisons use. They have a file of their own so that measured programs do not contain
 * it.
 */
#include "format.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct hp_figure hp_format_number(double value)
{
	double size = value < 0 ? -value : value;
	bool is_long = size >= 1e5 && size < 1e15;
	struct hp_figure figure;

	snprintf(figure.text, sizeof(figure.text), is_long ? "%.1f" : "%.6g", value);
	if (!__builtin_isfinite(value))
		return figure;
	/* Parse it back in the program's locale, then print it in the shortest form with '.'. */
	return hp_format_decimal(strtod(figure.text, NULL));
}

/* Larger changes are shown as this one. */
static const double percent_max = 1e12;

struct hp_figure hp_format_change(double ratio)
{
	double percent = (ratio < 1 ? 1 - ratio : ratio - 1) * 100;
	uint64_t tenths = percent < percent_max ? (uint64_t)(percent * 10 + 0.5) : 0;
	const char *sign = tenths == 0 ? "" : ratio < 1 ? "-" : "+";
	struct hp_figure figure;

	if (!(percent < percent_max))
		snprintf(figure.text, sizeof(figure.text), "%s∞", ratio < 1 ? "-" : "+");
	else if (tenths < 1000)
		snprintf(figure.text, sizeof(figure.text), "%s%" PRIu64 ".%" PRIu64, sign,
			 tenths / 10, tenths % 10);
	else
		snprintf(figure.text, sizeof(figure.text), "%s%" PRIu64, sign, (tenths + 5) / 10);
	return figure;
}
