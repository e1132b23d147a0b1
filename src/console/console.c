/* SPDX-License-Identifier: MIT */
/*
 * The main loop of the console: read the program, draw, wait for a key.
 *
 *	watched  ──model──► grid of the pane ──rows on the screen──► terminal
 *	   ▲                                        │
 *	   └────────── what is to be exact ─────────┘
 */
#include "console.h"

#include "console_state.h"
#include "curses_library.h"
#include "deadlocks.h"
#include "kind_rows.h"
#include "now.h"
#include "page.h"
#include "terminal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	LINES_MIN = 10,
	COLUMNS_MIN = 40,
	/* Lines above a table: a part of the screen, but so many in any case. */
	NOTES_PART = 8,
	NOTES_MIN = 2,
	/* Lines that sentences about deadlocks may take. */
	DEADLOCK_LINES = 4,
};

static uint64_t now_ms(void)
{
	return hp_now_ns() / 1000000;
}

const struct hp_model *console_model(const struct console *console)
{
	return hp_watched_model(console->watched);
}

/* The selected row or, in details and the log, the one shown; -1 for none. */
static long present_row(const struct console *console)
{
	const struct hp_grid *grid = &console->grid;

	if (!grid->kind)
		return -1;
	if (console->view != VIEW_DETAILS && console->view != VIEW_CALLS)
		return list_selected(&console->lists[console->pane]);
	for (size_t i = 0; i < grid->row_count; i++)
		if (grid->kind->identity(grid, i) == console->opened)
			return (long)i;
	return -1;
}

const struct hp_function *console_function(const struct console *console)
{
	const struct hp_grid *grid = &console->grid;
	long row = present_row(console);

	return row >= 0 && grid->kind->function ? grid->kind->function(grid, (size_t)row) : NULL;
}

const struct hp_entry *console_entry(const struct console *console)
{
	const struct hp_grid *grid = &console->grid;
	long row = present_row(console);

	return row >= 0 && grid->kind->entry ? grid->kind->entry(grid, (size_t)row) : NULL;
}

const struct hp_live *console_live(const struct console *console)
{
	const struct hp_grid *grid = &console->grid;
	long row = present_row(console);

	if (row < 0 || panes[console->pane].section->kind != &hp_kind_live)
		return NULL;
	return ((const struct hp_kind_rows *)grid->rows)->items[row].row;
}

void console_say(struct console *console, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(console->message, sizeof(console->message), format, arguments);
	va_end(arguments);
}

/* ---- what is looked at ---- */

static struct hp_report_options pane_options(const struct console *console)
{
	struct hp_report_options options = console->options->report;
	const struct list *list = &console->lists[console->pane];

	options.in_console = true;
	if (list->sort[0])
		strcpy(options.sort, list->sort);
	return options;
}

/* The model that the pane shows; NULL if there is nothing to show. */
static const struct hp_model *pane_model(const struct console *console)
{
	const struct pane *pane = &panes[console->pane];
	const struct hp_model *model = console_model(console);

	if (!model || !pane_has_data(pane, model))
		return NULL;
	return pane_is_of_complete(pane, model) ? hp_watched_complete(console->watched) : model;
}

void console_fill(struct console *console)
{
	const struct pane *pane = &panes[console->pane];
	struct hp_report_options options = pane_options(console);

	hp_grid_close(&console->grid);
	const struct hp_model *model = pane_model(console);
	if (!model)
		return;
	/* There is no call tree if the program was told so. */
	if (pane->section->kind == &hp_kind_tree && !model->has_tree)
		return;
	if (!hp_section_open_grid(pane_section(pane, &options), &console->grid, model, &options) ||
	    !list_fill(&console->lists[console->pane], &console->grid, console->filter)) {
		hp_grid_close(&console->grid);
		console_say(console, "out of memory");
	}
}

