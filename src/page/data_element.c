/* SPDX-License-Identifier: MIT */
/*
 * JSON in an element of a page.
 *
 * Small data is written as it is, so that other programs can take it out of the file. Only "<" is escaped, which in JSON
 * stands in strings alone: so neither "</script>" nor "<!--" can end the element. Large data is compressed, and then written
 * in base64.
 */
#include "page_parts.h"

#include "sink.h"

#include <string.h>

/* Bytes of JSON that are written as they are. */
enum { PLAIN_MAX = 128 * 1024 };

static void put_escaped(const struct hp_text *json, struct hp_text *text)
{
	const char *at = json->bytes, *end = json->bytes + json->length;

	while (at < end) {
		const char *found = memchr(at, '<', (size_t)(end - at));
		size_t length = (size_t)((found ? found : end) - at);
		hp_text_add(text, at, length);
		if (found)
			hp_text_puts(text, "\\u003c");
		at += length + (found != NULL);
	}
}

/* Up to three bytes become four letters. */
static void put_group(const unsigned char *bytes, size_t count, struct hp_text *text)
{
	enum { PADDING = 64 };
	static const char letters[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=";
	unsigned long group = (unsigned long)bytes[0] << 16;

	if (count > 1)
		group |= (unsigned long)bytes[1] << 8;
	if (count > 2)
		group |= bytes[2];
	hp_text_putc(text, letters[group >> 18]);
	hp_text_putc(text, letters[group >> 12 & 63]);
	hp_text_putc(text, letters[count > 1 ? group >> 6 & 63 : PADDING]);
	hp_text_putc(text, letters[count > 2 ? group & 63 : PADDING]);
}

static void put_compressed(const struct hp_text *json, struct hp_text *text)
{
	struct hp_text packed = HP_TEXT_INIT;
	struct hp_sink sink;

	hp_sink_open(&sink, &packed, true);
	hp_text_add(sink.text, json->bytes, json->length);
	hp_sink_pass(&sink);
	hp_sink_close(&sink);
	for (size_t i = 0; i < packed.length; i += 3)
		put_group((const unsigned char *)packed.bytes + i, packed.length - i, text);
	text->failed |= packed.failed;
	hp_text_free(&packed);
}

void hp_page_put_data(const char *id, const struct hp_text *json, struct hp_text *text)
{
	bool is_plain = json->length <= PLAIN_MAX;

	text->failed |= json->failed;
	if (json->failed)
		return;
	hp_text_printf(text, "<script type=\"application/%s\" id=\"%s\">",
		       is_plain ? "json" : "gzip", id);
	if (is_plain)
		put_escaped(json, text);
	else
		put_compressed(json, text);
	hp_text_puts(text, "</script>\n");
}
