/* SPDX-License-Identifier: MIT */
/* Callers and callees of a function, by samples: as a table or JSON. */
#include "sampled_table.h"

#include "allocated_table.h"
#include "format.h"
#include "json_writer.h"
#include "kind_cell.h"

#include <errno.h>
#include <string.h>

enum { COLUMNS = 4 };

/* ---- a table ---- */

static void put_row(struct hp_table *table, const struct hp_sampled *of,
		    const struct hp_sampled_row *row, uint64_t period_ns)
{
	double share = of->samples ? (double)row->samples * 100 / (double)of->samples : 0;

	hp_table_cell(table, hp_format_duration(row->samples * period_ns).text, HP_PAINT_PLAIN);
	hp_table_cell(table, hp_format_duration(row->self * period_ns).text, HP_PAINT_PLAIN);
	hp_table_cell(table, hp_format_percent(share).text, hp_share_paint(share));
	hp_table_cell(table, row->name, HP_PAINT_PLAIN);
}

void hp_sampled_table(const struct hp_sampled *of, const struct hp_sampled_rows *rows, size_t shown,
		      const char *header, uint64_t period_ns,
		      const struct hp_report_options *options, struct hp_text *text)
{
	const char *const headers[COLUMNS] = { "CPU time", "Self", "% Total", header };
	struct hp_table table;

	hp_table_init(&table, COLUMNS);
	table.align[COLUMNS - 1] = HP_ALIGN_LEFT;
	for (size_t i = 0; i < COLUMNS; i++)
		hp_table_cell(&table, headers[i], HP_PAINT_BOLD);
	for (size_t i = 0; i < shown && i < rows->count; i++)
		put_row(&table, of, &rows->items[i], period_ns);
	hp_table_write(&table, options->width, options->colour, text);
	hp_table_free(&table);
}

static void write_table(const struct hp_sampled *of, enum hp_direction direction, const char *name,
			uint64_t period_ns, const struct hp_report_options *options,
			struct hp_text *text)
{
	const struct hp_sampled_rows *rows = direction == HP_CALLERS ? &of->callers : &of->callees;

	hp_text_puts(text, direction == HP_CALLERS ? "Callers of " : "Callees of ");
	hp_text_put_printable(text, name);
	hp_text_printf(text, ", by samples; 100 %% is its %s of CPU time",
		       hp_format_duration(of->samples * period_ns).text);
	hp_text_printf(text, ", of which %s are its own.\n",
		       hp_format_duration(of->self * period_ns).text);
	if (rows->count)
		hp_sampled_table(of, rows, rows->count, "Function", period_ns, options, text);
	else
		hp_text_puts(text, "No sample was taken in a function that it calls.\n");
}

/* ---- JSON ---- */

static void put_rows(struct hp_json *json, const struct hp_sampled_rows *rows)
{
	hp_json_begin_array(json);
	for (size_t i = 0; i < rows->count; i++) {
		hp_json_begin_object(json);
		hp_json_member_string(json, "name", rows->items[i].name);
		hp_json_member_string(json, "module", rows->items[i].module);
		hp_json_member_u64(json, "samples", rows->items[i].self);
		hp_json_member_u64(json, "inclusive_samples", rows->items[i].samples);
		hp_json_end_object(json);
	}
	hp_json_end_array(json);
}

static void write_json(const struct hp_sampled *of, const struct hp_model *model,
		       enum hp_direction direction, const char *name, bool pretty,
		       struct hp_text *text)
{
	bool callers = direction == HP_CALLERS;
	struct hp_json json = hp_json_start(text, pretty);

	hp_json_begin_object(&json);
	hp_json_member_string(&json, "type", callers ? "hotpath_callers" : "hotpath_callees");
	hp_json_member_u64(&json, "schema", 1);
	hp_json_member_string(&json, "name", name);
	hp_json_member_u64(&json, "samples", of->self);
	hp_json_member_u64(&json, "inclusive_samples", of->samples);
	hp_json_member_u64(&json, "period_ns", model->cpu.period_ns);
	hp_json_key(&json, callers ? "callers" : "callees");
	put_rows(&json, callers ? &of->callers : &of->callees);
	hp_allocated_member(&json, model, direction, name);
	hp_json_end_object(&json);
	hp_text_putc(text, '\n');
}

int hp_sampled_write(const struct hp_model *model, enum hp_direction direction, const char *name,
		     const struct hp_report_options *options, struct hp_text *text)
{
	uint64_t period_ns = model->cpu.period_ns;
	struct hp_sampled of = { .samples = 0 };
	struct hp_native native;
	int problem = -ENOMEM;

	if (hp_native_read(&native, &model->cpu))
		problem = hp_sampled_read(&of, &model->cpu, &native, name, NULL);
	text->failed |= problem == -ENOMEM;
	if (!problem && options->format == HP_FORMAT_TABLE)
		write_table(&of, direction, name, period_ns, options, text);
	else if (!problem && options->format != HP_FORMAT_NONE)
		write_json(&of, model, direction, name, options->format == HP_FORMAT_JSON_PRETTY,
			   text);
	hp_sampled_free(&of);
	hp_native_free(&native);
	return problem == -ENOENT ? -ENOENT : 0;
}
