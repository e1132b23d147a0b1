/* SPDX-License-Identifier: MIT */
/* The section "threads": what each thread did, allocated and freed. */
#include "format.h"
#include "section.h"
#include "table.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Those that are shown, and all that have ended and are not. */
struct threads {
	struct hp_thread *items;
	size_t count;
	size_t shown;
	struct hp_thread rest;
};

static bool has_ended(const struct hp_thread *thread)
{
	return thread->state == HP_THREAD_ENDED || !thread->tid;
}

/* Those that run first; then who computed most, or allocated most. */
static int by_work(const void *left, const void *right)
{
	const struct hp_thread *a = left, *b = right;
	uint64_t ours = hp_thread_cpu_ns(a), theirs = hp_thread_cpu_ns(b);
	int order = has_ended(a) - has_ended(b);

	if (!order)
		order = (ours < theirs) - (ours > theirs);
	if (!order)
		order = (a->allocated_bytes < b->allocated_bytes) -
			(a->allocated_bytes > b->allocated_bytes);
	return order ? order : (a->tid > b->tid) - (a->tid < b->tid);
}

typedef size_t limit_rows(const struct hp_section *section, const struct hp_report_options *options,
			  size_t rows);

/* A limit is for those that have ended: whatever runs is shown. */
static bool choose(const struct hp_model *model, const struct hp_report_options *options,
		   limit_rows *limit, struct threads *threads)
{
	const struct hp_threads *all = &model->threads;
	size_t ended = 0;

	*threads = (struct threads){ .items = calloc(all->count + 1, sizeof(*threads->items)),
				     .count = all->count,
				     .rest = all->rest };
	if (!threads->items)
		return false;
	if (all->count)
		memcpy(threads->items, all->items, all->count * sizeof(*threads->items));
	qsort(threads->items, all->count, sizeof(*threads->items), by_work);
	for (size_t i = 0; i < all->count; i++)
		ended += has_ended(&threads->items[i]);
	threads->shown = all->count - ended + limit(&hp_section_threads, options, ended);
	for (size_t i = threads->shown; i < all->count; i++)
		hp_thread_add(&threads->rest, &threads->items[i]);
	return true;
}

static int64_t difference(uint64_t allocated, uint64_t freed)
{
	return (int64_t)(allocated - freed);
}

static bool is_freed_known(const struct hp_memory *memory)
{
	return memory->mode >= HP_ALLOC_FREED;
}

/* ---- a table ---- */

static void add_percent(struct hp_table *table, double percent)
{
	hp_table_cell(table, percent < 0 ? "-" : hp_format_percent(percent).text, HP_PAINT_PLAIN);
}

/* "Running"; "-" when nobody knows. */
static void add_state(struct hp_table *table, enum hp_thread_state state)
{
	const char *name = hp_thread_state_name(state);
	char text[16] = "-";

	if (name) {
		snprintf(text, sizeof(text), "%s", name);
		text[0] = (char)(text[0] - 'a' + 'A');
	}
	hp_table_cell(table, text, HP_PAINT_PLAIN);
}

/* Times, and bytes allocated, freed, and the difference, as far as they are known. */
static void add_figures(struct hp_table *table, const struct hp_memory *memory,
			const struct hp_thread *thread)
{
	bool times = thread->has_times, known = is_freed_known(memory);
	int64_t rest = difference(thread->allocated_bytes, thread->freed_bytes);

	hp_table_cell(table, times ? hp_format_duration(thread->user_ns).text : "-",
		      HP_PAINT_PLAIN);
	hp_table_cell(table, times ? hp_format_duration(thread->system_ns).text : "-",
		      HP_PAINT_PLAIN);
	if (memory->mode == HP_ALLOC_NONE)
		return;
	hp_table_cell(table, hp_format_bytes(thread->allocated_bytes).text, HP_PAINT_PLAIN);
	hp_table_cell(table, known ? hp_format_bytes(thread->freed_bytes).text : "-",
		      HP_PAINT_PLAIN);
	hp_table_cell(table, known ? hp_format_difference(rest).text : "-", HP_PAINT_PLAIN);
}

