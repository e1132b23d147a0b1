/* SPDX-License-Identifier: MIT */
/* The actions of keys and of the mouse. */
#include "keys.h"

#include "console_state.h"
#include "curses_library.h"
#include "report.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define CONTROL(letter) ((letter)&31)

enum {
	WHEEL_ROWS = 3,
};

static struct list *present_list(struct console *console)
{
	return console->view == VIEW_CALLS ? &console->log_list : &console->lists[console->pane];
}

/* ---- moving ---- */

static int page_lines(void)
{
	int lines = LINES - HEADER_LINES - FOOTER_LINES - 2;

	return lines > 1 ? lines : 1;
}

static void move_by(struct console *console, long rows)
{
	struct list *list = present_list(console);

	if (console->view == VIEW_DETAILS || console->view == VIEW_HELP)
		console->scroll += (int)rows;
	else if (console->view == VIEW_PROGRAMS)
		programs_move(console, rows);
	else if (console->view == VIEW_CALLS)
		log_move(console, rows);
	else if (console->grid.kind)
		list_move(list, &console->grid, rows);
}

static void do_down(struct console *console)
{
	move_by(console, 1);
}

static void do_up(struct console *console)
{
	move_by(console, -1);
}

static void do_page_down(struct console *console)
{
	move_by(console, page_lines());
}

static void do_page_up(struct console *console)
{
	move_by(console, -page_lines());
}

static void do_first(struct console *console)
{
	move_by(console, -1000000);
}

static void do_last(struct console *console)
{
	move_by(console, 1000000);
}

/* ---- panes ---- */

static void show_pane(struct console *console, int pane)
{
	if (console->view == VIEW_PROGRAMS || !console_model(console))
		return;
	console->view = VIEW_TABLE;
	console->pane = pane;
	console->has_chosen = true;
	console_fill(console);
}

/* In details or the log, the key of the tab leads back to the list. */
static void show_tab(struct console *console, int tab)
{
	bool goes_back = console->view != VIEW_TABLE && panes[console->pane].tab == tab;
	const struct hp_model *model = console_model(console);

	if (model)
		show_pane(console,
			  goes_back ? console->pane : pane_of_tab(tab, console->pane, model));
}

static void do_functions(struct console *console)
{
	show_tab(console, 1);
}

static void do_data_flow(struct console *console)
{
	show_tab(console, 2);
}

static void do_threads(struct console *console)
{
	show_tab(console, 3);
}

static void do_debug(struct console *console)
{
	show_tab(console, 4);
}

static void do_next_pane(struct console *console)
{
	show_pane(console, (console->pane + 1) % pane_count);
}

static void do_previous_pane(struct console *console)
{
	show_pane(console, (console->pane + pane_count - 1) % pane_count);
}

/* ---- order and filter ---- */

static void sort_by(struct console *console, long column)
{
	struct list *list = &console->lists[console->pane];
	const struct hp_grid *grid = &console->grid;

	if (console->view != VIEW_TABLE || !grid->kind)
		return;
	if (grid->keeps_order)
		console_say(console, "This table has an order of its own.");
	if (grid->keeps_order || column < 0 || column >= (long)grid->column_count)
		return;
	list->reversed = column == grid->sorted && !list->reversed;
	strcpy(list->sort, grid->columns[column].key);
	list->selected = 0;
	console_fill(console);
	console_say(console, "Sorted by %s.", grid->columns[column].header);
}

/* The columns that are on the screen, one after the other. */
static void sort_beside(struct console *console, int step)
{
	const struct list *list = &console->lists[console->pane];
	size_t count = list->drawn_count;

	for (size_t i = 0; i < count; i++) {
		if ((int)list->drawn[i] == console->grid.sorted) {
			sort_by(console, (long)list->drawn[(i + count + (size_t)step) % count]);
			return;
		}
	}
	if (count)
		sort_by(console, (long)list->drawn[0]);
}

static void do_sort_right(struct console *console)
{
	sort_beside(console, 1);
}

