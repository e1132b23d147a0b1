/* SPDX-License-Identifier: MIT */
/* Lines of text to be read. */
#include "page.h"

#include "array.h"
#include "curses_library.h"

#include <stdio.h>
#include <stdlib.h>

enum { MORE_WIDTH = 8 };

void page_line(struct page *page, enum style style, const char *format, ...)
{
	size_t start = page->texts.length;
	va_list arguments;
	char *line = NULL;

	va_start(arguments, format);
	if (vasprintf(&line, format, arguments) < 0)
		line = NULL;
	va_end(arguments);
	hp_text_put_printable(&page->texts, line ? line : "");
	hp_text_add(&page->texts, "", 1);
	free(line);
	if (!page->texts.failed &&
	    hp_array_reserve(&page->lines, page->count, &page->room, sizeof(*page->lines)))
		page->lines[page->count++] = (struct page_line){ style, start };
}

int page_draw(const struct page *page, int scroll, struct area area)
{
	int most = (int)page->count - area.lines;

	if (scroll > most)
		scroll = most;
	if (scroll < 0)
		scroll = 0;
	for (int i = 0; i < area.lines && (size_t)scroll + (size_t)i < page->count; i++) {
		const struct page_line *line = &page->lines[scroll + i];
		terminal_put(area.line + i, 0, COLS, line->style, page->texts.bytes + line->start);
	}
	if (scroll < most)
		terminal_put_right(area.line + area.lines - 1, COLS - MORE_WIDTH, MORE_WIDTH,
				   STYLE_FAINT, "more ↓");
	return scroll;
}

void page_free(struct page *page)
{
	free(page->lines);
	hp_text_free(&page->texts);
	*page = (struct page){ .lines = NULL };
}
