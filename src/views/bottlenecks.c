/* SPDX-License-Identifier: MIT */
/* The section "bottlenecks": whether functions or threads compute, queue for a processor, allocate, or wait, and for what. */
#include "bottleneck_text.h"
#include "format.h"
#include "nothing.h"
#include "section.h"
#include "table.h"

#include <stddef.h>
#include <string.h>

static double percent_of(const struct hp_split *split, uint64_t part)
{
	return split->wall_ns ? (double)part * 100 / (double)split->wall_ns : 0;
}

/* ---- columns ---- */

/* What a part of the time is a part of. */
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
};

#define AT(member) offsetof(struct hp_split, member)

static const struct part parts[] = {
	{ "CPU", AT(cpu_ns), COMPUTING },
	{ "Kernel", AT(system_ns), COMPUTING },
	{ "Queue", AT(queue_ns), COMPUTING },
	{ "Wait", AT(wait_ns), WAITING },
	{ "Lock", AT(waits[HP_WAITING_LOCK]), WAITS },
	{ "Disk", AT(waits[HP_WAITING_DISK]), WAITS },
	{ "Network", AT(waits[HP_WAITING_NETWORK]), WAITS },
	{ "Pipe", AT(waits[HP_WAITING_PIPE]), WAITS },
	{ "Idle", AT(waits[HP_WAITING_IDLE]), WAITS },
	{ "Other", AT(unexplained_ns), REST },
	{ "Alloc", AT(alloc_ns), ALLOCATING },
};

enum { PARTS = sizeof(parts) / sizeof(*parts) };

static uint64_t value_of(const struct hp_split *split, const struct part *part)
{
	uint64_t value;

	memcpy(&value, (const char *)split + part->at, sizeof(value));
	return value;
}

/* A measured wait is known whatever else is. If CPU time is not known, the rest contains it. */
static bool is_known(const struct hp_bottleneck *bottleneck, enum side side)
{
	const struct hp_split *split = &bottleneck->split;
	bool decided = split->verdict != HP_VERDICT_NONE;

	if (side == WAITS)
		return bottleneck->has_waits;
	if (side == REST)
		return decided || split->is_unsampled;
	return decided && !split->is_unsampled;
}

static void put_share(struct hp_table *table, const struct hp_bottleneck *bottleneck,
		      const struct part *part)
{
	double percent = percent_of(&bottleneck->split, value_of(&bottleneck->split, part));

	if (!is_known(bottleneck, part->side))
		hp_table_cell(table, "-", HP_PAINT_PLAIN);
	else
		hp_table_cell(table, hp_format_percent(percent).text, hp_share_paint(percent));
}

/* Whether some row has at least a hundredth of its time in it. */
static bool is_anywhere(const struct hp_bottlenecks *all, const struct part *part)
{
	for (size_t i = 0; i < all->count; i++)
		if (value_of(&all->items[i].split, part) > all->items[i].split.wall_ns / 100)
			return true;
	return false;
}

static bool has_waits(const struct hp_bottlenecks *all)
{
	for (size_t i = 0; i < all->count; i++)
		if (all->items[i].has_waits)
			return true;
	return false;
}

static bool is_shown(const struct part *part, const struct hp_model *model,
		     const struct hp_bottlenecks *all)
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

/* ---- the table ---- */

static void fill_row(struct hp_table *table, const struct hp_model *model,
		     const struct hp_bottleneck *bottleneck, const bool shown[PARTS])
{
	const struct hp_split *split = &bottleneck->split;
	const char *verdict = hp_verdict_name(split->verdict);
	struct hp_text cell = HP_TEXT_INIT;

	hp_bottleneck_name(bottleneck, model, &cell);
	hp_table_text_cell(table, &cell, HP_PAINT_PLAIN);
	hp_table_cell(table, hp_format_duration(split->wall_ns).text, HP_PAINT_PLAIN);
	for (size_t i = 0; i < PARTS; i++)
		if (shown[i])
			put_share(table, bottleneck, &parts[i]);
	hp_text_puts(&cell, verdict ? verdict : "-");
	if (verdict && split->confidence == HP_CONFIDENCE_LOW)
		hp_text_puts(&cell, " (few samples)");
	hp_table_text_cell(table, &cell, HP_PAINT_BOLD);
	hp_text_free(&cell);
}

static void put_header(struct hp_text *headers, const char *name, unsigned *count)
{
	hp_text_puts(headers, name);
	hp_text_putc(headers, '\0');
	++*count;
}

