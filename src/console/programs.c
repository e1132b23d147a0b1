/* SPDX-License-Identifier: MIT */
/* The list of running measured programs to choose from; or the wait for the first one. */
#include "console_state.h"
#include "curses_library.h"
#include "format.h"
#include "page.h"
#include "terminal.h"

#include <inttypes.h>

static void put_program(const struct hp_found *found, struct hp_text *text)
{
	struct hp_process_name process = hp_found_name(found);

	hp_process_put(text, &process, 0);
}

static void put_pid(const struct hp_found *found, struct hp_text *text)
{
	hp_text_printf(text, "%" PRIu32, found->pid);
}

static void put_started(const struct hp_found *found, struct hp_text *text)
{
	hp_text_puts(text, hp_format_moment(found->process_unix_ns).text);
}

static const struct {
	struct hp_grid_column column;
	void (*put)(const struct hp_found *found, struct hp_text *text);
} columns[] = {
	{ { "program", "Program", HP_ALIGN_LEFT, 0 }, put_program },
	{ { "pid", "PID", HP_ALIGN_RIGHT, 1 }, put_pid },
	{ { "started", "Started", HP_ALIGN_LEFT, 2 }, put_started },
};

enum { COLUMNS_SHOWN = sizeof(columns) / sizeof(*columns) };

static const struct hp_found *found_of(const struct hp_grid *grid, size_t row)
{
	const struct hp_found_list *programs = grid->rows;

	return &programs->items[row];
}

static enum hp_paint write_cell(const struct hp_grid *grid, size_t row, size_t column,
				struct hp_text *text)
{
	columns[column].put(found_of(grid, row), text);
	return HP_PAINT_PLAIN;
}

static uint64_t identity_of(const struct hp_grid *grid, size_t row)
{
	return found_of(grid, row)->pid;
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
				  .rows = &console->programs };
	for (size_t i = 0; i < COLUMNS_SHOWN; i++)
		grid->columns[i] = columns[i].column;
}

/* Move running programs to the front, keeping their order. Returns how many. */
static size_t running_first(struct hp_found_list *list)
{
	size_t running = 0;

	for (size_t i = 0; i < list->count; i++) {
		struct hp_found found = list->items[i];
		if (!found.live || !*found.program)
			continue;
		list->items[i] = list->items[running];
		list->items[running++] = found;
	}
	return running;
}

static void watch(struct console *console, const struct hp_found *found)
{
	struct hp_error error = { "" };

	/* The grid points into the model that is replaced. */
	hp_grid_close(&console->grid);
	if (hp_watch_choose(console->watch, found, &error)) {
		console_say(console, "%s", error.text);
		console_fill(console);
		return;
	}
	console->view = VIEW_TABLE;
	console->paused = false;
	console->restarts = 0;
	console_read(console);
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
	console->running = running_first(&console->programs);
	console->looked_for_programs = true;
	if (waited && console->running)
		watch(console, &console->programs.items[0]);
}

int programs_check(struct hp_error *error)
{
	struct hp_found_list list;
	int failed = hp_find_segments(&list, error);

	hp_found_list_free(&list);
	return failed;
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

bool programs_choose_process(struct console *console)
{
	const struct hp_process *process = selected_process(console);
	size_t i = 0;

	if (!process)
		return false;
	/* Watching another one frees the model that this is from. */
	uint32_t pid = process->pid;
	programs_read(console);
	while (i < console->running && console->programs.items[i].pid != pid)
		i++;
	if (i < console->running)
		watch(console, &console->programs.items[i]);
	else
		console_say(console, "Process %" PRIu32 " is not recorded now.", pid);
	return true;
}

void programs_choose(struct console *console)
{
	long row = list_selected(&console->program_list);

	if (row >= 0 && (size_t)row < console->running)
		watch(console, &console->programs.items[row]);
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
