/* SPDX-License-Identifier: MIT */
/*
 * Callers and callees of a function, from the call tree.
 *
 *	main                      callers of work        callees of work
 *	├─ work                   main      3 calls      read      5 calls
 *	│  └─ read                parse     2 calls
 *	└─ parse
 *	   └─ work
 *	      └─ read
 */
#include "neighbours.h"

#include "allocated_table.h"
#include "branch_table.h"
#include "format.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The figures of the function, and a row for each of its neighbours. */
struct neighbours {
	/* A copy of the model with another time as 100 %. */
	struct hp_model model;
	enum hp_direction direction;
	const char *name;
	struct hp_branch self;
	bool found;
	struct hp_branch *rows;
	size_t count;
	/* The row of each function, plus one; then those of "other" and "nobody". */
	size_t *places;
};

static const struct hp_branch *parent_of(const struct neighbours *of,
					 const struct hp_branch *branch)
{
	return branch->parent == HP_NO_BRANCH ? NULL : &of->model.branches[branch->parent];
}

static bool is_named(const struct neighbours *of, const struct hp_branch *branch)
{
	return branch && branch->function != HP_NO_FUNCTION &&
	       strcmp(of->model.functions[branch->function].name, of->name) == 0;
}

static int32_t function_of(const struct hp_branch *branch)
{
	return branch ? branch->function : HP_NOBODY;
}

/* The neighbour that a branch belongs to; false if there is none. */
static bool neighbour_of(const struct neighbours *of, const struct hp_branch *branch,
			 int32_t *neighbour)
{
	const struct hp_branch *parent = parent_of(of, branch);

	*neighbour = of->direction == HP_CALLERS ? function_of(parent) : branch->function;
	return is_named(of, of->direction == HP_CALLERS ? branch : parent);
}

/* Whether an ancestor belongs to the same neighbour, so that its time includes this branch's. */
static bool is_inside(const struct neighbours *of, const struct hp_branch *branch,
		      int32_t neighbour)
{
	int32_t other;

	while ((branch = parent_of(of, branch)))
		if (neighbour_of(of, branch, &other) && other == neighbour)
			return true;
	return false;
}

static bool is_in_itself(const struct neighbours *of, const struct hp_branch *branch)
{
	while ((branch = parent_of(of, branch)))
		if (is_named(of, branch))
			return true;
	return false;
}

static void add_figures(struct hp_branch *into, const struct hp_branch *from, bool inside)
{
	into->calls += from->calls;
	into->open += from->open;
	into->self_ns += from->self_ns;
	if (!inside)
		into->total_ns += from->total_ns;
}

static struct hp_branch *row_of(struct neighbours *of, int32_t neighbour)
{
	size_t at = of->model.function_count;

	if (neighbour >= 0)
		at = (size_t)neighbour;
	else if (neighbour == HP_NOBODY)
		at++;
	if (!of->places[at]) {
		of->rows[of->count++] = (struct hp_branch){ .function = neighbour };
		of->places[at] = of->count;
	}
	return &of->rows[of->places[at] - 1];
}

static void collect(struct neighbours *of)
{
	for (size_t i = 0; i < of->model.branch_count; i++) {
		const struct hp_branch *branch = &of->model.branches[i];
		int32_t neighbour;

		if (is_named(of, branch)) {
			of->found = true;
			add_figures(&of->self, branch, is_in_itself(of, branch));
		}
		if (neighbour_of(of, branch, &neighbour))
			add_figures(row_of(of, neighbour), branch,
				    is_inside(of, branch, neighbour));
	}
}

/* The largest first; the rest as they came. */
static int by_total(const void *left, const void *right)
{
	const struct hp_branch *a = left, *b = right;
	int order = (a->total_ns < b->total_ns) - (a->total_ns > b->total_ns);

	if (order == 0)
		order = (a->calls < b->calls) - (a->calls > b->calls);
	return order ? order : (a->function > b->function) - (a->function < b->function);
}

static void put_title(const struct neighbours *of, struct hp_text *text)
{
	hp_text_puts(text, of->direction == HP_CALLERS ? "Callers of " : "Callees of ");
	hp_text_put_printable(text, of->name);
	hp_text_printf(text, "; 100 %% is its %s", hp_format_duration(of->self.total_ns).text);
	hp_text_printf(text, ", of which %s are its own.\n",
		       hp_format_duration(of->self.self_ns).text);
}

static void write_table(const struct neighbours *of, const struct hp_report_options *options,
			struct hp_text *text)
{
	struct hp_branch_table rows;

	put_title(of, text);
	if (of->count == 0) {
		hp_text_puts(text, "It calls no measured function.\n");
		return;
	}
	hp_branch_table_init(&rows, &of->model);
	for (size_t i = 0; i < of->count; i++)
		hp_branch_table_add(&rows, &of->rows[i], "");
	hp_branch_table_write(&rows, options, text);
}

static void write_json(const struct neighbours *of, bool pretty, struct hp_text *text)
{
	bool callers = of->direction == HP_CALLERS;
	struct hp_json json = hp_json_start(text, pretty);

	hp_json_begin_object(&json);
	hp_json_key(&json, "type");
	hp_json_string(&json, callers ? "hotpath_callers" : "hotpath_callees");
	hp_json_member_u64(&json, "schema", 1);
	hp_json_key(&json, "name");
	hp_json_string(&json, of->name);
	hp_json_member_u64(&json, "calls", of->self.calls);
	hp_json_member_u64(&json, "open", of->self.open);
	hp_json_member_u64(&json, "total_ns", of->self.total_ns);
	hp_json_member_u64(&json, "self_ns", of->self.self_ns);
	hp_json_key(&json, callers ? "callers" : "callees");
	hp_json_begin_array(&json);
	for (size_t i = 0; i < of->count; i++) {
		hp_json_begin_object(&json);
		hp_branch_json(&json, &of->model, &of->rows[i]);
		hp_json_end_object(&json);
	}
	hp_json_end_array(&json);
	hp_allocated_member(&json, &of->model, of->direction, of->name);
	hp_json_end_object(&json);
	hp_text_putc(text, '\n');
}

/* Write it with shares of the function's total. */
static void write_all(struct neighbours *of, const struct hp_report_options *options,
		      struct hp_text *text)
{
	of->model.elapsed_ns = of->self.total_ns;
	if (of->count)
		qsort(of->rows, of->count, sizeof(*of->rows), by_total);
	if (options->format == HP_FORMAT_TABLE)
		write_table(of, options, text);
	else if (options->format != HP_FORMAT_NONE)
		write_json(of, options->format == HP_FORMAT_JSON_PRETTY, text);
}

int hp_neighbours_write(const struct hp_model *model, enum hp_direction direction, const char *name,
			const struct hp_report_options *options, struct hp_text *text)
{
	size_t most = model->function_count + 2;
	struct neighbours of = {
		.model = *model,
		.direction = direction,
		.name = name,
		.rows = calloc(most, sizeof(*of.rows)),
		.places = calloc(most, sizeof(*of.places)),
	};

	if (of.rows && of.places) {
		collect(&of);
		if (of.found)
			write_all(&of, options, text);
	} else {
		text->failed = of.found = true;
	}
	free(of.rows);
	free(of.places);
	return of.found ? 0 : -ENOENT;
}
