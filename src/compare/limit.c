/* SPDX-License-Identifier: MIT */
/* Parses limits as users write them: "50 us", "1.5 MB", "1000", "+5 %". */
#include "limit.h"

#include "format.h"

#include <string.h>

/*
 * A limit without a unit suffix is only valid for metrics without a unit. There are two characters for micro: the
 * sign and the Greek letter, which look the same.
 */
static const struct {
	const char *name;
	enum hp_metric_unit unit;
	double size;
} units[] = {
	{ "ns", HP_UNIT_NS, 1 },
	{ "us", HP_UNIT_NS, 1e3 },
	{ "\u00b5s", HP_UNIT_NS, 1e3 },
	{ "\u03bcs", HP_UNIT_NS, 1e3 },
	{ "ms", HP_UNIT_NS, 1e6 },
	{ "s", HP_UNIT_NS, 1e9 },
	{ "B", HP_UNIT_BYTES, 1 },
	{ "KB", HP_UNIT_BYTES, 1024 },
	{ "MB", HP_UNIT_BYTES, 1024 * 1024 },
	{ "GB", HP_UNIT_BYTES, 1024 * 1024 * 1024 },
	{ "", HP_UNIT_COUNT, 1 },
	{ "", HP_UNIT_NUMBER, 1 },
};

static const char *skip_spaces(const char *text)
{
	return text + strspn(text, " ");
}

/* Read the number that a text begins with; NULL when there is none, else what follows it. */
static const char *read_number(const char *text, double *value)
{
	size_t length = strspn(text, "0123456789.");
	char number[32];
	if (length >= sizeof(number))
		return NULL;

	memcpy(number, text, length);
	number[length] = '\0';
	return hp_parse_decimal(number, value) ? skip_spaces(text + length) : NULL;
}

bool hp_limit_read(const char *text, enum hp_metric_unit unit, struct hp_limit *limit)
{
	bool is_relative = *text == '+';
	double value;
	const char *rest = read_number(skip_spaces(text + is_relative), &value);
	if (!rest)
		return false;

	if (is_relative) {
		*limit = (struct hp_limit){ value / 100, true };
		return strcmp(rest, "%") == 0;
	}
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		if (units[i].unit == unit && strcmp(units[i].name, rest) == 0) {
			*limit = (struct hp_limit){ value * units[i].size, false };
			return true;
		}
	}
	return false;
}

const char *hp_limit_form(enum hp_metric_unit unit)
{
	static const char *const forms[] = {
		[HP_UNIT_COUNT] = "a count such as 1000, or \"+5 %\"",
		[HP_UNIT_BYTES] = "bytes, such as \"64 KB\" (B, KB, MB, GB), or \"+5 %\"",
		[HP_UNIT_NS] = "a time, such as \"50 us\" (ns, us, ms, s), or \"+5 %\"",
		[HP_UNIT_NUMBER] = "a number, or \"+5 %\"",
	};

	return forms[unit];
}