static void do_sort_left(struct console *console)
{
	sort_beside(console, -1);
}

static void do_reverse(struct console *console)
{
	if (console->view == VIEW_TABLE)
		sort_by(console, console->grid.sorted);
}

static void set_filter(struct console *console)
{
	strcpy(console->filter, console->typed);
	console_fill(console);
}

/* An incomplete /regex/ is not an error while it is typed. */
static void enter_filter(struct console *console)
{
	char problem[HP_PROBLEM_SIZE];
	struct hp_focus focus;

	set_filter(console);
	if (hp_focus_open(&focus, console->filter, problem))
		console_say(console, "%s", problem);
	else
		hp_focus_close(&focus);
}

static void do_filter(struct console *console)
{
	if (console->view == VIEW_TABLE)
		prompt_open(console, "filter: ", console->filter, set_filter, enter_filter);
}

/* ---- looking closer ---- */

static void open_row(struct console *console, enum view view)
{
	long row = list_selected(&console->lists[console->pane]);
	const struct hp_grid *grid = &console->grid;

	if (console->view == VIEW_TABLE) {
		if (row < 0 ||
		    !(console_function(console) || console_entry(console) || console_live(console)))
			return;
		console->opened = grid->kind->identity(grid, (size_t)row);
	} else if (console->view != VIEW_DETAILS && console->view != VIEW_CALLS) {
		return;
	}
	console->view = view;
	console->scroll = 0;
	list_free(&console->log_list);
	details_read(console);
}

static void do_details(struct console *console)
{
	if (console->view == VIEW_PROGRAMS)
		programs_choose(console);
	else if (console->view != VIEW_TABLE || !programs_choose_process(console))
		open_row(console, VIEW_DETAILS);
}

static void do_all(struct console *console)
{
	if (console->view != VIEW_PROGRAMS && console->view != VIEW_HELP && console_model(console))
		programs_choose_all(console);
}

/* Some kinds have no log, and functions that are only sampled have no calls. */
static void do_calls(struct console *console)
{
	const struct hp_entry *entry = console_entry(console);
	const struct hp_function *function = console_function(console);

	if ((entry || function) && hp_watched_is_run(console->watched)) {
		console_say(console,
			    "That is known of one process: choose one in the pane Processes.");
		return;
	}
	if ((entry && entry->kind->no_log) || (function && hp_function_was_called(function)))
		open_row(console, VIEW_CALLS);
}

static bool is_above_table(const struct console *console)
{
	return console->view == VIEW_DETAILS || console->view == VIEW_CALLS ||
	       (console->view == VIEW_PROGRAMS && console_model(console));
}

static void do_close(struct console *console)
{
	if (console->view == VIEW_HELP) {
		console->view = console->before_help;
		/* Names in the details belong to the model, which may be another one by now. */
		details_read(console);
	} else if (is_above_table(console)) {
		console->view = VIEW_TABLE;
	} else if (console->filter[0]) {
		console->filter[0] = '\0';
		console_fill(console);
	} else if (console->view == VIEW_TABLE && hp_watched_is_part(console->watched)) {
		programs_choose_all(console);
	}
	console->scroll = 0;
}

/* ---- the rest ---- */

static void do_pause(struct console *console)
{
	if (console->view == VIEW_PROGRAMS)
		return;
	console->paused = !console->paused;
	if (!console->paused)
		console_read(console);
}

/* Intervals, in milliseconds, that people would choose. */
static const unsigned steps[] = { 50, 100, 200, 500, 1000, 2000, 5000, 10000, 30000, 60000 };

enum { STEPS = sizeof(steps) / sizeof(*steps) };

static void do_faster(struct console *console)
{
	for (int i = STEPS; i-- > 0;) {
		if (steps[i] < console->refresh_ms) {
			console->refresh_ms = steps[i];
			return;
		}
	}
}

static void do_slower(struct console *console)
{
	for (int i = 0; i < STEPS; i++) {
		if (steps[i] > console->refresh_ms) {
			console->refresh_ms = steps[i];
			return;
		}
	}
}

