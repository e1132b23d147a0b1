/* SPDX-License-Identifier: MIT */
#include "line.h"

#include <string.h>

bool hp_piece_equals(struct piece one, struct piece other)
{
	return one.length == other.length &&
	       (!one.length || memcmp(one.text, other.text, one.length) == 0);
}

bool hp_piece_is(struct piece piece, const char *text)
{
	return hp_piece_equals(piece, (struct piece){ text, strlen(text) });
}

bool hp_piece_begins(struct piece piece, const char *text)
{
	size_t length = strlen(text);

	return piece.length >= length && memcmp(piece.text, text, length) == 0;
}

bool hp_piece_has(struct piece piece, const char *text)
{
	return piece.length && memmem(piece.text, piece.length, text, strlen(text));
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static struct piece trimmed(struct piece piece)
{
	while (piece.length && is_blank(piece.text[0])) {
		piece.text++;
		piece.length--;
	}
	while (piece.length && is_blank(piece.text[piece.length - 1]))
		piece.length--;
	return piece;
}

/* Where the comment of a line begins; its length when there is none. `#` also marks immediate operands of aarch64
   (`ret` and `b` have none), and is no comment inside a string. */
static size_t comment_at(struct piece line)
{
	bool quoted = false;

	for (size_t i = 0; i < line.length; i++) {
		if (quoted && line.text[i] == '\\')
			i++;
		else if (line.text[i] == '"')
			quoted = !quoted;
		if (quoted)
			continue;
		if (line.text[i] == '#' && (i == 0 || is_blank(line.text[i - 1])) &&
		    !(i + 1 < line.length && line.text[i + 1] >= '0' && line.text[i + 1] <= '9'))
			return i;
		if (i + 1 < line.length && line.text[i] == '/' && line.text[i + 1] == '/')
			return i;
	}
	return line.length;
}

static struct piece take_word(struct piece *rest)
{
	struct piece word = { rest->text, 0 };

	while (word.length < rest->length && !is_blank(rest->text[word.length]))
		word.length++;
	rest->text += word.length;
	rest->length -= word.length;
	*rest = trimmed(*rest);
	return word;
}

/* Prefixes of x86-64 that are written before the mnemonic. */
static bool is_prefix(struct piece word)
{
	return hp_piece_is(word, "rep") || hp_piece_is(word, "repz") ||
	       hp_piece_is(word, "notrack") || hp_piece_is(word, "bnd");
}

static void split(struct line *line)
{
	struct piece text = line->whole;
	size_t comment = comment_at(text);

	line->comment = (struct piece){ text.text + comment, text.length - comment };
	line->rest = trimmed((struct piece){ text.text, comment });
	line->word = take_word(&line->rest);
	if (is_prefix(line->word)) {
		struct piece mnemonic = take_word(&line->rest);
		line->word.length = (size_t)(mnemonic.text + mnemonic.length - line->word.text);
	}
	if (!line->word.length)
		line->kind = LINE_NOTHING;
	else if (line->word.text[line->word.length - 1] == ':')
		line->kind = LINE_LABEL;
	else
		line->kind = line->word.text[0] == '.' ? LINE_DIRECTIVE : LINE_INSTRUCTION;
	if (line->kind == LINE_LABEL)
		line->word.length--;
}

bool hp_line_next(struct piece *text, struct line *line)
{
	if (!text->length)
		return false;
	const char *end = memchr(text->text, '\n', text->length);
	size_t length = end ? (size_t)(end - text->text) : text->length;

	*line = (struct line){ .whole = { text->text, length } };
	split(line);
	text->text += length + (end != NULL);
	text->length -= length + (end != NULL);
	return true;
}

void hp_line_write(struct hp_text *text, const struct line *line)
{
	hp_text_printf(text, "\t%.*s %.*s", (int)line->word.length, line->word.text,
		       (int)line->rest.length, line->rest.text);
}
