/* SPDX-License-Identifier: MIT */
/*
 * The details of one function: its location, durations and threads; of a channel, future or the like: its figures, and what
 * was logged; or of a place that has live blocks: their stacks.
 */
#include "console_state.h"
#include "curses_library.h"
#include "format.h"
#include "histogram_page.h"
#include "terminal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	THREADS_SHOWN = 20,
	THREAD_CELLS = 4,
};

static void add_place(struct page *page, const struct hp_function *function)
{
	if (function->file)
		page_line(page, STYLE_PLAIN, "  %s:%" PRIu32, function->file, function->line);
	else if (function->module && function->offset)
		page_line(page, STYLE_PLAIN, "  %s+0x%" PRIx64, function->module, function->offset);
	else if (function->module)
		page_line(page, STYLE_PLAIN, "  %s", function->module);
}

/* A function that is only sampled has no calls. */
static void add_calls(struct page *page, const struct hp_model *model,
		      const struct hp_function *function)
{
	if (!hp_function_was_called(function))
		return;
	double share = model->elapsed_ns
			       ? (double)function->total_ns * 100 / (double)model->elapsed_ns
			       : 0;

	page_line(page, STYLE_PLAIN, "  calls %" PRIu64 "  in progress %" PRIu64 "  calls/s %s",
		  function->calls, function->open,
		  function->trend ? hp_format_rate(function->trend->rate).text : "-");
	page_line(page, STYLE_PLAIN, "  total %s (%s)  self %s",
		  hp_format_duration(function->total_ns).text, hp_format_percent(share).text,
		  hp_format_duration(function->self_ns).text);
}

static void add_percentiles(struct page *page, const struct hp_function *function)
{
	static const double percents[] = { 50, 90, 95, 99, 99.9 };
	struct hp_text line = HP_TEXT_INIT;

	for (size_t i = 0; i < sizeof(percents) / sizeof(*percents); i++)
		hp_text_printf(
			&line, "%sP%s %s", i ? "  " : "", hp_format_decimal(percents[i]).text,
			hp_format_duration(hp_function_percentile(function, percents[i])).text);
	page_line(page, STYLE_PLAIN, "  min %s  avg %s  max %s",
		  hp_format_duration(function->min_ns).text,
		  hp_format_duration(hp_function_average(function)).text,
		  hp_format_duration(function->max_ns).text);
	page_line(page, STYLE_PLAIN, "  %s", line.bytes ? line.bytes : "");
	hp_text_free(&line);
}

static void add_memory(struct page *page, const struct hp_model *model,
		       const struct hp_function *function)
{
	const struct hp_alloc_figures *alloc = &function->alloc;

	if (model->memory.mode == HP_ALLOC_NONE ||
	    (!hp_function_was_called(function) && !alloc->count && !alloc->inclusive_count))
		return;
	page_line(page, STYLE_PLAIN, "  allocated %s (blocks: %" PRIu64 ")  with calls inside %s",
		  hp_format_bytes(alloc->bytes).text, alloc->count,
		  hp_format_bytes(alloc->inclusive_bytes).text);
	if (model->memory.mode >= HP_ALLOC_FREED)
		page_line(page, STYLE_PLAIN, "  freed %s (blocks: %" PRIu64 ")",
			  hp_format_bytes(alloc->freed_bytes).text, alloc->freed_count);
}

/* "1.20 s (45.00%)" of all samples. */
static void put_cpu(struct hp_text *line, const struct hp_cpu *cpu, const char *what,
		    uint64_t samples)
{
	double all = (double)cpu->total_samples;

	hp_text_printf(line, "  %s %s (%s)", what,
		       hp_format_duration(samples * cpu->period_ns).text,
		       hp_format_percent(all > 0 ? (double)samples * 100 / all : 0).text);
}

