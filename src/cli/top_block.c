/* SPDX-License-Identifier: MIT */
/*
 * One update of `hotpath top`, as text or as one JSON object.
 *
 *	[hotpath] server (pid 4711) | Live | 12.34 s | profiler 0.02%, 13.5 ns a call
 *
 *	timing - Execution duration of functions.
 *	+----------+-------+----------+ …
 */
#include "top_block.h"

#include "format.h"
#include "json_writer.h"
#include "report.h"
#include "section.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <time.h>

struct state {
	const char *word;
	const char *json;
};

static const struct state states[] = {
	[HP_WATCH_WAITING] = { "Waiting", "waiting" },
	[HP_WATCH_LIVE] = { "Live", "live" },
	[HP_WATCH_STALE] = { "Stale", "stale" },
	[HP_WATCH_ENDED] = { "Ended", "ended" },
};

static uint64_t now(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (uint64_t)time.tv_sec * UINT64_C(1000000000) + (uint64_t)time.tv_nsec;
}

static struct state state_of(const struct hp_watched *watched)
{
	return hp_watched_is_left(watched) ? (struct state){ "Left", "left" }
					   : states[hp_watched_state(watched)];
}

static void put_state(const struct hp_watched *watched, const struct hp_model *model,
		      struct hp_text *text)
{
	hp_text_puts(text, "[hotpath] ");
	hp_text_put_printable(text, model->program ? model->program : "?");
	if (hp_watched_is_run(watched))
		hp_text_printf(text, " (%" PRIu32 " processes)", model->processes);
	else
		hp_text_printf(text, " (pid %" PRIu32 ")", model->pid);
	hp_text_printf(text, " | %s | %s", state_of(watched).word,
		       hp_format_duration(model->elapsed_ns).text);
	if (hp_model_has_calls(model) || model->memory.mode != HP_ALLOC_NONE)
		hp_text_printf(text, " | profiler %s",
			       hp_format_percent(hp_report_cost_percent(model)).text);
	if (hp_model_has_calls(model))
		hp_text_printf(text, ", %s a call", hp_format_mean_duration(model->span_ns).text);
	hp_text_putc(text, '\n');
}

static void write_json(const struct hp_watched *watched, const struct hp_model *model,
		       const struct hp_report_options *options, struct hp_text *text)
{
	struct hp_json json = hp_json_start(text, options->format == HP_FORMAT_JSON_PRETTY);
	uint64_t ago = now(CLOCK_MONOTONIC) - hp_watched_seen_ns(watched);

	hp_json_begin_object(&json);
	hp_json_member_string(&json, "state", state_of(watched).json);
	hp_json_member_u64(&json, "seen_unix_ns", now(CLOCK_REALTIME) - ago);
	hp_report_put_members(model, options, &json);
	hp_json_end_object(&json);
	hp_text_putc(text, '\n');
}

static void write_model(const struct hp_watched *watched, const struct hp_model *model,
			const struct hp_report_options *options, struct hp_text *text)
{
	if (options->format == HP_FORMAT_TABLE) {
		put_state(watched, model, text);
		hp_report_write_sections(model, options, text);
	} else if (options->format != HP_FORMAT_NONE) {
		write_json(watched, model, options, text);
	}
}

/*
 * The watched model has no call tree and no stacks, which are needed to show CPU time and allocations if no function is measured,
 * or if the user wants them.
 */
static bool needs_whole(const struct hp_model *model, const struct hp_report_options *options)
{
	bool has_live = model->memory.mode == HP_ALLOC_LIVE;

	if (hp_report_shows_tree(options) || (has_live && options->stacks))
		return true;
	return !hp_model_has_calls(model) &&
	       (hp_section_has_cpu(model) || model->memory.mode != HP_ALLOC_NONE);
}

static const struct hp_function *find_function(const struct hp_model *model, uint32_t id)
{
	for (size_t i = 0; id && i < model->function_count; i++)
		if (model->functions[i].id == id)
			return &model->functions[i];
	return NULL;
}

static const struct hp_entry *find_entry(const struct hp_model *model, uint32_t id)
{
	for (size_t i = 0; id && i < model->entries.count; i++)
		if (model->entries.items[i].id == id)
			return &model->entries.items[i];
	return NULL;
}

static void lend_to_function(struct hp_function *function, const struct hp_function *same)
{
	if (!same)
		return;
	function->trend = same->trend;
	function->cpu_trend = same->cpu_trend;
	function->cpu_inclusive_trend = same->cpu_inclusive_trend;
}

/* A model that was read anew has no trends: borrow those of the watched one. */
static void lend_trends(struct hp_model *whole, const struct hp_model *seen)
{
	for (size_t i = 0; i < whole->function_count; i++)
		lend_to_function(&whole->functions[i], find_function(seen, whole->functions[i].id));
	for (size_t i = 0; i < whole->entries.count; i++) {
		struct hp_entry *entry = &whole->entries.items[i];
		const struct hp_entry *same = find_entry(seen, entry->id);
		if (same)
			memcpy(entry->trends, same->trends, sizeof(entry->trends));
	}
	memcpy(whole->cpu.trends, seen->cpu.trends, sizeof(whole->cpu.trends));
	whole->watched = true;
}

/* The complete model, with what only the watched one has. */
static struct hp_model complete(struct hp_model *whole, const struct hp_model *seen)
{
	lend_trends(whole, seen);
	struct hp_model shown = *whole;
	shown.tree = seen->tree;
	return shown;
}

/* The watched model, with live blocks of the complete one, which are named after the places that are responsible. */
static struct hp_model with_live(const struct hp_model *seen, const struct hp_model *whole)
{
	struct hp_model shown = *seen;

	shown.memory.live = whole->memory.live;
	shown.memory.live_count = whole->memory.live_count;
	shown.memory.live_bytes = whole->memory.live_bytes;
	shown.memory.live_blocks = whole->memory.live_blocks;
	shown.memory.peak_bytes = whole->memory.peak_bytes;
	return shown;
}

int top_block_write(struct hp_watched *watched, const struct hp_report_options *options,
		    struct hp_text *text, struct hp_error *error)
{
	const struct hp_model *seen = hp_watched_model(watched);
	bool is_complete = needs_whole(seen, options);

	if (!is_complete && seen->memory.mode != HP_ALLOC_LIVE) {
		write_model(watched, seen, options, text);
		return 0;
	}
	struct hp_model *whole = hp_watched_whole(watched, error);
	if (!whole)
		return -EINVAL;
	/* The model that is shown owns nothing: its parts are those of the two others. */
	struct hp_model shown = whole == seen ? *seen
				: is_complete ? complete(whole, seen)
					      : with_live(seen, whole);
	write_model(watched, &shown, options, text);
	return 0;
}
