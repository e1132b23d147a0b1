/* SPDX-License-Identifier: MIT */
/* The tool "function": all that is known of one function. */
#include "named.h"
#include "request.h"

#include <json-c/json.h>

#include <errno.h>
#include <string.h>

static size_t limit_of(const struct hp_mcp_call *call)
{
	return (size_t)hp_mcp_number(call, "limit");
}

/* Show rows whose name contains this one, if that can be asked for: a name between slashes would be a regular expression. */
static void focus_on(struct hp_report_options *options, const char *name)
{
	hp_mcp_options(options, 0);
	if (name[0] != '/' && strlen(name) < sizeof(options->focus))
		strcpy(options->focus, name);
}

static bool is_about(struct json_object *row, const char *key, const char *name)
{
	const char *text = hp_mcp_string(row, key);

	return text && strcmp(text, name) == 0;
}

/* Add the row of the function. */
static void add_row(const struct hp_mcp_call *call, const struct hp_mcp_rows *rows,
		    const char *name, const struct hp_report_options *options)
{
	struct json_object *object = hp_mcp_section(rows, call->model, options);
	struct json_object *data = hp_mcp_member(object, "data");
	size_t count = data ? json_object_array_length(data) : 0, i = 0;

	while (i < count && !is_about(json_object_array_get_idx(data, i), "name", name))
		i++;
	if (i < count)
		hp_mcp_add(call->result, hp_section_find(rows->section)->json_key,
			   hp_mcp_pick(json_object_array_get_idx(data, i), rows->members));
	json_object_put(object);
}

/* Add the first rows in which a member is the name of the function. */
static void add_rows(const struct hp_mcp_call *call, const struct hp_mcp_rows *rows,
		     const char *member, const char *key, const char *name)
{
	struct hp_report_options options;
	hp_mcp_options(&options, 0);
	struct json_object *object = hp_mcp_section(rows, call->model, &options);
	struct json_object *data = hp_mcp_member(object, "data");
	size_t count = data ? json_object_array_length(data) : 0, found = 0;

	for (size_t i = 0; i < count && found < limit_of(call); i++) {
		struct json_object *row = json_object_array_get_idx(data, i);
		if (!is_about(row, member, name))
			continue;
		hp_mcp_append(call->result, key, hp_mcp_pick(row, rows->members));
		found++;
	}
	json_object_put(object);
}

static void add_relatives(const struct hp_mcp_call *call, const char *name)
{
	static const char *const keys[] = { [HP_CALLERS] = "callers", [HP_CALLEES] = "callees" };

	for (enum hp_direction direction = HP_CALLERS; direction <= HP_CALLEES; direction++) {
		struct json_object *object = hp_mcp_relatives(call->model, direction, name);
		hp_mcp_add(call->result, keys[direction],
			   hp_mcp_relative_rows(object, call->model, direction, limit_of(call), 1));
		json_object_put(object);
	}
}

static void add_lines(const struct hp_mcp_call *call, const char *name)
{
	struct json_object *object = hp_mcp_lines(call->model, name);

	if (object)
		hp_mcp_add(call->result, "lines",
			   hp_mcp_line_rows(object, "file,line,samples,source", limit_of(call)));
	json_object_put(object);
}

static int run(const struct hp_mcp_call *call, struct hp_error *error)
{
	static const struct hp_mcp_rows *const rows[] = { &hp_mcp_bottleneck_rows,
							  &hp_mcp_timing_rows, &hp_mcp_cpu_rows,
							  &hp_mcp_alloc_rows };
	struct hp_report_options options;
	const char *name = hp_mcp_find_function(call, error);
	if (!name)
		return -ENOENT;

	focus_on(&options, name);
	hp_mcp_add_text(call->result, "name", name);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		add_row(call, rows[i], name, &options);
	add_rows(call, &hp_mcp_wait_rows, "name", "waits", name);
	add_rows(call, &hp_mcp_lock_wait_rows, "name", "lock_waits", name);
	add_rows(call, &hp_mcp_lock_wait_rows, "holder", "kept_waiting", name);
	add_rows(call, &hp_mcp_io_rows, "name", "io", name);
	add_relatives(call, name);
	add_lines(call, name);
	return 0;
}

static const struct hp_mcp_argument arguments[] = {
	HP_MCP_FUNCTION, HP_MCP_LIMIT_EACH, HP_MCP_WINDOW, HP_MCP_PROGRAM, { .name = NULL },
};

static const struct hp_mcp_field fields[] = {
	{ "name", HP_MCP_TEXT, NULL },
	{ "bottlenecks", HP_MCP_OBJECT, "What its own time is spent on" },
	{ "functions_timing", HP_MCP_OBJECT, "Wall time of its calls, if it is measured" },
	{ "functions_cpu", HP_MCP_OBJECT, NULL },
	{ "functions_alloc", HP_MCP_OBJECT, NULL },
	{ "waits", HP_MCP_ROWS, "What it waited for" },
	{ "lock_waits", HP_MCP_ROWS, "Locks that it waited for, and who held them" },
	{ "kept_waiting", HP_MCP_ROWS, "Who waited for locks that it held" },
	{ "io", HP_MCP_ROWS, NULL },
	{ "callers", HP_MCP_ROWS, NULL },
	{ "callees", HP_MCP_ROWS, NULL },
	{ "lines", HP_MCP_ROWS, "Its hottest lines" },
	HP_MCP_TRUNCATED,
	{ NULL },
};

const struct hp_mcp_tool hp_mcp_tool_function = {
	.name = "function",
	.title = "One function",
	.description =
		"All that is known of a function: time, CPU, allocations, waits, locks, I/O, its "
		"callers and callees, and its hottest lines.",
	.arguments = arguments,
	.fields = fields,
	.run = run,
};
