/* SPDX-License-Identifier: MIT */
/* The section "live": blocks that are still allocated, by call site. */
#include "format.h"
#include "nothing.h"
#include "section.h"
#include "table.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct places {
	struct hp_live *items;
	size_t count;
	/* Blocks of the C library itself that were removed from the items. */
	uint64_t libc_bytes;
	uint64_t libc_blocks;
};

/* The largest first; of the same size, in the order of names. */
static int by_size(const void *left, const void *right)
{
	const struct hp_live *a = left, *b = right;
	int order = (a->bytes < b->bytes) - (a->bytes > b->bytes);

	if (order == 0)
		order = (a->blocks < b->blocks) - (a->blocks > b->blocks);
	if (order == 0)
		order = strcmp(a->name, b->name);
	return order ? order
		     : strcmp(a->location ? a->location : "", b->location ? b->location : "");
}

/* A saved report also has call sites where nothing is left, because they had a peak. */
static bool select_places(const struct hp_memory *memory, const struct hp_report_options *options,
			  struct places *places)
{
	struct hp_filter filter;

	*places = (struct places){ calloc(memory->live_count + 1, sizeof(*places->items)), 0 };
	hp_filter_open(&filter, options);
	for (size_t i = 0; places->items && i < memory->live_count; i++) {
		const struct hp_live *live = &memory->live[i];
		if ((options->complete || live->bytes || live->blocks) &&
		    hp_filter_passes(&filter, live->name))
			places->items[places->count++] = *live;
	}
	if (places->count)
		qsort(places->items, places->count, sizeof(*places->items), by_size);
	hp_filter_close(&filter);
	return places->items;
}

/*
 * Blocks of the C library itself are not a leak: sum them up in one line, unless all rows or some by name are wanted.
 */
static void set_libc_apart(struct places *places, const struct hp_report_options *options)
{
	bool all = hp_section_limit(&hp_section_live, options, SIZE_MAX) == SIZE_MAX;
	size_t kept = 0;

	if (all || options->focus[0])
		return;
	for (size_t i = 0; i < places->count; i++) {
		const struct hp_live *live = &places->items[i];
		if (!live->of_libc) {
			places->items[kept++] = *live;
			continue;
		}
		places->libc_bytes += live->bytes;
		places->libc_blocks += live->blocks;
	}
	places->count = kept;
}

/* Without the folder of a source file: "work.c:33". After an address there may be other slashes. */
static const char *short_location(const struct hp_live *live)
{
	const char *location = live->location ? live->location : "-";
	const char *slash = strstr(location, " (") ? NULL : strrchr(location, '/');

	return slash ? slash + 1 : location;
}

static void add_row(struct hp_table *table, const struct hp_live *live)
{
	hp_table_cell(table, live->name, HP_PAINT_PLAIN);
	hp_table_cell(table, short_location(live), HP_PAINT_PLAIN);
	hp_table_cell(table, hp_format_bytes(live->bytes).text, HP_PAINT_PLAIN);
	hp_table_cell(table, hp_format_count(live->blocks).text, HP_PAINT_PLAIN);
	hp_table_cell(table, hp_format_bytes(live->peak_bytes).text, HP_PAINT_PLAIN);
}

static void write_rows(const struct places *places, size_t shown,
		       const struct hp_report_options *options, struct hp_text *text)
{
	struct hp_table table;

	hp_table_init(&table, 5);
	hp_table_head(&table, "Function\0Location\0Bytes\0Blocks\0Peak", 2);
	for (size_t i = 0; i < shown; i++)
		add_row(&table, &places->items[i]);
	hp_table_write(&table, options->width, options->colour, text);
	hp_table_free(&table);
}

static void put_blocks(uint64_t bytes, uint64_t blocks, struct hp_text *text)
{
	hp_text_printf(text, "%s in %s block%s", hp_format_bytes(bytes).text,
		       hp_format_count(blocks).text, blocks == 1 ? "" : "s");
}

static void put_total(const struct hp_memory *memory, const struct places *places,
		      struct hp_text *text)
{
	hp_text_puts(text, "Total: ");
	put_blocks(memory->live_bytes, memory->live_blocks, text);
	hp_text_printf(text, ", at most %s at once\n", hp_format_bytes(memory->peak_bytes).text);
	if (!places->libc_blocks)
		return;
	hp_text_puts(text, "Of that, the C library keeps ");
	put_blocks(places->libc_bytes, places->libc_blocks, text);
	hp_text_puts(text, " for itself; --live-limit 0 shows them.\n");
}

static void write_table(const struct hp_model *model, const struct hp_report_options *options,
			struct hp_text *text)
{
	struct places places;
	if (!select_places(&model->memory, options, &places)) {
		text->failed = true;
		return;
	}

	set_libc_apart(&places, options);
	size_t shown = hp_section_limit(&hp_section_live, options, places.count);
	hp_section_title(&hp_section_live, options, shown, places.count, text);
	put_total(&model->memory, &places, text);
	if (!model->memory.live_blocks)
		hp_text_puts(text, "All blocks were freed.\n");
	else if (places.count)
		write_rows(&places, shown, options, text);
	else if (model->memory.live_blocks > places.libc_blocks)
		hp_section_no_match(&hp_section_live, options, text);
	free(places.items);
}

static void put_live(struct hp_json *json, const struct hp_live *live)
{
	hp_json_begin_object(json);
	hp_json_key(json, "name");
	hp_json_string(json, live->name);
	hp_json_key(json, "location");
	hp_json_string(json, live->location);
	hp_json_member_u64(json, "bytes", live->bytes);
	hp_json_member_u64(json, "blocks", live->blocks);
	hp_json_member_u64(json, "peak_bytes", live->peak_bytes);
	hp_json_member_bool(json, "libc", live->of_libc);
	hp_json_end_object(json);
}

static void write_json(const struct hp_model *model, const struct hp_report_options *options,
		       struct hp_json *json)
{
	const struct hp_memory *memory = &model->memory;
	struct places places;
	if (memory->mode != HP_ALLOC_LIVE) {
		hp_json_null(json);
		return;
	}
	if (!select_places(memory, options, &places))
		json->text->failed = true;

	size_t shown = hp_section_limit(&hp_section_live, options, places.count);
	hp_json_begin_object(json);
	hp_json_member_u64(json, "live_bytes", memory->live_bytes);
	hp_json_member_u64(json, "live_blocks", memory->live_blocks);
	hp_json_member_u64(json, "peak_bytes", memory->peak_bytes);
	hp_json_member_u64(json, "total_count", places.count);
	hp_json_member_u64(json, "included_count", shown);
	hp_json_key(json, "data");
	hp_json_begin_array(json);
	for (size_t i = 0; i < shown; i++)
		put_live(json, &places.items[i]);
	hp_json_end_array(json);
	hp_json_end_object(json);
	free(places.items);
}

static const char *describe(const struct hp_report_options *options)
{
	(void)options;
	return "Blocks that are still allocated.";
}

static bool is_live(const struct hp_model *model)
{
	return model->memory.mode == HP_ALLOC_LIVE;
}

static bool is_automatic(const struct hp_model *model, const struct hp_report_options *options)
{
	(void)options;
	return is_live(model);
}

const struct hp_section hp_section_live = {
	.name = "live",
	.aliases = "memory-live",
	.json_key = "memory_live",
	.order = 50,
	.describe = describe,
	.default_limit = HP_LIMIT_DEFAULT,
	.limit = HP_LIMIT_LIVE,
	.is_automatic = is_automatic,
	.is_available = is_live,
	.write_table = write_table,
	.why_nothing = hp_nothing_followed,
	.write_json = write_json,
};
