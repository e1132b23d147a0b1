/* SPDX-License-Identifier: MIT */
/*
 * A comparison as a comment of a pull request.
 *
 *	<!-- hotpath-compare: id -->		by which it is found again
 *	## hotpath: id
 *	❌ **1 slower, 9 same; counts: 1 more**
 *	…					why it fails; the whole program; notes
 *	| Function | Verdict | Self | …		what changed, of all sections
 *	<details>…</details>			what did not
 *	…					budgets, how it was judged
 *
 * The size of a comment is limited. The end is written first, so that it is known how much space is left for rows.
 * Rows that changed come before all others, and rows that do not fit are counted.
 */
#include "cell_text.h"
#include "compare_write.h"
#include "format.h"
#include "markdown_text.h"
#include "row_text.h"
#include "summary.h"

#include <ctype.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
	/** GitHub accepts 65536 characters. This is in bytes, and a character has at least one. */
	WHOLE_MAX = 60000,
	/** A list of sentences or budgets. */
	LIST_MAX = 6000,
	/** As many as people read; all of them are in the tables. */
	FAILURES_MAX = 8,
	/** The head and the end of a table, and the sentences about what is left out. */
	TABLE_ROOM = 1500,
	/** As many as a page shows without scrolling. */
	COLUMNS_MAX = 4,
};

struct writer {
	const struct hp_comparison *comparison;
	const struct hp_compare_style *style;
	/** The end is written to a separate text first. */
	struct hp_text *text;
	struct hp_text tail;
	/** Used again for each line. */
	struct hp_text line;
	/** And for each cell. */
	struct hp_text cell;
	/** Where rows have to end. */
	size_t room;
	struct hp_legend legend;
	/** Rows for which there was no room. */
	size_t changed_left_out;
	size_t others_left_out;
};

/* Add the line if it fits; it is empty afterwards. */
static bool put_line(struct writer *writer, size_t room)
{
	bool fits = writer->text->length + writer->line.length <= room;

	if (fits && writer->line.length)
		hp_text_add(writer->text, writer->line.bytes, writer->line.length);
	writer->line.length = 0;
	return fits;
}

/* ---- the head ---- */

static bool has_worse(const struct hp_comparison *comparison)
{
	const struct hp_compared_row *program = hp_compare_program(comparison);
	struct hp_compare_counts counts = hp_compare_count(comparison);

	return counts.slower || counts.more || (program && program->judged == HP_JUDGED_SLOWER);
}

static const char *symbol(const struct hp_comparison *comparison)
{
	if (hp_compare_fails(comparison))
		return "❌";
	return has_worse(comparison) ? "⚠️" : "✅";
}

static void put_head(struct writer *writer)
{
	const char *id = writer->style->id && *writer->style->id ? writer->style->id : NULL;
	struct hp_text *text = writer->text;

	hp_text_puts(text, "<!-- hotpath-compare: ");
	hp_markdown_put_hidden(id ? id : "default", text);
	hp_text_puts(text, " -->\n## hotpath");
	hp_text_puts(text, id ? ": " : " compare");
	if (id)
		hp_markdown_put_words(id, text);
	hp_text_printf(text, "\n\n%s **", symbol(writer->comparison));
	hp_compare_put_summary(writer->comparison, text);
	hp_text_puts(text, "**\n\n");
}

static void put_list(struct writer *writer, const char *before, char *const *sentences,
		     size_t count, size_t most)
{
	size_t room = writer->text->length + LIST_MAX;

	for (size_t i = 0; i < count; i++) {
		hp_text_printf(&writer->line, "- %s", before);
		hp_markdown_put_words(sentences[i], &writer->line);
		hp_text_putc(&writer->line, '\n');
		if (i < most && put_line(writer, room))
			continue;
		writer->line.length = 0;
		hp_text_printf(writer->text, "- … and %zu more\n", count - i);
		break;
	}
	if (count)
		hp_text_putc(writer->text, '\n');
}

static void put_program_figure(struct writer *writer, const struct hp_compared_section *section,
			       size_t column)
{
	const struct hp_compared_cell *cell = &section->rows[0].cells[column];

	hp_compare_put_cell(section, &section->rows[0], column, writer->text);
	if (section->columns[column].metric->decides && hp_compare_has_interval(&cell->ratio)) {
		hp_text_puts(writer->text, ", between ");
		hp_compare_put_interval(&cell->ratio, writer->text);
	}
	if (cell->judged != HP_JUDGED_NOT)
		hp_text_printf(writer->text, ": **%s**", hp_judged_name(cell->judged));
}

