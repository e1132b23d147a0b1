/* SPDX-License-Identifier: MIT */
/* The section "bottlenecks": whether functions or threads compute, wait, queue for a processor, or allocate. */
#include "bottleneck_rows.h"
#include "format.h"
#include "nothing.h"
#include "section.h"
#include "table.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>

enum {
	SENTENCES = 3,
	/* A caller with less own time than this, in percent, is not the bottleneck. */
	CALLER_SHARE = 5,
};

static double percent_of(const struct hp_split *split, uint64_t part)
{
	return split->wall_ns ? (double)part * 100 / (double)split->wall_ns : 0;
}

/* ---- sentences ---- */

/* Percent of the whole, rounded down. */
static unsigned percents(const struct hp_split *split, uint64_t part)
{
	return (unsigned)percent_of(split, part);
}

typedef void speaker(const struct hp_split *split, const char *wall, struct hp_text *text);

static void say_cpu(const struct hp_split *split, const char *wall, struct hp_text *text)
{
	if (hp_split_is_system(split))
		hp_text_printf(text,
			       " spends %u %% of its %s in the kernel; fewer system calls and "
			       "page faults would make it faster",
			       percents(split, split->system_ns), wall);
	else
		hp_text_printf(text, " computes for %u %% of its %s; it is limited by the CPU",
			       percents(split, split->cpu_ns), wall);
}

static void say_wait(const struct hp_split *split, const char *wall, struct hp_text *text)
{
	hp_text_printf(text, " waits for %u %% of its %s; it is not limited by the CPU",
		       percents(split, split->wait_ns), wall);
}

static void say_starved(const struct hp_split *split, const char *wall, struct hp_text *text)
{
	hp_text_printf(
		text,
		" queues for a processor for %u %% of its %s; more processors, or fewer threads "
		"at a time, would make it faster",
		percents(split, split->queue_ns), wall);
}

static void say_alloc(const struct hp_split *split, const char *wall, struct hp_text *text)
{
	hp_text_printf(text,
		       " allocates for %u %% of its %s; fewer allocations would make it "
		       "faster",
		       percents(split, split->alloc_ns), wall);
}

static void say_mixed(const struct hp_split *split, const char *wall, struct hp_text *text)
{
	hp_text_printf(text, " computes for %u %% and waits for %u %% of its %s; neither dominates",
		       percents(split, split->cpu_ns), percents(split, split->wait_ns), wall);
}

static void put_sentence(const struct hp_model *model, const struct hp_bottleneck *bottleneck,
			 struct hp_text *text)
{
	static speaker *const speakers[] = {
		[HP_VERDICT_CPU] = say_cpu,	    [HP_VERDICT_WAIT] = say_wait,
		[HP_VERDICT_STARVED] = say_starved, [HP_VERDICT_ALLOC] = say_alloc,
		[HP_VERDICT_MIXED] = say_mixed,
	};
	const struct hp_split *split = &bottleneck->split;

	hp_bottleneck_name(bottleneck, model, text);
	speakers[split->verdict](split, hp_format_duration(split->wall_ns).text, text);
	if (split->confidence == HP_CONFIDENCE_LOW)
		hp_text_puts(text, " (few samples)");
}

static bool is_worth_a_sentence(const struct hp_bottleneck *bottleneck)
{
	const struct hp_function *function = bottleneck->row.function;

	if (bottleneck->split.verdict == HP_VERDICT_NONE)
		return false;
	return !function || !function->is_caller ||
	       bottleneck->split.wall_ns >= function->total_ns / 100 * CALLER_SHARE;
}

/* The operation with the largest total, if that is more than the elapsed time; or NULL. */
static const struct hp_function *find_crowd(const struct hp_model *model)
{
	const struct hp_function *crowd = NULL;
	uint64_t most = model->elapsed_ns;

	for (size_t i = 0; i < model->function_count; i++) {
		const struct hp_function *function = &model->functions[i];
		if (function->kind == HP_SITE_SPAN && function->total_ns > most) {
			crowd = function;
			most = function->total_ns;
		}
	}
	return crowd;
}

static void put_crowd(const struct hp_function *crowd, const struct hp_model *model,
		      struct hp_text *text)
{
	uint64_t percent = crowd->total_ns / (model->elapsed_ns / 100 + 1);

	hp_text_puts(text, crowd->name);
	hp_text_printf(text, " takes %" PRIu64 " %% of %s: several run at the same time", percent,
		       model->caller);
}

