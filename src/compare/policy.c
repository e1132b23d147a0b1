/* SPDX-License-Identifier: MIT */
/* Whether a comparison fails, and why. */
#include "policy.h"

#include "cell_text.h"
#include "format.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SEARCHED_MAX = 200 };

/* Kinds of failures, worst first. */
enum kind {
	KIND_SLOWER,
	KIND_ALLOC,
	KIND_MORE,
	KIND_BUDGET,
};

struct failure {
	enum kind kind;
	bool is_program;
	/* Severity, compared with others of its kind. */
	double weight;
	/* Its position in the order of discovery. */
	size_t at;
	/* The last section with this failure, and the row's name there; both are borrowed. NULL for a budget. */
	const struct hp_compared_section *section;
	const char *name;
	struct hp_text text;
};

struct failures {
	struct failure *items;
	size_t count;
};

/* A column of a row that makes a comparison fail. */
typedef bool (*is_bad_fn)(const struct hp_metric *metric, enum hp_judged judged);

static bool is_slower(const struct hp_metric *metric, enum hp_judged judged)
{
	return metric->decides && judged == HP_JUDGED_SLOWER;
}

static bool is_alloc(const struct hp_metric *metric, enum hp_judged judged)
{
	return metric->is_alloc && judged == HP_JUDGED_MORE;
}

static bool is_more(const struct hp_metric *metric, enum hp_judged judged)
{
	return metric->kind == HP_COMPARED_EXACT && !metric->is_alloc && judged == HP_JUDGED_MORE;
}

/* The rules: a kind of failure, for which --fail-on it applies, how it is detected, and its words. */
static const struct rule {
	enum kind kind;
	unsigned fail_on;
	is_bad_fn is_bad;
	const char *words;
} rules[] = {
	{ KIND_SLOWER, 1U << HP_FAIL_ON_SLOWER | 1U << HP_FAIL_ON_ANY, is_slower, "is slower" },
	{ KIND_ALLOC, 1U << HP_FAIL_ON_ALLOC | 1U << HP_FAIL_ON_ANY, is_alloc, "allocates more" },
	{ KIND_MORE, 1U << HP_FAIL_ON_ANY, is_more, "does more" },
};

/* Append a failure with an empty text; NULL when memory ran out. */
static struct failure *append(struct failures *failures, struct failure failure)
{
	struct failure *items = reallocarray(failures->items, failures->count + 1, sizeof(*items));
	if (!items)
		return NULL;

	failures->items = items;
	failure.at = failures->count;
	failure.text = (struct hp_text)HP_TEXT_INIT;
	items[failures->count] = failure;
	return &items[failures->count++];
}

static void put_row_name(bool is_program, const char *name, struct hp_text *text)
{
	if (is_program)
		hp_text_puts(text, "the whole program");
	else
		hp_text_put_printable(text, name);
}

/* "thread main"; for functions just the name. */
static void put_row(const struct failure *failure, struct hp_text *text)
{
	const char *noun = failure->section->subject->noun;

	if (!failure->is_program && strcmp(noun, "function") != 0)
		hp_text_printf(text, "%s ", noun);
	put_row_name(failure->is_program, failure->name, text);
}

/* The column header as used in a sentence: "Count inside" begins in lower case, "CPU" does not. */
static void put_figure_name(const struct hp_compared_column *column, struct hp_text *text)
{
	const char *header = column->header;
	bool is_word = header[0] && !isupper((unsigned char)header[1]);

	hp_text_putc(text, (char)(is_word ? tolower((unsigned char)header[0]) : header[0]));
	hp_text_puts(text, header[0] ? header + 1 : "");
}

/* For times, the time lost, which users notice; for other figures, the relative increase. */
static double weight_of(const struct hp_compared_cell *cell, const struct hp_metric *metric)
{
	return metric->kind == HP_COMPARED_TIME ? cell->after_median - cell->before_median
						: cell->ratio.estimate;
}

