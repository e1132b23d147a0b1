/* SPDX-License-Identifier: MIT */
/* The number that a field shows of a row. */
#include "figure.h"

#include "segment.h"
#include "trend.h"

#include <math.h>
#include <string.h>

uint64_t hp_kind_number(const struct hp_field *field, const void *row)
{
	return field->number ? field->number(row) : hp_row_number(row, field->at);
}

double hp_bits_to_double(uint64_t bits)
{
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

static struct hp_kind_figure real_figure(bool is_known, double real)
{
	return (struct hp_kind_figure){ is_known, 0, is_known ? real : 0 };
}

/* While the program is watched, recent; else on average. */
static struct hp_kind_figure rate_of(const struct hp_entry *entry, unsigned rate,
				     const struct hp_totals *totals)
{
	const struct hp_trend *trend = entry->trends[rate];
	uint64_t elapsed_ns = totals->watched ? 0 : totals->elapsed_ns;

	if (trend)
		return real_figure(true, trend->rate);
	return real_figure(elapsed_ns, (double)hp_row_number(entry, entry->kind->rates[rate]) *
					       1e9 / (double)elapsed_ns);
}

static struct hp_kind_figure trend_of(const struct hp_field *field, const void *row)
{
	const struct hp_trend *trend = (const void *)(uintptr_t)hp_row_number(row, field->at);

	return real_figure(trend, trend ? trend->rate : 0);
}

static struct hp_kind_figure share_of(const struct hp_field *field, const void *row)
{
	double part = (double)hp_kind_number(field, row);
	double all = part + (double)hp_row_number(row, field->over);

	return real_figure(all > 0, part * 100 / all);
}

static bool is_known(const struct hp_field *field, const void *row)
{
	const struct hp_entry *entry = row;

	if (field->is_known)
		return field->is_known(row);
	return (!field->only || entry->site_kind == field->only) &&
	       (!field->known || hp_row_number(row, field->known));
}

static struct hp_kind_figure part_of(const struct hp_field *field, const void *row,
				     const struct hp_totals *totals)
{
	uint64_t whole = hp_row_number(row, field->over);

	if (field->whole)
		whole = totals->whole ? totals->whole : hp_row_number(totals, field->whole);
	if (!totals->whole && field->is_whole && field->is_whole(row, totals))
		return real_figure(true, 100);
	return real_figure((field->whole || whole) && is_known(field, row),
			   whole ? (double)hp_kind_number(field, row) * 100 / (double)whole : 0);
}

static struct hp_kind_figure percentile_of(const struct hp_times *times, double percent)
{
	return (struct hp_kind_figure){ times->count,
					hp_points_percentile(&times->points, times->count,
							     times->min_ns, times->max_ns, percent),
					0 };
}

static double real_of(const struct hp_field *field, const void *row)
{
	return hp_bits_to_double(hp_row_number(row, field->at));
}

/* What a number is divided by: 1, unless it is a mean; 0 if it is not known. */
static uint64_t divisor_of(const struct hp_field *field, const void *row)
{
	if (!is_known(field, row))
		return 0;
	return field->over ? hp_row_number(row, field->over) : 1;
}

/* A mean is rounded. */
static struct hp_kind_figure whole_of(const struct hp_field *field, const void *row)
{
	uint64_t sum = hp_kind_number(field, row), count = divisor_of(field, row);

	return (struct hp_kind_figure){
		count, count ? sum / count + (sum % count >= count - count / 2) : 0, 0
	};
}

struct hp_kind_figure hp_kind_figure(const struct hp_field *field, const void *row,
				     const struct hp_totals *totals, double percent)
{
	if (field->percentile)
		return (struct hp_kind_figure){ is_known(field, row),
						field->percentile(row, percent), 0 };
	switch (field->unit) {
	case HP_FIELD_SAMPLES:
		return (struct hp_kind_figure){ true,
						hp_kind_number(field, row) * totals->period_ns, 0 };
	case HP_FIELD_DIFFERENCE:
		return (struct hp_kind_figure){ is_known(field, row), hp_kind_number(field, row),
						0 };
	case HP_FIELD_RATE:
		return rate_of(row, field->at, totals);
	case HP_FIELD_TREND:
	case HP_FIELD_MINUTE:
		return trend_of(field, row);
	case HP_FIELD_SHARE:
		return share_of(field, row);
	case HP_FIELD_PART:
		return part_of(field, row, totals);
	case HP_FIELD_PERCENTILE:
		return percentile_of(hp_entry_times(row, field->at), percent);
	case HP_FIELD_PERCENT:
		return real_figure(is_known(field, row) && real_of(field, row) >= 0,
				   real_of(field, row));
	case HP_FIELD_DOUBLE:
		return real_figure(is_known(field, row), real_of(field, row));
	default:
		return whole_of(field, row);
	}
}

bool hp_totals_know(const struct hp_totals *totals, const struct hp_field *field)
{
	switch (field->when) {
	case HP_SHOWN_WITH_MEMORY:
	case HP_KNOWN_WITH_MEMORY:
		return totals->mode != HP_ALLOC_NONE;
	case HP_KNOWN_WITH_FREED:
		return totals->mode >= HP_ALLOC_FREED;
	case HP_KNOWN_WITH_LIVE:
		return totals->mode == HP_ALLOC_LIVE;
	case HP_SHOWN_WATCHED_ONLY:
		return totals->watched;
	case HP_SHOWN_WITH_RECENT:
		return totals->has_recent;
	case HP_SHOWN_WITH_SYSTEM:
		return totals->has_system;
	default:
		return true;
	}
}

/* ---- to be compared ---- */

static double number_of(uint64_t value_kind, uint64_t bits)
{
	switch (value_kind) {
	case HP_VALUE_DOUBLE:
		return hp_bits_to_double(bits);
	case HP_VALUE_INT:
		return (double)(int64_t)bits;
	case HP_VALUE_UINT:
	case HP_VALUE_BOOL:
		return (double)bits;
	default:
		return NAN;
	}
}

static double value_of(const struct hp_field *field, const void *row)
{
	double number = number_of(hp_row_number(row, field->at),
				  hp_row_number(row, HP_SLOT_NEXT(field->at)));

	/* An infinite one cannot be compared. */
	return is_known(field, row) && isfinite(number) ? number : NAN;
}

static double exact_value(const struct hp_field *field, const void *row)
{
	uint64_t sum = hp_kind_number(field, row), count = divisor_of(field, row);

	return count && (sum || !field->compare.is_seen) ? (double)sum / (double)count : NAN;
}

double hp_kind_value(const struct hp_field *field, const void *row, double percent)
{
	if (field->unit == HP_FIELD_VALUE)
		return value_of(field, row);
	if (field->unit <= HP_FIELD_TIME)
		return exact_value(field, row);
	struct hp_kind_figure figure = hp_kind_figure(field, row, &(struct hp_totals){ 0 },
						      percent);
	double number = figure.real + (double)figure.whole;
	return figure.is_known && isfinite(number) ? number : NAN;
}

/* ---- to be sorted by ---- */

/* The bits of a value of the program. A string or a pointer has no order of its own. */
static double value_weight(uint64_t value_kind, uint64_t bits)
{
	return value_kind == HP_VALUE_DOUBLE ? hp_bits_to_double(bits) : (double)(int64_t)bits;
}

static double figure_weight(const struct hp_field *field, const void *row,
			    const struct hp_totals *totals, double percent)
{
	struct hp_kind_figure figure = hp_kind_figure(field, row, totals, percent);

	if (!figure.is_known)
		return -INFINITY;
	return field->unit == HP_FIELD_DIFFERENCE ? (double)(int64_t)figure.whole
						  : figure.real + (double)figure.whole;
}

static double weight_of(const struct hp_field *field, const void *row,
			const struct hp_totals *totals, double percent)
{
	const struct hp_entry *entry = row;

	if (field->unit < HP_FIELD_TEXT)
		return figure_weight(field, row, totals, percent);
	if (field->unit == HP_FIELD_TEXT)
		return (double)hp_row_number(row, field->over);
	if (field->unit == HP_FIELD_VALUE)
		return value_weight(hp_row_number(row, field->at),
				    hp_row_number(row, HP_SLOT_NEXT(field->at)));
	if (field->unit == HP_FIELD_WORD)
		return -(double)hp_row_number(row, field->at);
	return field->at ? (double)hp_row_number(row, field->at) : -(double)entry->site_kind;
}

double hp_kind_weight(const struct hp_field *field, const void *row, const struct hp_totals *totals,
		      double percent)
{
	double weight = weight_of(field, row, totals, percent);

	return isnan(weight) ? -INFINITY : weight;
}