/* Visit all sentences to be printed. */
static void each_sentence(const struct hp_model *model, const struct hp_bottlenecks *all,
			  void (*visit)(void *context, const char *sentence), void *context)
{
	unsigned said = 0;

	for (size_t i = 0; i < all->count && said < SENTENCES; i++) {
		struct hp_text sentence = HP_TEXT_INIT;
		if (!is_worth_a_sentence(&all->items[i]))
			continue;
		put_sentence(model, &all->items[i], &sentence);
		if (!sentence.failed)
			visit(context, sentence.bytes);
		hp_text_free(&sentence);
		said++;
	}
	const struct hp_function *crowd = find_crowd(model);
	struct hp_text sentence = HP_TEXT_INIT;
	if (crowd)
		put_crowd(crowd, model, &sentence);
	if (crowd && !sentence.failed)
		visit(context, sentence.bytes);
	hp_text_free(&sentence);
}

/* ---- the table ---- */

static void write_sentence(void *context, const char *sentence)
{
	struct hp_text *text = context;

	hp_text_put_printable(text, sentence);
	hp_text_puts(text, ".\n");
}

/* Nothing known is no share. */
static void put_share(struct hp_table *table, const struct hp_split *split, uint64_t part)
{
	double percent = percent_of(split, part);

	if (split->verdict == HP_VERDICT_NONE)
		hp_table_cell(table, "-", HP_PAINT_PLAIN);
	else
		hp_table_cell(table, hp_format_percent(percent).text, hp_share_paint(percent));
}

/* Which parts have a column. */
struct parts {
	bool system;
	bool queue;
	bool alloc;
};

/* A column is shown if it has at least a hundredth of the time of some row. */
static struct parts parts_of(const struct hp_model *model, const struct hp_bottlenecks *all)
{
	struct parts parts = { .alloc = hp_section_has_memory(model) };

	for (size_t i = 0; i < all->count; i++) {
		const struct hp_split *split = &all->items[i].split;
		parts.system |= split->system_ns > split->wall_ns / 100;
		parts.queue |= split->queue_ns > split->wall_ns / 100;
	}
	return parts;
}

static void fill_row(struct hp_table *table, const struct hp_model *model,
		     const struct hp_bottleneck *bottleneck, struct parts parts)
{
	const struct hp_split *split = &bottleneck->split;
	const char *verdict = hp_verdict_name(split->verdict);
	struct hp_text cell = HP_TEXT_INIT;

	hp_bottleneck_name(bottleneck, model, &cell);
	hp_table_text_cell(table, &cell, HP_PAINT_PLAIN);
	hp_table_cell(table, hp_format_duration(split->wall_ns).text, HP_PAINT_PLAIN);
	put_share(table, split, split->cpu_ns);
	if (parts.system)
		put_share(table, split, split->system_ns);
	if (parts.queue)
		put_share(table, split, split->queue_ns);
	put_share(table, split, split->wait_ns);
	if (parts.alloc)
		put_share(table, split, split->alloc_ns);
	hp_text_puts(&cell, verdict ? verdict : "-");
	if (verdict && split->confidence == HP_CONFIDENCE_LOW)
		hp_text_puts(&cell, " (few samples)");
	hp_table_text_cell(table, &cell, HP_PAINT_BOLD);
	hp_text_free(&cell);
}

/* Write the headers, each followed by a NUL. Returns how many. */
static unsigned put_headers(struct hp_text *headers, const struct hp_bottlenecks *all,
			    struct parts parts)
{
	const char *const names[] = { all->count && all->items[0].thread ? "Thread" : "Function",
				      "Wall",
				      "CPU",
				      parts.system ? "Kernel" : NULL,
				      parts.queue ? "Queue" : NULL,
				      "Wait",
				      parts.alloc ? "Alloc" : NULL,
				      "Verdict" };
	unsigned count = 0;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (!names[i])
			continue;
		hp_text_puts(headers, names[i]);
		hp_text_putc(headers, '\0');
		count++;
	}
	return count;
}

static void draw(const struct hp_model *model, const struct hp_bottlenecks *all, size_t shown,
		 const struct hp_report_options *options, struct hp_text *text)
{
	struct parts parts = parts_of(model, all);
	struct hp_text headers = HP_TEXT_INIT;
	unsigned count = put_headers(&headers, all, parts);
	struct hp_table table;

	if (headers.failed) {
		text->failed = true;
	} else {
		hp_table_init(&table, count);
		hp_table_head(&table, headers.bytes, 1);
		for (size_t i = 0; i < shown; i++)
			fill_row(&table, model, &all->items[i], parts);
		hp_table_write(&table, options->width, options->colour, text);
		hp_table_free(&table);
	}
	hp_text_free(&headers);
}

