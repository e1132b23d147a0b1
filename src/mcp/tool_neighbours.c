/* SPDX-License-Identifier: MIT */
/* The tools "callers" and "callees". */
#include "named.h"
#include "request.h"

#include <json-c/json.h>

#include <errno.h>

/* The figures of the function itself. */
static void add_figures(const struct hp_mcp_call *call, struct json_object *object)
{
	struct json_object *own = hp_mcp_pick(object, "calls,open,total_ns,self_ns,samples,"
						      "inclusive_samples,period_ns");

	json_object_object_foreach(own, key, value)
	{
		hp_mcp_add(call->result, key, json_object_get(value));
	}
	json_object_put(own);
}

/* Rows by what was allocated. */
static void add_allocated(const struct hp_mcp_call *call, struct json_object *object,
			  const char *key, size_t limit)
{
	struct json_object *allocations = hp_mcp_member(object, "allocations");
	struct json_object *rows = hp_mcp_member(allocations, key);

	if (!rows || !json_object_array_length(rows))
		return;
	struct json_object *picked = hp_mcp_pick(allocations, "bytes,blocks,live_bytes");
	hp_mcp_add(picked, key, hp_mcp_pick_rows(rows, "name,bytes,blocks,live_bytes", limit));
	hp_mcp_add(call->result, "allocations", picked);
}

static int run(const struct hp_mcp_call *call, struct hp_error *error)
{
	enum hp_direction direction = *(const enum hp_direction *)call->tool->detail;
	size_t limit = (size_t)hp_mcp_number(call, "limit");
	const char *name = hp_mcp_find_function(call, error);
	if (!name)
		return -ENOENT;

	struct json_object *object = hp_mcp_relatives(call->model, direction, name);
	struct json_object *rows = hp_mcp_member(object, call->tool->name);
	hp_mcp_add_text(call->result, "name", name);
	add_figures(call, object);
	hp_mcp_add(call->result, call->tool->name,
		   hp_mcp_relative_rows(object, call->model, direction, limit,
					hp_mcp_number(call, "depth")));
	if (rows && json_object_array_length(rows) > limit)
		hp_mcp_truncate(call->result);
	add_allocated(call, object, call->tool->name, limit);
	json_object_put(object);
	return 0;
}

static const struct hp_mcp_argument arguments[] = {
	HP_MCP_FUNCTION,
	{ .name = "depth",
	  .type = HP_MCP_NUMBER,
	  .least = 1,
	  .most = 3,
	  .value_default = 1,
	  .description = "Levels: those of the callers or callees themselves, in all their calls" },
	HP_MCP_LIMIT,
	HP_MCP_WINDOW,
	HP_MCP_PROGRAM,
	{ .name = NULL },
};

/* clang-format off */
#define FIGURES                                                                                    \
	{ "name", HP_MCP_TEXT, NULL }, { "calls", HP_MCP_NUMBER, NULL },                           \
	{ "total_ns", HP_MCP_NUMBER, NULL }, { "self_ns", HP_MCP_NUMBER, NULL },                   \
	{ "samples", HP_MCP_NUMBER, "Of its own CPU time" },                                       \
	{ "inclusive_samples", HP_MCP_NUMBER, NULL },                                              \
	{ "period_ns", HP_MCP_NUMBER, "CPU time that a sample stands for" },                       \
	{ "allocations", HP_MCP_OBJECT, "The same by what was allocated" },                        \
	HP_MCP_TRUNCATED
/* clang-format on */

static const struct hp_mcp_field caller_fields[] = {
	{ "callers", HP_MCP_ROWS, "Figures of the function when this one calls it" },
	FIGURES,
	{ NULL },
};

static const struct hp_mcp_field callee_fields[] = {
	{ "callees", HP_MCP_ROWS, "Figures of this one when the function calls it" },
	FIGURES,
	{ NULL },
};

static const enum hp_direction to_callers = HP_CALLERS, to_callees = HP_CALLEES;

const struct hp_mcp_tool hp_mcp_tool_callers = {
	.name = "callers",
	.title = "Callers of a function",
	.description =
		"Who calls a function, with the time, samples and allocations of each caller.",
	.arguments = arguments,
	.fields = caller_fields,
	.run = run,
	.detail = &to_callers,
};

const struct hp_mcp_tool hp_mcp_tool_callees = {
	.name = "callees",
	.title = "Callees of a function",
	.description = "Whom a function calls, with the time, samples and allocations of each.",
	.arguments = arguments,
	.fields = callee_fields,
	.run = run,
	.detail = &to_callees,
};
