/* SPDX-License-Identifier: MIT */
#include "origin.h"

/* Compilers sign their work, say where a function begins (clang), or what each instruction is (gcc -dp). */
static bool is_signed(const struct line *line)
{
	if (hp_piece_is(line->word, ".ident"))
		return hp_piece_has(line->rest, "GCC:") || hp_piece_has(line->rest, "clang");
	return hp_piece_has(line->comment, "-- Begin function") ||
	       (hp_piece_has(line->comment, "[c=") && hp_piece_has(line->comment, " l="));
}

bool hp_is_compiled(struct piece assembly)
{
	struct line line;

	while (hp_line_next(&assembly, &line))
		if (is_signed(&line))
			return true;
	return false;
}

bool hp_is_late(struct piece assembly)
{
	struct line line;

	while (hp_line_next(&assembly, &line))
		if (hp_piece_is(line.word, ".file"))
			return hp_piece_has(line.rest, "<artificial>");
	return false;
}
