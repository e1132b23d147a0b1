/* SPDX-License-Identifier: MIT */
/*
 * A comparison on a terminal.
 *
 *	hotpath compare: 1 slower, 9 same; counts: 1 more	summary
 *	10 runs each; times within ±5 % count as the same
 *
 *	whole program  1.20 s → 1.35 s (+12.4 %, …) slower
 *
 *	timing - functions: 2 of 12 changed			a section
 *	+----------+---------+------------ …
 *
 *	~ differs between runs of one side			legend,
 *	note: the machines differ: …				notes,
 *	FAILED: parse is slower					result
 */
#include "arithmetic.h"
#include "cell_text.h"
#include "compare_write.h"
#include "row_text.h"
#include "summary.h"

#include <ctype.h>
#include <string.h>

enum {
	/** Maximum rows of a section: those that changed, and others only if the former are few. */
	CHANGED_MAX = 40,
	ROWS_MAX = 15,
	/** The worst is first. */
	FAILURES_MAX = 20,
	/** Width reserved for names, if they are that long; longer ones are shortened. */
	NAME_ROOM = 18,
};

struct writer {
	const struct hp_comparison *comparison;
	const struct hp_compare_style *style;
	struct hp_text *text;
	/** Used again for each cell. */
	struct hp_text cell;
	struct hp_legend legend;
};

/* Add what was written to the cell, in a colour; the cell is empty afterwards. */
static void put_painted(struct writer *writer, enum hp_paint paint)
{
	if (writer->cell.length)
		hp_paint(writer->text, writer->cell.bytes, paint, writer->style->colour);
	writer->cell.length = 0;
}

static void put_head(struct writer *writer)
{
	hp_text_puts(&writer->cell, "hotpath compare");
	if (writer->style->id) {
		hp_text_putc(&writer->cell, ' ');
		hp_text_put_printable(&writer->cell, writer->style->id);
	}
	hp_text_puts(&writer->cell, ": ");
	hp_compare_put_summary(writer->comparison, &writer->cell);
	put_painted(writer, HP_PAINT_BOLD);
	hp_text_putc(writer->text, '\n');
	hp_compare_put_runs(writer->comparison, writer->text);
	hp_text_putc(writer->text, '\n');
}

/* ---- the whole program ---- */

static void put_program_figure(struct writer *writer, const struct hp_compared_section *section,
			       size_t column)
{
	const struct hp_compared_row *row = &section->rows[0];
	const struct hp_compared_cell *cell = &row->cells[column];
	bool decides = section->columns[column].metric->decides;

	enum hp_paint paint = hp_compare_put_cell(section, row, column, &writer->cell);
	if (decides && hp_compare_has_interval(&cell->ratio)) {
		hp_text_puts(&writer->cell, ", between ");
		hp_compare_put_interval(&cell->ratio, &writer->cell);
	}
	if (cell->judged != HP_JUDGED_NOT)
		hp_text_printf(&writer->cell, ": %s", hp_judged_name(cell->judged));
	if (decides && cell->judged == HP_JUDGED_UNCLEAR)
		paint = HP_PAINT_WARM;
	put_painted(writer, paint);
	hp_text_putc(writer->text, '\n');
}

/* Write the elapsed time, and whatever else changed. */
static void put_program(struct writer *writer)
{
	if (!hp_compare_program(writer->comparison))
		return;
	const struct hp_compared_section *section = &writer->comparison->sections[0];
	size_t deciding = hp_compare_deciding(section);

	hp_text_putc(writer->text, '\n');
	if (deciding != HP_NO_COLUMN) {
		hp_paint(writer->text, "whole program", HP_PAINT_TITLE, writer->style->colour);
		hp_text_puts(writer->text, "  ");
		put_program_figure(writer, section, deciding);
	}
	for (size_t i = 0; i < section->column_count; i++) {
		if (i == deciding || section->rows[0].cells[i].judged < HP_JUDGED_FASTER)
			continue;
		hp_text_printf(writer->text, "  %s  ", section->columns[i].header);
		put_program_figure(writer, section, i);
	}
}

/* ---- sections ---- */

/* Rows that did not change, and are not too small to matter. */
static size_t count_others(const struct hp_compared_section *section, size_t from,
			   enum hp_judged judged)
{
	size_t count = 0;

	for (size_t i = from; i < section->row_count; i++)
		if (!section->rows[i].has_changed && !section->rows[i].is_minor)
			count += judged == HP_JUDGED_NOT || section->rows[i].judged == judged;
	return count;
}

static struct hp_shown_rows choose_rows(const struct hp_compared_section *section)
{
	struct hp_shown_rows rows = hp_compare_changed(section);
	size_t others = count_others(section, 0, HP_JUDGED_NOT);

	if (rows.count >= ROWS_MAX)
		rows.count = hp_min(rows.count, CHANGED_MAX);
	else
		rows.count = hp_min(rows.count + others, ROWS_MAX);
	return rows;
}

static void put_name(const struct hp_compared_section *section, const struct hp_compared_row *row,
		     struct hp_text *text)
{
	static const char *const marks[] = { "", "+ ", "- ", "" };

