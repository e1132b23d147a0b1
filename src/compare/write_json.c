/* SPDX-License-Identifier: MIT */
/* A comparison as JSON: everything there is, of every run. */
#include "compare_write.h"
#include "function_json.h"
#include "json_writer.h"

#include <hotpath/version.h>

#include <math.h>

/* ---- numbers ---- */

static void put_double(struct hp_json *json, const char *key, double value)
{
	hp_json_key(json, key);
	hp_json_double(json, value);
}

/* Write an integer if the value is one, or must be; null if not known. */
static void put_value(struct hp_json *json, double value, enum hp_metric_unit unit)
{
	bool rounds = unit == HP_UNIT_NS || unit == HP_UNIT_BYTES;
	double whole = rounds ? floor(value + 0.5) : value;

	if (unit != HP_UNIT_NUMBER && whole >= 0 && whole < 0x1p64 && whole == floor(whole))
		hp_json_u64(json, (uint64_t)whole);
	else if (unit != HP_UNIT_NUMBER && whole < 0 && whole >= -0x1p63 && whole == floor(whole))
		hp_json_i64(json, (int64_t)whole);
	else
		hp_json_double(json, value);
}

static void put_member(struct hp_json *json, const char *key, double value,
		       enum hp_metric_unit unit)
{
	hp_json_key(json, key);
	put_value(json, value, unit);
}

static void put_values(struct hp_json *json, const char *key, const double *values, size_t count,
		       enum hp_metric_unit unit)
{
	hp_json_key(json, key);
	hp_json_begin_array(json);
	for (size_t i = 0; values && i < count; i++)
		put_value(json, values[i], unit);
	hp_json_end_array(json);
}

static void put_strings(struct hp_json *json, const char *key, char *const *strings, size_t count)
{
	hp_json_key(json, key);
	hp_json_begin_array(json);
	for (size_t i = 0; i < count; i++)
		hp_json_string(json, strings[i]);
	hp_json_end_array(json);
}

/* ---- how it was judged ---- */

static void put_options(struct hp_json *json, const struct hp_compare_options *options)
{
	static const char *const names[] = {
		[HP_FAIL_ON_SLOWER] = "slower",
		[HP_FAIL_ON_ALLOC] = "alloc",
		[HP_FAIL_ON_ANY] = "any",
		[HP_FAIL_ON_NONE] = "none",
	};

	hp_json_key(json, "options");
	hp_json_begin_object(json);
	put_double(json, "threshold", options->threshold);
	put_double(json, "min_share_percent", options->min_share);
	put_double(json, "confidence", options->confidence);
	hp_json_member_string(json, "fail_on", names[options->fail_on]);
	hp_json_key(json, "percentiles");
	hp_json_begin_array(json);
	for (unsigned i = 0; i < options->percentile_count; i++)
		hp_json_double(json, options->percentiles[i]);
	hp_json_end_array(json);
	hp_json_end_object(json);
}

static void put_counts(struct hp_json *json, const struct hp_comparison *comparison)
{
	struct hp_compare_counts counts = hp_compare_count(comparison);

	hp_json_key(json, "counts");
	hp_json_begin_object(json);
	hp_json_member_u64(json, "slower", counts.slower);
	hp_json_member_u64(json, "faster", counts.faster);
	hp_json_member_u64(json, "same", counts.same);
	hp_json_member_u64(json, "unclear", counts.unclear);
	hp_json_member_u64(json, "more", counts.more);
	hp_json_member_u64(json, "less", counts.less);
	hp_json_member_u64(json, "new", counts.created);
	hp_json_member_u64(json, "removed", counts.removed);
	hp_json_member_u64(json, "renamed", counts.renamed);
	hp_json_member_u64(json, "minor", counts.minor);
	hp_json_member_u64(json, "not_compared", counts.not_compared);
	hp_json_end_object(json);
}

/* ---- sides ---- */

/* A string that is empty where it is not known. */
static void put_known_string(struct hp_json *json, const char *key, const char *string)
{
	hp_json_member_string(json, key, string[0] ? string : NULL);
}

