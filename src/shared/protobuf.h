/* SPDX-License-Identifier: MIT */
/*
 * A writer of protocol buffers, https://protobuf.dev/programming-guides/encoding: fields are numbered, and a
 * number is written in groups of seven bits.
 */
#ifndef HP_PROTOBUF_H
#define HP_PROTOBUF_H

#include "text.h"

/** Write a numeric field. 0 is the default, and is not written. */
void hp_protobuf_number(struct hp_text *text, unsigned field, uint64_t value);

/** One of the type sint32 or sint64, whose numbers may be negative ("zigzag"). */
void hp_protobuf_signed(struct hp_text *text, unsigned field, int64_t value);

/** One of the type double; 0 is written, too. */
void hp_protobuf_real(struct hp_text *text, unsigned field, double value);

/** A field that is a text, a message or packed numbers. */
void hp_protobuf_bytes(struct hp_text *text, unsigned field, const void *bytes, size_t length);

/** One of packed numbers; and of those that may be negative. */
void hp_protobuf_packed(struct hp_text *text, uint64_t value);
void hp_protobuf_packed_signed(struct hp_text *text, int64_t value);

/** Write a message field from a separate text, which is emptied. */
void hp_protobuf_message(struct hp_text *text, unsigned field, struct hp_text *message);

#endif
