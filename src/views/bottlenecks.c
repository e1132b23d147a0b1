/* SPDX-License-Identifier: MIT */
/* The section "bottlenecks": whether functions or threads compute, queue for a processor, allocate, or wait, and for what. */
#include "bottleneck_text.h"
#include "file_name.h"
#include "format.h"
#include "nothing.h"
#include "section.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double percent_of(const struct hp_split *split, uint64_t part)
{
	return split->wall_ns ? (double)part * 100 / (double)split->wall_ns : 0;
}

/* ---- columns ---- */

/* The group that a part of the time belongs to. */
enum side {
	/* Known if CPU time is. */
	COMPUTING,
	/* All waiting, where it is not known what for. */
	WAITING,
	/* Measured waits; and the rest. */
	WAITS,
	REST,
	ALLOCATING,
};

struct part {
	const char *header;
	size_t at;
	enum side side;
	enum hp_waiting waiting;
};

#define AT(member) offsetof(struct hp_split, member)
#define WAIT(waiting) AT(waits[waiting]), WAITS, waiting

/* clang-format off */
static const struct part parts[] = {
	{ "CPU", AT(cpu_ns), COMPUTING },
	{ "Kernel", AT(system_ns), COMPUTING },
	{ "Queue", AT(queue_ns), COMPUTING },
	{ "Wait", AT(wait_ns), WAITING },
	{ "Lock", WAIT(HP_WAITING_LOCK) },
	{ "Disk", WAIT(HP_WAITING_DISK) },
	{ "Network", WAIT(HP_WAITING_NETWORK) },
	{ "Pipe", WAIT(HP_WAITING_PIPE) },
	{ "Idle", WAIT(HP_WAITING_IDLE) },
	{ "Other", AT(unexplained_ns), REST },
	{ "Alloc", AT(alloc_ns), ALLOCATING },
};
/* clang-format on */

enum { PARTS = sizeof(parts) / sizeof(*parts) };

static uint64_t value_of(const struct hp_split *split, const struct part *part)
{
	uint64_t value;

	memcpy(&value, (const char *)split + part->at, sizeof(value));
	return value;
}

/* A wait for a lock and an idle call are known whatever else is; I/O is, unless it may have been computing. */
static bool is_wait_known(const struct hp_bottleneck *bottleneck, enum hp_waiting waiting)
{
	return bottleneck->has_waits && !bottleneck->split.is_unclear[waiting];
}

/* Whether a group is known. If CPU time is not, the rest contains it. */
static bool is_known(const struct hp_bottleneck *bottleneck, enum side side)
{
	const struct hp_split *split = &bottleneck->split;
	bool decided = split->verdict != HP_VERDICT_NONE;

	if (side == REST)
		return decided || split->is_unsampled;
	return decided && !split->is_unsampled;
}

static enum hp_paint put_share(const struct hp_bottleneck *bottleneck, const struct part *part,
			       struct hp_text *text)
{
	double percent = percent_of(&bottleneck->split, value_of(&bottleneck->split, part));
	bool known = part->side == WAITS ? is_wait_known(bottleneck, part->waiting)
					 : is_known(bottleneck, part->side);

	hp_text_puts(text, known ? hp_format_percent(percent).text : "-");
	return known ? hp_share_paint(percent) : HP_PAINT_PLAIN;
}

/* Whether some row has more than a hundredth of its time in a part. */
static bool is_anywhere(const struct hp_bottleneck_pool *all, const struct part *part)
{
	for (size_t i = 0; i < all->count; i++)
		if (value_of(&all->rows[i]->split, part) > all->rows[i]->split.wall_ns / 100)
			return true;
	return false;
}

static bool has_waits(const struct hp_bottleneck_pool *all)
{
	for (size_t i = 0; i < all->count; i++)
		if (all->rows[i]->has_waits)
			return true;
	return false;
}

static bool is_shown(const struct part *part, const struct hp_model *model,
		     const struct hp_bottleneck_pool *all)
{
	if (part->at == AT(cpu_ns))
		return true;
	if (part->side == ALLOCATING)
		return hp_section_has_memory(model);
	if (part->side == WAITING)
		return !has_waits(all);
	if (part->side != COMPUTING && !has_waits(all))
		return false;
	return is_anywhere(all, part);
}

/* ---- as a grid ---- */

/* The contents of a column. */
enum { NAME, PROCESS, WALL, PART, VERDICT };

struct column {
	int what;
	const struct part *part;
};

struct rows {
	struct hp_bottleneck_pool all;
	struct column columns[VERDICT + PARTS];
};

