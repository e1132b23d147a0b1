/* SPDX-License-Identifier: MIT */
/* Numbers as people write them. */
#include "format.h"

#include <inttypes.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct unit {
	const char *name;
	uint64_t size;
};

/* A value in tenths or hundredths of a unit, rounded. */
static uint64_t parts_of(uint64_t value, uint64_t unit, unsigned parts)
{
	uint64_t whole = value / unit;
	uint64_t rest = value % unit;

	return whole * parts + (rest * parts + unit / 2) / unit;
}

/* The smallest unit in which the rounded value is less than one of the next unit; the last unit has no limit. */
static const struct unit *choose_unit(const struct unit *units, uint64_t value, unsigned parts)
{
	while (units[1].name &&
	       parts_of(value, units[0].size, parts) >= units[1].size / units[0].size * parts)
		units++;
	return units;
}

struct hp_figure hp_format_duration(uint64_t ns)
{
	static const struct unit units[] = {
		{ "µs", 1000 }, { "ms", 1000000 }, { "s", 1000000000 }, { NULL, 0 }
	};
	struct hp_figure figure;

	if (ns < 1000) {
		snprintf(figure.text, sizeof(figure.text), "%" PRIu64 " ns", ns);
		return figure;
	}
	const struct unit *unit = choose_unit(units, ns, 100);
	uint64_t hundredths = parts_of(ns, unit->size, 100);
	snprintf(figure.text, sizeof(figure.text), "%" PRIu64 ".%02" PRIu64 " %s", hundredths / 100,
		 hundredths % 100, unit->name);
	return figure;
}

/* A share or mean in fractions of one, rounded; NAN becomes 0. */
static uint64_t parts_of_double(double value, double parts)
{
	if (!(value > 0))
		return 0;
	return value < 1e15 ? (uint64_t)(value * parts + 0.5) : (uint64_t)(1e15 * parts);
}

struct hp_figure hp_format_mean_duration(double ns)
{
	uint64_t tenths = parts_of_double(ns, 10);
	struct hp_figure figure;

	if (tenths >= 10000)
		return hp_format_duration(parts_of_double(ns, 1));
	snprintf(figure.text, sizeof(figure.text), "%" PRIu64 ".%" PRIu64 " ns", tenths / 10,
		 tenths % 10);
	return figure;
}

struct hp_figure hp_format_bytes(uint64_t bytes)
{
	static const struct unit units[] = {
		{ "KB", UINT64_C(1) << 10 }, { "MB", UINT64_C(1) << 20 },
		{ "GB", UINT64_C(1) << 30 }, { "TB", UINT64_C(1) << 40 },
		{ "PB", UINT64_C(1) << 50 }, { NULL, 0 },
	};
	struct hp_figure figure;

	if (bytes < 1024) {
		snprintf(figure.text, sizeof(figure.text), "%" PRIu64 " B", bytes);
		return figure;
	}
	const struct unit *unit = choose_unit(units, bytes, 10);
	uint64_t tenths = parts_of(bytes, unit->size, 10);
	snprintf(figure.text, sizeof(figure.text), "%" PRIu64 ".%" PRIu64 " %s", tenths / 10,
		 tenths % 10, unit->name);
	return figure;
}

struct hp_figure hp_format_difference(int64_t bytes)
{
	struct hp_figure size = hp_format_bytes(bytes < 0 ? -(uint64_t)bytes : (uint64_t)bytes);
	struct hp_figure figure;

	if (bytes >= 0)
		return size;
	snprintf(figure.text, sizeof(figure.text), "-%.30s", size.text);
	return figure;
}

struct hp_figure hp_format_count(uint64_t count)
{
	struct hp_figure figure;

	snprintf(figure.text, sizeof(figure.text), "%" PRIu64, count);
	return figure;
}

struct hp_figure hp_format_rate(double rate)
{
	static const struct unit units[] = { { "M", UINT64_C(1000000) },
					     { "G", UINT64_C(1000000000) },
					     { NULL, 0 } };
	uint64_t hundredths = parts_of_double(rate, 100);
	uint64_t whole = parts_of_double(rate, 1);
	struct hp_figure figure;

	if (hundredths == 0) {
		strcpy(figure.text, "0");
	} else if (hundredths < 1000) {
		snprintf(figure.text, sizeof(figure.text), "%" PRIu64 ".%02" PRIu64,
			 hundredths / 100, hundredths % 100);
	} else if (whole < 1000000) {
		snprintf(figure.text, sizeof(figure.text), "%" PRIu64, whole);
	} else {
		const struct unit *unit = choose_unit(units, whole, 10);
		uint64_t tenths = parts_of(whole, unit->size, 10);
		snprintf(figure.text, sizeof(figure.text), "%" PRIu64 ".%" PRIu64 " %s",
			 tenths / 10, tenths % 10, unit->name);
	}
	return figure;
}

struct hp_figure hp_format_percent(double percent)
{
	uint64_t hundredths = parts_of_double(percent, 100);
	struct hp_figure figure;

	snprintf(figure.text, sizeof(figure.text), "%" PRIu64 ".%02" PRIu64 "%%", hundredths / 100,
		 hundredths % 100);
	return figure;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Read digits from *string and advance it; false if there are none, or too many. */
static bool read_digits(const char **string, uint64_t *number, int *count)
{
	const char *start = *string;

	for (; is_digit(**string); (*string)++) {
		if (++*count > 15)
			return false;
		*number = *number * 10 + (uint64_t)(**string - '0');
	}
	return *string > start;
}

struct hp_figure hp_format_moment(uint64_t unix_ns)
{
	time_t seconds = (time_t)(unix_ns / 1000000000);
	struct hp_figure figure;
	struct tm local;

	if (!localtime_r(&seconds, &local) ||
	    !strftime(figure.text, sizeof(figure.text), "%F %T", &local))
		strcpy(figure.text, "-");
	return figure;
}

bool hp_parse_decimal(const char *string, double *value)
{
	uint64_t number = 0;
	double scale = 1;
	int count = 0;

	if (!read_digits(&string, &number, &count))
		return false;
	if (*string == '.') {
		int whole = count;
		string++;
		if (!read_digits(&string, &number, &count))
			return false;
		for (int i = whole; i < count; i++)
			scale *= 10;
	}
	if (*string)
		return false;
	/* Both are exact, so the quotient is the nearest double there is. */
	*value = (double)number / scale;
	return true;
}

bool hp_parse_count(const char *string, int *value)
{
	uint64_t number = 0;
	int count = 0;

	if (!read_digits(&string, &number, &count) || *string || number > INT_MAX)
		return false;
	*value = (int)number;
	return true;
}

bool hp_parse_switch(const char *string, bool *on)
{
	static const char words[][6] = { "0", "1", "false", "true", "no", "yes", "off", "on" };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (strcmp(words[i], string) == 0) {
			*on = i % 2;
			return true;
		}
	}
	return false;
}
