/* SPDX-License-Identifier: MIT */
/* A writer of protocol buffers. */
#include "protobuf.h"

#include <string.h>

enum wire_type { VARINT = 0, FIXED64 = 1, LENGTH_DELIMITED = 2 };

void hp_protobuf_packed(struct hp_text *text, uint64_t value)
{
	char bytes[10];
	size_t length = 0;

	for (; value > 0x7f; value >>= 7)
		bytes[length++] = (char)(value | 0x80);
	bytes[length++] = (char)value;
	hp_text_add(text, bytes, length);
}

void hp_protobuf_packed_signed(struct hp_text *text, int64_t value)
{
	uint64_t sign = value < 0 ? UINT64_MAX : 0;

	hp_protobuf_packed(text, (uint64_t)value << 1 ^ sign);
}

static void put_key(struct hp_text *text, unsigned field, enum wire_type type)
{
	hp_protobuf_packed(text, (uint64_t)field << 3 | type);
}

void hp_protobuf_number(struct hp_text *text, unsigned field, uint64_t value)
{
	if (value == 0)
		return;
	put_key(text, field, VARINT);
	hp_protobuf_packed(text, value);
}

void hp_protobuf_signed(struct hp_text *text, unsigned field, int64_t value)
{
	if (value == 0)
		return;
	put_key(text, field, VARINT);
	hp_protobuf_packed_signed(text, value);
}

void hp_protobuf_real(struct hp_text *text, unsigned field, double value)
{
	uint64_t bits;
	char bytes[sizeof(bits)];

	memcpy(&bits, &value, sizeof(bits));
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (char)(bits >> 8 * i);
	put_key(text, field, FIXED64);
	hp_text_add(text, bytes, sizeof(bytes));
}

void hp_protobuf_bytes(struct hp_text *text, unsigned field, const void *bytes, size_t length)
{
	put_key(text, field, LENGTH_DELIMITED);
	hp_protobuf_packed(text, length);
	hp_text_add(text, bytes, length);
}

void hp_protobuf_message(struct hp_text *text, unsigned field, struct hp_text *message)
{
	text->failed |= message->failed;
	hp_protobuf_bytes(text, field, message->length ? message->bytes : "", message->length);
	message->length = 0;
}
