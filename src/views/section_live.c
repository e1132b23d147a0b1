/* SPDX-License-Identifier: MIT */
/* What is special about the section "live": the totals above the rows, blocks of the C library itself, and stacks. */
#include "format.h"
#include "kind_rows.h"
#include "live_stacks.h"
#include "nothing.h"
#include "section.h"

/*
 * Blocks of the C library itself are not a leak: they are summed up in one line, unless all rows or some by name are
 * wanted.
 */
static bool is_apart(const struct hp_live *live, const struct hp_report_options *options)
{
	const struct hp_section *section = hp_section_find("live");

	return live->of_libc && !options->focus[0] && !options->in_console &&
	       hp_section_limit(section, options, SIZE_MAX) != SIZE_MAX;
}

/* A saved report also has call sites where nothing is left, because they had a peak. */
static bool has_row(const void *row, const struct hp_report_options *options, bool in_table)
{
	const struct hp_live *live = row;

	return (options->complete || hp_live_has_blocks(live)) &&
	       !(in_table && is_apart(live, options));
}

/* ---- notes ---- */

/* Blocks that are not among the rows, and whether there are rows. */
struct apart {
	uint64_t bytes;
	uint64_t blocks;
	bool has_rows;
};

static struct apart set_apart(const struct hp_memory *memory,
			      const struct hp_report_options *options)
{
	struct apart apart = { .bytes = 0 };
	struct hp_filter filter;

	hp_filter_open(&filter, options);
	for (size_t i = 0; i < memory->live_count; i++) {
		const struct hp_live *live = &memory->live[i];
		if (!has_row(live, options, false) || !hp_filter_passes(&filter, live->name))
			continue;
		if (!is_apart(live, options)) {
			apart.has_rows = true;
			continue;
		}
		apart.bytes += live->bytes;
		apart.blocks += live->blocks;
	}
	hp_filter_close(&filter);
	return apart;
}

static void put_blocks(uint64_t bytes, uint64_t blocks, struct hp_text *text)
{
	hp_text_printf(text, "%s in %s block%s", hp_format_bytes(bytes).text,
		       hp_format_count(blocks).text, blocks == 1 ? "" : "s");
}

static void put_total(const struct hp_memory *memory, const struct apart *apart,
		      struct hp_text *text)
{
	hp_text_puts(text, "Total: ");
	put_blocks(memory->live_bytes, memory->live_blocks, text);
	hp_text_printf(text, ", at most %s at once\n", hp_format_bytes(memory->peak_bytes).text);
	if (!apart->blocks)
		return;
	hp_text_puts(text, "Of that, the C library keeps ");
	put_blocks(apart->bytes, apart->blocks, text);
	hp_text_puts(text, " for itself; --live-limit 0 shows them.\n");
}

static bool write_notes(const struct hp_section *section, const struct hp_model *model,
			const struct hp_report_options *options, struct hp_text *text)
{
	const struct hp_memory *memory = &model->memory;
	struct apart apart = set_apart(memory, options);

	(void)section;
	put_total(memory, &apart, text);
	if (!memory->live_blocks)
		hp_text_puts(text, "All blocks were freed.\n");
	return memory->live_blocks && (apart.has_rows || memory->live_blocks > apart.blocks);
}

static void write_head(const struct hp_model *model, struct hp_json *json)
{
	hp_json_member_u64(json, "live_bytes", model->memory.live_bytes);
	hp_json_member_u64(json, "live_blocks", model->memory.live_blocks);
	hp_json_member_u64(json, "peak_bytes", model->memory.peak_bytes);
}

/* ---- stacks ---- */

static void *open_more(const struct hp_model *model, const struct hp_report_options *options,
		       struct hp_text *text)
{
	struct hp_live_stacks *stacks;

	if (!model->allocations.stack_count || !(options->stacks || options->complete))
		return NULL;
	stacks = hp_live_stacks_open(model);
	text->failed |= !stacks;
	return stacks;
}

static void write_more(const void *more, const struct hp_report_options *options, const void *row,
		       struct hp_json *json)
{
	hp_live_stacks_json(more, row, options->stacks ? (size_t)options->stacks : SIZE_MAX, json);
}

static void close_more(void *more)
{
	hp_live_stacks_close(more);
}

static void write_below(const struct hp_grid *grid, size_t shown,
			const struct hp_report_options *options, struct hp_text *text)
{
	const struct hp_kind_rows *rows = grid->rows;
	struct hp_live_stacks *stacks;

	if (!options->stacks || !grid->model->allocations.stack_count)
		return;
	stacks = hp_live_stacks_open(grid->model);
	text->failed |= !stacks;
	for (size_t i = 0; stacks && i < shown; i++)
		hp_live_stacks_write(stacks, rows->items[i].row, (size_t)options->stacks, text);
	hp_live_stacks_close(stacks);
}

/* ---- the section ---- */

static bool is_live(const struct hp_model *model)
{
	return model->memory.mode == HP_ALLOC_LIVE;
}

static bool is_automatic(const struct hp_model *model, const struct hp_report_options *options)
{
	(void)options;
	return is_live(model);
}

const struct hp_section hp_section_special_live = {
	.kind = &hp_kind_live,
	/* --focus names functions. */
	.noun = "function",
	.is_automatic = is_automatic,
	.is_available = is_live,
	.has_row = has_row,
	.write_notes = write_notes,
	.why_nothing = hp_nothing_followed,
	.is_recorded = is_live,
	.write_head = write_head,
	.open_more = open_more,
	.write_more = write_more,
	.close_more = close_more,
	.write_below = write_below,
};
