/* SPDX-License-Identifier: MIT */
/* Writes text to the screen: clipped, and with replacements for characters that the terminal cannot show. */
#include "terminal.h"

#include "curses_library.h"
#include "text.h"

#include <langinfo.h>
#include <string.h>
#include <wchar.h>

/* ASCII replacements for terminals without UTF-8. */
static const struct {
	uint32_t code;
	char ascii;
} plain[] = {
	{ 0xb5, 'u' },	 { 0xb7, '.' },	  { 0x2026, '~' }, { 0x2191, '^' }, { 0x2193, 'v' },
	{ 0x2500, '-' }, { 0x2502, '|' }, { 0x250c, '+' }, { 0x2510, '+' }, { 0x2514, '+' },
	{ 0x251c, '+' }, { 0x2518, '+' }, { 0x2581, '.' }, { 0x2582, ':' }, { 0x2583, '-' },
	{ 0x2584, '=' }, { 0x2585, '+' }, { 0x2586, '*' }, { 0x2587, '%' }, { 0x2588, '#' },
	{ 0x25b2, '^' }, { 0x25bc, 'v' }, { 0x25cf, '*' },
};

static bool has_utf8(void)
{
	static int known = -1;

	if (known < 0)
		known = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
	return known;
}

static char ascii_of(uint32_t code)
{
	for (size_t i = 0; i < sizeof(plain) / sizeof(*plain); i++)
		if (plain[i].code == code)
			return plain[i].ascii;
	return '?';
}

/* A character as it is drawn: its bytes, and its columns. */
struct glyph {
	char bytes[5];
	int columns;
	/* Bytes of the text that it stands for. */
	size_t taken;
};

static struct glyph plain_glyph(char c, size_t taken)
{
	return (struct glyph){ { c }, 1, taken };
}

static struct glyph glyph_of(const char *text)
{
	uint32_t code = 0;
	size_t length = hp_utf8_read(text, &code);

	if (length == 0 || hp_utf8_is_control(code))
		return plain_glyph('?', length ? length : 1);
	if (code < 128)
		return plain_glyph((char)code, 1);
	if (!has_utf8())
		return plain_glyph(ascii_of(code), length);
	int columns = wcwidth((wchar_t)code);
	if (columns < 0)
		return plain_glyph('?', length);
	struct glyph glyph = { { 0 }, columns, length };
	memcpy(glyph.bytes, text, length);
	return glyph;
}

int terminal_width(const char *text)
{
	int width = 0;

	while (*text) {
		struct glyph glyph = glyph_of(text);
		width += glyph.columns;
		text += glyph.taken;
	}
	return width;
}

/* Write what fits, with an ellipsis if it was cut. Returns the columns used. */
static int add_clipped(const char *text, int width)
{
	bool cut = terminal_width(text) > width;
	int room = cut ? width - 1 : width, used = 0;

	while (*text) {
		struct glyph glyph = glyph_of(text);
		if (used + glyph.columns > room)
			break;
		/* A combining mark at the start would attach to whatever is on its left. */
		if (used || glyph.columns)
			addstr(glyph.bytes);
		used += glyph.columns;
		text += glyph.taken;
	}
	if (cut && width > 0) {
		addstr(glyph_of("…").bytes);
		used++;
	}
	return used;
}

static void put(int line, int column, int width, enum style style, const char *text, bool right)
{
	int left = right ? width - terminal_width(text) : 0;

	if (line < 0 || line >= LINES || column < 0 || column >= COLS || width <= 0)
		return;
	if (width > COLS - column)
		width = COLS - column;
	attrset((int)terminal_style(style));
	move(line, column);
	for (int i = 0; i < left; i++)
		addch(' ');
	int used = add_clipped(text, left > 0 ? width - left : width);
	for (int i = (left > 0 ? left : 0) + used; i < width; i++)
		addch(' ');
	attrset(A_NORMAL);
}

void terminal_put(int line, int column, int width, enum style style, const char *text)
{
	put(line, column, width, style, text, false);
}

void terminal_put_right(int line, int column, int width, enum style style, const char *text)
{
	put(line, column, width, style, text, true);
}
