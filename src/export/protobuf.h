/* SPDX-License-Identifier: MIT */
/*
 * A writer of protocol buffers, https://protobuf.dev/programming-guides/encoding: fields are numbered, and a
 * number is written in groups of seven bits.
 */
#ifndef HP_PROTOBUF_H
#define HP_PROTOBUF_H

#include "text.h"

/** A field that is a number; 0 is what it has when it is left out, and is left out. */
void hp_protobuf_number(struct hp_text *text, unsigned field, uint64_t value);

/** A field that is a text, a message or packed numbers. */
void hp_protobuf_bytes(struct hp_text *text, unsigned field, const void *bytes, size_t length);

/** One of packed numbers. */
void hp_protobuf_packed(struct hp_text *text, uint64_t value);

/** A field that is a message, which was written to a text of its own; that is emptied. */
void hp_protobuf_message(struct hp_text *text, unsigned field, struct hp_text *message);

#endif
