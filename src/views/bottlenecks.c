/* SPDX-License-Identifier: MIT */
/*
 * The section "bottlenecks": whether functions compute, wait or allocate.
 *
 * Operations are not in it: they begin in one place and end in another, so that nothing is known of their CPU time.
 * Without any measured function, there is one row for the whole process.
 */
#include "format.h"
#include "function_table.h"
#include "own_time.h"
#include "section.h"
#include "table.h"
#include "verdict.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>

enum {
	SENTENCES = 3,
	/* A caller that has less of its time for itself, in percent, is not what is slow. */
	CALLER_SHARE = 5,
};

struct bottleneck {
	struct hp_row row;
	struct hp_split split;
};

struct bottlenecks {
	const struct hp_model *model;
	struct bottleneck *items;
	size_t count;
	struct hp_function process;
};

/* CPU time from one look to the next: CPU timers may be slower than was asked for. */
static uint64_t look_ns(const struct hp_cpu *cpu)
{
	double each = cpu->looks ? (double)cpu->total_samples / (double)cpu->looks : 1;
	double ns = (double)cpu->period_ns * each;

	return each > 1 && ns < 1e18 ? (uint64_t)ns : cpu->period_ns;
}

static struct bottleneck of_row(const struct hp_model *model, const struct hp_row *row,
				uint64_t wall_ns)
{
	const struct hp_cpu_figures *cpu = &row->function->cpu;

	return (struct bottleneck){ *row, hp_split(wall_ns, cpu->samples * model->cpu.period_ns,
						   cpu->alloc_ns, look_ns(&model->cpu)) };
}

static int by_wall(const void *left, const void *right)
{
	const struct bottleneck *a = left, *b = right;
	uint64_t one = a->split.wall_ns, other = b->split.wall_ns;

	/* They were in order before. */
	if (one == other)
		return (a->row.weight > b->row.weight) - (a->row.weight < b->row.weight);
	return one < other ? 1 : -1;
}

static void add_functions(struct bottlenecks *all, const struct hp_model *model,
			  const struct hp_rows *rows, const uint64_t *times)
{
	for (size_t i = 0; i < rows->count; i++) {
		struct hp_row row = rows->items[i];
		uint64_t wall_ns = times[row.function - model->functions];
		row.weight = i;
		if (row.function->kind != HP_SITE_SPAN && wall_ns)
			all->items[all->count++] = of_row(model, &row, wall_ns);
	}
	if (all->count)
		qsort(all->items, all->count, sizeof(*all->items), by_wall);
}

static bool select_functions(struct bottlenecks *all, const struct hp_model *model,
			     const struct hp_report_options *options)
{
	struct hp_rows rows;
	bool done = hp_rows_select(&rows, model, options, &hp_measure_time, true);
	uint64_t *times = hp_own_times(model);

	all->items = reallocarray(NULL, rows.count + 1, sizeof(*all->items));
	done = done && times && all->items;
	if (done)
		add_functions(all, model, &rows, times);
	free(rows.items);
	free(times);
	return done;
}

static bool select_process(struct bottlenecks *all, const struct hp_model *model)
{
	static char unnamed[] = "?";

	all->process = (struct hp_function){ .name = model->caller ? model->caller : unnamed,
					     .cpu = { model->cpu.total_samples, 0,
						      model->cpu.outside_alloc_ns },
					     .alloc = { .bytes = model->memory.bytes } };
	all->items = calloc(1, sizeof(*all->items));
	if (!all->items)
		return false;
	all->items[all->count++] = of_row(model, &(struct hp_row){ .function = &all->process },
					  model->elapsed_ns);
	return true;
}

/* Returns false when memory ran out; either way, the items are to be freed. */
static bool select_rows(struct bottlenecks *all, const struct hp_model *model,
			const struct hp_report_options *options)
{
	*all = (struct bottlenecks){ .model = model };
	return hp_model_has_calls(model) ? select_functions(all, model, options)
					 : select_process(all, model);
}

static double percent_of(const struct hp_split *split, uint64_t part)
{
	return split->wall_ns ? (double)part * 100 / (double)split->wall_ns : 0;
}