static void add_thread(struct hp_table *table, const struct hp_memory *memory,
		       const struct hp_thread *thread)
{
	struct hp_text cell = HP_TEXT_INIT;

	hp_text_puts(&cell, thread->name[0] ? thread->name : "?");
	if (thread->threads > 1)
		hp_text_printf(&cell, " (%" PRIu64 " threads)", thread->threads);
	hp_table_text_cell(table, &cell, HP_PAINT_PLAIN);
	hp_text_free(&cell);
	hp_table_cell(table, thread->tid ? hp_format_count(thread->tid).text : "-", HP_PAINT_PLAIN);
	add_state(table, thread->state);
	add_percent(table, thread->cpu_now);
	add_percent(table, thread->cpu_avg);
	add_percent(table, thread->cpu_max);
	add_figures(table, memory, thread);
}

static void add_rest(struct hp_table *table, const struct hp_memory *memory,
		     const struct hp_thread *rest)
{
	enum { UNKNOWN_COLUMNS = 5 };
	struct hp_text cell = HP_TEXT_INIT;

	hp_text_printf(&cell, "<ended: %" PRIu64 ">", rest->threads);
	hp_table_text_cell(table, &cell, HP_PAINT_PLAIN);
	hp_text_free(&cell);
	for (unsigned i = 0; i < UNKNOWN_COLUMNS; i++)
		hp_table_cell(table, "-", HP_PAINT_PLAIN);
	add_figures(table, memory, rest);
}

static void write_rows(const struct threads *threads, const struct hp_memory *memory,
		       const struct hp_report_options *options, struct hp_text *text)
{
	static const char *const headers[] = { "Thread",    "TID",     "State",	    "CPU",
					       "Avg CPU",   "Max CPU", "User",	    "System",
					       "Allocated", "Freed",   "Difference" };
	enum { COLUMNS = sizeof(headers) / sizeof(*headers), OF_MEMORY = 3 };
	struct hp_table table;

	hp_table_init(&table, memory->mode == HP_ALLOC_NONE ? COLUMNS - OF_MEMORY : COLUMNS);
	hp_table_head(&table, headers, 1);
	for (size_t i = 0; i < threads->shown; i++)
		add_thread(&table, memory, &threads->items[i]);
	if (threads->rest.threads || threads->rest.allocated_bytes || threads->rest.freed_bytes)
		add_rest(&table, memory, &threads->rest);
	hp_table_write(&table, options->width, options->colour, text);
	hp_table_free(&table);
}

static void put_figure(struct hp_text *text, const char *what, struct hp_figure figure)
{
	hp_text_printf(text, ", %s: %s", what, figure.text);
}

/* Of the whole process. */
static void put_totals(const struct hp_model *model, struct hp_text *text)
{
	const struct hp_memory *memory = &model->memory;
	int64_t rest = difference(memory->allocated_bytes, memory->freed_bytes);

	hp_text_printf(text, "PID: %" PRIu32, model->pid);
	if (memory->rss_bytes)
		put_figure(text, "RSS", hp_format_bytes(memory->rss_bytes));
	if (memory->peak_rss_bytes)
		put_figure(text, "peak RSS", hp_format_bytes(memory->peak_rss_bytes));
	if (memory->mode != HP_ALLOC_NONE)
		put_figure(text, "allocated", hp_format_bytes(memory->allocated_bytes));
	if (is_freed_known(memory)) {
		put_figure(text, "freed", hp_format_bytes(memory->freed_bytes));
		put_figure(text, "difference", hp_format_difference(rest));
	}
	hp_text_putc(text, '\n');
}

static void write_table(const struct hp_model *model, const struct hp_report_options *options,
			struct hp_text *text)
{
	struct threads threads;
	if (!choose(model, options, hp_section_limit, &threads)) {
		text->failed = true;
		return;
	}

	hp_section_title(&hp_section_threads, options, threads.shown, threads.count, text);
	put_totals(model, text);
	write_rows(&threads, &model->memory, options, text);
	free(threads.items);
}

/* ---- JSON ---- */

