/* SPDX-License-Identifier: MIT */
/* A figure as people read it. */
#include "cell_text.h"

#include "format.h"

#include <math.h>
#include <stdlib.h>

/* Doubles from these bounds on do not fit into the integer types. */
#define UNSIGNED_END 0x1p64
#define SIGNED_END 0x1p63

/* Durations are never negative, but a file may contain anything. */
static void put_duration(double value, struct hp_text *text)
{
	double ns = floor(value > 0 ? value + 0.5 : 0);

	hp_text_puts(text, hp_format_duration(ns < UNSIGNED_END ? (uint64_t)ns : UINT64_MAX).text);
}

static void put_bytes(double value, struct hp_text *text)
{
	double bytes = floor(value + 0.5);

	if (bytes <= -SIGNED_END)
		hp_text_puts(text, hp_format_difference(INT64_MIN).text);
	else if (bytes < 0)
		hp_text_puts(text, hp_format_difference((int64_t)bytes).text);
	else
		hp_text_puts(
			text,
			hp_format_bytes(bytes < UNSIGNED_END ? (uint64_t)bytes : UINT64_MAX).text);
}

static void put_number(double value, struct hp_text *text)
{
	hp_text_puts(text, hp_format_number(value).text);
}

void hp_compare_put_value(double value, enum hp_metric_unit unit, struct hp_text *text)
{
	static void (*const puts[])(double, struct hp_text *) = {
		[HP_UNIT_COUNT] = put_number,
		[HP_UNIT_BYTES] = put_bytes,
		[HP_UNIT_NS] = put_duration,
		[HP_UNIT_NUMBER] = put_number,
	};

	if (isnan(value))
		hp_text_putc(text, '-');
	else
		puts[unit](value, text);
}

static bool is_equal(const struct hp_compared_cell *cell)
{
	return isnan(cell->before_median) ? isnan(cell->after_median)
					  : cell->before_median == cell->after_median;
}

/* The ratio of the medians, because these are shown next to it; the estimate may differ. */
static double ratio_of(const struct hp_compared_cell *cell)
{
	return isnan(cell->ratio.estimate) ? NAN
					   : hp_ratio_of(cell->before_median, cell->after_median);
}

/* Whether the change rounds to 0 %, so that it must be shown as a difference. */
static bool is_told_by_difference(const struct hp_compared_cell *cell)
{
	return cell->is_stable && fabs(cell->ratio.estimate - 1) < 0.0005;
}

static void put_difference(const struct hp_compared_cell *cell, enum hp_metric_unit unit,
			   struct hp_text *text)
{
	double difference = cell->after_median - cell->before_median;

	hp_text_puts(text, difference > 0 ? " (+" : " (-");
	hp_compare_put_value(fabs(difference), unit, text);
	hp_text_putc(text, ')');
}

void hp_compare_put_change(const struct hp_compared_cell *cell, enum hp_metric_unit unit,
			   struct hp_text *text)
{
	double ratio = ratio_of(cell);

	hp_compare_put_value(cell->before_median, unit, text);
	if (is_equal(cell))
		return;
	hp_text_puts(text, " → ");
	hp_compare_put_value(cell->after_median, unit, text);
	if (is_told_by_difference(cell))
		put_difference(cell, unit, text);
	else if (isfinite(ratio) && ratio >= 0)
		hp_text_printf(text, " (%s %%)", hp_format_change(ratio).text);
}

bool hp_compare_has_interval(const struct hp_ratio *ratio)
{
	return !ratio->is_guess && isfinite(ratio->estimate) && !isnan(ratio->low) &&
	       !isnan(ratio->high);
}

void hp_compare_put_interval(const struct hp_ratio *ratio, struct hp_text *text)
{
	if (hp_compare_has_interval(ratio))
		hp_text_printf(text, "%s … %s %%", hp_format_change(ratio->low).text,
			       hp_format_change(ratio->high).text);
	else
		hp_text_putc(text, '-');
}
