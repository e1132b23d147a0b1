/* SPDX-License-Identifier: MIT */
/* The lines around the view: the program and its state, the tabs, and the available keys. */
#include "arithmetic.h"
#include "console_state.h"
#include "curses_library.h"
#include "deadlocks.h"
#include "file_name.h"
#include "format.h"
#include "now.h"
#include "report.h"
#include "terminal.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

/* While it runs, its age now; afterwards, how long it was measured. */
static uint64_t uptime_seconds(const struct console *console, const struct hp_model *model)
{
	uint64_t now = (uint64_t)time(NULL) * 1000000000;
	uint64_t up = hp_minus(now, model->start_unix_ns);

	if (hp_watched_state(console->watched) == HP_WATCH_ENDED)
		up = model->elapsed_ns;
	if (console->paused) {
		uint64_t since = hp_now_ns() - hp_watched_seen_ns(console->watched);
		up = hp_minus(up, since);
	}
	return up / 1000000000;
}

static void put_uptime(struct hp_text *text, uint64_t seconds)
{
	uint64_t days = seconds / 86400;

	if (days)
		hp_text_printf(text, "%" PRIu64 "d ", days);
	hp_text_printf(text, "%02" PRIu64 ":%02" PRIu64 ":%02" PRIu64, seconds / 3600 % 24,
		       seconds / 60 % 60, seconds % 60);
}

/* How the picture is. */
static enum style put_state(const struct console *console, struct hp_text *text)
{
	uint64_t since = hp_now_ns() - hp_watched_seen_ns(console->watched);

	/* The program is not read in this view. */
	if (console->view == VIEW_PROGRAMS) {
		hp_text_puts(text, console->running ? "Choose a program" : "Waiting");
		return console->running ? STYLE_PLAIN : STYLE_WARM;
	}
	if (console->paused) {
		hp_text_puts(text, "Paused");
		return STYLE_WARM;
	}
	switch (hp_watched_state(console->watched)) {
	case HP_WATCH_LIVE:
		hp_text_puts(text, "Live");
		return STYLE_FINE;
	case HP_WATCH_STALE:
		hp_text_printf(text, "Stale (%" PRIu64 " s)", since / 1000000000);
		return STYLE_WARM;
	case HP_WATCH_ENDED:
		hp_text_puts(text, hp_watched_is_left(console->watched) ? "Left" : "Ended");
		return STYLE_HOT;
	case HP_WATCH_WAITING:
		break;
	}
	hp_text_puts(text, "Waiting");
	return STYLE_WARM;
}

static void put_program(const struct console *console, const struct hp_model *model,
			struct hp_text *text)
{
	if (hp_watched_is_run(console->watched))
		hp_text_printf(text, " %" PRIu32 " processes · up ", model->processes);
	else
		hp_text_printf(text, " pid %" PRIu32 " · up ", model->pid);
	put_uptime(text, uptime_seconds(console, model));
}

/* Of a program that is only sampled, the cost is a share of its CPU time; else of the time that has passed. */
static double cost_percent(const struct hp_model *model)
{
	double cpu_ns = (double)model->cpu.total_samples * (double)model->cpu.period_ns;

	if (hp_model_has_calls(model) || cpu_ns <= 0)
		return hp_report_cost_percent(model);
	double percent = (double)model->estimated_ns * 100 / cpu_ns;
	return percent < 100 ? percent : 100;
}

static void put_cost(const struct console *console, const struct hp_model *model,
		     struct hp_text *text)
{
	hp_text_printf(text, " · %u ms", console->refresh_ms);
	if (!model)
		return;
	/* The cost of a program that is sampled from outside is not measured. */
	if (!model->is_attached)
		hp_text_printf(text, " · cost %s", hp_format_percent(cost_percent(model)).text);
	if (hp_model_has_calls(model))
		hp_text_printf(text, ", %s/call",
			       hp_format_duration((uint64_t)(model->span_ns + 0.5)).text);
	else if (model->cpu.source != HP_CPU_NONE)
		hp_text_printf(text, "%s %" PRIu32 " samples/s", model->is_attached ? " ·" : ",",
			       model->cpu.rate_hz);
}

/* Add a text at a column of the first line, in so many columns at most; returns where the next one begins. */
static int add(int column, int most, enum style style, const char *text)
{
	int width = text ? terminal_width(text) : 0;

	if (width > most)
		width = most;
	terminal_put(0, column, width, style, text ? text : "");
	return column + width;
}

const char *console_program(const struct hp_model *model)
{
	const char *name = hp_file_name(model->program);

	return *name ? name : model->program;
}

static void draw_program(const struct console *console, const struct hp_model *model)
{
	struct hp_text text = HP_TEXT_INIT;
	int column = add(0, COLS / 3, STYLE_TITLE, model ? console_program(model) : "hotpath");

	if (model) {
		hp_text_puts(&text, " ·");
		put_program(console, model, &text);
	}
	hp_text_puts(&text, " · ");
	column = add(column, COLS, STYLE_PLAIN, text.bytes);
	text.length = 0;
	enum style style = put_state(console, &text);
	column = add(column, COLS, style, text.bytes);
	if (model && hp_deadlock_next(model, NULL))
		column = add(column, COLS, STYLE_HOT, " · Deadlock");
	text.length = 0;
	put_cost(console, model, &text);
	add(column, COLS, STYLE_FAINT, text.bytes);
	hp_text_free(&text);
}

