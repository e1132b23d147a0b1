/* SPDX-License-Identifier: MIT */
/* Escapes untrusted strings for markdown. */
#include "markdown_text.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

enum {
	CODE_MAX = 120,
	WORDS_MAX = 600,
	HIDDEN_MAX = 100,
};

/* A zero-width space, put after '@' and '#' so that they do not mention anybody. */
#define NOTHING "\u200b"

/* Where so many characters of a printable string end. */
static const char *skip(const char *string, size_t characters)
{
	uint32_t code;

	while (characters-- && *string)
		string += hp_utf8_read(string, &code);
	return string;
}

/* Write a printable string of at most so many characters. */
static void put_limited(const char *string, size_t most, struct hp_text *text)
{
	struct hp_text printable = HP_TEXT_INIT;

	hp_text_put_printable(&printable, string);
	text->failed |= printable.failed;
	if (printable.length && !printable.failed) {
		size_t length = hp_utf8_count(printable.bytes);
		size_t tail = (most - 1) / 2;
		const char *end = skip(printable.bytes, length > most ? most - 1 - tail : length);
		hp_text_add(text, printable.bytes, (size_t)(end - printable.bytes));
		if (length > most) {
			hp_text_puts(text, "…");
			hp_text_puts(text, skip(printable.bytes, length - tail));
		}
	}
	hp_text_free(&printable);
}

/* In ASCII, whatever the locale has. */
static bool is_mark(char c)
{
	return c > ' ' && c <= '~' && !isalnum((unsigned char)c);
}

static void put_entity(char c, struct hp_text *text)
{
	hp_text_printf(text, "&#%d;", c);
}

/* A pipe or a backtick cannot be escaped inside a code span: use HTML instead. */
static void put_code_as_html(const char *string, struct hp_text *text)
{
	hp_text_puts(text, "<code>");
	for (; *string; string++) {
		if (is_mark(*string))
			put_entity(*string, text);
		else
			hp_text_putc(text, *string);
	}
	hp_text_puts(text, "</code>");
}

void hp_markdown_put_code(const char *string, struct hp_text *text)
{
	struct hp_text limited = HP_TEXT_INIT;

	put_limited(*string ? string : "?", CODE_MAX, &limited);
	if (limited.failed || !limited.bytes)
		text->failed = true;
	else if (strpbrk(limited.bytes, "|`"))
		put_code_as_html(limited.bytes, text);
	else
		hp_text_printf(text, "`%s`", limited.bytes);
	hp_text_free(&limited);
}

static void put_word_character(const char *string, struct hp_text *text)
{
	if (strchr("\\`*_[]<>|&~$!{}^=", *string))
		put_entity(*string, text);
	else
		hp_text_putc(text, *string);
	if (strchr("@#", *string) || strncmp(string, "://", 3) == 0 ||
	    strncasecmp(string, "www.", 4) == 0)
		hp_text_puts(text, NOTHING);
}

void hp_markdown_put_words(const char *string, struct hp_text *text)
{
	struct hp_text limited = HP_TEXT_INIT;

	put_limited(string, WORDS_MAX, &limited);
	text->failed |= limited.failed;
	for (size_t i = 0; !limited.failed && i < limited.length; i++)
		put_word_character(limited.bytes + i, text);
	hp_text_free(&limited);
}

void hp_markdown_put_hidden(const char *string, struct hp_text *text)
{
	struct hp_text limited = HP_TEXT_INIT;
	char last = '-';

	put_limited(string, HIDDEN_MAX, &limited);
	text->failed |= limited.failed;
	for (size_t i = 0; !limited.failed && i < limited.length; i++) {
		char c = limited.bytes[i];
		if (strchr("<>&", c) || (c == '-' && last == '-'))
			c = '_';
		hp_text_putc(text, c);
		last = c;
	}
	hp_text_free(&limited);
}