/* ---- sentences ---- */

/* Whole percents; 100 of them are all of it. */
static unsigned percents(const struct hp_split *split, uint64_t part)
{
	return (unsigned)percent_of(split, part);
}

static void put_sentence(const struct bottleneck *bottleneck, struct hp_text *text)
{
	const struct hp_split *split = &bottleneck->split;
	struct hp_figure wall = hp_format_duration(split->wall_ns);

	hp_row_name(&bottleneck->row, text);
	if (split->verdict == HP_VERDICT_WAIT)
		hp_text_printf(text, " waits %u %% of its %s; it is not CPU that is slow",
			       percents(split, split->wait_ns), wall.text);
	else if (split->verdict == HP_VERDICT_CPU)
		hp_text_printf(text, " computes %u %% of its %s; it is CPU that it needs",
			       percents(split, split->cpu_ns), wall.text);
	else if (split->verdict == HP_VERDICT_ALLOC)
		hp_text_printf(text, " allocates %u %% of its %s; fewer blocks make it faster",
			       percents(split, split->alloc_ns), wall.text);
	else if (split->confidence == HP_CONFIDENCE_LOW)
		hp_text_printf(text, " took %s, which is too little to tell", wall.text);
	else
		hp_text_printf(
			text, " computes %u %% and waits %u %% of its %s; neither is all of it",
			percents(split, split->cpu_ns), percents(split, split->wait_ns), wall.text);
	if (split->confidence == HP_CONFIDENCE_LOW && split->verdict != HP_VERDICT_MIXED)
		hp_text_puts(text, " (few samples)");
}

static bool is_worth_a_sentence(const struct bottleneck *bottleneck)
{
	const struct hp_function *function = bottleneck->row.function;
	uint64_t least = function->total_ns / 100 * CALLER_SHARE;

	return !function->is_caller || bottleneck->split.wall_ns >= least;
}

/* The operations that took longest, if they took longer than there is time; or NULL. */
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
	hp_text_printf(text, " takes %" PRIu64 " %% of %s: several go on at the same time", percent,
		       model->caller);
}