	hp_text_puts(text, marks[row->presence]);
	if (row->old_name)
		hp_text_printf(text, "%s → ", row->old_name);
	hp_text_puts(text, row->name);
	if (row->file && hp_compare_has_twin(section, row)) {
		hp_text_puts(text, " (");
		hp_compare_put_place(row, text);
		hp_text_putc(text, ')');
	}
}

static void put_noun(const char *noun, struct hp_text *text)
{
	hp_text_putc(text, (char)toupper((unsigned char)noun[0]));
	hp_text_puts(text, noun + (noun[0] != '\0'));
}

static void add_header(struct writer *writer, const struct hp_compared_section *section,
		       const struct hp_shown_columns *shown, struct hp_table *table)
{
	hp_table_init(table, shown->count + 2);
	table->align[0] = HP_ALIGN_LEFT;
	table->align[1] = HP_ALIGN_LEFT;
	put_noun(section->subject->noun, &writer->cell);
	hp_table_text_cell(table, &writer->cell, HP_PAINT_BOLD);
	hp_table_cell(table, "Verdict", HP_PAINT_BOLD);
	for (size_t i = 0; i < shown->count; i++)
		hp_table_cell(table, hp_compare_header(section, shown->items[i]), HP_PAINT_BOLD);
}

static void add_row(struct writer *writer, const struct hp_compared_section *section,
		    const struct hp_compared_row *row, const struct hp_shown_columns *shown,
		    struct hp_table *table)
{
	put_name(section, row, &writer->cell);
	hp_table_text_cell(table, &writer->cell, HP_PAINT_PLAIN);
	enum hp_paint paint = hp_compare_put_verdict(section, row, &writer->cell);
	hp_table_text_cell(table, &writer->cell, paint);
	for (size_t i = 0; i < shown->count; i++) {
		paint = hp_compare_put_cell(section, row, shown->items[i], &writer->cell);
		hp_table_text_cell(table, &writer->cell, paint);
		writer->legend.has_unstable |= hp_compare_is_unstable(section, row,
								      shown->items[i]);
		writer->legend.has_intervals |= shown->items[i] == section->column_count;
	}
}

/* Forget the cell; returns its width, or a least one. */
static size_t drop_cell(struct writer *writer, size_t least)
{
	size_t width = writer->cell.length ? hp_utf8_count(writer->cell.bytes) : 0;

	writer->cell.length = 0;
	return hp_max(width, least);
}

/* The width that names and verdicts leave for other columns. */
static size_t width_left(struct writer *writer, const struct hp_compared_section *section,
			 struct hp_shown_rows rows)
{
	size_t name = hp_utf8_count(section->subject->noun), verdict = strlen("Verdict");

	if (!writer->style->width)
		return 0;
	for (size_t i = 0; i < rows.count; i++) {
		put_name(section, &rows.first[i], &writer->cell);
		name = drop_cell(writer, name);
		hp_compare_put_verdict(section, &rows.first[i], &writer->cell);
		verdict = drop_cell(writer, verdict);
	}
	size_t taken = hp_min(name, NAME_ROOM) + verdict + 7;
	return writer->style->width > taken ? writer->style->width - taken : 1;
}

static void put_title(struct writer *writer, const struct hp_compared_section *section,
		      size_t changed)
{
	const struct hp_subject *subject = section->subject;

	hp_text_putc(writer->text, '\n');
	hp_paint(writer->text, subject->name, HP_PAINT_TITLE, writer->style->colour);
	hp_compare_put_title(subject, writer->text);
	if (changed)
		hp_text_printf(writer->text, ": %zu of %zu changed\n", changed, section->row_count);
	else
		hp_text_printf(writer->text, ": none of %zu is known to have changed\n",
			       section->row_count);
}

static size_t count_unjudged(const struct hp_compared_section *section, size_t from)
{
	size_t count = 0;

	for (size_t i = from; i < section->row_count; i++)
		count += hp_compared_row_is_unjudged(&section->rows[i]);
	return count;
}

/* Say how many rows were left out. */
static void put_rest(struct writer *writer, const struct hp_compared_section *section,
		     size_t changed, size_t shown)
{
	size_t unclear = count_others(section, shown, HP_JUDGED_UNCLEAR);
	size_t unjudged = count_unjudged(section, hp_max(shown, changed));
	size_t others = count_others(section, shown, HP_JUDGED_NOT) - unclear - unjudged;

	if (shown < changed)
		hp_text_printf(writer->text, "… and %zu more that changed\n", changed - shown);
	if (unclear)
		hp_text_printf(writer->text, "… and %zu more that %s unclear\n", unclear,
			       unclear == 1 ? "is" : "are");
	if (others)
		hp_text_printf(writer->text, "… and %zu more that did not change\n", others);
	if (unjudged)
		hp_text_printf(writer->text, "… and %zu more that %s not compared\n", unjudged,
			       unjudged == 1 ? "was" : "were");
}

static void put_rows(struct writer *writer, const struct hp_compared_section *section,
		     struct hp_shown_rows rows)
{
	struct hp_shown_columns shown;
	struct hp_table table;

