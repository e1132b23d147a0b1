/* SPDX-License-Identifier: MIT */
/* A logged value as text for people, and as JSON. */
#include "value_text.h"

#include "figure.h"

#include "format.h"
#include "segment.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

void hp_double_text(struct hp_text *text, double value)
{
	if (isfinite(value))
		hp_text_puts(text, hp_format_decimal(value).text);
	else
		hp_text_puts(text, isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
}

void hp_value_text(struct hp_text *text, uint32_t kind, uint64_t bits, const char *string)
{
	if (kind == HP_VALUE_INT)
		hp_text_printf(text, "%" PRId64, (int64_t)bits);
	else if (kind == HP_VALUE_UINT)
		hp_text_printf(text, "%" PRIu64, bits);
	else if (kind == HP_VALUE_DOUBLE)
		hp_double_text(text, hp_bits_to_double(bits));
	else if (kind == HP_VALUE_BOOL)
		hp_text_puts(text, bits ? "true" : "false");
	else if (kind == HP_VALUE_POINTER)
		hp_text_printf(text, "0x%" PRIx64, bits);
	else if (kind == HP_VALUE_STRING)
		hp_text_printf(text, "\"%s\"", string ? string : "");
	else
		hp_text_putc(text, '-');
}

/* JSON has no hexadecimal numbers, and few readers keep 64 bits. */
static void write_pointer(struct hp_json *json, uint64_t bits)
{
	char address[32];

	snprintf(address, sizeof(address), "0x%" PRIx64, bits);
	hp_json_string(json, address);
}

void hp_value_json(struct hp_json *json, uint32_t kind, uint64_t bits, const char *string)
{
	if (kind == HP_VALUE_INT)
		hp_json_i64(json, (int64_t)bits);
	else if (kind == HP_VALUE_UINT)
		hp_json_u64(json, bits);
	else if (kind == HP_VALUE_DOUBLE)
		hp_json_double(json, hp_bits_to_double(bits));
	else if (kind == HP_VALUE_BOOL)
		hp_json_bool(json, bits != 0);
	else if (kind == HP_VALUE_POINTER)
		write_pointer(json, bits);
	else if (kind == HP_VALUE_STRING)
		hp_json_string(json, string ? string : "");
	else
		hp_json_null(json);
}