static void put_figure(const struct rule *rule, struct failure *failure,
		       const struct hp_compared_column *column, const struct hp_compared_cell *cell)
{
	struct hp_text *text = &failure->text;

	if (text->length == 0) {
		put_row(failure, text);
		hp_text_printf(text, " %s: ", rule->words);
	} else {
		hp_text_puts(text, ", ");
	}
	put_figure_name(column, text);
	hp_text_putc(text, ' ');
	hp_compare_put_change(cell, column->metric->unit, text);
	failure->weight = fmax(failure->weight, weight_of(cell, column->metric));
}

static bool is_same(const struct failure *one, const struct failure *other)
{
	return one->kind == other->kind && one->is_program == other->is_program &&
	       one->section != other->section &&
	       strcmp(one->section->subject->noun, other->section->subject->noun) == 0 &&
	       strcmp(one->name, other->name) == 0;
}

/* The failure of the same kind and row in another section, such as time and CPU time of a function. */
static struct failure *find_same(struct failures *failures, const struct failure *wanted)
{
	/* Bounds this quadratic search; nobody reads more failures than that. */
	size_t count = failures->count < SEARCHED_MAX ? failures->count : SEARCHED_MAX;

	for (size_t i = 0; i < count; i++) {
		if (!is_same(&failures->items[i], wanted))
			continue;
		failures->items[i].section = wanted->section;
		return &failures->items[i];
	}
	return NULL;
}

/* Write one sentence for all figures of a row that fail the same rule: "work is slower: self 1.20 ms → …". */
static int apply_rule(const struct rule *rule, const struct hp_compared_section *section,
		      const struct hp_compared_row *row, bool is_program, struct failures *failures)
{
	struct failure wanted = {
		.kind = rule->kind, .is_program = is_program, .section = section, .name = row->name
	};
	struct failure *failure = NULL;

	for (size_t i = 0; i < section->column_count; i++) {
		const struct hp_compared_column *column = &section->columns[i];
		const struct hp_compared_cell *cell = &row->cells[i];
		if (!rule->is_bad(column->metric, cell->judged))
			continue;
		if (!failure)
			failure = find_same(failures, &wanted);
		if (!failure)
			failure = append(failures, wanted);
		if (!failure)
			return -ENOMEM;
		put_figure(rule, failure, column, cell);
	}
	return failure && failure->text.failed ? -ENOMEM : 0;
}

static int apply_rules(const struct hp_comparison *comparison, size_t section_at,
		       const struct hp_compared_row *row, struct failures *failures)
{
	const struct hp_compared_section *section = &comparison->sections[section_at];
	unsigned wanted = 1U << comparison->options.fail_on;
	int failed = 0;

	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules) && !failed && !row->is_minor; i++)
		if (rules[i].fail_on & wanted)
			failed = apply_rule(&rules[i], section, row, section_at == 0, failures);
	return failed;
}

static int judge_rows(const struct hp_comparison *comparison, struct failures *failures)
{
	int failed = 0;

	for (size_t i = 0; i < comparison->section_count; i++)
		for (size_t j = 0; j < comparison->sections[i].row_count && !failed; j++)
			failed = apply_rules(comparison, i, &comparison->sections[i].rows[j],
					     failures);
	return failed;
}

/* Whether the increase is certain; with too few runs, the verdict decides. */
static bool is_certain(const struct hp_compared_cell *cell)
{
	bool is_judged = cell->judged == HP_JUDGED_SLOWER || cell->judged == HP_JUDGED_MORE;

	return cell->ratio.low > 1 && (is_judged || !cell->ratio.is_guess);
}

/* Use the figure of a row for a budget. If several rows have that name, the largest counts. */
static void take_row(struct hp_budget *budget, const struct hp_compared_row *row,
		     const struct hp_compared_cell *cell)
{
	double value = budget->is_relative ? cell->ratio.estimate - 1 : cell->after_median;

	if (row->presence == HP_REMOVED || isnan(value) ||
	    (budget->is_known && budget->value >= value))
		return;
	budget->is_known = true;
	budget->value = value;
	budget->is_unclear = budget->is_relative && !is_certain(cell);
}

