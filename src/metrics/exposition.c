/* SPDX-License-Identifier: MIT */
/* Families and their samples, in one of several formats: names, labels, and the table of formats. */
#include "exposition.h"

#include <stdio.h>
#include <string.h>

/* ---- formats ---- */

static const struct hp_exposition_format *const formats[] = {
	[HP_METRICS_TEXT] = &hp_exposition_text,
	[HP_METRICS_OPEN] = &hp_exposition_open,
	[HP_METRICS_PROTOBUF] = &hp_exposition_protobuf,
};

const struct hp_exposition_format *hp_exposition_format(enum hp_metrics_format format)
{
	return formats[format];
}

void hp_exposition_begin(struct hp_exposition *exposition, const struct hp_family *family)
{
	if (strcmp(exposition->family.name, family->name) == 0 &&
	    exposition->family.type == family->type)
		return;
	exposition->family = *family;
	exposition->format->begin(exposition);
}

struct hp_histogram hp_exposition_begin_histogram(struct hp_exposition *exposition)
{
	struct hp_histogram histogram = { .exponential = NULL };

	if (exposition->format->has_exponential) {
		exposition->exponential = (struct hp_exponential){ .count = 0 };
		histogram.exponential = &exposition->exponential;
	}
	return histogram;
}

/* ---- names ---- */

const char *hp_family_unit_word(enum hp_family_unit unit)
{
	static const char *const words[] = {
		[HP_UNIT_NONE] = "",
		[HP_UNIT_SECONDS] = "seconds",
		[HP_UNIT_BYTES] = "bytes",
	};

	return words[unit];
}

const char *hp_family_suffix(enum hp_family_type type)
{
	static const char *const suffixes[] = {
		[HP_FAMILY_COUNTER] = "_total",
		[HP_FAMILY_GAUGE] = "",
		[HP_FAMILY_HISTOGRAM] = "",
		[HP_FAMILY_INFO] = "_info",
	};

	return suffixes[type];
}

void hp_family_set_name(struct hp_family *family, const char *prefix, const char *stem,
			enum hp_family_unit unit)
{
	const char *word = hp_family_unit_word(unit);

	family->unit = unit;
	snprintf(family->name, sizeof(family->name), "hotpath%s%s%s%s%s%s", *prefix ? "_" : "",
		 prefix, *stem ? "_" : "", stem, *word ? "_" : "", word);
}

/* ---- labels ---- */

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

/* Returns what comes after the character. */
static const char *read_character(const char *rest, struct hp_text *value)
{
	bool is_escaped = *rest == '\\' && rest[1];

	if (is_escaped && rest[1] == 'n')
		hp_text_putc(value, '\n');
	else
		hp_text_putc(value, rest[is_escaped]);
	return rest + 1 + is_escaped;
}

const char *hp_label_read(const char *labels, struct hp_text *name, struct hp_text *value)
{
	size_t length = strcspn(labels, "=");
	const char *rest = labels + length;

	hp_text_add(name, labels, length);
	rest += strspn(rest, "=");
	rest += *rest == '"';
	while (*rest && *rest != '"')
		rest = read_character(rest, value);
	rest += *rest == '"';
	return rest + (*rest == ',');
}
