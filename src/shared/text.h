/* SPDX-License-Identifier: MIT */
/* A growing string buffer, and UTF-8. */
#ifndef HP_TEXT_H
#define HP_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hp_text {
	/** NUL-terminated; NULL while empty. */
	char *bytes;
	size_t length;
	size_t room;
	/** Memory ran out: the text is incomplete. */
	bool failed;
};

#define HP_TEXT_INIT                                                                               \
	{                                                                                          \
		NULL, 0, 0, false                                                                  \
	}

/** Append so many bytes, which the caller writes at once. NULL when memory ran out. */
char *hp_text_extend(struct hp_text *text, size_t length);
void hp_text_add(struct hp_text *text, const char *bytes, size_t length);
void hp_text_puts(struct hp_text *text, const char *string);
void hp_text_putc(struct hp_text *text, char c);
/** Do not use %f and the like: their decimal point depends on the locale. Use hp_format_*. */
void hp_text_printf(struct hp_text *text, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/** Append an untrusted string for a terminal: unprintable characters become '?'. */
void hp_text_put_printable(struct hp_text *text, const char *string);
void hp_text_free(struct hp_text *text);

/**
 * Read the UTF-8 character that a string begins with. The string is not empty.
 *
 * @return
 *         Its bytes, 1 to 4; 0 when they are no UTF-8, and then *code is as it was.
 */
size_t hp_utf8_read(const char *string, uint32_t *code);

/** Whether it is a control character, of terminals or of the writing direction (bidi). */
bool hp_utf8_is_control(uint32_t code);

/** How many characters a string has; a byte that is no UTF-8 counts as one. */
size_t hp_utf8_count(const char *string);

#endif
