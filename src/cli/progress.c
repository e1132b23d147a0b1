/* SPDX-License-Identifier: MIT */
/*
 * A progress line on a terminal, redrawn in place.
 *
 *	base  3/10  [######......]  12 s left
 *
 * It is erased with blanks, which works on every terminal.
 */
#include "progress.h"

#include "arithmetic.h"
#include "format.h"
#include "now.h"
#include "output.h"
#include "text.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
	BAR_MAX = 40,
	/* A shorter bar is not drawn. */
	BAR_MIN = 8,
	WIDTH_USUAL = 80,
	/* Above this, minutes are shown. */
	SECONDS_MAX = 120,
};

void progress_begin(struct progress *progress, size_t total, bool is_wanted)
{
	*progress = (struct progress){
		.is_shown = is_wanted && total > 0 && isatty(STDERR_FILENO),
		.total = total,
		.begin_ns = hp_now_ns(),
	};
}

/* Estimate the remaining time from the steps so far; nothing before the first one. */
static void put_rest(struct hp_text *text, const struct progress *progress)
{
	if (progress->done == 0)
		return;
	double spent = (double)(hp_now_ns() - progress->begin_ns) / 1e9;
	double left = spent / (double)progress->done * (double)(progress->total - progress->done);
	uint64_t seconds = (uint64_t)(left + 0.5);

	if (seconds <= SECONDS_MAX)
		hp_text_printf(text, "  %s s left", hp_format_count(seconds).text);
	else
		hp_text_printf(text, "  %s min left", hp_format_count((seconds + 30) / 60).text);
}

static void put_bar(struct hp_text *text, const struct progress *progress, size_t width)
{
	size_t full = progress->done * width / progress->total;

	hp_text_puts(text, "  [");
	for (size_t i = 0; i < width; i++)
		hp_text_putc(text, i < full ? '#' : '.');
	hp_text_putc(text, ']');
}

/* Overwrite the line, with blanks if the old one was longer; not in the last column, where terminals wrap. */
static void draw(struct progress *progress, struct hp_text *line, size_t room)
{
	struct hp_text all = HP_TEXT_INIT;
	size_t columns = hp_min(line->length, room);

	hp_text_putc(&all, '\r');
	if (columns)
		hp_text_add(&all, line->bytes, columns);
	for (size_t i = columns; i < progress->columns; i++)
		hp_text_putc(&all, ' ');
	hp_text_putc(&all, '\r');
	progress->columns = columns;
	/* Nobody waits for it. */
	if (!all.failed)
		(void)!write(STDERR_FILENO, all.bytes, all.length);
	hp_text_free(&all);
}

void progress_show(struct progress *progress, const char *what)
{
	struct hp_text line = HP_TEXT_INIT, rest = HP_TEXT_INIT;
	unsigned width = output_width(STDERR_FILENO);
	size_t room = (width ? width : WIDTH_USUAL) - 1;
	if (!progress->is_shown)
		return;

	put_rest(&rest, progress);
	hp_text_puts(&line, what);
	size_t taken = line.length + rest.length + strlen("  []");
	size_t bar = hp_minus(room, taken);
	if (bar >= BAR_MIN)
		put_bar(&line, progress, hp_min(bar, BAR_MAX));
	if (rest.length)
		hp_text_add(&line, rest.bytes, rest.length);
	if (!line.failed)
		draw(progress, &line, room);
	hp_text_free(&line);
	hp_text_free(&rest);
}

void progress_step(struct progress *progress)
{
	progress->done++;
}

void progress_end(struct progress *progress)
{
	struct hp_text nothing = HP_TEXT_INIT;

	if (progress->is_shown && progress->columns)
		draw(progress, &nothing, 0);
	progress->is_shown = false;
}
