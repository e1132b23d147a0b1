/* SPDX-License-Identifier: MIT */
/* A scrollable page of text: the help, details, or what to do if there is no data. */
#ifndef CONSOLE_PAGE_H
#define CONSOLE_PAGE_H

#include "list.h"
#include "terminal.h"

struct page_line {
	enum style style;
	/** Where its text begins. */
	size_t start;
};

struct page {
	struct page_line *lines;
	size_t count;
	size_t room;
	struct hp_text texts;
};

/** Add a line. */
void page_line(struct page *page, enum style style, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/** Draw it from a line on; returns that line, limited so that the page fills the screen. */
int page_draw(const struct page *page, int scroll, struct area area);

void page_free(struct page *page);

#endif