static void write_table(const struct hp_section *section, const struct hp_model *model,
			const struct hp_report_options *options, struct hp_text *text)
{
	struct hp_bottlenecks all;

	if (!hp_bottlenecks_choose(&all, model, options)) {
		free(all.items);
		text->failed = true;
		return;
	}
	size_t shown = hp_section_limit(section, options, all.count);
	hp_section_title(section, options, shown, all.count, text);
	if (all.count == 0) {
		hp_section_no_match(section, options, text);
	} else {
		draw(model, &all, shown, options, text);
		each_sentence(model, &all, write_sentence, text);
	}
	free(all.items);
}

/* ---- JSON ---- */

static void put_name(struct hp_json *json, const struct hp_model *model,
		     const struct hp_bottleneck *bottleneck)
{
	struct hp_text name = HP_TEXT_INIT;

	if (bottleneck->thread)
		hp_bottleneck_name(bottleneck, model, &name);
	hp_json_member_string(json, "name",
			      bottleneck->thread ? name.bytes : bottleneck->row.function->name);
	hp_json_member_known(json, "threads", bottleneck->threads, bottleneck->thread);
	hp_text_free(&name);
}

static void put_bottleneck(struct hp_json *json, const struct hp_model *model,
			   const struct hp_bottleneck *bottleneck)
{
	const struct hp_split *split = &bottleneck->split;
	bool known = split->verdict != HP_VERDICT_NONE;
	uint64_t bytes = bottleneck->thread ? bottleneck->thread->allocated_bytes
					    : bottleneck->row.function->alloc.bytes;

	hp_json_begin_object(json);
	put_name(json, model, bottleneck);
	hp_json_member_u64(json, "wall_ns", split->wall_ns);
	hp_json_member_known(json, "cpu_ns", split->cpu_ns, known);
	hp_json_member_known(json, "system_ns", split->system_ns, known);
	hp_json_member_known(json, "queue_ns", split->queue_ns, known);
	hp_json_member_known(json, "wait_ns", split->wait_ns, known);
	hp_json_member_known(json, "alloc_ns", split->alloc_ns, known);
	hp_json_member_u64(json, "alloc_bytes", bytes);
	hp_json_member_string(json, "verdict", hp_verdict_name(split->verdict));
	hp_json_member_string(json, "confidence", hp_confidence_name(split->confidence));
	hp_json_end_object(json);
}

static void put_summary(void *context, const char *sentence)
{
	hp_json_string(context, sentence);
}

static void write_json(const struct hp_section *section, const struct hp_model *model,
		       const struct hp_report_options *options, struct hp_json *json)
{
	struct hp_bottlenecks all;

	if (model->cpu.source == HP_CPU_NONE || !hp_cpu_is_complete(&model->cpu)) {
		hp_json_null(json);
		return;
	}
	if (!hp_bottlenecks_choose(&all, model, options)) {
		free(all.items);
		json->text->failed = true;
		hp_json_null(json);
		return;
	}
	size_t shown = hp_section_json_limit(section, options, all.count);
	hp_json_begin_object(json);
	hp_json_member_u64(json, "total_count", all.count);
	hp_json_member_u64(json, "included_count", shown);
	hp_json_key(json, "data");
	hp_json_begin_array(json);
	for (size_t i = 0; i < shown; i++)
		put_bottleneck(json, model, &all.items[i]);
	hp_json_end_array(json);
	hp_json_key(json, "summary");
	hp_json_begin_array(json);
	each_sentence(model, &all, put_summary, json);
	hp_json_end_array(json);
	hp_json_end_object(json);
	free(all.items);
}

/* Without samples, computing would look like waiting. */
static bool why_nothing(const struct hp_model *model, struct hp_text *text)
{
	if (hp_nothing_sampled(model, text))
		return true;
	if (hp_cpu_is_complete(&model->cpu))
		return false;
	hp_text_puts(text, "Unknown: sampling ended early.");
	return true;
}

static bool is_automatic(const struct hp_model *model, const struct hp_report_options *options)
{
	(void)options;
	return hp_cpu_has_samples(&model->cpu) && hp_cpu_is_complete(&model->cpu);
}

const struct hp_section hp_section_bottlenecks = {
	.name = "bottlenecks",
	.json_key = "bottlenecks",
	.order = 120,
	.sentence = "What functions spend their own time on.",
	.limited_as = &hp_kind_cpu,
	.is_automatic = is_automatic,
	.is_available = hp_section_has_cpu,
	.write_table = write_table,
	.why_nothing = why_nothing,
	.write_json = write_json,
};