static void put_program(struct writer *writer)
{
	if (!hp_compare_program(writer->comparison))
		return;
	const struct hp_compared_section *section = &writer->comparison->sections[0];
	size_t deciding = hp_compare_deciding(section);

	hp_text_puts(writer->text, "Whole program: ");
	if (deciding != HP_NO_COLUMN)
		put_program_figure(writer, section, deciding);
	for (size_t i = 0; i < section->column_count; i++) {
		if (i == deciding || section->rows[0].cells[i].judged < HP_JUDGED_FASTER)
			continue;
		hp_text_printf(writer->text, "; %s ", section->columns[i].header);
		put_program_figure(writer, section, i);
	}
	hp_text_puts(writer->text, "\n\n");
}

/* ---- tables ---- */

static void put_name(const struct hp_compared_section *section, const struct hp_compared_row *row,
		     struct hp_text *text)
{
	if (row->old_name) {
		hp_markdown_put_code(row->old_name, text);
		hp_text_puts(text, " → ");
	}
	hp_markdown_put_code(row->name, text);
	if (row->file && hp_compare_has_twin(section, row)) {
		struct hp_text place = HP_TEXT_INIT;
		hp_compare_put_place(row, &place);
		hp_text_putc(text, ' ');
		hp_markdown_put_code(place.bytes ? place.bytes : "", text);
		text->failed |= place.failed;
		hp_text_free(&place);
	}
}

static void put_header(struct writer *writer, const struct hp_compared_section *section,
		       const struct hp_shown_columns *shown)
{
	const char *noun = section->subject->noun;

	hp_text_printf(writer->text, "| %c%s | Verdict |", toupper((unsigned char)noun[0]),
		       noun[0] ? noun + 1 : noun);
	for (size_t i = 0; i < shown->count; i++)
		hp_text_printf(writer->text, " %s |", hp_compare_header(section, shown->items[i]));
	hp_text_puts(writer->text, "\n|:--|:--|");
	for (size_t i = 0; i < shown->count; i++)
		hp_text_puts(writer->text, "--:|");
	hp_text_putc(writer->text, '\n');
}

/* Add the cell, which is empty afterwards: a number and its unit are not broken apart. */
static void put_unbroken(struct writer *writer)
{
	const char *bytes = writer->cell.length ? writer->cell.bytes : "";
	static const char arrow[] = "→", space[] = "\u00a0";

	for (const char *at = bytes; *at; at++) {
		bool is_behind = at - bytes >= (ptrdiff_t)strlen(arrow) &&
				 memcmp(at - strlen(arrow), arrow, strlen(arrow)) == 0;
		if (*at != ' ' || is_behind || at[1] == '(')
			hp_text_putc(&writer->line, *at);
		else
			hp_text_puts(&writer->line, space);
	}
	writer->cell.length = 0;
}

static bool put_row(struct writer *writer, const struct hp_compared_section *section,
		    const struct hp_compared_row *row, const struct hp_shown_columns *shown)
{
	/* What is bold is found at a glance. */
	const char *mark = row->has_changed ? "**" : "";
	struct hp_text *line = &writer->line;

	hp_text_puts(line, "| ");
	put_name(section, row, line);
	hp_text_printf(line, " | %s", mark);
	size_t start = line->length;
	hp_compare_put_verdict(section, row, line);
	hp_text_puts(line, line->length > start ? mark : "-");
	for (size_t i = 0; i < shown->count; i++) {
		hp_text_puts(line, " | ");
		hp_compare_put_cell(section, row, shown->items[i], &writer->cell);
		put_unbroken(writer);
		writer->legend.has_unstable |= hp_compare_is_unstable(section, row,
								      shown->items[i]);
		writer->legend.has_intervals |= shown->items[i] == section->column_count;
	}
	hp_text_puts(line, " |\n");
	return put_line(writer, writer->room);
}

/* A table of these rows, as far as there is room. Returns how many there was none for. */
static size_t put_table(struct writer *writer, const struct hp_compared_section *section,
			struct hp_shown_rows rows)
{
	struct hp_shown_columns shown;
	size_t i = 0;