static void take_section(struct hp_budget *budget, const struct hp_compared_section *section)
{
	for (size_t i = 0; i < section->column_count; i++) {
		if (strcmp(section->columns[i].name, budget->metric) != 0)
			continue;
		budget->unit = section->columns[i].metric->unit;
		for (size_t j = 0; j < section->row_count; j++) {
			const struct hp_compared_row *row = &section->rows[j];
			if (!budget->name || strcmp(row->name, budget->name) == 0)
				take_row(budget, row, &row->cells[i]);
		}
	}
}

static void judge_budget(const struct hp_comparison *comparison, struct hp_budget *budget)
{
	size_t first = budget->name ? 1 : 0;
	size_t end = budget->name ? comparison->section_count : 1;

	budget->is_known = budget->is_unclear = false;
	for (size_t i = first; i < end && i < comparison->section_count; i++)
		take_section(budget, &comparison->sections[i]);
	bool is_over = budget->is_known && budget->value > budget->limit;
	budget->is_broken = is_over && !budget->is_unclear;
	budget->is_unclear &= is_over;
}

static void put_relative(const struct hp_budget *budget, struct hp_text *text)
{
	if (isinf(budget->value))
		hp_text_puts(text, " was 0 before");
	else
		hp_text_printf(text, " is %s more than before",
			       hp_format_percent(budget->value * 100).text);
	hp_text_printf(text, ", the limit is %s more", hp_format_percent(budget->limit * 100).text);
}

static void put_budget(const struct hp_budget *budget, struct hp_text *text)
{
	hp_text_puts(text, "budget of ");
	put_row_name(!budget->name, budget->name, text);
	hp_text_printf(text, ": %s", budget->metric);
	if (budget->is_relative) {
		put_relative(budget, text);
		return;
	}
	hp_text_puts(text, " is ");
	hp_compare_put_value(budget->value, budget->unit, text);
	hp_text_puts(text, ", the limit is ");
	hp_compare_put_value(budget->limit, budget->unit, text);
}

static int report_budget(const struct hp_budget *budget, struct failures *failures)
{
	struct failure *failure = append(
		failures, (struct failure){
				  .kind = KIND_BUDGET,
				  .is_program = !budget->name,
				  .weight = budget->is_relative
						    ? budget->value - budget->limit
						    : hp_ratio_of(budget->limit, budget->value) - 1,
			  });
	if (!failure)
		return -ENOMEM;

	put_budget(budget, &failure->text);
	return failure->text.failed ? -ENOMEM : 0;
}

static int judge_budgets(const struct hp_comparison *comparison, struct failures *failures)
{
	int failed = 0;

	for (size_t i = 0; i < comparison->budgets.count && !failed; i++) {
		struct hp_budget *budget = &comparison->budgets.items[i];
		judge_budget(comparison, budget);
		if (budget->is_broken)
			failed = report_budget(budget, failures);
	}
	return failed;
}

static int compare_failures(const void *a, const void *b)
{
	const struct failure *left = a, *right = b;

	if (left->kind != right->kind)
		return left->kind < right->kind ? -1 : 1;
	if (left->is_program != right->is_program)
		return left->is_program ? -1 : 1;
	if (left->weight != right->weight)
		return left->weight > right->weight ? -1 : 1;
	return (left->at > right->at) - (left->at < right->at);
}

/* Move the texts to the comparison. */
static int hand_over(struct hp_comparison *comparison, struct failures *failures)
{
	comparison->failures = calloc(failures->count + 1, sizeof(*comparison->failures));
	if (!comparison->failures)
		return -ENOMEM;

	if (failures->count > 0)
		qsort(failures->items, failures->count, sizeof(*failures->items), compare_failures);
	for (size_t i = 0; i < failures->count; i++)
		comparison->failures[i] = failures->items[i].text.bytes;
	comparison->failure_count = failures->count;
	failures->count = 0;
	return 0;
}

int hp_policy(struct hp_comparison *comparison)
{
	struct failures failures = { 0 };
	int failed = judge_rows(comparison, &failures);

	if (!failed)
		failed = judge_budgets(comparison, &failures);
	if (!failed)
		failed = hand_over(comparison, &failures);
	for (size_t i = 0; i < failures.count; i++)
		hp_text_free(&failures.items[i].text);
	free(failures.items);
	return failed;
}