/* Write the headers, each followed by a NUL. Returns how many. */
static unsigned put_headers(struct hp_text *headers, const struct hp_bottlenecks *all,
			    const bool shown[PARTS])
{
	unsigned count = 0;

	put_header(headers, all->count && all->items[0].thread ? "Thread" : "Function", &count);
	put_header(headers, "Wall", &count);
	for (size_t i = 0; i < PARTS; i++)
		if (shown[i])
			put_header(headers, parts[i].header, &count);
	put_header(headers, "Verdict", &count);
	return count;
}

static void draw(const struct hp_model *model, const struct hp_bottlenecks *all, size_t rows,
		 const struct hp_report_options *options, struct hp_text *text)
{
	struct hp_text headers = HP_TEXT_INIT;
	struct hp_table table;
	bool shown[PARTS];

	for (size_t i = 0; i < PARTS; i++)
		shown[i] = is_shown(&parts[i], model, all);
	unsigned count = put_headers(&headers, all, shown);

	if (headers.failed) {
		text->failed = true;
	} else {
		hp_table_init(&table, count);
		hp_table_head(&table, headers.bytes, 1);
		for (size_t i = 0; i < rows; i++)
			fill_row(&table, model, &all->items[i], shown);
		hp_table_write(&table, options->width, options->colour, text);
		hp_table_free(&table);
	}
	hp_text_free(&headers);
}

static void write_sentence(void *context, const char *sentence)
{
	struct hp_text *text = context;

	hp_text_put_printable(text, sentence);
	hp_text_puts(text, ".\n");
}

/* Whether CPU time is missing in all rows. */
static bool is_unsampled(const struct hp_bottlenecks *all)
{
	for (size_t i = 0; i < all->count; i++)
		if (!all->items[i].split.is_unsampled)
			return false;
	return true;
}

static void write_table(const struct hp_section *section, const struct hp_model *model,
			const struct hp_report_options *options, struct hp_text *text)
{
	struct hp_bottlenecks all;

	if (!hp_bottlenecks_choose(&all, model, options)) {
		hp_bottlenecks_free(&all);
		text->failed = true;
		return;
	}
	size_t shown = hp_section_limit(section, options, all.count);
	hp_section_title(section, options, shown, all.count, text);
	if (all.count == 0) {
		hp_section_no_match(section, options, text);
	} else {
		if (is_unsampled(&all))
			hp_text_puts(text,
				     "CPU time is not known: --cpu tells computing from other "
				     "waiting.\n");
		draw(model, &all, shown, options, text);
		hp_bottlenecks_say(model, &all, write_sentence, text);
	}
	hp_bottlenecks_free(&all);
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

/* Of the waits, what is waited for most. */
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
				     is_known(bottleneck, WAITS));
	hp_json_member_known(json, "unexplained_ns", split->unexplained_ns,
			     bottleneck->has_waits && is_known(bottleneck, REST));
	put_waits_for(json, bottleneck);
}

static void put_bottleneck(struct hp_json *json, const struct hp_model *model,
			   const struct hp_bottleneck *bottleneck)
{
	const struct hp_split *split = &bottleneck->split;
	bool known = is_known(bottleneck, COMPUTING);
	uint64_t bytes = bottleneck->thread ? bottleneck->thread->allocated_bytes
					    : bottleneck->row.function->alloc.bytes;

	hp_json_begin_object(json);
	put_name(json, model, bottleneck);
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
	struct hp_bottlenecks all;

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
		put_bottleneck(json, model, &all.items[i]);
	hp_json_end_array(json);
	hp_json_key(json, "summary");
	hp_json_begin_array(json);
	hp_bottlenecks_say(model, &all, put_summary, json);
	hp_json_end_array(json);
	hp_json_end_object(json);
	hp_bottlenecks_free(&all);
}

/* Without samples, computing would look like waiting; but for waits that were measured. */
static bool why_nothing(const struct hp_model *model, struct hp_text *text)
{
	if (hp_waited_is_known(model))
		return false;
	if (hp_nothing_sampled(model, text))
		return true;
	if (hp_cpu_is_complete(&model->cpu))
		return false;
	hp_text_puts(text, "Unknown: sampling ended early.");
	return true;
}

/* Of a program that was killed, the kernel's times of threads are not known. */
static bool has_thread_times(const struct hp_model *model)
{
	for (size_t i = 0; i < model->threads.count; i++)
		if (model->threads.items[i].has_times)
			return true;
	return false;
}

static bool is_automatic(const struct hp_model *model, const struct hp_report_options *options)
{
	(void)options;
	if (hp_cpu_has_samples(&model->cpu))
		return hp_cpu_is_complete(&model->cpu);
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
	.write_table = write_table,
	.why_nothing = why_nothing,
	.write_json = write_json,
};
