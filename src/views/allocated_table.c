/* SPDX-License-Identifier: MIT */
/* Callers and callees of a function by what was allocated in it: as a table or JSON. */
#include "allocated_table.h"

#include "cpu/sampled.h"
#include "format.h"
#include "kind_cell.h"
#include "table.h"

#include <errno.h>

enum { COLUMNS = 5 };

/* A function in the stacks of allocations. */
struct allocated {
	struct hp_native native;
	struct hp_sampled of;
};

/* Returns 0, -ENOENT or -ENOMEM. Either way, it is to be closed. */
static int open_function(struct allocated *function, const struct hp_model *model, const char *name)
{
	*function = (struct allocated){ .of = { .samples = 0 } };
	if (!hp_native_read(&function->native, &model->allocations))
		return -ENOMEM;
	return hp_sampled_read(&function->of, &model->allocations, &function->native, name, NULL);
}

static void close_function(struct allocated *function)
{
	hp_sampled_free(&function->of);
	hp_native_free(&function->native);
}

static const struct hp_sampled_rows *rows_of(const struct allocated *function,
					     enum hp_direction direction)
{
	return direction == HP_CALLERS ? &function->of.callers : &function->of.callees;
}

/* ---- a table ---- */

static void put_row(struct hp_table *table, const struct hp_sampled_row *row, uint64_t whole)
{
	const struct hp_stack_memory *memory = &row->memory;
	double share = whole ? (double)memory->bytes * 100 / (double)whole : 0;

	hp_table_cell(table, hp_format_bytes(memory->bytes).text, HP_PAINT_PLAIN);
	hp_table_cell(table, hp_format_count(memory->blocks).text, HP_PAINT_PLAIN);
	hp_table_cell(table, hp_format_bytes(memory->live_bytes).text, HP_PAINT_PLAIN);
	hp_table_cell(table, hp_format_percent(share).text, hp_share_paint(share));
	hp_table_cell(table, row->name, HP_PAINT_PLAIN);
}

static void put_rows(const struct hp_sampled_rows *rows, uint64_t whole,
		     const struct hp_report_options *options, struct hp_text *text)
{
	static const char *const headers[COLUMNS] = { "Bytes", "Blocks", "Live", "% Total",
						      "Function" };
	struct hp_table table;

	hp_table_init(&table, COLUMNS);
	table.align[COLUMNS - 1] = HP_ALIGN_LEFT;
	for (size_t i = 0; i < COLUMNS; i++)
		hp_table_cell(&table, headers[i], HP_PAINT_BOLD);
	for (size_t i = 0; i < rows->count; i++)
		put_row(&table, &rows->items[i], whole);
	hp_table_write(&table, options->width, options->colour, text);
	hp_table_free(&table);
}

static void write_table(const struct allocated *function, enum hp_direction direction,
			const char *name, const struct hp_report_options *options,
			struct hp_text *text)
{
	const struct hp_stack_memory *memory = &function->of.memory;
	const struct hp_sampled_rows *rows = rows_of(function, direction);

	hp_text_puts(text, direction == HP_CALLERS ? "Callers of " : "Callees of ");
	hp_text_put_printable(text, name);
	hp_text_printf(text, ", by allocations; 100 %% is its %s",
		       hp_format_bytes(memory->bytes).text);
	hp_text_printf(text, " in %s block%s, of which ", hp_format_count(memory->blocks).text,
		       memory->blocks == 1 ? "" : "s");
	hp_text_printf(text, "%s are live.\n", hp_format_bytes(memory->live_bytes).text);
	if (rows->count)
		put_rows(rows, memory->bytes, options, text);
	else
		hp_text_puts(text, "It calls the allocator itself.\n");
}

/* ---- JSON ---- */

static void put_memory(struct hp_json *json, const struct hp_stack_memory *memory)
{
	hp_json_member_u64(json, "bytes", memory->bytes);
	hp_json_member_u64(json, "blocks", memory->blocks);
	hp_json_member_u64(json, "live_bytes", memory->live_bytes);
	hp_json_member_u64(json, "live_blocks", memory->live_blocks);
}

static void put_members(struct hp_json *json, const struct allocated *function,
			enum hp_direction direction)
{
	const struct hp_sampled_rows *rows = rows_of(function, direction);

	hp_json_key(json, "allocations");
	hp_json_begin_object(json);
	put_memory(json, &function->of.memory);
	hp_json_key(json, direction == HP_CALLERS ? "callers" : "callees");
	hp_json_begin_array(json);
	for (size_t i = 0; i < rows->count; i++) {
		hp_json_begin_object(json);
		hp_json_member_string(json, "name", rows->items[i].name);
		hp_json_member_string(json, "module", rows->items[i].module);
		put_memory(json, &rows->items[i].memory);
		hp_json_end_object(json);
	}
	hp_json_end_array(json);
	hp_json_end_object(json);
}

void hp_allocated_member(struct hp_json *json, const struct hp_model *model,
			 enum hp_direction direction, const char *name)
{
	struct allocated function;
	int problem = open_function(&function, model, name);

	json->text->failed |= problem == -ENOMEM;
	if (!problem)
		put_members(json, &function, direction);
	close_function(&function);
}

static void write_json(const struct allocated *function, enum hp_direction direction,
		       const char *name, bool pretty, struct hp_text *text)
{
	struct hp_json json = hp_json_start(text, pretty);

	hp_json_begin_object(&json);
	hp_json_member_string(&json, "type",
			      direction == HP_CALLERS ? "hotpath_callers" : "hotpath_callees");
	hp_json_member_u64(&json, "schema", 1);
	hp_json_member_string(&json, "name", name);
	put_members(&json, function, direction);
	hp_json_end_object(&json);
	hp_text_putc(text, '\n');
}

int hp_allocated_write(const struct hp_model *model, enum hp_direction direction, const char *name,
		       bool alone, const struct hp_report_options *options, struct hp_text *text)
{
	struct allocated function;
	int problem = open_function(&function, model, name);

	text->failed |= problem == -ENOMEM;
	if (!problem && options->format == HP_FORMAT_TABLE) {
		hp_text_puts(text, alone ? "" : "\n");
		write_table(&function, direction, name, options, text);
	} else if (!problem && alone && options->format != HP_FORMAT_NONE) {
		write_json(&function, direction, name, options->format == HP_FORMAT_JSON_PRETTY,
			   text);
	}
	close_function(&function);
	return problem == -ENOENT ? -ENOENT : 0;
}