	hp_compare_choose(section, rows, 0, COLUMNS_MAX, &shown);
	put_header(writer, section, &shown);
	while (i < rows.count && put_row(writer, section, &rows.first[i], &shown))
		i++;
	hp_text_putc(writer->text, '\n');
	return rows.count - i;
}

static bool has_room(const struct writer *writer)
{
	return writer->text->length + TABLE_ROOM <= writer->room;
}

static void put_changed(struct writer *writer, const struct hp_compared_section *section)
{
	struct hp_shown_rows rows = hp_compare_changed(section);

	if (!rows.count)
		return;
	if (!has_room(writer)) {
		writer->changed_left_out += rows.count;
		return;
	}
	hp_text_printf(writer->text, "### %s", section->subject->name);
	hp_compare_put_title(section->subject, writer->text);
	hp_text_printf(writer->text, ": %zu of %zu changed\n\n", rows.count, section->row_count);
	writer->changed_left_out += put_table(writer, section, rows);
}

static struct hp_shown_rows rows_unchanged(const struct hp_compared_section *section)
{
	size_t changed = hp_compare_changed(section).count;

	return (struct hp_shown_rows){ section->rows + changed, section->row_count - changed };
}

static void put_unchanged(struct writer *writer, const struct hp_compared_section *section)
{
	struct hp_shown_rows rows = rows_unchanged(section);

	if (!rows.count)
		return;
	if (!has_room(writer)) {
		writer->others_left_out += rows.count;
		return;
	}
	hp_text_printf(writer->text, "<details><summary>%s", section->subject->name);
	hp_compare_put_title(section->subject, writer->text);
	hp_text_printf(writer->text, ": %zu of %zu not known to have changed</summary>\n\n",
		       rows.count, section->row_count);
	writer->others_left_out += put_table(writer, section, rows);
	hp_text_puts(writer->text, "</details>\n\n");
}

static void put_left_out(size_t count, const char *one, const char *many, struct hp_text *text)
{
	if (count)
		hp_text_printf(text, "%zu %s left out: the size of a comment is limited.\n\n",
			       count, count == 1 ? one : many);
}

static void put_sections(struct writer *writer)
{
	const struct hp_comparison *comparison = writer->comparison;

	for (size_t i = 1; i < comparison->section_count; i++)
		put_changed(writer, &comparison->sections[i]);
	for (size_t i = 1; i < comparison->section_count; i++)
		put_unchanged(writer, &comparison->sections[i]);
	put_left_out(writer->changed_left_out, "row that changed is", "rows that changed are",
		     writer->text);
	put_left_out(writer->others_left_out, "row that is not known to have changed is",
		     "rows that are not known to have changed are", writer->text);
}

/* ---- the end ---- */

static void put_budget(const struct hp_budget *budget, struct hp_text *line)
{
	hp_text_puts(line, "| ");
	if (budget->name)
		hp_markdown_put_code(budget->name, line);
	else
		hp_text_puts(line, "whole program");
	hp_text_puts(line, " | ");
	hp_markdown_put_code(budget->metric, line);
	hp_text_puts(line, " | ");
	hp_compare_put_budget_figure(budget, budget->value, line);
	hp_text_puts(line, " | ");
	hp_compare_put_budget_figure(budget, budget->limit, line);
	hp_text_printf(line, budget->is_broken ? " | **%s** |\n" : " | %s |\n",
		       hp_budget_verdict(budget));
}

static void put_budgets(struct writer *writer)
{
	const struct hp_budgets *budgets = &writer->comparison->budgets;
	size_t room = writer->text->length + LIST_MAX;

	if (!budgets->count)
		return;
	hp_text_puts(writer->text, "### budgets: ");
	hp_compare_put_budget_counts(budgets, writer->text);
	hp_text_puts(writer->text,
		     "\n\n| Of | Figure | Is | At most | Verdict |\n|:--|:--|--:|--:|:--|\n");
	for (size_t i = 0; i < budgets->count; i++) {
		put_budget(&budgets->items[i], &writer->line);
		if (put_line(writer, room))
			continue;
		hp_text_printf(writer->text, "\n… and %zu more\n", budgets->count - i);
		break;
	}
	hp_text_putc(writer->text, '\n');
}