static void put_machine(struct hp_json *json, const struct hp_model *model)
{
	const struct hp_machine *machine = model ? &model->machine : NULL;

	hp_json_key(json, "machine");
	if (!machine || !(machine->arch[0] || machine->cpu[0] || machine->kernel[0])) {
		hp_json_null(json);
		return;
	}
	hp_json_begin_object(json);
	put_known_string(json, "arch", machine->arch);
	put_known_string(json, "cpu", machine->cpu);
	put_known_string(json, "kernel", machine->kernel);
	hp_json_member_known(json, "cores", machine->cores, machine->cores > 0);
	hp_json_end_object(json);
}

static void put_side(struct hp_json *json, const char *key, const struct hp_side *side)
{
	const struct hp_model *model = side->count ? side->runs[0].report.model : NULL;

	hp_json_key(json, key);
	hp_json_begin_object(json);
	hp_json_member_u64(json, "runs", side->count);
	hp_json_key(json, "labels");
	hp_json_begin_array(json);
	for (size_t i = 0; i < side->count; i++)
		hp_json_string(json, side->runs[i].label);
	hp_json_end_array(json);
	hp_json_member_string(json, "command", side->command);
	hp_json_member_string(json, "program", model ? model->program : NULL);
	put_machine(json, model);
	hp_json_end_object(json);
}

/* ---- rows ---- */

static const char *const unit_names[] = {
	[HP_UNIT_COUNT] = "count",
	[HP_UNIT_BYTES] = "bytes",
	[HP_UNIT_NS] = "ns",
	[HP_UNIT_NUMBER] = "number",
};

static void put_verdict(struct hp_json *json, enum hp_judged judged)
{
	hp_json_member_string(json, "verdict",
			      judged == HP_JUDGED_NOT ? NULL : hp_judged_name(judged));
}

static void put_cell(struct hp_json *json, const struct hp_comparison *comparison,
		     const struct hp_metric *metric, const struct hp_compared_cell *cell)
{
	static const char *const kinds[] = {
		[HP_COMPARED_EXACT] = "exact",
		[HP_COMPARED_TIME] = "time",
		[HP_COMPARED_LEVEL] = "level",
	};

	hp_json_begin_object(json);
	hp_json_member_string(json, "kind", kinds[metric->kind]);
	hp_json_member_string(json, "unit", unit_names[metric->unit]);
	if (cell->per)
		hp_json_member_string(json, "per", cell->per);
	put_values(json, "base", cell->before, comparison->base.count, metric->unit);
	put_values(json, "head", cell->after, comparison->head.count, metric->unit);
	put_member(json, "before", cell->before_median, metric->unit);
	put_member(json, "after", cell->after_median, metric->unit);
	put_double(json, "ratio", cell->ratio.estimate);
	put_double(json, "low", cell->ratio.low);
	put_double(json, "high", cell->ratio.high);
	hp_json_member_bool(json, "guess", cell->ratio.is_guess);
	hp_json_member_bool(json, "stable", cell->is_stable);
	put_verdict(json, cell->judged);
	hp_json_end_object(json);
}

static void put_identity(struct hp_json *json, const struct hp_compared_row *row)
{
	static const char *const presences[] = {
		[HP_PRESENT] = "present",
		[HP_NEW] = "new",
		[HP_REMOVED] = "removed",
		[HP_RENAMED] = "renamed",
	};

	hp_json_member_string(json, "name", row->name);
	if (row->old_name)
		hp_json_member_string(json, "old_name", row->old_name);
	hp_json_member_string(json, "presence", presences[row->presence]);
	hp_json_key(json, "location");
	hp_json_place(json, row->file, row->line);
	put_double(json, "share_percent", row->share >= 0 ? row->share : NAN);
	hp_json_member_bool(json, "minor", row->is_minor);
}

static void put_row(struct hp_json *json, const struct hp_comparison *comparison,
		    const struct hp_compared_section *section, const struct hp_compared_row *row)
{
	hp_json_begin_object(json);
	put_identity(json, row);
	put_verdict(json, row->judged);
	hp_json_member_bool(json, "changed", row->has_changed);
	hp_json_key(json, "metrics");
	hp_json_begin_object(json);
	for (size_t i = 0; i < section->column_count; i++) {
		hp_json_key(json, section->columns[i].name);
		put_cell(json, comparison, section->columns[i].metric, &row->cells[i]);
	}
	hp_json_end_object(json);
	hp_json_end_object(json);
}