static const struct hp_bottleneck *bottleneck_of(const struct hp_grid *grid, size_t row)
{
	return ((const struct rows *)grid->rows)->all.rows[row];
}

static enum hp_paint put_verdict(const struct hp_split *split, struct hp_text *text)
{
	const char *verdict = hp_verdict_name(split->verdict);

	hp_text_puts(text, verdict ? verdict : "-");
	if (verdict && split->confidence == HP_CONFIDENCE_LOW)
		hp_text_puts(text, " (few samples)");
	return HP_PAINT_BOLD;
}

static enum hp_paint write_cell(const struct hp_grid *grid, size_t row, size_t column,
				struct hp_text *text)
{
	const struct hp_bottleneck *bottleneck = bottleneck_of(grid, row);
	const struct column *shown = &((const struct rows *)grid->rows)->columns[column];

	switch (shown->what) {
	case NAME:
		hp_bottleneck_name(bottleneck, text);
		break;
	case PROCESS:
		hp_bottleneck_process(bottleneck->model, text);
		break;
	case WALL:
		hp_text_puts(text, hp_format_duration(bottleneck->split.wall_ns).text);
		break;
	case PART:
		return put_share(bottleneck, shown->part, text);
	default:
		return put_verdict(&bottleneck->split, text);
	}
	return HP_PAINT_PLAIN;
}

static uint64_t identity_of(const struct hp_grid *grid, size_t row)
{
	const struct hp_bottleneck *bottleneck = bottleneck_of(grid, row);
	const struct hp_function *function = bottleneck->row.function;
	const struct hp_thread *thread = bottleneck->thread;

	return function ? hp_grid_identity(function->name, function->line) ^ function->offset
			: hp_grid_identity(thread->name, thread->tid);
}

static const struct hp_function *function_of(const struct hp_grid *grid, size_t row)
{
	return bottleneck_of(grid, row)->row.function;
}

static void close_rows(struct hp_grid *grid)
{
	struct rows *rows = grid->rows;

	if (rows)
		hp_bottlenecks_free(&rows->all);
	free(rows);
}

/* Processes with measured functions, and others. */
static const char *what_rows_are(const struct hp_bottleneck_pool *all)
{
	size_t threads = 0;

	for (size_t i = 0; i < all->count; i++)
		threads += all->rows[i]->thread != NULL;
	if (!threads)
		return "Function";
	return threads < all->count ? "Function or thread" : "Thread";
}

/* The part of all time that is not in a part, in percent. */
static unsigned others_percent(const struct hp_bottleneck_pool *all, const struct part *part)
{
	uint64_t sum = 0, wall = 1;

	for (size_t i = 0; i < all->count; i++) {
		sum += value_of(&all->rows[i]->split, part);
		wall += all->rows[i]->split.wall_ns;
	}
	return sum < wall ? 100 - (unsigned)(100.0 * (double)sum / (double)wall) : 0;
}

/* Columns of parts are dropped before the wall time and the verdict, those with the least time first. */
static void add_column(struct hp_grid *grid, struct column shown, const char *header)
{
	static const unsigned ranks[] = { [WALL] = 2, [PART] = 3, [VERDICT] = 1 };
	struct hp_grid_column *column = &grid->columns[grid->column_count];
	struct rows *rows = grid->rows;

	rows->columns[grid->column_count++] = shown;
	*column = (struct hp_grid_column){ .align = shown.what <= PROCESS ? HP_ALIGN_LEFT
									  : HP_ALIGN_RIGHT,
					   .rank = ranks[shown.what] };
	if (shown.what == PART)
		column->lesser = others_percent(&rows->all, shown.part);
	snprintf(column->header, sizeof(column->header), "%s", header);
	snprintf(column->key, sizeof(column->key), "%s", header);
}

static void add_columns(struct hp_grid *grid, const struct hp_bottleneck_pool *all)
{
	add_column(grid, (struct column){ .what = NAME }, what_rows_are(all));
	if (all->process_count > 1)
		add_column(grid, (struct column){ .what = PROCESS }, "Process");
	add_column(grid, (struct column){ .what = WALL }, "Wall");
	for (size_t i = 0; i < PARTS; i++)
		if (is_shown(&parts[i], grid->model, all))
			add_column(grid, (struct column){ PART, &parts[i] }, parts[i].header);
	add_column(grid, (struct column){ .what = VERDICT }, "Verdict");
}

