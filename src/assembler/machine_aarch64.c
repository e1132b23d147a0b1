/* SPDX-License-Identifier: MIT */
/*
 * Sleds of aarch64.
 *
 *	              not armed          armed
 *	entry, jump   mov x9, x30        mov x9, x30
 *	              nop                bl, into the recorder, which puts x9 back into x30
 *	return        nop                b, into the recorder
 *	              ret                ret, not reached
 *
 * Processors execute either the old or the new instruction while one of NOP, B and BL is replaced by another.
 * x9 has no meaning where functions begin and end, but for an indirect tail call that goes there.
 */
#include "machine.h"

static bool is_landing(const struct line *line)
{
	return hp_piece_is(line->word, "bti") ||
	       (hp_piece_is(line->word, "hint") &&
		(hp_piece_is(line->rest, "34") || hp_piece_is(line->rest, "#34")));
}

/* Whether an instruction signs the return address: indirect calls may lead to it. */
static bool is_signing(const struct line *line)
{
	return hp_piece_is(line->word, "paciasp") || hp_piece_is(line->word, "pacibsp") ||
	       (hp_piece_is(line->word, "hint") &&
		(hp_piece_is(line->rest, "25") || hp_piece_is(line->rest, "#25") ||
		 hp_piece_is(line->rest, "27") || hp_piece_is(line->rest, "#27")));
}

/* Whether a jump leads to code of the same function: also to what several have in common, where any register may be in use, and
   which pops their frames. */
static bool is_part(struct piece target)
{
	return hp_piece_begins(target, ".L") || hp_piece_begins(target, "OUTLINED_FUNCTION_") ||
	       hp_is_cold_part(target);
}

static enum leaving leaves(const struct line *line)
{
	if (hp_piece_is(line->word, "ret"))
		return !line->rest.length || hp_piece_is(line->rest, "x30") ? RETURNS : JUMPS;
	if (hp_piece_is(line->word, "retaa") || hp_piece_is(line->word, "retab"))
		return JUMPS;
	if (hp_piece_is(line->word, "b"))
		return is_part(line->rest) ? STAYS : JUMPS;
	return hp_piece_is(line->word, "br") && hp_is_marked(line) ? JUMPS : STAYS;
}

static bool is_helper(struct piece name)
{
	return hp_piece_begins(name, "__llvm_slsblr_thunk") ||
	       hp_piece_begins(name, "__call_indirect_x");
}

static void write_call(struct hp_text *text, unsigned number)
{
	hp_text_printf(text, "\tmov x9, x30; .Lhotpath%u: nop;", number);
}

/* If the first instruction is where indirect calls lead to, ours is there now and must be such a place too. */
static void write_entry(struct hp_text *text, unsigned number, const struct line *first)
{
	if (is_signing(first))
		hp_text_puts(text, "\thint #34;");
	write_call(text, number);
}

static bool write_exit(struct hp_text *text, unsigned number, const struct line *line,
		       enum leaving leaving, const char *label)
{
	(void)label;
	bool by_x9 = hp_piece_is(line->word, "br") &&
		     (hp_piece_is(line->rest, "x9") || hp_piece_is(line->rest, "x10"));

	if (leaving == RETURNS) {
		hp_text_printf(text, ".Lhotpath%u: nop; ret", number);
		return false;
	}
	if (by_x9)
		hp_text_printf(text, "\tmov x16, %.*s;", (int)line->rest.length, line->rest.text);
	write_call(text, number);
	if (by_x9)
		hp_text_puts(text, " br x16");
	else
		hp_line_write(text, line);
	return false;
}

static void write_caller(struct hp_text *text, const char *function, const char *variable)
{
	hp_text_printf(text,
		       "\thint #34; adrp x1, :got:%1$s; ldr x1, [x1, :got_lo12:%1$s]; cbz x1, 1f;"
		       " adrp x0, %2$s; add x0, x0, :lo12:%2$s; br x1; 1: ret\n",
		       function, variable);
}

const struct machine hp_machine_aarch64 = {
	.is_landing = is_landing,
	.leaves = leaves,
	.is_helper = is_helper,
	.has_byte_tables = true,
	.has_unmarked_jumps = true,
	.write_entry = write_entry,
	.write_exit = write_exit,
	.write_caller = write_caller,
};
