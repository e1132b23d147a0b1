/* SPDX-License-Identifier: MIT */
/* The choice of what is watched: the list of running programs and runs to choose from, or the wait for the first one; a process of a run. */
#include "console_state.h"
#include "curses_library.h"
#include "format.h"
#include "page.h"
#include "process/found_run.h"
#include "terminal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* A run is called after the process that it began with. */
static void put_program(const struct hp_found_list *list, const struct hp_found *found,
			struct hp_text *text)
{
	struct hp_process_name process = hp_found_name(hp_found_root(list, found));
	size_t processes = hp_found_processes(list, found);

	hp_process_put(text, &process, 0);
	if (processes > 1)
		hp_text_printf(text, " (run of %zu processes)", processes);
}

static void put_pid(const struct hp_found_list *list, const struct hp_found *found,
		    struct hp_text *text)
{
	hp_text_printf(text, "%" PRIu32, hp_found_root(list, found)->pid);
}

static void put_started(const struct hp_found_list *list, const struct hp_found *found,
			struct hp_text *text)
{
	uint64_t started = hp_found_root(list, found)->process_unix_ns;

	hp_text_puts(text, hp_format_moment(started).text);
}

static const struct {
	struct hp_grid_column column;
	void (*put)(const struct hp_found_list *list, const struct hp_found *found,
		    struct hp_text *text);
} columns[] = {
	{ { "program", "Program", HP_ALIGN_LEFT, 0 }, put_program },
	{ { "pid", "PID", HP_ALIGN_RIGHT, 1 }, put_pid },
	{ { "started", "Started", HP_ALIGN_LEFT, 2 }, put_started },
};

enum { COLUMNS_SHOWN = sizeof(columns) / sizeof(*columns) };

static const struct hp_found *found_of(const struct hp_grid *grid, size_t row)
{
	const struct console *console = grid->rows;

	return console->shown[row];
}

static enum hp_paint write_cell(const struct hp_grid *grid, size_t row, size_t column,
				struct hp_text *text)
{
	const struct console *console = grid->rows;

	columns[column].put(&console->programs, found_of(grid, row), text);
	return HP_PAINT_PLAIN;
}

static uint64_t identity_of(const struct hp_grid *grid, size_t row)
{
	const struct console *console = grid->rows;

	return hp_found_root(&console->programs, found_of(grid, row))->pid;
}

static void close_programs(struct hp_grid *grid)
{
	(void)grid;
}

static void open_grid(struct hp_grid *grid, struct console *console)
{
	static const struct hp_grid_kind kind = { write_cell, identity_of, NULL, close_programs };

	*grid = (struct hp_grid){ .kind = &kind,
				  .column_count = COLUMNS_SHOWN,
				  .sorted = -1,
				  .row_count = console->running,
				  .rows = console };
	for (size_t i = 0; i < COLUMNS_SHOWN; i++)
		grid->columns[i] = columns[i].column;
}

/* Whether a run is listed already, by a newer segment. */
static bool is_listed(const struct console *console, const struct hp_found *found)
{
	for (size_t i = 0; i < console->running; i++)
		if (hp_found_same_run(console->shown[i], found))
			return true;
	return false;
}

/* Find what runs: one segment for each run. */
static void list_running(struct console *console)
{
	const struct hp_found_list *list = &console->programs;

	free(console->shown);
	console->running = 0;
	console->shown = calloc(list->count + 1, sizeof(*console->shown));
	for (size_t i = 0; console->shown && i < list->count; i++) {
		const struct hp_found *found = &list->items[i];
		if (*found->program && !is_listed(console, found) &&
		    hp_watched_can_choose(console->watched, list, found))
			console->shown[console->running++] = found;
	}
}

/* Show what was chosen, in the pane that is open. */
static void show_chosen(struct console *console)
{
	console->view = VIEW_TABLE;
	console->paused = false;
	console->restarts = hp_watched_restarts(console->watched);
	console_read(console);
}

static void watch(struct console *console, const struct hp_found *found)
{
	struct hp_error error = { "" };

	/* The grid points into the model that is replaced. */
	hp_grid_close(&console->grid);
	if (hp_watched_choose(console->watched, &console->programs, found, &error)) {
		console_say(console, "%s", error.text);
		console_fill(console);
		return;
	}
	show_chosen(console);
}

