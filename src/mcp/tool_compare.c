/* SPDX-License-Identifier: MIT */
/* The tool "compare": what is different between two saved reports or programs. */
#include "compare_write.h"
#include "request.h"
#include "rows.h"

#include <json-c/json.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- both sides ---- */

static int load(const struct hp_mcp_call *call, struct hp_side *side, const char *argument,
		struct hp_error *error)
{
	const char *name = hp_mcp_text(call, argument);
	struct hp_mcp_reading reading = { 0 };
	int problem = call->host->read(call->host->context, name, 0, &reading, error);
	if (problem)
		return problem;

	struct hp_run run = { .label = strdup(name), .report = reading.report };
	reading.report.model = NULL;
	hp_mcp_reading_free(&reading);
	if (run.label && hp_side_append(side, run))
		return 0;
	free(run.label);
	hp_model_free(run.report.model);
	return hp_mcp_error(error, -ENOMEM, "out of memory");
}

static struct json_object *write_comparison(const struct hp_comparison *comparison)
{
	struct hp_compare_style style = { 0 };
	struct hp_text text = HP_TEXT_INIT;

	hp_compare_json.write(comparison, &style, &text);
	return hp_mcp_take(&text);
}

/* ---- the result ---- */

static bool says_something(const char *verdict)
{
	return verdict && strcmp(verdict, "same") != 0;
}

/* Figures of a row that have a verdict. */
static struct json_object *pick_figures(struct json_object *row)
{
	struct json_object *picked = json_object_new_object();
	struct json_object *figures = hp_mcp_member(row, "metrics");

	if (!picked || !figures)
		return picked;
	json_object_object_foreach(figures, name, figure)
	{
		if (says_something(hp_mcp_string(figure, "verdict")))
			hp_mcp_add(picked, name,
				   hp_mcp_pick(figure, "unit,before,after,ratio,verdict"));
	}
	return picked;
}

static struct json_object *pick_row(struct json_object *row)
{
	struct json_object *picked = hp_mcp_pick(
		row, "name,old_name,presence,location,share_percent,verdict");

	if (picked)
		hp_mcp_add(picked, "metrics", pick_figures(row));
	return picked;
}

/* Add rows that have changed; those of each section come first. */
static void add_changed(const struct hp_mcp_call *call, struct json_object *section, size_t *left)
{
	struct json_object *rows = hp_mcp_member(section, "rows");
	size_t count = rows ? json_object_array_length(rows) : 0;

	for (size_t i = 0; i < count; i++) {
		struct json_object *row = json_object_array_get_idx(rows, i);
		if (!json_object_get_boolean(hp_mcp_member(row, "changed")))
			break;
		if (!*left) {
			hp_mcp_truncate(call->result);
			break;
		}
		struct json_object *picked = pick_row(row);
		hp_mcp_add_text(picked, "section", hp_mcp_string(section, "name"));
		hp_mcp_append(call->result, "changed", picked);
		--*left;
	}
}

static void fill(const struct hp_mcp_call *call, struct json_object *object)
{
	static const char *const members[] = { "failed", "failures", "notes", "counts" };
	struct json_object *sections = hp_mcp_member(object, "sections");
	size_t left = (size_t)hp_mcp_number(call, "limit");

	for (size_t i = 0; i < sizeof(members) / sizeof(*members); i++)
		hp_mcp_add(call->result, members[i],
			   json_object_get(hp_mcp_member(object, members[i])));
	hp_mcp_add(call->result, "program", pick_row(hp_mcp_member(object, "program")));
	for (size_t i = 0; sections && i < json_object_array_length(sections); i++)
		add_changed(call, json_object_array_get_idx(sections, i), &left);
}

static int run(const struct hp_mcp_call *call, struct hp_error *error)
{
	struct hp_comparison comparison = { 0 };
	struct json_object *object = NULL;

	hp_compare_options_init(&comparison.options);
	int problem = load(call, &comparison.base, "a", error);
	if (!problem)
		problem = load(call, &comparison.head, "b", error);
	if (!problem) {
		hp_mcp_error(error, 0, "out of memory");
		problem = hp_compare(&comparison);
	}
	if (!problem)
		object = write_comparison(&comparison);
	hp_comparison_clear(&comparison);
	if (object)
		fill(call, object);
	json_object_put(object);
	return object || problem ? problem : -ENOMEM;
}

static const struct hp_mcp_argument arguments[] = {
	{ .name = "a",
	  .type = HP_MCP_TEXT,
	  .is_required = true,
	  .description = "Before: a saved report, process id or name" },
	{ .name = "b", .type = HP_MCP_TEXT, .is_required = true, .description = "After" },
	HP_MCP_LIMIT,
	{ .name = NULL },
};

static const struct hp_mcp_field fields[] = {
	{ "failed", HP_MCP_BOOLEAN, "It became worse" },
	{ "failures", HP_MCP_TEXTS, "Why, in sentences" },
	{ "notes", HP_MCP_TEXTS, "What to know before believing it" },
	{ "counts", HP_MCP_OBJECT, "Rows by verdict" },
	{ "program", HP_MCP_OBJECT, "The whole program" },
	{ "changed", HP_MCP_ROWS, "Rows with a verdict, with their figures before and after" },
	HP_MCP_TRUNCATED,
	{ NULL },
};

const struct hp_mcp_tool hp_mcp_tool_compare = {
	.name = "compare",
	.title = "Compare two runs",
	.description =
		"What became slower or faster, allocates more or less, is new or gone, between two "
		"saved reports ('hotpath run --save FILE PROGRAM') or programs.",
	.arguments = arguments,
	.fields = fields,
	.run = run,
};