/* Of a process or a thread, as far as it was recorded. */
static void put_memory(struct hp_json *json, const struct hp_memory *memory, uint64_t allocated,
		       uint64_t freed)
{
	bool known = is_freed_known(memory);

	hp_json_member_known(json, "allocated_bytes", allocated, memory->mode != HP_ALLOC_NONE);
	hp_json_member_known(json, "freed_bytes", freed, known);
	hp_json_key(json, "difference_bytes");
	if (known)
		hp_json_i64(json, difference(allocated, freed));
	else
		hp_json_null(json);
}

static void put_figures(struct hp_json *json, const struct hp_memory *memory,
			const struct hp_thread *thread)
{
	hp_json_member_known(json, "user_ns", thread->user_ns, thread->has_times);
	hp_json_member_known(json, "system_ns", thread->system_ns, thread->has_times);
	put_memory(json, memory, thread->allocated_bytes, thread->freed_bytes);
}

static void put_percent(struct hp_json *json, const char *key, double percent)
{
	hp_json_key(json, key);
	if (percent < 0)
		hp_json_null(json);
	else
		hp_json_double(json, percent);
}

static void put_thread(struct hp_json *json, const struct hp_memory *memory,
		       const struct hp_thread *thread)
{
	hp_json_begin_object(json);
	hp_json_member_string(json, "name", thread->name);
	hp_json_member_known(json, "tid", thread->tid, thread->tid);
	hp_json_member_known(json, "pid", thread->pid, thread->pid);
	hp_json_member_string(json, "state", hp_thread_state_name(thread->state));
	hp_json_member_u64(json, "threads", thread->threads);
	put_percent(json, "cpu_percent", thread->cpu_now);
	put_percent(json, "cpu_percent_avg", thread->cpu_avg);
	put_percent(json, "cpu_percent_max", thread->cpu_max);
	put_figures(json, memory, thread);
	hp_json_end_object(json);
}

/* Those that have ended and are not in the data. */
static void put_ended(struct hp_json *json, const struct hp_memory *memory,
		      const struct hp_thread *rest)
{
	hp_json_key(json, "ended");
	hp_json_begin_object(json);
	hp_json_member_u64(json, "threads", rest->threads);
	put_figures(json, memory, rest);
	hp_json_end_object(json);
}

static void write_json(const struct hp_model *model, const struct hp_report_options *options,
		       struct hp_json *json)
{
	const struct hp_memory *memory = &model->memory;
	struct threads threads;
	if (!choose(model, options, hp_section_json_limit, &threads)) {
		json->text->failed = true;
		hp_json_null(json);
		return;
	}

	hp_json_begin_object(json);
	hp_json_member_u64(json, "pid", model->pid);
	hp_json_member_known(json, "rss_bytes", memory->rss_bytes, memory->rss_bytes);
	hp_json_member_known(json, "peak_rss_bytes", memory->peak_rss_bytes,
			     memory->peak_rss_bytes);
	put_memory(json, memory, memory->allocated_bytes, memory->freed_bytes);
	hp_json_member_u64(json, "total_count", threads.count);
	hp_json_member_u64(json, "included_count", threads.shown);
	hp_json_key(json, "data");
	hp_json_begin_array(json);
	for (size_t i = 0; i < threads.shown; i++)
		put_thread(json, memory, &threads.items[i]);
	hp_json_end_array(json);
	put_ended(json, memory, &threads.rest);
	hp_json_end_object(json);
	free(threads.items);
}

static const char *describe(const struct hp_report_options *options)
{
	(void)options;
	return "CPU time and memory of threads.";
}

static bool is_automatic(const struct hp_model *model, const struct hp_report_options *options)
{
	(void)options;
	return hp_section_has_memory(model) || hp_threads_total(&model->threads) > 1;
}

/* Every process has one; what was saved without this section has none. */
static bool is_available(const struct hp_model *model)
{
	return hp_section_has_memory(model) || hp_threads_total(&model->threads) > 0;
}

const struct hp_section hp_section_threads = {
	.name = "threads",
	.json_key = "threads",
	.describe = describe,
	.default_limit = HP_THREADS_LIMIT_DEFAULT,
	.limit_at = offsetof(struct hp_report_options, threads_limit),
	.is_automatic = is_automatic,
	.is_available = is_available,
	.write_table = write_table,
	.write_json = write_json,
};