/* If the user is waiting, watch the first program that starts. */
void programs_read(struct console *console)
{
	bool waited = console->looked_for_programs && !console->running;
	struct hp_found_list list;
	struct hp_error ignored;

	if (hp_find_segments(&list, &ignored))
		return;
	hp_found_list_free(&console->programs);
	console->programs = list;
	list_running(console);
	console->looked_for_programs = true;
	if (waited && console->running)
		watch(console, console->shown[0]);
}

int programs_begin(struct console *console, struct hp_error *error)
{
	int failed = hp_watched_newest(console->watched, error);

	if (failed != -ENOENT)
		return failed;
	if (console->options->process) {
		snprintf(error->text, sizeof(error->text), "no measured program is running");
		return failed;
	}
	console->view = VIEW_PROGRAMS;
	return 0;
}

/* The process of the selected row, in the pane of processes; NULL in other panes. */
static const struct hp_process *selected_process(const struct console *console)
{
	const struct hp_grid *grid = &console->grid;
	long row = list_selected(&console->lists[console->pane]);
	const struct hp_model *model = console_model(console);

	if (panes[console->pane].section->kind != &hp_kind_processes || row < 0 || !model)
		return NULL;
	uint64_t identity = grid->kind->identity(grid, (size_t)row);
	for (size_t i = 0; i < model->tree.count; i++)
		if (hp_kind_processes.identity(&model->tree.items[i]) == identity)
			return &model->tree.items[i];
	return NULL;
}

/* Several short processes of one program are one row: then all of that program are meant. */
static void put_wanted(const struct hp_process *process, struct hp_text *text)
{
	if (process->count > 1)
		hp_text_puts(text, process->program);
	else
		hp_text_printf(text, "%" PRIu32, process->pid);
}

bool programs_choose_process(struct console *console)
{
	const struct hp_process *process = selected_process(console);
	struct hp_text wanted = HP_TEXT_INIT;
	struct hp_error error = { "" };

	if (!process)
		return false;
	/* Choosing frees the model that this is from, and that the grid points into. */
	put_wanted(process, &wanted);
	hp_grid_close(&console->grid);
	int failed = wanted.failed ? -ENOMEM
				   : hp_watched_choose_part(console->watched, wanted.bytes, &error);
	if (failed == -ESRCH)
		console_say(console, "Process %s has recorded nothing.", wanted.bytes);
	else if (failed)
		console_say(console, "%s", *error.text ? error.text : "out of memory");
	if (failed)
		console_fill(console);
	else
		show_chosen(console);
	hp_text_free(&wanted);
	return true;
}

void programs_choose_all(struct console *console)
{
	struct hp_error error = { "" };

	hp_grid_close(&console->grid);
	if (hp_watched_choose_all(console->watched, &error)) {
		console_say(console, "%s", error.text);
		console_fill(console);
		return;
	}
	show_chosen(console);
}

void programs_choose(struct console *console)
{
	long row = list_selected(&console->program_list);

	if (row >= 0 && (size_t)row < console->running)
		watch(console, console->shown[row]);
}

static void draw_waiting(struct area area)
{
	struct page page = { .lines = NULL };

	page_line(&page, STYLE_PLAIN, "%s", "");
	page_line(&page, STYLE_BOLD, "  Waiting for a measured program to start.");
	page_line(&page, STYLE_PLAIN, "%s", "");
	page_line(&page, STYLE_PLAIN, "  'hotpath run PROGRAM' starts one; so does a program with");
	page_line(&page, STYLE_PLAIN, "  HOTPATH_MAIN(). 'hotpath demo' shows what it looks like.");
	page_draw(&page, 0, area);
	page_free(&page);
}

void programs_move(struct console *console, long rows)
{
	struct hp_grid grid;

	open_grid(&grid, console);
	list_move(&console->program_list, &grid, rows);
}

bool programs_select_line(struct console *console, int line)
{
	struct hp_grid grid;

	open_grid(&grid, console);
	return list_select_line(&console->program_list, &grid, line);
}

void programs_draw(struct console *console)
{
	struct area area = { HEADER_LINES, LINES - HEADER_LINES - FOOTER_LINES };
	struct hp_grid grid;

	if (!console->running) {
		draw_waiting(area);
		return;
	}
	open_grid(&grid, console);
	if (list_fill(&console->program_list, &grid, ""))
		list_draw(&console->program_list, &grid, area);
}
