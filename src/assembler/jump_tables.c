/* SPDX-License-Identifier: MIT */
/*
 * gcc counts instructions to find out how large the distances in a table of jumps are. Sleds make them larger, and the
 * assembler does not say so when one is too large for its byte. With two bytes there is room for a thousand sleds.
 *
 *	ldrb  w1, [x1,w0,uxtw]         ldrh  w1, [x1,w0,uxtw #1]
 *	adr   x2, .Lrtx4               adr   x2, .Lrtx4
 *	add   x1, x2, w1, sxtb #2      add   x1, x2, w1, sxth #2
 *	br    x1                       br    x1
 *
 *	.byte (.L9 - .Lrtx4) / 4       .2byte (.L9 - .Lrtx4) / 4
 */
#include "jump_tables.h"

#include <string.h>

/* All tables are relative to a label of this kind. */
static const char base[] = ".Lrtx";

static bool is_byte(const struct line *line)
{
	return hp_piece_is(line->word, ".byte") && hp_piece_has(line->rest, base);
}

static bool names_base(const struct line *line)
{
	return hp_piece_is(line->word, "adr") && hp_piece_has(line->rest, base);
}

bool hp_has_byte_tables(struct piece assembly)
{
	struct line line;

	while (hp_line_next(&assembly, &line))
		if (is_byte(&line))
			return true;
	return false;
}

/* Write a line with one part of it replaced, if it has that. */
static void write_with(struct hp_text *text, const struct line *line, const char *old,
		       const char *new)
{
	struct piece whole = line->whole;
	const char *at = memmem(whole.text, whole.length, old, strlen(old));
	size_t before = at ? (size_t)(at - whole.text) : whole.length;
	size_t after = at ? before + strlen(old) : whole.length;

	hp_text_add(text, whole.text, before);
	hp_text_puts(text, at ? new : "");
	hp_text_add(text, whole.text + after, whole.length - after);
	hp_text_putc(text, '\n');
}

static void write_load(struct hp_text *text, const struct line *line)
{
	hp_text_puts(text, "\tldrh\t");
	hp_text_add(text, line->rest.text, line->rest.length - 1);
	hp_text_puts(text, " #1]\n");
}

/* Whether a line loads a byte of a table: the next one says so. */
static bool loads_byte(const struct line *line, struct piece rest)
{
	struct line next;

	return hp_piece_is(line->word, "ldrb") && hp_piece_has(line->rest, "uxtw]") &&
	       hp_line_next(&rest, &next) && names_base(&next);
}

void hp_widen_tables(struct hp_text *text, struct piece assembly)
{
	struct line line;
	/* How many lines ago there was such a load, up to 3. */
	int ago = 3;

	while (hp_line_next(&assembly, &line)) {
		bool loads = loads_byte(&line, assembly);
		ago = loads ? 0 : ago + (ago < 3);
		if (loads)
			write_load(text, &line);
		else if (is_byte(&line))
			write_with(text, &line, ".byte", ".2byte");
		else
			write_with(text, &line, ago == 2 ? "sxtb" : "\n", "sxth");
	}
}