static void put_recent(struct hp_text *line, const struct hp_cpu *cpu, const char *what,
		       const struct hp_trend *trend)
{
	const struct hp_trend *all = cpu->trends[HP_CPU_TREND_TOTAL];

	if (trend && all && all->recent > 0)
		hp_text_printf(line, "  %s %s", what,
			       hp_format_percent(trend->recent * 100 / all->recent).text);
}

/* A function that is only known by its allocations has the samples of its stacks. */
static void add_cpu(struct page *page, const struct console *console,
		    const struct hp_function *function)
{
	const struct hp_model *model = console_model(console);
	const struct hp_cpu *cpu = &model->cpu;
	bool has_own = hp_function_was_called(function) || function->cpu.inclusive_samples;
	struct hp_text line = HP_TEXT_INIT;

	if (cpu->source == HP_CPU_NONE)
		return;
	put_cpu(&line, cpu, "CPU time", has_own ? function->cpu.samples : console->sampled.self);
	put_cpu(&line, cpu, "with calls inside",
		has_own ? function->cpu.inclusive_samples : console->sampled.samples);
	page_line(page, STYLE_PLAIN, "%s", line.bytes ? line.bytes : "");
	line.length = 0;
	put_recent(&line, cpu, "in the last 5 s", function->cpu_trend);
	put_recent(&line, cpu, "with calls inside", function->cpu_inclusive_trend);
	if (model->watched && line.length)
		page_line(page, STYLE_PLAIN, "%s", line.bytes);
	hp_text_free(&line);
}

/* The threads of a process that call the function; of a run, its processes. Pad by columns, not bytes: durations may contain µ. */
static void add_thread(struct page *page, enum style style, const char *const cells[THREAD_CELLS])
{
	static const int widths[THREAD_CELLS] = { -15, 8, 12, 12 };
	struct hp_text line = HP_TEXT_INIT;

	for (int i = 0; i < THREAD_CELLS; i++) {
		int blanks = abs(widths[i]) - terminal_width(cells[i]);
		bool left = widths[i] < 0;
		hp_text_printf(&line, "  %*s%s%*s", !left && blanks > 0 ? blanks : 0, "", cells[i],
			       left && blanks > 0 ? blanks : 0, "");
	}
	page_line(page, style, "%s", line.bytes ? line.bytes : "");
	hp_text_free(&line);
}

static void add_threads(struct page *page, const struct console *console)
{
	size_t shown = console->calling_count < THREADS_SHOWN ? console->calling_count
							      : THREADS_SHOWN;
	if (!shown)
		return;
	bool is_run = hp_watched_is_run(console->watched);
	page_line(page, STYLE_PLAIN, "%s", "");
	add_thread(page, STYLE_BOLD,
		   (const char *[]){ is_run ? "Process" : "Thread", is_run ? "PID" : "TID", "Calls",
				     "Total" });
	for (size_t i = 0; i < shown; i++) {
		const struct hp_calling *thread = &console->calling[i];
		struct hp_figure tid = hp_format_count(thread->tid);
		struct hp_figure calls = hp_format_count(thread->calls);
		struct hp_figure total = hp_format_duration(thread->total_ns);
		add_thread(page, STYLE_PLAIN,
			   (const char *[]){ thread->name[0] ? thread->name : "?",
					     thread->tid ? tid.text : "ended", calls.text,
					     total.text });
	}
	if (shown < console->calling_count)
		page_line(page, STYLE_FAINT, "  and %zu more", console->calling_count - shown);
}

static void fill_page(struct page *page, const struct console *console,
		      const struct hp_function *function)
{
	const struct hp_model *model = console_model(console);

	page_line(page, STYLE_TITLE, "%s", function->name);
	add_place(page, function);
	page_line(page, STYLE_PLAIN, "%s", "");
	add_calls(page, model, function);
	if (function->calls)
		add_percentiles(page, function);
	add_memory(page, model, function);
	add_cpu(page, console, function);
	if (function->times.count) {
		page_line(page, STYLE_PLAIN, "%s", "");
		histogram_draw(page, &function->times, COLS - 4);
	}
	add_threads(page, console);
	allocated_draw(page, console);
	sampled_draw(page, console);
}

