/* SPDX-License-Identifier: MIT */
/*
 * Sleds of x86-64.
 *
 *	              not armed                       armed
 *	entry, jump   66 90           xchg %ax,%ax    66 90           xchg %ax,%ax
 *	              0f 1f 44 00 00  nopl            e8 .. .. .. ..  call, into the recorder
 *	return        c3              ret             90              nop
 *	              e9 .. .. .. ..  never reached   e9 .. .. .. ..  jmp, into the recorder
 *
 * The first kind begins at a multiple of 8 bytes, so that one store replaces it; and so does the function, so that its sled
 * is at its very beginning, or 8 bytes behind it if there must be another instruction first (endbr64), and 8 more behind a type
 * (-fsanitize=function). The instructions begin where they began before, so that a thread may be anywhere in it. A return costs
 * nothing until it is armed.
 */
#include "machine.h"

static bool is_landing(const struct line *line)
{
	return hp_piece_is(line->word, "endbr64");
}

static bool is_return(const struct line *line)
{
	return !line->rest.length &&
	       (hp_piece_is(line->word, "ret") || hp_piece_is(line->word, "retq") ||
		hp_piece_is(line->word, "rep ret") || hp_piece_is(line->word, "bnd ret"));
}

/* Each condition, and the opposite one. */
static const char *const opposite[][2] = {
	{ "je", "jne" }, { "jne", "je" }, { "jb", "jae" }, { "jae", "jb" },
	{ "jbe", "ja" }, { "ja", "jbe" }, { "jl", "jge" }, { "jge", "jl" },
	{ "jle", "jg" }, { "jg", "jle" }, { "js", "jns" }, { "jns", "js" },
	{ "jo", "jno" }, { "jno", "jo" }, { "jp", "jnp" }, { "jnp", "jp" },
};

static const char *opposite_of(struct piece mnemonic)
{
	for (size_t i = 0; i < sizeof(opposite) / sizeof(*opposite); i++)
		if (hp_piece_is(mnemonic, opposite[i][0]))
			return opposite[i][1];
	return NULL;
}

/*
 * Only a marked jump is a tail call. Others lead to labels of the same function, which do not all look like labels, or stand
 * for an indirect jump; a call there would destroy what the function has below its stack pointer.
 */
static bool is_tail_call(const struct line *line)
{
	return hp_is_marked(line) && !hp_piece_has(line->rest, "(%rsp") &&
	       !hp_piece_has(line->rest, "[rsp");
}

/* A return by a jump to code that stands for one (-mfunction-return=thunk): it must not become an ordinary one, so its sled is
   that of a tail call. */
static bool is_return_thunk(struct piece name)
{
	return hp_piece_begins(name, "__x86_return_thunk");
}

static enum leaving leaves(const struct line *line)
{
	bool jumps = hp_piece_is(line->word, "jmp") || hp_piece_is(line->word, "jmpq") ||
		     hp_piece_is(line->word, "bnd jmp") || opposite_of(line->word);

	if (is_return(line))
		return RETURNS;
	return jumps && (is_tail_call(line) || is_return_thunk(line->rest)) ? JUMPS : STAYS;
}

/* Code that stands for one instruction, with all registers in use. */
static bool is_helper(struct piece name)
{
	return hp_piece_begins(name, "__x86_indirect_thunk") || is_return_thunk(name) ||
	       hp_piece_begins(name, "__llvm_retpoline") ||
	       hp_piece_begins(name, "__llvm_lvi_thunk");
}

static void write_call(struct hp_text *text, unsigned number)
{
	hp_text_printf(text, "\t.p2align 3; .Lhotpath%u: .byte 0x66,0x90,0x0f,0x1f,0x44,0,0;",
		       number);
}

static void write_entry(struct hp_text *text, unsigned number, const struct line *first)
{
	(void)first;
	write_call(text, number);
}

/* A conditional tail call is turned into a jump over an unconditional one. */
static void write_jump(struct hp_text *text, unsigned number, const struct line *line)
{
	const char *skips = opposite_of(line->word);

	if (skips)
		hp_text_printf(text, "\t%s .Lhotpath%u_on;", skips, number);
	write_call(text, number);
	if (skips)
		hp_text_printf(text, " jmp %.*s; .Lhotpath%u_on:", (int)line->rest.length,
			       line->rest.text, number);
	else
		hp_line_write(text, line);
}

static bool write_exit(struct hp_text *text, unsigned number, const struct line *line,
		       enum leaving leaving, const char *label)
{
	if (leaving == JUMPS) {
		write_jump(text, number, line);
		return false;
	}
	/* In bytes, so that the assembler does not put anything between the label and the return. */
	hp_text_printf(text, ".Lhotpath%u: .byte 0xc3,0xe9; .long %s%s", number,
		       label ? label : "0", label ? "-." : "");
	return label;
}

static void write_caller(struct hp_text *text, const char *function, const char *variable)
{
	hp_text_printf(
		text,
		"\t.att_syntax prefix; movq %1$s@GOTPCREL(%%rip), %%rax; testq %%rax, %%rax; je 1f;"
		" leaq %2$s(%%rip), %%rdi; jmp *%%rax; 1: ret\n",
		function, variable);
}

const struct machine hp_machine_x86_64 = {
	.is_landing = is_landing,
	.leaves = leaves,
	.is_helper = is_helper,
	.alignment = "\t.p2align 3;",
	.write_entry = write_entry,
	.write_exit = write_exit,
	.write_caller = write_caller,
};