/* Visit the sentences there are to say, one after the other. */
static void each_sentence(const struct bottlenecks *all,
			  void (*visit)(void *context, const char *sentence), void *context)
{
	unsigned said = 0;

	for (size_t i = 0; i < all->count && said < SENTENCES; i++) {
		struct hp_text sentence = HP_TEXT_INIT;
		if (!is_worth_a_sentence(&all->items[i]))
			continue;
		put_sentence(&all->items[i], &sentence);
		if (!sentence.failed)
			visit(context, sentence.bytes);
		hp_text_free(&sentence);
		said++;
	}
	const struct hp_function *crowd = find_crowd(all->model);
	struct hp_text sentence = HP_TEXT_INIT;
	if (crowd)
		put_crowd(crowd, all->model, &sentence);
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

static void put_share(struct hp_table *table, const struct hp_split *split, uint64_t part)
{
	double percent = percent_of(split, part);

	hp_table_cell(table, hp_format_percent(percent).text, hp_share_paint(percent));
}

static void fill_row(struct hp_table *table, const struct bottleneck *bottleneck, bool has_alloc)
{
	const struct hp_split *split = &bottleneck->split;
	struct hp_text cell = HP_TEXT_INIT;

	hp_row_name(&bottleneck->row, &cell);
	hp_table_text_cell(table, &cell, HP_PAINT_PLAIN);
	hp_table_cell(table, hp_format_duration(split->wall_ns).text, HP_PAINT_PLAIN);
	put_share(table, split, split->cpu_ns);
	put_share(table, split, split->wait_ns);
	if (has_alloc)
		put_share(table, split, split->alloc_ns);
	hp_text_printf(&cell, "%s%s", hp_verdict_name(split->verdict),
		       split->confidence == HP_CONFIDENCE_LOW ? " (few samples)" : "");
	hp_table_text_cell(table, &cell, HP_PAINT_BOLD);
	hp_text_free(&cell);
}

static void draw(const struct bottlenecks *all, size_t shown, bool has_alloc,
		 const struct hp_report_options *options, struct hp_text *text)
{
	const char *headers = has_alloc ? "Function\0Wall\0CPU\0Wait\0Alloc\0Verdict"
					: "Function\0Wall\0CPU\0Wait\0Verdict";
	struct hp_table table;

	hp_table_init(&table, has_alloc ? 6 : 5);
	hp_table_head(&table, headers, 1);
	for (size_t i = 0; i < shown; i++)
		fill_row(&table, &all->items[i], has_alloc);
	hp_table_write(&table, options->width, options->colour, text);
	hp_table_free(&table);
}

static void write_table(const struct hp_model *model, const struct hp_report_options *options,
			struct hp_text *text)
{
	struct bottlenecks all;

	if (!select_rows(&all, model, options)) {
		free(all.items);
		text->failed = true;
		return;
	}
	size_t shown = hp_section_limit(&hp_section_bottlenecks, options, all.count);
	hp_section_title(&hp_section_bottlenecks, options, shown, all.count, text);
	if (model->cpu.source == HP_CPU_NONE) {
		hp_text_puts(text, "No CPU time was sampled.\n");
	} else if (all.count == 0) {
		hp_section_no_match(&hp_section_bottlenecks, options, text);
	} else {
		draw(&all, shown, hp_section_has_memory(model), options, text);
		each_sentence(&all, write_sentence, text);
	}
	free(all.items);
}

/* ---- JSON ---- */

static void put_bottleneck(struct hp_json *json, const struct bottleneck *bottleneck)
{
	const struct hp_split *split = &bottleneck->split;

	hp_json_begin_object(json);
	hp_json_key(json, "name");
	hp_json_string(json, bottleneck->row.function->name);
	hp_json_member_u64(json, "wall_ns", split->wall_ns);
	hp_json_member_u64(json, "cpu_ns", split->cpu_ns);
	hp_json_member_u64(json, "wait_ns", split->wait_ns);
	hp_json_member_u64(json, "alloc_ns", split->alloc_ns);
	hp_json_member_u64(json, "alloc_bytes", bottleneck->row.function->alloc.bytes);
	hp_json_key(json, "verdict");
	hp_json_string(json, hp_verdict_name(split->verdict));
	hp_json_key(json, "confidence");
	hp_json_string(json, hp_confidence_name(split->confidence));
	hp_json_end_object(json);
}

static void put_summary(void *context, const char *sentence)
{
	hp_json_string(context, sentence);
}

static void write_json(const struct hp_model *model, const struct hp_report_options *options,
		       struct hp_json *json)
{
	struct bottlenecks all;

	if (model->cpu.source == HP_CPU_NONE) {
		hp_json_null(json);
		return;
	}
	if (!select_rows(&all, model, options)) {
		free(all.items);
		json->text->failed = true;
		hp_json_null(json);
		return;
	}
	size_t shown = hp_section_json_limit(&hp_section_bottlenecks, options, all.count);
	hp_json_begin_object(json);
	hp_json_member_u64(json, "total_count", all.count);
	hp_json_member_u64(json, "included_count", shown);
	hp_json_key(json, "data");
	hp_json_begin_array(json);
	for (size_t i = 0; i < shown; i++)
		put_bottleneck(json, &all.items[i]);
	hp_json_end_array(json);
	hp_json_key(json, "summary");
	hp_json_begin_array(json);
	each_sentence(&all, put_summary, json);
	hp_json_end_array(json);
	hp_json_end_object(json);
	free(all.items);
}

static const char *describe(const struct hp_report_options *options)
{
	(void)options;
	return "What functions spend their own time with.";
}

static bool is_automatic(const struct hp_model *model, const struct hp_report_options *options)
{
	(void)options;
	return model->cpu.source != HP_CPU_NONE;
}

const struct hp_section hp_section_bottlenecks = {
	.name = "bottlenecks",
	.json_key = "bottlenecks",
	.describe = describe,
	.default_limit = HP_LIMIT_DEFAULT,
	.limit = HP_LIMIT_CPU,
	.is_automatic = is_automatic,
	.is_available = hp_section_has_cpu,
	.write_table = write_table,
	.write_json = write_json,
};
