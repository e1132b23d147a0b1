/* SPDX-License-Identifier: MIT */
/* The help screen: what keys do. */
#include "console_state.h"
#include "curses_library.h"
#include "keys.h"
#include "page.h"

#include <hotpath/version.h>

void help_draw(struct console *console)
{
	struct area area = { HEADER_LINES, LINES - HEADER_LINES - FOOTER_LINES };
	struct page page = { .lines = NULL };

	page_line(&page, STYLE_TITLE, "hotpath " HOTPATH_VERSION ": keys");
	for (const struct binding *binding = bindings; binding->action; binding++)
		if (binding->shown)
			page_line(&page, STYLE_PLAIN, "  %-13s%s", binding->shown, binding->help);
	page_line(&page, STYLE_PLAIN, "%s", "");
	page_line(&page, STYLE_PLAIN, "The mouse selects rows, tabs and columns; its wheel moves.");
	console->scroll = page_draw(&page, console->scroll, area);
	page_free(&page);
}

void hp_console_keys(struct hp_text *text)
{
	for (const struct binding *binding = bindings; binding->action; binding++)
		if (binding->shown)
			hp_text_printf(text, "  %-13s%s\n", binding->shown, binding->help);
}
