/* SPDX-License-Identifier: MIT */
/* The state of the console: what is watched, what is on the screen, and what the user has chosen. */
#ifndef CONSOLE_STATE_H
#define CONSOLE_STATE_H

#include "console.h"
#include "cpu/sampled.h"
#include "list.h"
#include "names/sampled_lines.h"
#include "page.h"
#include "panes.h"

/** What fills the screen between the header and the footer. */
enum view {
	VIEW_PROGRAMS,
	VIEW_TABLE,
	VIEW_DETAILS,
	VIEW_CALLS,
	VIEW_HELP,
};

enum {
	/** Lines above and below the view. */
	HEADER_LINES = 2,
	FOOTER_LINES = 1,
	PROMPT_SIZE = 256,
	MESSAGE_SIZE = 512,
};

struct console {
	const struct hp_console_options *options;
	struct hp_watched *watched;
	unsigned refresh_ms;
	bool paused;
	bool leaving;

	enum view view;
	/** The view to which the help returns. */
	enum view before_help;
	int pane;
	/** The user has chosen the pane. */
	bool has_chosen;
	struct list lists[PANES_MAX];
	/** The rows of the pane, from the last model; its kind is NULL if there are none. */
	struct hp_grid grid;
	/** Ids of visible rows, which must be up to date at the next read. */
	uint32_t visible[LIST_ROWS_MAX];
	size_t visible_count;

	/** Segments, newest first; those that stand for what runs, one for each run, and how many; and whether they were read. */
	struct hp_found_list programs;
	const struct hp_found **shown;
	size_t running;
	bool looked_for_programs;
	struct list program_list;

	/** The identity of the row whose details or calls are shown: a function, channel or the like. */
	uint64_t opened;
	/** Recent calls of the opened row, or its logged events. */
	struct hp_recent *calls;
	size_t call_count;
	struct hp_flow_event *events;
	size_t event_count;
	struct list log_list;
	struct hp_calling *calling;
	size_t calling_count;
	/** If the opened row was sampled: the time of a sample; callers and callees; lines, of which row they are, and
	    when to look them up again. */
	uint64_t period_ns;
	struct hp_sampled sampled;
	struct hp_sampled_lines sampled_lines;
	/** The lines as a listing with source texts, and how many of them are not in it. */
	struct hp_text lines_text;
	uint32_t lines_hidden;
	uint64_t lines_of;
	uint64_t lines_ns;
	/** The stacks with which the opened row has allocated, as lines. */
	struct hp_text stacks_text;
	/** Lines of the details or of the help that are scrolled out at the top. */
	int scroll;

	/** The filter: only rows with this in their name are shown. */
	char filter[PROMPT_SIZE];
	/** The prompt, or NULL; the typed text; and the callbacks for each change and for the end. */
	const char *prompt;
	char typed[PROMPT_SIZE];
	void (*on_change)(struct console *console);
	void (*on_enter)(struct console *console);

	/** The line at the bottom, until the next key; or empty. */
	char message[MESSAGE_SIZE];
	unsigned restarts;
};

/** The present model; NULL before there is one. */
const struct hp_model *console_model(const struct console *console);

/** The selected function or, in details and calls, the one shown; NULL for none. */
const struct hp_function *console_function(const struct console *console);

/** The selected entry of a kind or, in details and log, the one shown; NULL for none. */
const struct hp_entry *console_entry(const struct console *console);

/** The selected row of live blocks or, in details, the one shown; NULL for none. */
const struct hp_live *console_live(const struct console *console);

/** The name of the program, without its folder. */
const char *console_program(const struct hp_model *model);

/** Say something in the bottom line. */
void console_say(struct console *console, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/** Read again at once, regardless of the interval. */
void console_read(struct console *console);

/** Rebuild the rows of the pane: after a read, or when the user has chosen another order. */
void console_fill(struct console *console);

/** Draw everything. */
void console_draw(struct console *console);

/** Do what a key says. */
void console_key(struct console *console, int key);

/** ---- what is drawn, each in a file of its own ---- */

void header_draw(const struct console *console);
void footer_draw(const struct console *console);
/** The tab at a column of the line of tabs; 0 for none. */
int header_tab_at(const struct console *console, int column);

void help_draw(struct console *console);
void details_draw(struct console *console);
/** Read what the details or the log need beyond the model. */
void details_read(struct console *console);

/** Callers, callees and source lines of the shown function, by samples: read them, add them to its page, and free them. */
void sampled_read(struct console *console);
void sampled_draw(struct page *page, const struct console *console);
void sampled_free(struct console *console);

/** The stacks with which the shown function, or the places of live blocks, have allocated: as for samples. */
void allocated_read(struct console *console);
void allocated_draw(struct page *page, const struct console *console);

/** The recent calls of a function, or the log of a channel and its like. */
void log_draw(struct console *console);
/** Read the calls or the log anew. */
void log_read(struct console *console);
/** Move the selection in the calls or the log. */
void log_move(struct console *console, long rows);
/** The log as a grid, which must be closed; returns whether there are any rows. */
bool log_grid(struct hp_grid *grid, const struct console *console);

void programs_read(struct console *console);
/** Watch the newest program that runs, if any. Returns 0, or a negative errno with the reason in error. */
int programs_begin(struct console *console, struct hp_error *error);
void programs_draw(struct console *console);
void programs_choose(struct console *console);
/** Watch the process that is selected in the pane of processes, or those of its row. Returns false in any other pane. */
bool programs_choose_process(struct console *console);
/** Watch all processes of the run again. */
void programs_choose_all(struct console *console);
void programs_move(struct console *console, long rows);
/** Select the program on a line; returns whether there is one. */
bool programs_select_line(struct console *console, int line);

/** Ask for a line of text. */
void prompt_open(struct console *console, const char *prompt, const char *typed,
		 void (*on_change)(struct console *), void (*on_enter)(struct console *));
/** Returns whether the key was for the prompt. */
bool prompt_key(struct console *console, int key);

#endif