/* ---- tabs ---- */

/* "1 Functions: Timing": with the name of the pane for the open tab. */
static void tab_text(const struct console *console, int tab, char *text, size_t size)
{
	const struct pane *open = &panes[console->pane];
	bool named = open->tab == tab && open->section->pane.name;

	snprintf(text, size, " %d %s%s%s ", tab, pane_tab(tab)->section->pane.tab,
		 named ? ": " : "", named ? open->section->pane.name : "");
}

int header_tab_at(const struct console *console, int column)
{
	char text[64];
	int at = 0;

	for (int tab = 1; tab <= tab_count; tab++) {
		tab_text(console, tab, text, sizeof(text));
		at += terminal_width(text);
		if (column < at)
			return tab;
	}
	return 0;
}

static void draw_tabs(const struct console *console)
{
	char text[64];
	int at = 0;

	for (int tab = 1; tab <= tab_count; tab++) {
		tab_text(console, tab, text, sizeof(text));
		bool open = panes[console->pane].tab == tab;
		int width = terminal_width(text);
		terminal_put(1, at, width, open ? STYLE_CHOSEN : STYLE_PLAIN, text);
		at += width;
	}
	if (console->filter[0] && at + 2 < COLS) {
		char filter[PROMPT_SIZE + 16];
		snprintf(filter, sizeof(filter), "filter: %s", console->filter);
		terminal_put_right(1, at + 2, COLS - at - 2, STYLE_WARM, filter);
	}
}

void header_draw(const struct console *console)
{
	draw_program(console, console_model(console));
	if (console->view == VIEW_PROGRAMS)
		terminal_put(1, 0, COLS, STYLE_PLAIN, "");
	else
		draw_tabs(console);
}

/* ---- the bottom line ---- */

enum row_type {
	ROW_OTHER,
	ROW_FUNCTION,
	ROW_LOGGED,
	ROW_UNLOGGED,
};

static const char *const table_hints[] = {
	[ROW_OTHER] = "s sort  / filter  p pause  w save  ? help  q quit",
	[ROW_FUNCTION] =
		"s sort  / filter  Enter details  o calls  p pause  w save  ? help  q quit",
	[ROW_LOGGED] = "s sort  / filter  Enter details  o log  p pause  w save  ? help  q quit",
	[ROW_UNLOGGED] = "s sort  / filter  Enter details  p pause  w save  ? help  q quit",
};

static const char *const closer_hints[] = {
	[ROW_OTHER] = "Esc close  p pause  ? help  q quit",
	[ROW_FUNCTION] = "Esc close  o calls  i details  p pause  ? help  q quit",
	[ROW_LOGGED] = "Esc close  o log  i details  p pause  ? help  q quit",
	[ROW_UNLOGGED] = "Esc close  p pause  ? help  q quit",
};

static enum row_type type_of_row(const struct console *console)
{
	const struct hp_entry *entry = console_entry(console);
	const struct hp_function *function = console_function(console);

	if (console_live(console))
		return ROW_UNLOGGED;
	if (entry)
		return entry->kind->no_log ? ROW_LOGGED : ROW_UNLOGGED;
	if (function)
		return hp_function_was_called(function) ? ROW_FUNCTION : ROW_UNLOGGED;
	return ROW_OTHER;
}

/* The keys that leave a process of a run are more important than some others. */
static const char *const part_hints[] = {
	[ROW_OTHER] = "Esc all processes  s sort  / filter  p pause  w save  ? help  q quit",
	[ROW_FUNCTION] =
		"Esc all processes  / filter  Enter details  o calls  p pause  ? help  q quit",
	[ROW_LOGGED] = "Esc all processes  / filter  Enter details  o log  p pause  ? help  q quit",
	[ROW_UNLOGGED] = "Esc all processes  / filter  Enter details  p pause  ? help  q quit",
};

static const char *hints_of_table(const struct console *console)
{
	bool is_part = hp_watched_is_part(console->watched);

	if (panes[console->pane].section->kind == &hp_kind_processes && console->grid.kind)
		return is_part ? "Enter that process alone  a all processes  p pause  ? help  q quit"
			       : "Enter that process alone  p pause  w save  ? help  q quit";
	return (is_part ? part_hints : table_hints)[type_of_row(console)];
}

static const char *hints(const struct console *console)
{
	switch (console->view) {
	case VIEW_PROGRAMS:
		return "Enter watch  ? help  q quit";
	case VIEW_HELP:
		return "Esc close  q quit";
	case VIEW_DETAILS:
	case VIEW_CALLS:
		return closer_hints[type_of_row(console)];
	case VIEW_TABLE:
		break;
	}
	return hints_of_table(console);
}

void footer_draw(const struct console *console)
{
	char line[2 * PROMPT_SIZE];

	if (console->prompt) {
		snprintf(line, sizeof(line), "%s%s_", console->prompt, console->typed);
		terminal_put(LINES - 1, 0, COLS, STYLE_BOLD, line);
	} else if (console->message[0]) {
		terminal_put(LINES - 1, 0, COLS, STYLE_WARM, console->message);
	} else {
		terminal_put(LINES - 1, 0, COLS, STYLE_FAINT, hints(console));
	}
}
