/* SPDX-License-Identifier: MIT */
/* Texts that the program logs: how long they may be, and how they are copied. */
#ifndef HOTPATH_LOGGED_H
#define HOTPATH_LOGGED_H

#include "process/settings.h"

#include <stdbool.h>
#include <stddef.h>

enum {
	/* The shortest limit for logged texts, in bytes: there must be room for more than the ellipsis. */
	LOG_LEN_MIN = 16,
};

/* The maximal length of a logged text: as set by the user, or what fits into `room` with a NUL. */
static inline size_t hotpath__text_length(size_t room)
{
	unsigned length = hotpath__settings()->max_log_len;

	return length ? length : room - 1;
}

/* Whether the user wants texts longer than `room`, so that they are kept again in an array of longer texts. */
static inline bool hotpath__has_long_texts(size_t room)
{
	return hotpath__settings()->max_log_len >= room;
}

#pragma GCC visibility push(hidden)

/*
 * Copy at most `length` bytes of a string, and a NUL. A longer string ends with an ellipsis. The pointer may be
 * invalid: returns false then.
 */
bool hotpath__copy_string(char *into, size_t length, const char *string);
/* Make a text that was cut at `length` bytes end with an ellipsis, within that length. */
void hotpath__cut_text(char *text, size_t length);
/* Store a text in the segment, in `room` bytes; if it is longer, it ends with an ellipsis. */
void hotpath__store_text(char *into, size_t room, const char *text);

#pragma GCC visibility pop

#endif
