/* SPDX-License-Identifier: MIT */
/* The number that a field shows of an entry. */
#include "figure.h"

#include <math.h>
#include <string.h>

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

static struct hp_kind_figure rate_of(const struct hp_entry *entry, unsigned rate,
				     uint64_t elapsed_ns)
{
	const struct hp_trend *trend = entry->trends[rate];

	if (trend)
		return real_figure(true, trend->rate);
	return real_figure(elapsed_ns, (double)hp_entry_number(entry, entry->kind->rates[rate]) *
					       1e9 / (double)elapsed_ns);
}

static struct hp_kind_figure share_of(const struct hp_field *field, const struct hp_entry *entry)
{
	double part = (double)hp_entry_number(entry, field->at);
	double all = part + (double)hp_entry_number(entry, field->over);

	return real_figure(all > 0, part * 100 / all);
}

static struct hp_kind_figure percentile_of(const struct hp_times *times, double percent)
{
	return (struct hp_kind_figure){ times->count,
					hp_points_percentile(&times->points, times->count,
							     times->min_ns, times->max_ns, percent),
					0 };
}

/* The shortest and the longest time are not known if there was none. */
static bool is_extreme(unsigned slot)
{
	unsigned part = (slot - 1 - HP_ENTRY_WORDS) % HP_TIMES_PARTS;

	return slot > HP_ENTRY_WORDS && (part == HP_TIMES_MIN || part == HP_TIMES_MAX);
}

/* What a number is divided by: 1, unless it is a mean; 0 if it is not known. */
static uint64_t divisor_of(const struct hp_field *field, const struct hp_entry *entry)
{
	if (is_extreme(field->at))
		return hp_entry_times(entry, field->at)->count != 0;
	return field->over ? hp_entry_number(entry, field->over) : 1;
}

/* A mean is rounded. */
static struct hp_kind_figure whole_of(const struct hp_field *field, const struct hp_entry *entry)
{
	uint64_t sum = hp_entry_number(entry, field->at), count = divisor_of(field, entry);

	return (struct hp_kind_figure){
		count, count ? sum / count + (sum % count >= count - count / 2) : 0, 0
	};
}

static bool is_known(const struct hp_field *field, const struct hp_entry *entry)
{
	return (!field->only || entry->site_kind == field->only) &&
	       hp_entry_number(entry, field->over);
}

struct hp_kind_figure hp_kind_figure(const struct hp_field *field, const struct hp_entry *entry,
				     uint64_t elapsed_ns, double percent)
{
	switch (field->unit) {
	case HP_FIELD_RATE:
		return rate_of(entry, field->at, elapsed_ns);
	case HP_FIELD_SHARE:
		return share_of(field, entry);
	case HP_FIELD_PERCENTILE:
		return percentile_of(hp_entry_times(entry, field->at), percent);
	case HP_FIELD_DOUBLE:
		return real_figure(is_known(field, entry),
				   hp_bits_to_double(hp_entry_number(entry, field->at)));
	default:
		return whole_of(field, entry);
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

static double value_of(const struct hp_field *field, const struct hp_entry *entry)
{
	double number = number_of(hp_entry_number(entry, field->at),
				  hp_entry_number(entry, field->at + 1U));

	/* An infinite one cannot be compared. */
	return is_known(field, entry) && isfinite(number) ? number : NAN;
}

static double exact_value(const struct hp_field *field, const struct hp_entry *entry)
{
	uint64_t sum = hp_entry_number(entry, field->at), count = divisor_of(field, entry);

	return count && (sum || !field->compare.is_seen) ? (double)sum / (double)count : NAN;
}

double hp_kind_value(const struct hp_field *field, const struct hp_entry *entry, double percent)
{
	if (field->unit == HP_FIELD_VALUE)
		return value_of(field, entry);
	if (field->unit <= HP_FIELD_TIME)
		return exact_value(field, entry);
	struct hp_kind_figure figure = hp_kind_figure(field, entry, 0, percent);
	double number = figure.real + (double)figure.whole;
	return figure.is_known && isfinite(number) ? number : NAN;
}

/* ---- to be sorted by ---- */

double hp_kind_weight(const struct hp_field *field, const struct hp_entry *entry,
		      uint64_t elapsed_ns, double percent)
{
	uint64_t number = hp_entry_number(entry, field->at);
	double weight;

	if (field->unit == HP_FIELD_WORD) {
		weight = -(double)number;
	} else if (field->unit == HP_FIELD_VALUE) {
		uint64_t bits = hp_entry_number(entry, field->at + 1U);
		weight = number == HP_VALUE_DOUBLE ? hp_bits_to_double(bits)
						   : (double)(int64_t)bits;
	} else if (field->unit == HP_FIELD_TEXT) {
		weight = (double)hp_entry_number(entry, field->over);
	} else if (field->unit > HP_FIELD_TEXT && !field->at) {
		weight = -(double)entry->site_kind;
	} else {
		struct hp_kind_figure figure = hp_kind_figure(field, entry, elapsed_ns, percent);
		weight = figure.is_known ? figure.real + (double)figure.whole : -INFINITY;
	}
	return isnan(weight) ? -INFINITY : weight;
}
