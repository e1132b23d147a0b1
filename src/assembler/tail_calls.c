/* SPDX-License-Identifier: MIT */
/*
 * clang marks tail calls of x86-64 only. On aarch64 they are jumps like those of a switch, or of a `goto` to an address.
 *
 *	.Ltmp0:                            ldr   x1, [x8, :lo12:pointer]
 *	adr   x8, .Ltmp0                   ldp   x29, x30, [sp], #16
 *	ldrsw x9, [x25, x24, lsl #2]       br    x1
 *	add   x8, x8, x9
 *	br    x8                           a tail call
 *
 * A table has distances from a label, whose address is taken right in front of the jump. A `goto` needs labels with addresses,
 * which clang's comments tell: in a function that has some, no jump is taken for a tail call, because a sled inside of a function
 * would destroy what is in its registers.
 */
#include "tail_calls.h"

/* A label with which a function begins, where clang writes comments: `f: // @f`. */
static bool begins_function(const struct line *line)
{
	return line->kind == LINE_LABEL && hp_piece_begins(line->comment, "// @");
}

static bool is_indirect(const struct line *line)
{
	return line->kind == LINE_INSTRUCTION && hp_piece_is(line->word, "br");
}

static bool takes_base(const struct line *line)
{
	return hp_piece_is(line->word, "adr") &&
	       (hp_piece_has(line->rest, " .LBB") || hp_piece_has(line->rest, " .Ltmp"));
}

bool hp_has_unmarked_jumps(struct piece assembly)
{
	struct line line;
	bool inside = false;

	while (hp_line_next(&assembly, &line)) {
		inside |= begins_function(&line);
		if (inside && is_indirect(&line))
			return true;
	}
	return false;
}

/* Whether labels of the function whose text follows have addresses. */
static bool has_addresses(struct piece rest)
{
	struct line line;

	while (hp_line_next(&rest, &line) && !begins_function(&line))
		if (hp_piece_has(line.comment, "Block address taken"))
			return true;
	return false;
}

void hp_mark_tail_calls(struct hp_text *text, struct piece assembly)
{
	struct line line;
	/* Indirect jumps are tail calls, but for the next one if that is by a table. */
	bool may_mark = false, by_table = false;

	while (hp_line_next(&assembly, &line)) {
		if (begins_function(&line)) {
			may_mark = !has_addresses(assembly);
			by_table = false;
		}
		by_table |= takes_base(&line);
		hp_text_add(text, line.whole.text, line.whole.length);
		if (is_indirect(&line)) {
			hp_text_puts(text, may_mark && !by_table ? "\t// TAILCALL" : "");
			by_table = false;
		}
		hp_text_putc(text, '\n');
	}
}
