/* SPDX-License-Identifier: MIT */
/* One line of what a compiler wrote for the assembler. */
#ifndef HP_LINE_H
#define HP_LINE_H

#include "text.h"

#include <stdbool.h>
#include <stddef.h>

/** A part of a text, which does not end with a NUL. */
struct piece {
	const char *text;
	size_t length;
};

enum line_kind {
	/** Empty, or a comment. */
	LINE_NOTHING,
	LINE_LABEL,
	LINE_DIRECTIVE,
	LINE_INSTRUCTION,
};

struct line {
	enum line_kind kind;
	/** The line as it is, without its end. */
	struct piece whole;
	/** The label, the directive with its point, or the mnemonic with its prefixes. */
	struct piece word;
	/** The operands: what follows the word, without a comment. */
	struct piece rest;
	/** From the sign that begins a comment on. */
	struct piece comment;
};

/** Read the line that a text begins with, and move past it; false at the end of the text. */
bool hp_line_next(struct piece *text, struct line *line);

/** Write an instruction without its comment, so that others may follow on the line. */
void hp_line_write(struct hp_text *text, const struct line *line);

bool hp_piece_is(struct piece piece, const char *text);
bool hp_piece_begins(struct piece piece, const char *text);
bool hp_piece_has(struct piece piece, const char *text);
bool hp_piece_equals(struct piece one, struct piece other);

#endif
