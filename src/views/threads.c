/* SPDX-License-Identifier: MIT */
/* The section "threads": what each thread allocated and freed. */
#include "format.h"
#include "section.h"
#include "table.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct threads {
	struct hp_thread *items;
	size_t count;
};

/* The ones that allocated most first. */
static int by_size(const void *left, const void *right)
{
	const struct hp_thread *a = left, *b = right;
	int order = (a->allocated_bytes < b->allocated_bytes) -
		    (a->allocated_bytes > b->allocated_bytes);

	return order ? order : (a->tid > b->tid) - (a->tid < b->tid);
}

static bool sort_threads(const struct hp_memory *memory, struct threads *threads)
{
	*threads = (struct threads){ calloc(memory->thread_count + 1, sizeof(*threads->items)),
				     memory->thread_count };
	if (threads->items && threads->count) {
		memcpy(threads->items, memory->threads, threads->count * sizeof(*threads->items));
		qsort(threads->items, threads->count, sizeof(*threads->items), by_size);
	}
	return threads->items;
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

/* Bytes allocated, freed, and the difference, as far as they are known. */
static void add_figures(struct hp_table *table, uint64_t allocated, uint64_t freed, bool known)
{
	int64_t rest = difference(allocated, freed);

	hp_table_cell(table, hp_format_bytes(allocated).text, HP_PAINT_PLAIN);
	hp_table_cell(table, known ? hp_format_bytes(freed).text : "-", HP_PAINT_PLAIN);
	hp_table_cell(table, known ? hp_format_difference(rest).text : "-", HP_PAINT_PLAIN);
}

static void add_thread(struct hp_table *table, const struct hp_thread *thread, bool known)
{
	struct hp_text cell = HP_TEXT_INIT;

	hp_text_puts(&cell, thread->name[0] ? thread->name : "?");
	if (thread->threads > 1)
		hp_text_printf(&cell, " (%" PRIu32 " threads)", thread->threads);
	hp_table_text_cell(table, &cell, HP_PAINT_PLAIN);
	hp_text_free(&cell);
	hp_table_cell(table, thread->tid ? hp_format_count(thread->tid).text : "-", HP_PAINT_PLAIN);
	add_figures(table, thread->allocated_bytes, thread->freed_bytes, known);
}

/* Those that are not shown, in one row. */
static void add_others(struct hp_table *table, const struct threads *threads, size_t shown,
		       bool known)
{
	struct hp_text cell = HP_TEXT_INIT;
	uint64_t count = 0, allocated = 0, freed = 0;

	for (size_t i = shown; i < threads->count; i++) {
		count += threads->items[i].threads;
		allocated += threads->items[i].allocated_bytes;
		freed += threads->items[i].freed_bytes;
	}
	hp_text_printf(&cell, "<other: %" PRIu64 ">", count);
	hp_table_text_cell(table, &cell, HP_PAINT_PLAIN);
	hp_text_free(&cell);
	hp_table_cell(table, "-", HP_PAINT_PLAIN);
	add_figures(table, allocated, freed, known);
}

static void write_rows(const struct threads *threads, size_t shown, bool known,
		       const struct hp_report_options *options, struct hp_text *text)
{
	static const char *const headers[] = { "Thread", "TID", "Allocated", "Freed",
					       "Difference" };
	enum { COLUMNS = sizeof(headers) / sizeof(*headers) };
	struct hp_table table;

	hp_table_init(&table, COLUMNS);
	hp_table_head(&table, headers, 1);
	for (size_t i = 0; i < shown; i++)
		add_thread(&table, &threads->items[i], known);
	if (shown < threads->count)
		add_others(&table, threads, shown, known);
	hp_table_write(&table, options->width, options->colour, text);
	hp_table_free(&table);
}

static void put_totals(const struct hp_memory *memory, struct hp_text *text)
{
	int64_t rest = difference(memory->allocated_bytes, memory->freed_bytes);

	if (memory->rss_bytes)
		hp_text_printf(text, "RSS: %s, ", hp_format_bytes(memory->rss_bytes).text);
	if (memory->peak_rss_bytes)
		hp_text_printf(text, "peak RSS: %s, ",
			       hp_format_bytes(memory->peak_rss_bytes).text);
	hp_text_printf(text, "allocated: %s", hp_format_bytes(memory->allocated_bytes).text);
	if (is_freed_known(memory)) {
		hp_text_printf(text, ", freed: %s", hp_format_bytes(memory->freed_bytes).text);
		hp_text_printf(text, ", difference: %s", hp_format_difference(rest).text);
	}
	hp_text_putc(text, '\n');
}

static void write_table(const struct hp_model *model, const struct hp_report_options *options,
			struct hp_text *text)
{
	const struct hp_memory *memory = &model->memory;
	struct threads threads;
	if (!sort_threads(memory, &threads)) {
		text->failed = true;
		return;
	}

	size_t shown = hp_section_limit(&hp_section_threads, options, threads.count);
	hp_section_title(&hp_section_threads, options, shown, threads.count, text);
	if (memory->mode == HP_ALLOC_NONE) {
		hp_section_not_recorded(text);
	} else {
		put_totals(memory, text);
		write_rows(&threads, shown, is_freed_known(memory), options, text);
	}
	free(threads.items);
}

/* ---- JSON ---- */

static void put_figures(struct hp_json *json, uint64_t allocated, uint64_t freed, bool known)
{
	hp_json_member_u64(json, "allocated_bytes", allocated);
	hp_json_member_known(json, "freed_bytes", freed, known);
	hp_json_key(json, "difference_bytes");
	if (known)
		hp_json_i64(json, difference(allocated, freed));
	else
		hp_json_null(json);
}

static void put_thread(struct hp_json *json, const struct hp_thread *thread, bool known)
{
	hp_json_begin_object(json);
	hp_json_key(json, "name");
	hp_json_string(json, thread->name);
	hp_json_member_known(json, "tid", thread->tid, thread->tid);
	hp_json_member_u64(json, "threads", thread->threads);
	put_figures(json, thread->allocated_bytes, thread->freed_bytes, known);
	hp_json_end_object(json);
}

static void write_json(const struct hp_model *model, const struct hp_report_options *options,
		       struct hp_json *json)
{
	const struct hp_memory *memory = &model->memory;
	bool known = is_freed_known(memory);
	struct threads threads;
	if (memory->mode == HP_ALLOC_NONE || !sort_threads(memory, &threads)) {
		json->text->failed |= memory->mode != HP_ALLOC_NONE;
		hp_json_null(json);
		return;
	}

	size_t shown = hp_section_json_limit(&hp_section_threads, options, threads.count);
	hp_json_begin_object(json);
	hp_json_member_known(json, "rss_bytes", memory->rss_bytes, memory->rss_bytes);
	hp_json_member_known(json, "peak_rss_bytes", memory->peak_rss_bytes,
			     memory->peak_rss_bytes);
	put_figures(json, memory->allocated_bytes, memory->freed_bytes, known);
	hp_json_member_u64(json, "total_count", threads.count);
	hp_json_member_u64(json, "included_count", shown);
	hp_json_key(json, "data");
	hp_json_begin_array(json);
	for (size_t i = 0; i < shown; i++)
		put_thread(json, &threads.items[i], known);
	hp_json_end_array(json);
	hp_json_end_object(json);
	free(threads.items);
}

static const char *describe(const struct hp_report_options *options)
{
	(void)options;
	return "Memory that threads allocated and freed.";
}

static bool is_automatic(const struct hp_model *model, const struct hp_report_options *options)
{
	(void)options;
	return hp_section_has_memory(model);
}

const struct hp_section hp_section_threads = {
	.name = "threads",
	.json_key = "threads",
	.describe = describe,
	.default_limit = HP_THREADS_LIMIT_DEFAULT,
	.limit_at = offsetof(struct hp_report_options, threads_limit),
	.is_automatic = is_automatic,
	.is_available = hp_section_has_memory,
	.write_table = write_table,
	.write_json = write_json,
};
