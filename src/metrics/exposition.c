/* SPDX-License-Identifier: MIT */
/*
 * Writes families and their samples, in the text format of Prometheus or in OpenMetrics.
 *
 *	                Prometheus 0.0.4                  OpenMetrics 1.0
 *	counter         # TYPE name_total counter         # TYPE name counter
 *	information     # TYPE name_info gauge            # TYPE name info
 *	unit                                              # UNIT name seconds
 *	end                                               # EOF
 *
 * Numbers are exact: times are nanoseconds with the point moved by nine places.
 */
#include "exposition.h"

#include "arithmetic.h"
#include "format.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const type_words[] = {
	[HP_FAMILY_COUNTER] = "counter",
	[HP_FAMILY_GAUGE] = "gauge",
	[HP_FAMILY_HISTOGRAM] = "histogram",
	[HP_FAMILY_INFO] = "info",
};

static const char *const unit_words[] = {
	[HP_UNIT_NONE] = "",
	[HP_UNIT_SECONDS] = "seconds",
	[HP_UNIT_BYTES] = "bytes",
};

/* What the names of samples have after that of their family. */
static const char *const suffixes[] = {
	[HP_FAMILY_COUNTER] = "_total",
	[HP_FAMILY_GAUGE] = "",
	[HP_FAMILY_HISTOGRAM] = "",
	[HP_FAMILY_INFO] = "_info",
};

void hp_family_set_name(struct hp_family *family, const char *prefix, const char *stem,
			enum hp_family_unit unit)
{
	const char *word = unit_words[unit];

	family->unit = unit;
	snprintf(family->name, sizeof(family->name), "hotpath%s%s%s%s%s%s", *prefix ? "_" : "",
		 prefix, *stem ? "_" : "", stem, *word ? "_" : "", word);
}

/* ---- texts ---- */

/* U+FFFD: labels must be UTF-8. */
#define NO_CHARACTER "\xef\xbf\xbd"

/* Returns how many bytes of the string it has written. */
static size_t put_character(struct hp_text *text, const char *string)
{
	uint32_t code;
	size_t length = hp_utf8_read(string, &code);

	if (*string == '\n')
		hp_text_puts(text, "\\n");
	else if (*string == '"' || *string == '\\')
		hp_text_add(text, (const char[]){ '\\', *string }, 2);
	else if (length)
		hp_text_add(text, string, length);
	else
		hp_text_puts(text, NO_CHARACTER);
	return length ? length : 1;
}

void hp_label_put(struct hp_text *labels, const char *name, const char *value)
{
	if (labels->length && labels->bytes[labels->length - 1] != '\0')
		hp_text_putc(labels, ',');
	hp_text_puts(labels, name);
	hp_text_puts(labels, "=\"");
	while (*value)
		value += put_character(labels, value);
	hp_text_putc(labels, '"');
}

static void put_labels(struct hp_text *text, const char *labels, const char *more)
{
	bool has_more = more && *more;

	if (!*labels && !has_more)
		return;
	hp_text_putc(text, '{');
	hp_text_puts(text, labels);
	if (*labels && has_more)
		hp_text_putc(text, ',');
	if (has_more)
		hp_text_puts(text, more);
	hp_text_putc(text, '}');
}

/* ---- numbers ---- */

/* Without zeros at its end: "1.5", "0.00000025", "3". */
static void put_seconds(struct hp_text *text, uint64_t ns)
{
	char digits[10];
	size_t length = 9;

	hp_text_printf(text, "%" PRIu64, ns / 1000000000);
	snprintf(digits, sizeof(digits), "%09" PRIu64, ns % 1000000000);
	while (length && digits[length - 1] == '0')
		length--;
	if (length)
		hp_text_putc(text, '.');
	hp_text_add(text, digits, length);
}

static void put_real(struct hp_text *text, double value)
{
	if (isnan(value))
		hp_text_puts(text, "NaN");
	else if (isinf(value))
		hp_text_puts(text, value < 0 ? "-Inf" : "+Inf");
	else
		hp_text_puts(text, hp_format_decimal(value).text);
}

static void put_number(struct hp_exposition *exposition, const struct hp_sample *sample)
{
	if (sample->is_real)
		put_real(exposition->text, sample->real);
	else if (exposition->family.unit == HP_UNIT_SECONDS)
		put_seconds(exposition->text, sample->whole);
	else
		hp_text_printf(exposition->text, "%" PRIu64, sample->whole);
	hp_text_putc(exposition->text, '\n');
}