/* Writing to a pipe may block forever, and the terminal is in use. Folders fail by themselves. */
static bool is_special(const char *path)
{
	struct stat info;

	return stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

static void write_report(struct console *console)
{
	struct hp_report_options options = console->options->report;
	struct hp_error error = { "" };
	struct hp_text text = HP_TEXT_INIT;
	const struct hp_model *model = hp_watched_whole(console->watched, &error);

	if (!model) {
		console_say(console, "%s", error.text);
		return;
	}
	/* Rates of the last seconds are not for later. */
	struct hp_model plain = *model;
	plain.watched = false;
	options.format = HP_FORMAT_JSON;
	options.complete = true;
	hp_report_write(&plain, &options, &text);
	int problem = text.failed ? -ENOMEM : console->options->save(console->typed, &text);
	if (problem)
		console_say(console, "cannot write: %s: %s", strerror(-problem), console->typed);
	else
		console_say(console, "Saved; 'hotpath report %s' shows it.", console->typed);
	hp_text_free(&text);
}

static void save_entered(struct console *console)
{
	if (is_special(console->typed))
		console_say(console, "cannot write: not a regular file: %s", console->typed);
	else if (console->typed[0])
		write_report(console);
}

static void do_save(struct console *console)
{
	const struct hp_model *model = console_model(console);
	char path[PROMPT_SIZE];

	if (!model)
		return;
	snprintf(path, sizeof(path), "hotpath-%.100s-%u.json", console_program(model), model->pid);
	prompt_open(console, "save the report to: ", path, NULL, save_entered);
}

static void do_programs(struct console *console)
{
	console->view = VIEW_PROGRAMS;
	console->looked_for_programs = false;
	programs_read(console);
}

static void do_help(struct console *console)
{
	if (console->view == VIEW_HELP)
		return;
	console->before_help = console->view;
	console->view = VIEW_HELP;
	console->scroll = 0;
}

static void do_redraw(struct console *console)
{
	(void)console;
	clearok(curscr, TRUE);
}

static void do_quit(struct console *console)
{
	console->leaving = true;
}

const struct binding bindings[] = {
#define BIND(action, shown, help, ...) { do_##action, shown, help, { __VA_ARGS__ } },
#include "keys.def"
#undef BIND
	{ NULL, NULL, NULL, { 0 } },
};

/* ---- the mouse ---- */

static void click(struct console *console, int line, int column)
{
	struct list *list = &console->lists[console->pane];

	if (console->view == VIEW_PROGRAMS) {
		if (programs_select_line(console, line))
			programs_choose(console);
	} else if (line == 1) {
		int tab = header_tab_at(console, column);
		if (tab)
			show_tab(console, tab);
	} else if (console->view == VIEW_TABLE && console->grid.kind) {
		size_t before = list->selected;
		if (line == list->area.line)
			sort_by(console, list_column_at(list, column));
		else if (list_select_line(list, &console->grid, line) && before == list->selected)
			do_details(console);
	}
}

static void mouse(struct console *console)
{
	MEVENT event;

	if (getmouse(&event) != OK)
		return;
	if (event.bstate & BUTTON4_PRESSED)
		move_by(console, -WHEEL_ROWS);
	else if (event.bstate & BUTTON5_PRESSED)
		move_by(console, WHEEL_ROWS);
	else if (event.bstate & BUTTON1_PRESSED)
		click(console, event.y, event.x);
}

static const struct binding *find_binding(int key)
{
	for (const struct binding *binding = bindings; binding->action; binding++)
		for (int i = 0; i < KEYS_MAX && binding->keys[i]; i++)
			if (binding->keys[i] == key)
				return binding;
	return NULL;
}

void console_key(struct console *console, int key)
{
	const struct binding *binding = find_binding(key);

	if (prompt_key(console, key))
		return;
	console->message[0] = '\0';
	if (key == KEY_MOUSE)
		mouse(console);
	else if (binding)
		binding->action(console);
}
