/* SPDX-License-Identifier: MIT */
/* The list of tools, and calls of them. */
#include "tools.h"

#include "bounded.h"
#include "reply.h"
#include "rows.h"

#include <json-c/json.h>

#include <string.h>

const struct hp_mcp_tool *const hp_mcp_tools[] = {
	&hp_mcp_tool_overview, &hp_mcp_tool_top,	  &hp_mcp_tool_function,
	&hp_mcp_tool_callers,  &hp_mcp_tool_callees,	  &hp_mcp_tool_lines,
	&hp_mcp_tool_locks,    &hp_mcp_tool_waits,	  &hp_mcp_tool_io,
	&hp_mcp_tool_channels, &hp_mcp_tool_threads,	  &hp_mcp_tool_processes,
	&hp_mcp_tool_compare,  &hp_mcp_tool_recent_calls, NULL,
};

/* ---- the list ---- */

/* No tool changes a program, and none looks beyond this machine. */
static void put_annotations(struct hp_json *json)
{
	hp_json_key(json, "annotations");
	hp_json_begin_object(json);
	hp_json_member_bool(json, "readOnlyHint", true);
	hp_json_member_bool(json, "openWorldHint", false);
	hp_json_end_object(json);
}

static void put_tool(struct hp_json *json, const struct hp_mcp_tool *tool)
{
	hp_json_begin_object(json);
	hp_json_member_string(json, "name", tool->name);
	hp_json_member_string(json, "title", tool->title);
	hp_json_member_string(json, "description", tool->description);
	hp_json_key(json, "inputSchema");
	hp_mcp_put_input_schema(json, tool);
	hp_json_key(json, "outputSchema");
	hp_mcp_put_output_schema(json, tool);
	put_annotations(json);
	hp_json_end_object(json);
}

void hp_mcp_put_tools(struct hp_json *json)
{
	hp_json_begin_array(json);
	for (size_t i = 0; hp_mcp_tools[i]; i++)
		put_tool(json, hp_mcp_tools[i]);
	hp_json_end_array(json);
}

/* ---- results ---- */

static void put_text(struct hp_json *json, const char *string)
{
	hp_json_key(json, "content");
	hp_json_begin_array(json);
	hp_json_begin_object(json);
	hp_json_member_string(json, "type", "text");
	hp_json_member_string(json, "text", string);
	hp_json_end_object(json);
	hp_json_end_array(json);
}

static void write_result(const struct hp_mcp_request *request, struct json_object *result,
			 struct hp_text *answer)
{
	struct hp_json json = hp_json_start(answer, false);
	struct hp_text text = HP_TEXT_INIT;
	struct hp_json inner = hp_json_start(&text, false);

	hp_mcp_put(&inner, result);
	answer->failed |= text.failed;
	hp_mcp_reply_begin(&json, request);
	put_text(&json, text.bytes ? text.bytes : "");
	hp_json_key(&json, "structuredContent");
	hp_mcp_put(&json, result);
	hp_json_member_bool(&json, "isError", false);
	hp_mcp_reply_end(&json);
	hp_text_free(&text);
}

/* What the agent can do about it is in the text. */
static int write_error(const struct hp_mcp_request *request, const struct hp_error *error,
		       struct hp_text *answer)
{
	struct hp_json json = hp_json_start(answer, false);

	hp_mcp_reply_begin(&json, request);
	hp_json_key(&json, "content");
	hp_json_begin_array(&json);
	hp_json_begin_object(&json);
	hp_json_member_string(&json, "type", "text");
	hp_json_key(&json, "text");
	hp_mcp_put_string(&json, error->text);
	hp_json_end_object(&json);
	hp_json_end_array(&json);
	hp_json_member_bool(&json, "isError", true);
	hp_mcp_reply_end(&json);
	return 200;
}

/* Leave out rows until the answer is short enough. */
static int write_bounded(const struct hp_mcp_request *request, struct json_object *result,
			 struct hp_text *answer)
{
	static const struct hp_error too_large = { "the answer would be too large" };
	struct hp_text text = HP_TEXT_INIT;
	bool fits = false, goes_on = true;

	while (!fits && goes_on) {
		text.length = 0;
		write_result(request, result, &text);
		fits = text.length < HP_MCP_ANSWER_MAX && !text.failed;
		goes_on = !text.failed && !fits && hp_mcp_shorten(result);
		if (goes_on)
			hp_mcp_truncate(result);
	}
	if (text.failed)
		answer->failed = true;
	else if (fits)
		hp_text_add(answer, text.bytes, text.length);
	else
		write_error(request, &too_large, answer);
	hp_text_free(&text);
	return 200;
}

/* ---- calls ---- */

static bool takes_program(const struct hp_mcp_tool *tool)
{
	const struct hp_mcp_argument *argument = tool->arguments;

	while (argument->name && strcmp(argument->name, "program") != 0)
		argument++;
	return argument->name;
}

static int run_tool(struct hp_mcp_call *call, struct hp_error *error)
{
	int problem = 0;

	if (takes_program(call->tool))
		problem = call->host->read(call->host->context, hp_mcp_text(call, "program"),
					   (unsigned)hp_mcp_number(call, "window"), &call->reading,
					   error);
	call->model = call->reading.report.model;
	if (!problem)
		problem = call->tool->run(call, error);
	hp_mcp_reading_free(&call->reading);
	return problem;
}

static int answer_call(struct hp_mcp_call *call, const struct hp_mcp_request *request,
		       struct hp_text *answer)
{
	struct hp_error error = { "out of memory" };
	int status;

	call->result = json_object_new_object();
	if (!call->result || hp_mcp_check(call->tool, call->arguments, &error))
		status = write_error(request, &error, answer);
	else {
		hp_mcp_add(call->result, "truncated", json_object_new_boolean(false));
		status = run_tool(call, &error) ? write_error(request, &error, answer)
						: write_bounded(request, call->result, answer);
	}
	json_object_put(call->result);
	return status;
}

static const struct hp_mcp_tool *find_tool(const char *name)
{
	for (size_t i = 0; name && hp_mcp_tools[i]; i++)
		if (strcmp(hp_mcp_tools[i]->name, name) == 0)
			return hp_mcp_tools[i];
	return NULL;
}

int hp_mcp_call_tool(const struct hp_mcp_host *host, const struct hp_mcp_request *request,
		     struct hp_text *answer)
{
	const char *name = hp_mcp_string(request->params, "name");
	struct hp_mcp_call call = { .host = host,
				    .tool = find_tool(name),
				    .arguments = hp_mcp_member(request->params, "arguments") };
	struct hp_mcp_problem problem;

	if (call.tool && (!call.arguments || json_object_is_type(call.arguments, json_type_object)))
		return answer_call(&call, request, answer);
	if (!call.tool)
		hp_mcp_fail(&problem, HP_MCP_BAD_PARAMS, 200, "Unknown tool: %.80s",
			    name ? name : "no name was given");
	else
		hp_mcp_fail(&problem, HP_MCP_BAD_PARAMS, 200, "arguments must be an object");
	return hp_mcp_reply_problem(answer, request, &problem);
}