/* ---- families ---- */

/* The formats disagree on whether the suffix of its samples belongs to the name of a family. */
static void put_comment(struct hp_exposition *exposition, const char *word, const char *value)
{
	const struct hp_family *family = &exposition->family;
	bool is_open = exposition->format == HP_METRICS_OPEN;

	hp_text_printf(exposition->text, "# %s %s%s %s\n", word, family->name,
		       is_open ? "" : suffixes[family->type], value);
}

void hp_exposition_begin(struct hp_exposition *exposition, const struct hp_family *family)
{
	bool is_open = exposition->format == HP_METRICS_OPEN;
	enum hp_family_type type = family->type;

	if (strcmp(exposition->family.name, family->name) == 0 && exposition->family.type == type)
		return;
	exposition->family = *family;
	if (type == HP_FAMILY_INFO && !is_open)
		type = HP_FAMILY_GAUGE;
	put_comment(exposition, "HELP", family->help);
	put_comment(exposition, "TYPE", type_words[type]);
	if (is_open && family->unit != HP_UNIT_NONE)
		put_comment(exposition, "UNIT", unit_words[family->unit]);
}

static void put_name(struct hp_exposition *exposition, const char *suffix, const char *labels,
		     const char *more)
{
	hp_text_puts(exposition->text, exposition->family.name);
	hp_text_puts(exposition->text, suffix);
	put_labels(exposition->text, labels, more);
	hp_text_putc(exposition->text, ' ');
}

void hp_exposition_sample(struct hp_exposition *exposition, const char *labels, const char *more,
			  const struct hp_sample *sample)
{
	put_name(exposition, suffixes[exposition->family.type], labels, more);
	put_number(exposition, sample);
}

void hp_exposition_end(struct hp_exposition *exposition)
{
	if (exposition->format == HP_METRICS_OPEN)
		hp_text_puts(exposition->text, "# EOF\n");
}

/* ---- histograms ---- */

/*
 * Powers of four times 250 ns have seven significant bits, as the lower ends of our buckets have: counts are exact if the
 * clock counts nanoseconds. With another clock, the bucket of ours that a boundary divides, which is less than 1.6 % wide,
 * is counted by its middle. Clocks tell whole units that have passed: what is said to take 250 ns took a little more.
 */
static uint64_t boundary(unsigned bucket)
{
	return UINT64_C(250) << 2 * bucket;
}

void hp_classic_add(struct hp_classic *classic, const struct hp_points *points, uint64_t count,
		    uint64_t sum_ns)
{
	uint64_t below = 0;
	size_t at = 0;

	classic->count += count;
	classic->sum_ns += sum_ns;
	for (unsigned bucket = 0; bucket < HP_CLASSIC_BUCKETS; bucket++) {
		for (; at < points->count && points->items[at].value < boundary(bucket); at++)
			below += points->items[at].count;
		/* In the snapshot of a running program, buckets may be newer than the count. */
		classic->below[bucket] += hp_min(below, count);
	}
}

static void put_bucket(struct hp_exposition *exposition, const char *labels, const char *less,
		       uint64_t count)
{
	put_name(exposition, "_bucket", labels, less);
	hp_text_printf(exposition->text, "%" PRIu64 "\n", count);
}

void hp_exposition_histogram(struct hp_exposition *exposition, const char *labels,
			     const struct hp_classic *histogram)
{
	struct hp_text less = HP_TEXT_INIT;

	for (unsigned bucket = 0; bucket < HP_CLASSIC_BUCKETS && !less.failed; bucket++) {
		less.length = 0;
		hp_text_puts(&less, "le=\"");
		put_seconds(&less, boundary(bucket));
		hp_text_putc(&less, '"');
		if (!less.failed)
			put_bucket(exposition, labels, less.bytes, histogram->below[bucket]);
	}
	exposition->text->failed |= less.failed;
	hp_text_free(&less);
	put_bucket(exposition, labels, "le=\"+Inf\"", histogram->count);
	put_name(exposition, "_sum", labels, NULL);
	put_number(exposition, &(struct hp_sample){ .whole = histogram->sum_ns });
	put_name(exposition, "_count", labels, NULL);
	hp_text_printf(exposition->text, "%" PRIu64 "\n", histogram->count);
}
