/* SPDX-License-Identifier: MIT */
/* A streaming JSON writer. */
#include "json_writer.h"

#include "format.h"

#include <inttypes.h>
#include <string.h>

struct hp_json hp_json_start(struct hp_text *text, bool pretty)
{
	return (struct hp_json){ .text = text, .pretty = pretty, .first = true };
}

static void new_line(struct hp_json *json)
{
	if (!json->pretty)
		return;
	hp_text_putc(json->text, '\n');
	for (unsigned i = 0; i < json->depth; i++)
		hp_text_puts(json->text, "  ");
}

/* Write the separator between the last value or key and the next one. */
static void separate(struct hp_json *json)
{
	if (!json->keyed) {
		if (!json->first)
			hp_text_putc(json->text, ',');
		if (json->depth)
			new_line(json);
	}
	json->keyed = false;
	json->first = false;
}

static void begin(struct hp_json *json, char bracket)
{
	separate(json);
	hp_text_putc(json->text, bracket);
	json->depth++;
	json->first = true;
}

/* The enclosing container is not empty: it contains the one that ends here. */
static void end(struct hp_json *json, char bracket)
{
	json->depth--;
	if (!json->first)
		new_line(json);
	hp_text_putc(json->text, bracket);
	json->first = false;
}

void hp_json_begin_object(struct hp_json *json)
{
	begin(json, '{');
}

void hp_json_end_object(struct hp_json *json)
{
	end(json, '}');
}

void hp_json_begin_array(struct hp_json *json)
{
	begin(json, '[');
}

void hp_json_end_array(struct hp_json *json)
{
	end(json, ']');
}

/* Returns how many bytes of the string it has written. */
static size_t put_character(struct hp_text *text, const char *string)
{
	uint32_t code;
	size_t length = hp_utf8_read(string, &code);

	if (length == 0) {
		hp_text_puts(text, "\xef\xbf\xbd");
		return 1;
	}
	if (code == '"' || code == '\\') {
		hp_text_putc(text, '\\');
		hp_text_putc(text, (char)code);
	} else if (hp_utf8_is_control(code)) {
		hp_text_printf(text, "\\u%04x", (unsigned)code);
	} else {
		hp_text_add(text, string, length);
	}
	return length;
}

static bool is_plain(char byte)
{
	return byte >= ' ' && byte <= '~' && byte != '"' && byte != '\\';
}

static size_t count_plain(const char *string)
{
	size_t plain = 0;

	while (is_plain(string[plain]))
		plain++;
	return plain;
}

static void put_characters(struct hp_text *text, const char *string)
{
	hp_text_putc(text, '"');
	while (*string) {
		size_t plain = count_plain(string);
		hp_text_add(text, string, plain);
		string += plain;
		if (*string)
			string += put_character(text, string);
	}
	hp_text_putc(text, '"');
}

/* Most strings are plain ASCII, and written at once: reports have thousands of keys. */
static void put_quoted(struct hp_text *text, const char *string)
{
	size_t plain = count_plain(string);
	char *quoted = string[plain] ? NULL : hp_text_extend(text, plain + 2);

	if (quoted) {
		quoted[0] = '"';
		memcpy(quoted + 1, string, plain);
		quoted[plain + 1] = '"';
	} else {
		put_characters(text, string);
	}
}

void hp_json_key(struct hp_json *json, const char *key)
{
	separate(json);
	put_quoted(json->text, key);
	hp_text_putc(json->text, ':');
	if (json->pretty)
		hp_text_putc(json->text, ' ');
	json->keyed = true;
}

void hp_json_string(struct hp_json *json, const char *string)
{
	if (!string) {
		hp_json_null(json);
		return;
	}
	separate(json);
	put_quoted(json->text, string);
}

void hp_json_u64(struct hp_json *json, uint64_t value)
{
	/* The digits of the largest number. */
	char digits[20];
	size_t at = sizeof(digits);

	separate(json);
	do
		digits[--at] = (char)('0' + value % 10);
	while (value /= 10);
	hp_text_add(json->text, digits + at, sizeof(digits) - at);
}

void hp_json_i64(struct hp_json *json, int64_t value)
{
	separate(json);
	hp_text_printf(json->text, "%" PRId64, value);
}

void hp_json_double(struct hp_json *json, double value)
{
	if (!__builtin_isfinite(value)) {
		hp_json_null(json);
		return;
	}
	struct hp_figure figure = hp_format_decimal(value);
	separate(json);
	hp_text_puts(json->text, figure.text);
	if (!strpbrk(figure.text, ".e"))
		hp_text_puts(json->text, ".0");
}

void hp_json_bool(struct hp_json *json, bool value)
{
	separate(json);
	hp_text_puts(json->text, value ? "true" : "false");
}

void hp_json_null(struct hp_json *json)
{
	separate(json);
	hp_text_puts(json->text, "null");
}

void hp_json_member_string(struct hp_json *json, const char *key, const char *string)
{
	hp_json_key(json, key);
	hp_json_string(json, string);
}

void hp_json_member_bool(struct hp_json *json, const char *key, bool value)
{
	hp_json_key(json, key);
	hp_json_bool(json, value);
}

void hp_json_member_u64(struct hp_json *json, const char *key, uint64_t value)
{
	hp_json_key(json, key);
	hp_json_u64(json, value);
}

void hp_json_member_known(struct hp_json *json, const char *key, uint64_t value, bool known)
{
	hp_json_key(json, key);
	if (known)
		hp_json_u64(json, value);
	else
		hp_json_null(json);
}
