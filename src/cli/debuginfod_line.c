/* SPDX-License-Identifier: MIT */
/* The line on a terminal that says which debug file is being fetched. */
#include "debuginfod_line.h"

#include "format.h"
#include "output.h"
#include "text.h"

#include <stdbool.h>
#include <unistd.h>

static bool is_drawn;

/* Draw the line, without the last column, where terminals wrap; a name that does not fit is cut. */
static void draw(const struct hp_text *line)
{
	static const char erase[] = "\r\033[K";
	unsigned width = output_width(STDERR_FILENO);
	size_t room = width ? width - 1 : 79;
	struct hp_text all = HP_TEXT_INIT;

	hp_text_puts(&all, erase);
	if (line->length)
		hp_text_add(&all, line->bytes, line->length < room ? line->length : room);
	/* A failed write is ignored: nobody waits for the line. */
	if (!all.failed)
		(void)!write(STDERR_FILENO, all.bytes, all.length);
	hp_text_free(&all);
}

void debuginfod_line_show(const char *name, long done, long total)
{
	struct hp_text line = HP_TEXT_INIT;

	if (!isatty(STDERR_FILENO))
		return;
	hp_text_puts(&line, "fetching debug information of ");
	hp_text_put_printable(&line, name);
	if (total > 0)
		hp_text_printf(&line, ": %s of %s", hp_format_bytes((uint64_t)done).text,
			       hp_format_bytes((uint64_t)total).text);
	if (!line.failed)
		draw(&line);
	hp_text_free(&line);
	is_drawn = true;
}

void debuginfod_line_remove(void)
{
	struct hp_text nothing = HP_TEXT_INIT;

	if (is_drawn)
		draw(&nothing);
	is_drawn = false;
}