static bool open_grid(const struct hp_section *section, struct hp_grid *grid,
		      const struct hp_model *model, const struct hp_report_options *options)
{
	static const struct hp_grid_kind kind = { write_cell, identity_of, function_of,
						  close_rows };
	struct rows *rows = calloc(1, sizeof(*rows));

	(void)section;
	*grid = (struct hp_grid){
		.kind = &kind, .model = model, .rows = rows, .sorted = -1, .keeps_order = true
	};
	if (!rows || !hp_bottlenecks_choose(&rows->all, model, options))
		return false;
	add_columns(grid, &rows->all);
	grid->row_count = rows->all.count;
	return true;
}

/* ---- the table ---- */

static void write_sentence(void *context, const char *sentence)
{
	struct hp_text *text = context;

	hp_text_put_printable(text, sentence);
	hp_text_puts(text, ".\n");
}

/* Whether CPU time is missing in all rows. */
static bool is_unsampled(const struct hp_bottleneck_pool *all)
{
	for (size_t i = 0; i < all->count; i++)
		if (!all->rows[i]->split.is_unsampled)
			return false;
	return true;
}

static void put_rows(const struct hp_section *section, const struct hp_grid *grid,
		     const struct hp_report_options *options, struct hp_text *text)
{
	const struct hp_bottleneck_pool *all = &((const struct rows *)grid->rows)->all;
	size_t shown = hp_section_limit(section, options, all->count);

	hp_section_title(section, options, shown, all->count, text);
	if (all->count == 0) {
		hp_section_no_match(section, options, text);
		return;
	}
	if (is_unsampled(all))
		hp_text_puts(text, "CPU time is not known: --cpu tells computing from other "
				   "waiting.\n");
	hp_grid_write(grid, shown, options, text);
	hp_bottlenecks_say(all, write_sentence, text);
}

static void write_table(const struct hp_section *section, const struct hp_model *model,
			const struct hp_report_options *options, struct hp_text *text)
{
	struct hp_grid grid;

	if (open_grid(section, &grid, model, options))
		put_rows(section, &grid, options, text);
	else
		text->failed = true;
	hp_grid_close(&grid);
}

/* In the console, the sentences are above the rows. */
static bool write_notes(const struct hp_section *section, const struct hp_model *model,
			const struct hp_report_options *options, struct hp_text *text)
{
	struct hp_bottleneck_pool all;

	(void)section;
	if (hp_bottlenecks_choose(&all, model, options))
		hp_bottlenecks_say(&all, write_sentence, text);
	else
		text->failed = true;
	hp_bottlenecks_free(&all);
	return true;
}

/* ---- JSON ---- */

static void put_name(struct hp_json *json, const struct hp_bottleneck *bottleneck)
{
	struct hp_text name = HP_TEXT_INIT;

	if (bottleneck->thread)
		hp_bottleneck_name(bottleneck, &name);
	hp_json_member_string(json, "name",
			      bottleneck->thread ? name.bytes : bottleneck->row.function->name);
	hp_json_member_known(json, "threads", bottleneck->threads, bottleneck->thread);
	hp_json_member_string(json, "process",
			      hp_file_name(hp_model_process(bottleneck->model).program));
	hp_json_member_known(json, "pid", bottleneck->model->pid,
			     bottleneck->model->processes <= 1);
	hp_text_free(&name);
}

/* Write what is waited for most. */
static void put_waits_for(struct hp_json *json, const struct hp_bottleneck *bottleneck)
{
	enum hp_waiting waiting = hp_split_largest_wait(&bottleneck->split);
	struct hp_waited_most most = hp_waited_most(&bottleneck->waited, waiting);
	bool is_idle = waiting == HP_WAITING_IDLE, is_lock = waiting == HP_WAITING_LOCK;

	hp_json_key(json, "waits_for");
	if (!bottleneck->split.waits[waiting]) {
		hp_json_null(json);
		return;
	}
	hp_json_begin_object(json);
	hp_json_member_string(json, "reason",
			      is_idle && most.target ? most.target
						     : hp_verdict_name(HP_VERDICT_LOCK +
								       (enum hp_verdict)waiting));
	hp_json_member_string(json, "target", is_idle ? most.detail : most.target);
	hp_json_member_string(json, "holder", is_lock ? most.detail : NULL);
	hp_json_member_string(json, "operation", is_idle || is_lock ? NULL : most.detail);
	hp_json_end_object(json);
}

