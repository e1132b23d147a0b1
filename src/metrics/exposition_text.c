/* SPDX-License-Identifier: MIT */
/*
 * The text format of Prometheus, and OpenMetrics.
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
#include "format.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static const char *const type_words[] = {
	[HP_FAMILY_COUNTER] = "counter",
	[HP_FAMILY_GAUGE] = "gauge",
	[HP_FAMILY_HISTOGRAM] = "histogram",
	[HP_FAMILY_INFO] = "info",
};

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
	bool is_open = exposition->format == &hp_exposition_open;

	hp_text_printf(exposition->text, "# %s %s%s %s\n", word, family->name,
		       is_open ? "" : hp_family_suffix(family->type), value);
}

static void begin(struct hp_exposition *exposition)
{
	bool is_open = exposition->format == &hp_exposition_open;
	const struct hp_family *family = &exposition->family;
	enum hp_family_type type = family->type;

	if (type == HP_FAMILY_INFO && !is_open)
		type = HP_FAMILY_GAUGE;
	put_comment(exposition, "HELP", family->help);
	put_comment(exposition, "TYPE", type_words[type]);
	if (is_open && family->unit != HP_UNIT_NONE)
		put_comment(exposition, "UNIT", hp_family_unit_word(family->unit));
}

static void put_name(struct hp_exposition *exposition, const char *suffix, const char *labels,
		     const char *more)
{
	hp_text_puts(exposition->text, exposition->family.name);
	hp_text_puts(exposition->text, suffix);
	put_labels(exposition->text, labels, more);
	hp_text_putc(exposition->text, ' ');
}

static void put_sample(struct hp_exposition *exposition, const char *labels, const char *more,
		       const struct hp_sample *sample)
{
	put_name(exposition, hp_family_suffix(exposition->family.type), labels, more);
	put_number(exposition, sample);
}

/* ---- histograms ---- */

static void put_bucket(struct hp_exposition *exposition, const char *labels, const char *less,
		       uint64_t count)
{
	put_name(exposition, "_bucket", labels, less);
	hp_text_printf(exposition->text, "%" PRIu64 "\n", count);
}

static void put_histogram(struct hp_exposition *exposition, const char *labels,
			  const struct hp_histogram *histogram)
{
	const struct hp_classic *classic = &histogram->classic;
	struct hp_text less = HP_TEXT_INIT;

	for (unsigned bucket = 0; bucket < HP_CLASSIC_BUCKETS && !less.failed; bucket++) {
		less.length = 0;
		hp_text_puts(&less, "le=\"");
		put_seconds(&less, hp_classic_boundary(bucket));
		hp_text_putc(&less, '"');
		if (!less.failed)
			put_bucket(exposition, labels, less.bytes, classic->below[bucket]);
	}
	exposition->text->failed |= less.failed;
	hp_text_free(&less);
	put_bucket(exposition, labels, "le=\"+Inf\"", classic->count);
	put_name(exposition, "_sum", labels, NULL);
	put_number(exposition, &(struct hp_sample){ .whole = classic->sum_ns });
	put_name(exposition, "_count", labels, NULL);
	hp_text_printf(exposition->text, "%" PRIu64 "\n", classic->count);
}

/* ---- formats ---- */

static void end(struct hp_exposition *exposition)
{
	(void)exposition;
}

static void end_open(struct hp_exposition *exposition)
{
	hp_text_puts(exposition->text, "# EOF\n");
}

const struct hp_exposition_format hp_exposition_text = {
	.content_type = "text/plain; version=0.0.4; charset=utf-8",
	.begin = begin,
	.sample = put_sample,
	.histogram = put_histogram,
	.end = end,
};

const struct hp_exposition_format hp_exposition_open = {
	.content_type = "application/openmetrics-text; version=1.0.0; charset=utf-8",
	.begin = begin,
	.sample = put_sample,
	.histogram = put_histogram,
	.end = end_open,
};