static void put_machine(const struct hp_side *side, struct hp_text *text)
{
	const struct hp_model *model = side->count ? side->runs[0].report.model : NULL;

	if (!model || !model->machine.cpu[0]) {
		hp_text_puts(text, "not known");
		return;
	}
	hp_markdown_put_code(model->machine.cpu, text);
	if (model->machine.cores)
		hp_text_printf(text, ", %" PRIu32 " %s", model->machine.cores,
			       model->machine.cores == 1 ? "core" : "cores");
	if (model->machine.kernel[0]) {
		hp_text_puts(text, ", ");
		hp_markdown_put_code(model->machine.kernel, text);
	}
}

static void put_side(const char *name, const struct hp_side *side, struct hp_text *text)
{
	const struct hp_model *model = side->count ? side->runs[0].report.model : NULL;
	const char *program = side->command ? side->command : model ? model->program : NULL;

	hp_text_printf(text, "- %s: ", name);
	if (program) {
		hp_markdown_put_code(program, text);
		hp_text_puts(text, ", ");
	}
	hp_text_printf(text, "%zu %s; machine: ", side->count, side->count == 1 ? "run" : "runs");
	put_machine(side, text);
	hp_text_putc(text, '\n');
}

static void put_method(const struct hp_comparison *comparison, struct hp_text *text)
{
	const struct hp_compare_options *options = &comparison->options;

	hp_text_puts(
		text,
		"- Exact figures (calls, allocations, bytes, messages) are compared exactly.\n- "
		"The change of a time is the median of all ratios of a run of head to a run of "
		"base (Hodges–Lehmann); its interval is that of the Mann–Whitney U test.\n");
	hp_text_printf(text, "- %zu %s judged by an interval, each with %s %% confidence",
		       comparison->judged_count,
		       comparison->judged_count == 1 ? "figure is" : "figures are",
		       hp_format_number(100 * comparison->row_confidence).text);
	hp_text_printf(text,
		       ", so that all hold together with %s %%; this takes %zu runs of each "
		       "side.\n",
		       hp_format_number(100 * options->confidence).text, comparison->runs_needed);
	hp_text_printf(text,
		       "- A time is slower or faster if it differs by more than %s %%; rows below "
		       "%s %% on both sides are left out of the verdict.\n",
		       hp_format_number(100 * options->threshold).text,
		       hp_format_number(options->min_share).text);
}

static void put_how(struct writer *writer)
{
	hp_text_puts(writer->text, "<details><summary>How this was judged: ");
	hp_compare_put_runs(writer->comparison, writer->text);
	hp_text_puts(writer->text, "</summary>\n\n");
	put_side("base", &writer->comparison->base, writer->text);
	put_side("head", &writer->comparison->head, writer->text);
	put_method(writer->comparison, writer->text);
	if (!hp_compare_fails(writer->comparison)) {
		hp_text_puts(writer->text, "- Result: ");
		hp_compare_put_passed(writer->comparison, writer->text);
		hp_text_puts(writer->text, ".\n");
	}
	hp_text_puts(writer->text, "\n</details>\n");
}

static void put_tail(struct writer *writer)
{
	put_budgets(writer);
	put_how(writer);
}

static void put_legend(struct writer *writer)
{
	size_t start = writer->text->length;

	hp_compare_put_legend(writer->comparison, writer->legend, "- ", writer->text);
	if (writer->text->length > start)
		hp_text_putc(writer->text, '\n');
}

static void write_markdown(const struct hp_comparison *comparison,
			   const struct hp_compare_style *style, struct hp_text *text)
{
	struct writer writer = { .comparison = comparison, .style = style };

	writer.text = &writer.tail;
	put_tail(&writer);
	writer.text = text;
	writer.room = text->length + WHOLE_MAX - TABLE_ROOM - writer.tail.length;
	put_head(&writer);
	put_list(&writer, "**failed**: ", comparison->failures, comparison->failure_count,
		 FAILURES_MAX);
	put_program(&writer);
	/* Notes come first, because they may say that the figures mean nothing, as on another machine. */
	put_list(&writer, "note: ", comparison->notes, comparison->note_count, SIZE_MAX);
	put_sections(&writer);
	put_legend(&writer);
	hp_text_add(text, writer.tail.bytes ? writer.tail.bytes : "", writer.tail.length);
	text->failed |= writer.tail.failed || writer.line.failed || writer.cell.failed;
	hp_text_free(&writer.cell);
	hp_text_free(&writer.tail);
	hp_text_free(&writer.line);
}

const struct hp_compare_format hp_compare_markdown = { "markdown", write_markdown };
