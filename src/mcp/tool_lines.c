/* SPDX-License-Identifier: MIT */
/* The tool "lines": source lines with CPU time. */
#include "named.h"
#include "request.h"

#include <json-c/json.h>

#include <errno.h>

static int no_lines(const struct hp_mcp_call *call, const char *name, struct hp_error *error)
{
	if (name && call->model->cpu.stack_count)
		return hp_mcp_error(error, -ENOENT, "no sample was taken in '%.80s'", name);
	return hp_mcp_error(error, -ENOENT,
			    "no stack was sampled: without samples of the CPU time (hotpath run "
			    "--cpu), no lines are known");
}

static int run(const struct hp_mcp_call *call, struct hp_error *error)
{
	static const char members[] =
		"function,inlined_in,file,line,offset,samples,inclusive_samples,source";
	size_t limit = (size_t)hp_mcp_number(call, "limit");
	const char *name = NULL;

	if (hp_mcp_text(call, "name") && !(name = hp_mcp_find_function(call, error)))
		return -ENOENT;
	struct json_object *object = hp_mcp_lines(call->model, name);
	struct json_object *lines = hp_mcp_member(object, "lines");
	if (!lines)
		return no_lines(call, name, error);
	hp_mcp_add_text(call->result, "name", name);
	hp_mcp_add_number(call->result, "period_ns", call->model->cpu.period_ns);
	hp_mcp_add(call->result, "lines", hp_mcp_line_rows(object, members, limit));
	if (json_object_array_length(lines) > limit)
		hp_mcp_truncate(call->result);
	json_object_put(object);
	return 0;
}

static const struct hp_mcp_argument arguments[] = {
	{ .name = "name",
	  .type = HP_MCP_TEXT,
	  .description = "Name of a function; default: the whole program" },
	HP_MCP_LIMIT,
	HP_MCP_WINDOW,
	HP_MCP_PROGRAM,
	{ .name = NULL },
};

static const struct hp_mcp_field fields[] = {
	{ "name", HP_MCP_TEXT, NULL },
	{ "period_ns", HP_MCP_NUMBER, "CPU time that a sample stands for" },
	{ "lines", HP_MCP_ROWS, "The hottest first, with their text if the source is there" },
	HP_MCP_TRUNCATED,
	{ NULL },
};

const struct hp_mcp_tool hp_mcp_tool_lines = {
	.name = "lines",
	.title = "Hot source lines",
	.description = "The source lines of a function, or of the program, that take CPU time.",
	.arguments = arguments,
	.fields = fields,
	.run = run,
};
