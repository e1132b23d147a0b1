/* SPDX-License-Identifier: MIT */
/* A growing string buffer, and UTF-8. */
#include "text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM_MIN = 256 };

/* Make room for more bytes and the NUL. */
static bool grow(struct hp_text *text, size_t length)
{
	if (text->failed)
		return false;

	size_t room = text->room ? text->room : ROOM_MIN;
	while (room - text->length <= length && room <= SIZE_MAX / 2)
		room *= 2;
	char *bytes = room - text->length > length ? realloc(text->bytes, room) : NULL;
	if (!bytes) {
		text->failed = true;
		return false;
	}
	text->bytes = bytes;
	text->room = room;
	return true;
}

/* Most often there is room. */
static inline bool reserve(struct hp_text *text, size_t length)
{
	return (!text->failed && length < text->room - text->length) || grow(text, length);
}

char *hp_text_extend(struct hp_text *text, size_t length)
{
	if (!reserve(text, length))
		return NULL;
	char *more = text->bytes + text->length;
	text->length += length;
	more[length] = '\0';
	return more;
}

void hp_text_add(struct hp_text *text, const char *bytes, size_t length)
{
	char *more = hp_text_extend(text, length);

	if (more)
		memcpy(more, bytes, length);
}

void hp_text_puts(struct hp_text *text, const char *string)
{
	hp_text_add(text, string, strlen(string));
}

void hp_text_putc(struct hp_text *text, char c)
{
	char *more = hp_text_extend(text, 1);

	if (more)
		*more = c;
}

void hp_text_printf(struct hp_text *text, const char *format, ...)
{
	va_list arguments, again;
	va_start(arguments, format);
	va_copy(again, arguments);
	int length = vsnprintf(NULL, 0, format, arguments);
	va_end(arguments);

	if (length < 0) {
		text->failed = true;
	} else if (reserve(text, (size_t)length)) {
		vsnprintf(text->bytes + text->length, (size_t)length + 1, format, again);
		text->length += (size_t)length;
	}
	va_end(again);
}

void hp_text_put_printable(struct hp_text *text, const char *string)
{
	while (*string) {
		uint32_t code;
		size_t length = hp_utf8_read(string, &code);

		if (length && !hp_utf8_is_control(code))
			hp_text_add(text, string, length);
		else
			hp_text_putc(text, '?');
		string += length ? length : 1;
	}
}

void hp_text_free(struct hp_text *text)
{
	free(text->bytes);
	*text = (struct hp_text)HP_TEXT_INIT;
}

/*
 * For UTF-8 characters of n + 1 bytes: the marker bits of the first byte, and the smallest code point; smaller ones
 * would be overlong encodings.
 */
static const struct {
	unsigned char mask;
	unsigned char bits;
	uint32_t least;
} utf8_forms[] = {
	{ 0x80, 0x00, 0 },
	{ 0xe0, 0xc0, 0x80 },
	{ 0xf0, 0xe0, 0x800 },
	{ 0xf8, 0xf0, 0x10000 },
};

static bool is_scalar(uint32_t code)
{
	return code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
}

size_t hp_utf8_read(const char *string, uint32_t *code)
{
	const unsigned char *bytes = (const unsigned char *)string;
	size_t form = 0;
	while (form < 4 && (bytes[0] & utf8_forms[form].mask) != utf8_forms[form].bits)
		form++;
	if (form == 4)
		return 0;

	uint32_t value = bytes[0] & (unsigned char)~utf8_forms[form].mask;
	for (size_t i = 1; i <= form; i++) {
		if ((bytes[i] & 0xc0) != 0x80)
			return 0;
		value = value << 6 | (bytes[i] & 0x3f);
	}
	if (value < utf8_forms[form].least || !is_scalar(value))
		return 0;
	*code = value;
	return form + 1;
}

bool hp_utf8_is_control(uint32_t code)
{
	static const struct {
		uint32_t first;
		uint32_t last;
	} ranges[] = {
		{ 0x00, 0x1f },	    { 0x7f, 0x9f },	{ 0x61c, 0x61c },
		{ 0x180e, 0x180e }, { 0x200b, 0x200f }, { 0x2028, 0x202e },
		{ 0x2060, 0x2069 }, { 0xfeff, 0xfeff }, { 0xfff9, 0xfffb },
	};

	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
		if (code >= ranges[i].first && code <= ranges[i].last)
			return true;
	return false;
}

size_t hp_utf8_count(const char *string)
{
	size_t count = 0;
	uint32_t code;

	while (*string) {
		size_t length = hp_utf8_read(string, &code);
		string += length ? length : 1;
		count++;
	}
	return count;
}