/* Collect the ids of visible rows, which must be up to date. */
static void note_visible(struct console *console)
{
	const struct list *list = &console->lists[console->pane];
	const struct hp_grid *grid = &console->grid;
	const struct hp_function *opened = console_function(console);
	size_t room = LINES > 0 ? (size_t)LINES : 0;

	console->visible_count = 0;
	if (opened && opened->id)
		console->visible[console->visible_count++] = opened->id;
	for (size_t i = list->top; grid->kind && grid->kind->function && i < list->count; i++) {
		const struct hp_function *function = grid->kind->function(grid, list->rows[i]);
		if (i >= list->top + room || console->visible_count == LIST_ROWS_MAX)
			break;
		if (function && function->id)
			console->visible[console->visible_count++] = function->id;
	}
}

static void tell_restart(struct console *console)
{
	unsigned restarts = hp_watched_restarts(console->watched);

	if (restarts != console->restarts && console_model(console))
		console_say(console, "The program was started again: pid %u.",
			    console_model(console)->pid);
	console->restarts = restarts;
}

/* Until the user chooses a pane, choose one that has data. */
static void choose_pane(struct console *console)
{
	const struct hp_model *model = console_model(console);

	if (model && !console->has_chosen && !pane_has_data(&panes[console->pane], model))
		console->pane = pane_first(model);
}

void console_read(struct console *console)
{
	struct hp_error error = { "" };

	if (console->view == VIEW_PROGRAMS) {
		programs_read(console);
		return;
	}
	note_visible(console);
	/* The grid points into the model that is replaced. */
	hp_grid_close(&console->grid);
	if (hp_watched_read(console->watched, console->visible, console->visible_count, &error))
		console_say(console, "%s", error.text);
	tell_restart(console);
	choose_pane(console);
	console_fill(console);
	details_read(console);
}

/* ---- drawing ---- */

/* The first bytes of a text that fit into a line, up to a blank. */
static size_t fitting(const char *text, size_t width)
{
	size_t length = strlen(text);

	if (length <= width)
		return length;
	for (length = width; length && text[length] != ' ';)
		length--;
	return length ? length : width;
}

/* Draw a text in several lines, but not below the last; returns the line after it. The text is changed. */
static int draw_wrapped(char *text, int line, int last, enum style style)
{
	while (text && *text && line < last) {
		size_t length = line + 1 < last ? fitting(text, (size_t)COLS) : strlen(text);
		char *end = text + length, *next = end + (*end == ' ');
		*end = '\0';
		terminal_put(line++, 0, COLS, style, text);
		text = next;
	}
	return line;
}

/* Deadlocks are told of above every pane. */
static int draw_deadlocks(const struct console *console, int line)
{
	const struct hp_model *model = console_model(console);
	const struct hp_blocked_thread *first = NULL;
	int last = line + (LINES < 5 * DEADLOCK_LINES ? LINES / 5 : DEADLOCK_LINES);

	while (model && (first = hp_deadlock_next(model, first))) {
		struct hp_text text = HP_TEXT_INIT;
		hp_deadlock_sentence(model, first, &text);
		line = draw_wrapped(text.bytes, line, last, STYLE_HOT);
		hp_text_free(&text);
	}
	return line;
}

static int draw_notes(const struct console *console, int line)
{
	struct hp_report_options options = pane_options(console);
	const struct hp_section *section = pane_section(&panes[console->pane], &options);
	struct hp_text text = HP_TEXT_INIT;
	char *rest = NULL;
	int last = line + (LINES > NOTES_PART * NOTES_MIN ? LINES / NOTES_PART : NOTES_MIN);

	if (section->write_notes)
		section->write_notes(section, pane_model(console), &options, &text);
	char *note = text.length ? strtok_r(text.bytes, "\n", &rest) : NULL;
	for (; note && line < last; note = strtok_r(NULL, "\n", &rest))
		line = draw_wrapped(note, line, last, STYLE_FAINT);
	hp_text_free(&text);
	return line;
}

