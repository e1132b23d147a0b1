/* SPDX-License-Identifier: MIT */
/* The source lines of samples, as a table, a listing with their text, or JSON. */
#include "lines_table.h"

#include "format.h"
#include "json_writer.h"
#include "kind_cell.h"
#include "lines_list.h"

#include <inttypes.h>
#include <string.h>

enum {
	ROWS_SHOWN = 20,
	/* A table that is narrower has no room for source texts; texts are cut there. */
	WIDTH_WITH_SOURCE = 120,
	SOURCE_WIDTH = 60,
};

static uint32_t most_shown(const struct hp_report_options *options)
{
	int limit = hp_report_limit(options, NULL);

	if (limit == HP_LIMIT_UNSET)
		return ROWS_SHOWN;
	return limit ? (uint32_t)limit : UINT32_MAX;
}

/* ---- the whole program ---- */

static void put_row(struct hp_table *table, struct hp_sampled_lines *lines,
		    const struct hp_cpu *cpu, const struct hp_sampled_line *line, bool with_source)
{
	double share = lines->samples ? (double)line->self * 100 / (double)lines->samples : 0;
	struct hp_text cell = HP_TEXT_INIT;

	hp_table_cell(table, hp_format_count(line->self).text, HP_PAINT_PLAIN);
	hp_table_cell(table, hp_format_duration(line->self * cpu->period_ns).text, HP_PAINT_PLAIN);
	hp_table_cell(table, hp_format_percent(share).text, hp_share_paint(share));
	hp_table_cell(table, hp_format_duration(line->samples * cpu->period_ns).text,
		      HP_PAINT_PLAIN);
	hp_line_put_place(lines, cpu, line, &cell);
	hp_table_text_cell(table, &cell, HP_PAINT_PLAIN);
	hp_line_put_function(lines, line, &cell);
	hp_table_text_cell(table, &cell, HP_PAINT_PLAIN);
	if (with_source) {
		const struct hp_source_text *source = hp_line_source(lines, cpu, line);
		hp_source_put_line(source, line->line, SOURCE_WIDTH, &cell);
		const char *begin = cell.length ? cell.bytes + strspn(cell.bytes, " ") : "";
		hp_table_cell(table, *begin ? begin : "-", HP_PAINT_PLAIN);
	}
	hp_text_free(&cell);
}

static void write_table(struct hp_sampled_lines *lines, const struct hp_cpu *cpu,
			const struct hp_report_options *options, struct hp_text *text)
{
	bool with_source = !options->width || options->width >= WIDTH_WITH_SOURCE;
	uint32_t most = most_shown(options), shown = 0;
	struct hp_table table;

	hp_text_printf(text, "Lines of the program, by samples; 100 %% is its %s of CPU time.\n",
		       hp_format_duration(lines->samples * cpu->period_ns).text);
	hp_table_init(&table, with_source ? 7 : 6);
	hp_table_head(&table, "Samples\0Self\0% Self\0Total\0Line\0Function\0Source", 0);
	for (size_t i = 4; i < table.columns; i++)
		table.align[i] = HP_ALIGN_LEFT;
	for (; shown < most && shown < lines->count && lines->items[shown].self; shown++)
		put_row(&table, lines, cpu, &lines->items[shown], with_source);
	hp_table_write(&table, options->width, options->colour, text);
	hp_table_free(&table);
}

/* ---- one function ---- */

static bool knows_lines(const struct hp_sampled_lines *lines)
{
	for (uint32_t i = 0; i < lines->count; i++)
		if (lines->items[i].line)
			return true;
	return false;
}

static void write_listing(struct hp_sampled_lines *lines, const struct hp_cpu *cpu,
			  const char *name, const struct hp_report_options *options,
			  struct hp_text *text)
{
	hp_text_puts(text, "Lines of ");
	hp_text_put_printable(text, name);
	hp_text_printf(text, ", by samples; 100 %% is its %s of CPU time",
		       hp_format_duration(lines->samples * cpu->period_ns).text);
	hp_text_printf(text, ", of which %s are its own",
		       hp_format_duration(lines->self * cpu->period_ns).text);
	if (lines->inlined)
		hp_text_printf(text, " and %s those of functions inlined in it",
			       hp_format_duration(lines->inlined * cpu->period_ns).text);
	hp_text_puts(text, ".\n");
	uint32_t more = hp_lines_list(lines, cpu, most_shown(options), options, text);
	if (more)
		hp_text_printf(text, "and %" PRIu32 " more; --limit 0 shows all\n", more);
	if (!knows_lines(lines))
		hp_text_puts(text, "Its lines are not known, because there is no debug information "
				   "(-g): these are its instructions.\n");
}

/* ---- JSON ---- */

static void put_source(struct hp_json *json, const struct hp_source_text *source, uint32_t line)
{
	struct hp_text text = HP_TEXT_INIT;

	if (hp_source_put_line(source, line, HP_OPTION_TEXT, &text))
		hp_json_member_string(json, "source", text.length ? text.bytes : "");
	hp_text_free(&text);
}

static void put_line(struct hp_json *json, struct hp_sampled_lines *lines, const struct hp_cpu *cpu,
		     const struct hp_sampled_line *line)
{
	const struct hp_code *code = &lines->functions.items[line->function];
	bool inlined = line->around != HP_INDEX_NONE;

	hp_json_begin_object(json);
	hp_json_member_string(json, "function", code->name);
	if (inlined)
		hp_json_member_string(json, "inlined_in",
				      lines->functions.items[line->around].name);
	hp_json_member_string(json, "module",
			      code->module < 0 ? NULL : cpu->modules[code->module].path);
	hp_json_member_string(json, "file", line->line ? code->file : NULL);
	hp_json_member_known(json, "line", line->line, line->line != 0);
	if (line->address)
		hp_json_member_u64(json, "address", line->address);
	if (line->address && line->begin)
		hp_json_member_u64(json, "offset", line->address - line->begin);
	hp_json_member_u64(json, "samples", line->self);
	hp_json_member_u64(json, "inclusive_samples", line->samples);
	put_source(json, hp_line_source(lines, cpu, line), line->line);
	hp_json_end_object(json);
}

static void write_json(struct hp_sampled_lines *lines, const struct hp_cpu *cpu, const char *name,
		       bool pretty, struct hp_text *text)
{
	struct hp_json json = hp_json_start(text, pretty);

	hp_json_begin_object(&json);
	hp_json_member_string(&json, "type", "hotpath_lines");
	hp_json_member_u64(&json, "schema", 1);
	hp_json_member_string(&json, "name", name);
	hp_json_member_u64(&json, "samples", lines->self);
	hp_json_member_u64(&json, "inclusive_samples", lines->samples);
	hp_json_member_u64(&json, "period_ns", cpu->period_ns);
	hp_json_key(&json, "lines");
	hp_json_begin_array(&json);
	for (uint32_t i = 0; i < lines->count; i++)
		put_line(&json, lines, cpu, &lines->items[i]);
	hp_json_end_array(&json);
	hp_json_end_object(&json);
	hp_text_putc(text, '\n');
}

void hp_lines_write(struct hp_sampled_lines *lines, const struct hp_cpu *cpu, const char *name,
		    const struct hp_report_options *options, struct hp_text *text)
{
	if (options->format == HP_FORMAT_NONE)
		return;
	if (options->format != HP_FORMAT_TABLE)
		write_json(lines, cpu, name, options->format == HP_FORMAT_JSON_PRETTY, text);
	else if (name)
		write_listing(lines, cpu, name, options, text);
	else
		write_table(lines, cpu, options, text);
}