static void put_section(struct hp_json *json, const struct hp_comparison *comparison,
			const struct hp_compared_section *section)
{
	hp_json_begin_object(json);
	hp_json_member_string(json, "name", section->subject->name);
	hp_json_member_string(json, "title", section->subject->title);
	hp_json_key(json, "rows");
	hp_json_begin_array(json);
	for (size_t i = 0; i < section->row_count; i++)
		put_row(json, comparison, section, &section->rows[i]);
	hp_json_end_array(json);
	hp_json_end_object(json);
}

static void put_sections(struct hp_json *json, const struct hp_comparison *comparison)
{
	hp_json_key(json, "program");
	if (comparison->section_count && comparison->sections[0].row_count)
		put_row(json, comparison, &comparison->sections[0],
			&comparison->sections[0].rows[0]);
	else
		hp_json_null(json);
	hp_json_key(json, "sections");
	hp_json_begin_array(json);
	for (size_t i = 1; i < comparison->section_count; i++)
		put_section(json, comparison, &comparison->sections[i]);
	hp_json_end_array(json);
}

/* ---- budgets ---- */

/* The unit is only known if the figure is; a relative value is a plain number. */
static void put_budget(struct hp_json *json, const struct hp_budget *budget)
{
	bool is_plain = budget->is_relative || !budget->is_known;
	enum hp_metric_unit unit = is_plain ? HP_UNIT_NUMBER : budget->unit;

	hp_json_begin_object(json);
	hp_json_member_string(json, "name", budget->name);
	hp_json_member_string(json, "metric", budget->metric);
	hp_json_member_bool(json, "relative", budget->is_relative);
	put_member(json, "limit", budget->limit, unit);
	hp_json_member_bool(json, "known", budget->is_known);
	put_member(json, "value", budget->is_known ? budget->value : NAN, unit);
	hp_json_member_string(json, "unit", budget->is_known ? unit_names[budget->unit] : NULL);
	hp_json_member_bool(json, "broken", budget->is_broken);
	hp_json_member_bool(json, "unclear", budget->is_unclear);
	hp_json_end_object(json);
}

static void put_budgets(struct hp_json *json, const struct hp_budgets *budgets)
{
	hp_json_key(json, "budgets");
	if (!budgets->path && !budgets->count) {
		hp_json_null(json);
		return;
	}
	hp_json_begin_object(json);
	hp_json_member_string(json, "path", budgets->path);
	hp_json_key(json, "items");
	hp_json_begin_array(json);
	for (size_t i = 0; i < budgets->count; i++)
		put_budget(json, &budgets->items[i]);
	hp_json_end_array(json);
	hp_json_end_object(json);
}

/* ---- all of it ---- */

static void put_members(struct hp_json *json, const struct hp_comparison *comparison,
			const struct hp_compare_style *style)
{
	hp_json_member_string(json, "type", "hotpath_comparison");
	hp_json_member_u64(json, "schema", 1);
	hp_json_member_string(json, "version", HOTPATH_VERSION);
	hp_json_member_string(json, "id", style->id);
	hp_json_member_bool(json, "failed", hp_compare_fails(comparison));
	put_strings(json, "failures", comparison->failures, comparison->failure_count);
	put_strings(json, "notes", comparison->notes, comparison->note_count);
	put_options(json, &comparison->options);
	put_double(json, "row_confidence", comparison->row_confidence);
	hp_json_member_u64(json, "judged_figures", comparison->judged_count);
	hp_json_member_u64(json, "runs_needed", comparison->runs_needed);
	put_counts(json, comparison);
	put_side(json, "base", &comparison->base);
	put_side(json, "head", &comparison->head);
	put_sections(json, comparison);
	put_budgets(json, &comparison->budgets);
}

static void write_json(const struct hp_comparison *comparison, const struct hp_compare_style *style,
		       struct hp_text *text, bool pretty)
{
	struct hp_json json = hp_json_start(text, pretty);

	hp_json_begin_object(&json);
	put_members(&json, comparison, style);
	hp_json_end_object(&json);
	hp_text_putc(text, '\n');
}

static void write_dense(const struct hp_comparison *comparison,
			const struct hp_compare_style *style, struct hp_text *text)
{
	write_json(comparison, style, text, false);
}

static void write_pretty(const struct hp_comparison *comparison,
			 const struct hp_compare_style *style, struct hp_text *text)
{
	write_json(comparison, style, text, true);
}

const struct hp_compare_format hp_compare_json = { "json", write_dense };
const struct hp_compare_format hp_compare_json_pretty = { "json-pretty", write_pretty };
