/* SPDX-License-Identifier: MIT */
/* Reads bytes of unwind tables one after the other, with bounds checks. */
#ifndef HP_UNWIND_BYTES_H
#define HP_UNWIND_BYTES_H

#include "unwind.h"

#include <string.h>

struct hp_cursor {
	const unsigned char *at;
	const unsigned char *end;
	/* Ran past the end, or found something unknown. */
	bool failed;
};

static inline void hp_cursor_skip(struct hp_cursor *cursor, uint64_t size)
{
	if (size > (uint64_t)(cursor->end - cursor->at)) {
		cursor->failed = true;
		cursor->at = cursor->end;
		return;
	}
	cursor->at += size;
}

/* Read an unsigned number of a fixed size; 0 if out of bounds. */
static inline uint64_t hp_cursor_fixed(struct hp_cursor *cursor, size_t size)
{
	const unsigned char *at = cursor->at;
	uint64_t value = 0;

	hp_cursor_skip(cursor, size);
	if (!cursor->failed)
		memcpy(&value, at, size);
	return value;
}

/* Sign-extend a number of so many bits. */
static inline uint64_t hp_extend(uint64_t value, unsigned bits)
{
	return bits && bits < 64 && value >> (bits - 1) & 1 ? value | ~UINT64_C(0) << bits : value;
}

/* Read a LEB128 number. */
static inline uint64_t hp_cursor_leb(struct hp_cursor *cursor, bool is_signed)
{
	uint64_t value = 0, byte;
	unsigned shift = 0;

	do {
		byte = hp_cursor_fixed(cursor, 1);
		value |= shift < 64 ? (byte & 0x7f) << shift : 0;
		shift += shift < 64 ? 7 : 0;
	} while (byte & 0x80 && !cursor->failed);
	return is_signed ? hp_extend(value, shift) : value;
}

static inline uint64_t hp_cursor_number(struct hp_cursor *cursor)
{
	return hp_cursor_leb(cursor, false);
}

static inline int64_t hp_cursor_signed(struct hp_cursor *cursor)
{
	return (int64_t)hp_cursor_leb(cursor, true);
}

#endif