/* ---- or about a row of a kind ---- */

/* Add the cells of its row, one per line. */
static void add_figures(struct page *page, const struct console *console)
{
	const struct hp_grid *grid = &console->grid;
	struct hp_text cell = HP_TEXT_INIT;

	for (size_t row = 0; row < grid->row_count; row++) {
		if (grid->kind->identity(grid, row) != console->opened)
			continue;
		for (size_t i = 0; i < grid->column_count; i++) {
			cell.length = 0;
			grid->kind->cell(grid, row, i, &cell);
			if (i != grid->name)
				page_line(page, STYLE_PLAIN, "  %-13s %s", grid->columns[i].header,
					  cell.length ? cell.bytes : "");
		}
	}
	hp_text_free(&cell);
}

static void add_log(struct page *page, const struct console *console)
{
	const struct hp_report_options plain = { .width = COLS > 2 ? (unsigned)COLS - 2 : 0 };
	struct hp_text text = HP_TEXT_INIT;
	struct hp_grid grid;
	char *rest = NULL;

	if (log_grid(&grid, console))
		hp_grid_write(&grid, grid.row_count, &plain, &text);
	hp_grid_close(&grid);
	char *line = text.length ? strtok_r(text.bytes, "\n", &rest) : NULL;
	if (line)
		page_line(page, STYLE_PLAIN, "%s", "");
	for (; line; line = strtok_r(NULL, "\n", &rest))
		page_line(page, STYLE_PLAIN, "  %s", line);
	hp_text_free(&text);
}

static void fill_entry_page(struct page *page, const struct console *console,
			    const struct hp_entry *entry)
{
	page_line(page, STYLE_TITLE, "%s", entry->name);
	if (entry->file)
		page_line(page, STYLE_PLAIN, "  %s:%" PRIu32, entry->file, entry->line);
	page_line(page, STYLE_PLAIN, "%s", "");
	add_figures(page, console);
	for (unsigned i = 0; i < entry->kind->times; i++) {
		if (!entry->times[i].points.count)
			continue;
		page_line(page, STYLE_PLAIN, "%s", "");
		histogram_draw(page, &entry->times[i].points, COLS - 4);
	}
	add_log(page, console);
}

/* ---- or about a place that has live blocks ---- */

static void fill_live_page(struct page *page, const struct console *console,
			   const struct hp_live *live)
{
	page_line(page, STYLE_TITLE, "%s", live->name);
	page_line(page, STYLE_PLAIN, "%s", "");
	add_figures(page, console);
	allocated_draw(page, console);
}

/* ---- all of these ---- */

void details_read(struct console *console)
{
	const struct hp_function *function = console_function(console);
	struct hp_error error = { "" };

	if (console->view != VIEW_DETAILS && console->view != VIEW_CALLS)
		return;
	log_read(console);
	free(console->calling);
	console->calling = NULL;
	console->calling_count = 0;
	ssize_t calling = function ? hp_watched_calling(console->watched, function->id,
							&console->calling, &error)
				   : 0;
	console->calling_count = calling > 0 ? (size_t)calling : 0;
	if (console->view != VIEW_DETAILS)
		return;
	allocated_read(console);
	sampled_read(console);
}

void details_draw(struct console *console)
{
	struct area area = { HEADER_LINES, LINES - HEADER_LINES - FOOTER_LINES };
	const struct hp_function *function = console_function(console);
	const struct hp_entry *entry = console_entry(console);
	const struct hp_live *live = console_live(console);
	struct page page = { .lines = NULL };

	if (function) {
		fill_page(&page, console, function);
	} else if (entry) {
		fill_entry_page(&page, console, entry);
	} else if (live) {
		fill_live_page(&page, console, live);
	} else {
		page_line(&page, STYLE_PLAIN, "%s", "");
		page_line(&page, STYLE_PLAIN, "  This row no longer exists.");
	}
	console->scroll = page_draw(&page, console->scroll, area);
	page_free(&page);
}
