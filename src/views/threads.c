/* SPDX-License-Identifier: MIT */
/* The section "threads": what each thread did, allocated and freed. */
#include "format.h"
#include "nothing.h"
#include "thread_rows.h"

#include <inttypes.h>
#include <stddef.h>

static int64_t difference(uint64_t allocated, uint64_t freed)
{
	return (int64_t)(allocated - freed);
}

static bool is_freed_known(const struct hp_memory *memory)
{
	return memory->mode >= HP_ALLOC_FREED;
}

static void put_figure(struct hp_text *text, const char *what, struct hp_figure figure)
{
	hp_text_printf(text, ", %s: %s", what, figure.text);
}

/* Of the whole process. */
static bool write_notes(const struct hp_model *model, const struct hp_report_options *options,
			struct hp_text *text)
{
	const struct hp_memory *memory = &model->memory;
	int64_t rest = difference(memory->allocated_bytes, memory->freed_bytes);

	(void)options;
	hp_text_printf(text, "PID: %" PRIu32, model->pid);
	if (memory->rss_bytes)
		put_figure(text, "RSS", hp_format_bytes(memory->rss_bytes));
	if (memory->own_rss_bytes)
		hp_text_printf(text, " (%s of it hotpath's)",
			       hp_format_bytes(memory->own_rss_bytes).text);
	if (memory->peak_rss_bytes)
		put_figure(text, "peak RSS", hp_format_bytes(memory->peak_rss_bytes));
	if (memory->mode != HP_ALLOC_NONE)
		put_figure(text, "allocated", hp_format_bytes(memory->allocated_bytes));
	if (is_freed_known(memory)) {
		put_figure(text, "freed", hp_format_bytes(memory->freed_bytes));
		put_figure(text, "difference", hp_format_difference(rest));
	}
	hp_text_putc(text, '\n');
	return true;
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
	hp_json_member_known(json, "queue_ns", thread->queue_ns, thread->has_times);
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
	hp_json_member_known(json, "recorded_ns", thread->recorded_ns, thread->recorded_ns);
	hp_json_member_known(json, "before_ns", thread->before_ns, thread->recorded_ns);
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
	struct hp_thread_rows rows;
	if (!hp_thread_rows_choose(&rows, model, options, hp_section_json_limit)) {
		json->text->failed = true;
		hp_json_null(json);
		return;
	}

	hp_json_begin_object(json);
	hp_json_member_u64(json, "pid", model->pid);
	hp_json_member_known(json, "rss_bytes", memory->rss_bytes, memory->rss_bytes);
	hp_json_member_known(json, "own_rss_bytes", memory->own_rss_bytes, memory->own_rss_bytes);
	hp_json_member_known(json, "peak_rss_bytes", memory->peak_rss_bytes,
			     memory->peak_rss_bytes);
	put_memory(json, memory, memory->allocated_bytes, memory->freed_bytes);
	hp_json_member_u64(json, "total_count", rows.count);
	hp_json_member_u64(json, "included_count", rows.shown);
	hp_json_key(json, "data");
	hp_json_begin_array(json);
	for (size_t i = 0; i < rows.shown; i++)
		put_thread(json, memory, rows.items[i].thread);
	hp_json_end_array(json);
	put_ended(json, memory, &rows.rest);
	hp_json_end_object(json);
	hp_thread_rows_free(&rows);
}

static const char *describe(const struct hp_report_options *options)
{
	(void)options;
	return "CPU time and memory of threads.";
}

static bool is_automatic(const struct hp_model *model, const struct hp_report_options *options)
{
	(void)options;
	return hp_threads_total(&model->threads) > (hp_section_has_memory(model) ? 0 : 1);
}

/* Every process has threads, but a report saved without this section has no data. */
static bool is_available(const struct hp_model *model)
{
	return model->threads.count || model->threads.rest.threads;
}

const struct hp_section hp_section_threads = {
	.name = "threads",
	.noun = "thread",
	.json_key = "threads",
	.order = 100,
	.pane = { "Threads", NULL, "No thread has been seen yet." },
	.describe = describe,
	.default_limit = HP_THREADS_LIMIT_DEFAULT,
	.limit = HP_LIMIT_THREADS,
	.is_automatic = is_automatic,
	.is_available = is_available,
	.open_grid = hp_thread_grid_open,
	.write_notes = write_notes,
	.why_nothing = hp_no_threads,
	.write_json = write_json,
};