/* Explain how to get data for an empty pane. */
static void draw_how(const char *how, int line)
{
	struct area area = { line, LINES - line - FOOTER_LINES };
	struct page page = { .lines = NULL };

	page_line(&page, STYLE_PLAIN, "%s", "");
	while (*how) {
		size_t length = strcspn(how, "\n");
		page_line(&page, STYLE_PLAIN, "  %.*s", (int)length, how);
		how += length + (how[length] == '\n');
	}
	page_draw(&page, 0, area);
	page_free(&page);
}

static void draw_table(struct console *console)
{
	struct list *list = &console->lists[console->pane];
	int line = draw_deadlocks(console, HEADER_LINES);

	if (!console->grid.kind) {
		draw_how(panes[console->pane].section->pane.how, line);
		return;
	}
	line = draw_notes(console, line);
	list_draw(list, &console->grid, (struct area){ line, LINES - line - FOOTER_LINES });
	if (!list->count)
		terminal_put(line + 2, 0, COLS, STYLE_PLAIN,
			     console->filter[0] ? "  Nothing matches the filter." : "");
}

void console_draw(struct console *console)
{
	static void (*const views[])(struct console *) = {
		[VIEW_PROGRAMS] = programs_draw, [VIEW_TABLE] = draw_table,
		[VIEW_DETAILS] = details_draw,	 [VIEW_CALLS] = log_draw,
		[VIEW_HELP] = help_draw,
	};

	erase();
	if (LINES < LINES_MIN || COLS < COLUMNS_MIN) {
		terminal_put(0, 0, COLS, STYLE_WARM, "This window is too small.");
	} else {
		header_draw(console);
		views[console->view](console);
		footer_draw(console);
	}
	refresh();
}

/* ---- the loop ---- */

static bool rests(const struct console *console)
{
	return console->paused && console->view != VIEW_PROGRAMS;
}

static void run(struct console *console)
{
	uint64_t due = now_ms() + console->refresh_ms;

	while (!console->leaving && !terminal_ending()) {
		uint64_t now = now_ms();
		if (now >= due) {
			if (!rests(console))
				console_read(console);
			due = now_ms() + console->refresh_ms;
		}
		console_draw(console);
		now = now_ms();
		int key = terminal_key(due > now ? (int)(due - now) : 0);
		for (; key != ERR; key = terminal_key(0))
			console_key(console, key);
		if (due > now_ms() + console->refresh_ms)
			due = now_ms() + console->refresh_ms;
	}
}

static void free_console(struct console *console)
{
	hp_grid_close(&console->grid);
	for (int i = 0; i < pane_count; i++)
		list_free(&console->lists[i]);
	list_free(&console->program_list);
	list_free(&console->log_list);
	hp_found_list_free(&console->programs);
	free(console->shown);
	free(console->calls);
	free(console->events);
	free(console->calling);
	sampled_free(console);
	hp_text_free(&console->stacks_text);
	hp_watched_free(console->watched);
	free(console);
}

/* Find what is to be watched, before the terminal is changed. */
static int begin(struct console *console, struct hp_error *error)
{
	const struct hp_console_options *options = console->options;
	int failed = hp_watched_open(&console->watched, options->target, options->runs, error);

	if (!failed && !options->target)
		failed = programs_begin(console, error);
	if (!failed && console->view == VIEW_TABLE)
		failed = hp_watched_read(console->watched, NULL, 0, error);
	if (!failed && options->process)
		failed = hp_watched_choose_part(console->watched, options->process, error);
	return failed;
}

int hp_console_run(const struct hp_console_options *options, struct hp_error *error)
{
	struct console *console = calloc(1, sizeof(*console));

	if (!console) {
		snprintf(error->text, sizeof(error->text), "out of memory");
		return -ENOMEM;
	}
	panes_list();
	console->options = options;
	console->refresh_ms = options->refresh_ms;
	console->view = VIEW_TABLE;
	int problem = begin(console, error);
	if (!problem)
		problem = terminal_open(error);
	if (!problem) {
		console_read(console);
		run(console);
		terminal_close();
		problem = terminal_ending();
	}
	free_console(console);
	return problem;
}
