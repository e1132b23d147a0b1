/* SPDX-License-Identifier: MIT */
/* The log view: recent calls of a function; messages of a channel, or the like. */
#include "console_state.h"
#include "curses_library.h"
#include "events_grid.h"
#include "recent_grid.h"
#include "terminal.h"

#include <stdlib.h>

bool log_grid(struct hp_grid *grid, const struct console *console)
{
	const struct hp_entry *entry = console_entry(console);

	if (entry)
		hp_events_grid(grid, entry->kind, console->events, console->event_count);
	else
		hp_recent_grid(grid, console->calls, console->call_count);
	return grid->row_count;
}

void log_read(struct console *console)
{
	const struct hp_function *function = console_function(console);
	const struct hp_entry *entry = console_entry(console);
	struct hp_error error = { "" };
	ssize_t calls = 0, events = 0;

	free(console->calls);
	free(console->events);
	console->calls = NULL;
	console->events = NULL;
	if (function)
		calls = hp_watched_recent(console->watched, function->name, &console->calls,
					  &error);
	if (entry && entry->id)
		events = hp_watched_events(console->watched, entry->id, &console->events);
	console->call_count = calls > 0 ? (size_t)calls : 0;
	console->event_count = events > 0 ? (size_t)events : 0;
}

void log_move(struct console *console, long rows)
{
	struct hp_grid grid;

	log_grid(&grid, console);
	list_move(&console->log_list, &grid, rows);
	hp_grid_close(&grid);
}

static const char *nothing_of(const struct console *console)
{
	const struct hp_entry *entry = console_entry(console);

	if (entry)
		return entry->kind->no_log ? entry->kind->no_log : "";
	return console_function(console) ? "No call has ended yet." : "This row no longer exists.";
}

static void draw_title(const struct console *console, int line)
{
	const struct hp_function *function = console_function(console);
	const struct hp_entry *entry = console_entry(console);

	if (function || entry)
		terminal_put(line, 0, COLS, STYLE_TITLE, entry ? entry->name : function->name);
}

void log_draw(struct console *console)
{
	struct area area = { HEADER_LINES + 1, LINES - HEADER_LINES - FOOTER_LINES - 1 };
	struct hp_grid grid;

	draw_title(console, HEADER_LINES);
	if (!log_grid(&grid, console)) {
		char line[MESSAGE_SIZE];
		snprintf(line, sizeof(line), "  %s", nothing_of(console));
		terminal_put(area.line + 1, 0, COLS, STYLE_PLAIN, line);
	} else if (list_fill(&console->log_list, &grid, "")) {
		list_draw(&console->log_list, &grid, area);
	}
	hp_grid_close(&grid);
}