static void put_waits(struct hp_json *json, const struct hp_bottleneck *bottleneck)
{
	static const struct {
		const char *key;
		enum hp_waiting waiting;
	} members[] = {
		{ "lock_ns", HP_WAITING_LOCK },	      { "disk_ns", HP_WAITING_DISK },
		{ "network_ns", HP_WAITING_NETWORK }, { "pipe_ns", HP_WAITING_PIPE },
		{ "idle_ns", HP_WAITING_IDLE },
	};
	const struct hp_split *split = &bottleneck->split;

	for (size_t i = 0; i < sizeof(members) / sizeof(*members); i++)
		hp_json_member_known(json, members[i].key, split->waits[members[i].waiting],
				     is_wait_known(bottleneck, members[i].waiting));
	hp_json_member_known(json, "unexplained_ns", split->unexplained_ns,
			     bottleneck->has_waits && is_known(bottleneck, REST));
	put_waits_for(json, bottleneck);
}

static void put_bottleneck(struct hp_json *json, const struct hp_bottleneck *bottleneck)
{
	const struct hp_split *split = &bottleneck->split;
	bool known = is_known(bottleneck, COMPUTING);
	uint64_t bytes = bottleneck->thread ? bottleneck->thread->allocated_bytes
					    : bottleneck->row.function->alloc.bytes;

	hp_json_begin_object(json);
	put_name(json, bottleneck);
	hp_json_member_u64(json, "wall_ns", split->wall_ns);
	hp_json_member_known(json, "cpu_ns", split->cpu_ns, known);
	hp_json_member_known(json, "system_ns", split->system_ns, known);
	hp_json_member_known(json, "queue_ns", split->queue_ns, known);
	hp_json_member_known(json, "wait_ns", split->wait_ns, split->verdict != HP_VERDICT_NONE);
	put_waits(json, bottleneck);
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
	struct hp_bottleneck_pool all;

	if (!hp_waited_is_known(model) &&
	    (model->cpu.source == HP_CPU_NONE || !hp_cpu_is_complete(&model->cpu))) {
		hp_json_null(json);
		return;
	}
	if (!hp_bottlenecks_choose(&all, model, options)) {
		hp_bottlenecks_free(&all);
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
		put_bottleneck(json, all.rows[i]);
	hp_json_end_array(json);
	hp_json_key(json, "summary");
	hp_json_begin_array(json);
	hp_bottlenecks_say(&all, put_summary, json);
	hp_json_end_array(json);
	hp_json_end_object(json);
	hp_bottlenecks_free(&all);
}

/* Whether the kernel's times of threads are known: not those of a program that was killed. */
static bool has_thread_times(const struct hp_model *model)
{
	for (size_t i = 0; i < model->threads.count; i++)
		if (model->threads.items[i].has_times)
			return true;
	return false;
}

static bool is_longer_than_a_sample(const struct hp_model *model)
{
	for (size_t i = 0; i < model->threads.count; i++)
		if (model->threads.items[i].recorded_ns >= model->cpu.period_ns)
			return true;
	return false;
}

/* Rows of threads need no sample: the kernel knows that they sleep. Shorter threads have only started and ended. */
static bool has_threads(const struct hp_model *model)
{
	return model->cpu.source != HP_CPU_NONE && hp_cpu_is_complete(&model->cpu) &&
	       !hp_model_has_calls(model) && has_thread_times(model) &&
	       is_longer_than_a_sample(model);
}

/* Without samples, computing would look like waiting; but for waits that were measured. */
static bool why_nothing(const struct hp_model *model, struct hp_text *text)
{
	if (hp_waited_is_known(model) || has_threads(model))
		return false;
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
	if (hp_cpu_has_samples(&model->cpu))
		return hp_cpu_is_complete(&model->cpu);
	if (has_threads(model))
		return true;
	return hp_waited_is_known(model) && (hp_model_has_calls(model) || has_thread_times(model));
}

static bool is_available(const struct hp_model *model)
{
	return hp_section_has_cpu(model) || hp_waited_is_known(model);
}

const struct hp_section hp_section_bottlenecks = {
	.name = "bottlenecks",
	.json_key = "bottlenecks",
	.order = 120,
	.sentence = "What functions spend their own time on.",
	.limited_as = &hp_kind_cpu,
	.is_automatic = is_automatic,
	.is_available = is_available,
	.pane = { "Functions", "Bottlenecks",
		  "What functions wait for is not known.\n\n"
		  "Start the program with 'hotpath run --cpu --waits PROGRAM'." },
	.open_grid = open_grid,
	.write_notes = write_notes,
	.write_table = write_table,
	.why_nothing = why_nothing,
	.write_json = write_json,
};