	hp_compare_choose(section, rows, width_left(writer, section, rows), HP_SHOWN_MAX, &shown);
	add_header(writer, section, &shown, &table);
	for (size_t i = 0; i < rows.count; i++)
		add_row(writer, section, &rows.first[i], &shown, &table);
	hp_table_write(&table, writer->style->width, writer->style->colour, writer->text);
	hp_table_free(&table);
}

static bool has_table(const struct hp_compared_section *section)
{
	return hp_compare_changed(section).count || count_others(section, 0, HP_JUDGED_UNCLEAR);
}

static void put_section(struct writer *writer, const struct hp_compared_section *section)
{
	size_t changed = hp_compare_changed(section).count;
	struct hp_shown_rows rows = choose_rows(section);

	put_title(writer, section, changed);
	put_rows(writer, section, rows);
	put_rest(writer, section, changed, rows.count);
}

static void put_row_count(struct writer *writer, const struct hp_compared_section *section)
{
	size_t unjudged = count_unjudged(section, 0);

	hp_text_printf(writer->text, " (%zu %s", section->row_count,
		       section->row_count == 1 ? "row" : "rows");
	if (unjudged)
		hp_text_printf(writer->text, ", %zu not compared", unjudged);
	hp_text_putc(writer->text, ')');
}

/* List the sections without shown rows in one line. */
static void put_unchanged(struct writer *writer)
{
	const char *before = "\nunchanged: ";

	for (size_t i = 1; i < writer->comparison->section_count; i++) {
		const struct hp_compared_section *section = &writer->comparison->sections[i];
		if (!section->row_count || has_table(section))
			continue;
		hp_text_printf(writer->text, "%s%s", before, section->subject->name);
		put_row_count(writer, section);
		before = ", ";
	}
	if (before[0] == ',')
		hp_text_putc(writer->text, '\n');
}

/* ---- what is below ---- */

static void put_sentence(struct writer *writer, const char *before, const char *sentence)
{
	hp_text_puts(writer->text, before);
	hp_text_put_printable(writer->text, sentence);
	hp_text_putc(writer->text, '\n');
}

/* Budgets that are kept are only counted; broken ones are among the failures. */
static void put_budgets(struct writer *writer)
{
	const struct hp_budgets *budgets = &writer->comparison->budgets;

	if (!budgets->count)
		return;
	hp_text_puts(writer->text, "\nbudgets in ");
	hp_text_put_printable(writer->text, budgets->path ? budgets->path : "use");
	hp_text_puts(writer->text, ": ");
	hp_compare_put_budget_counts(budgets, writer->text);
	hp_text_putc(writer->text, '\n');
	for (size_t i = 0; i < budgets->count; i++) {
		const struct hp_budget *budget = &budgets->items[i];
		if (budget->is_known && !budget->is_unclear)
			continue;
		hp_text_printf(writer->text, "  %s: ", hp_budget_verdict(budget));
		hp_text_put_printable(writer->text, budget->name ? budget->name : "whole program");
		put_sentence(writer, " ", budget->metric);
	}
}

static void put_result(struct writer *writer)
{
	const struct hp_comparison *comparison = writer->comparison;
	size_t shown = hp_min(comparison->failure_count, FAILURES_MAX);

	hp_text_putc(writer->text, '\n');
	for (size_t i = 0; i < shown; i++) {
		hp_paint(writer->text, "FAILED", HP_PAINT_HOT, writer->style->colour);
		put_sentence(writer, ": ", comparison->failures[i]);
	}
	if (shown < comparison->failure_count)
		hp_text_printf(writer->text, "… and %zu more\n", comparison->failure_count - shown);
	if (!hp_compare_fails(comparison)) {
		hp_compare_put_passed(comparison, writer->text);
		hp_text_putc(writer->text, '\n');
	}
}

/* Legend and notes, separated from the tables by a blank line. */
static void put_remarks(struct writer *writer)
{
	const struct hp_comparison *comparison = writer->comparison;
	size_t start = writer->text->length;

	hp_text_putc(writer->text, '\n');
	hp_compare_put_legend(comparison, writer->legend, "", writer->text);
	for (size_t i = 0; i < comparison->note_count; i++)
		put_sentence(writer, "note: ", comparison->notes[i]);
	if (!writer->text->failed && writer->text->length == start + 1)
		writer->text->bytes[writer->text->length = start] = '\0';
}

static void write_table(const struct hp_comparison *comparison,
			const struct hp_compare_style *style, struct hp_text *text)
{
	struct writer writer = {
		.comparison = comparison, .style = style, .text = text, .cell = HP_TEXT_INIT
	};

	put_head(&writer);
	put_program(&writer);
	for (size_t i = 1; i < comparison->section_count; i++)
		if (has_table(&comparison->sections[i]))
			put_section(&writer, &comparison->sections[i]);
	put_unchanged(&writer);
	put_remarks(&writer);
	put_budgets(&writer);
	put_result(&writer);
	text->failed |= writer.cell.failed;
	hp_text_free(&writer.cell);
}

const struct hp_compare_format hp_compare_table = { "table", write_table };
