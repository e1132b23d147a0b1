/* SPDX-License-Identifier: MIT */
/* The tool "recent_calls": the newest calls of a function, or the log of a channel and its like. */
#include "log_json.h"
#include "named.h"
#include "request.h"

#include <json-c/json.h>

#include <errno.h>
#include <stdlib.h>

/* Calls with what they returned; NULL with what is wrong. */
static struct json_object *read_calls(const struct hp_mcp_call *call, const char *name,
				      struct hp_error *error)
{
	const struct hp_image *image = &call->reading.image;
	struct hp_text text = HP_TEXT_INIT;
	struct hp_json json = hp_json_start(&text, false);
	struct hp_recent *calls = NULL;
	ssize_t count = hp_recent_calls(image->bytes, image->size, name, &calls, error);

	if (count == 0)
		hp_mcp_error(error, -ENOENT, "no call of '%.80s' has ended yet", name);
	else if (count == -ENOENT)
		hp_mcp_no_function(call->model, name, error);
	else if (count > 0)
		hp_calls_json(&json, name, calls, (size_t)count);
	free(calls);
	return hp_mcp_take(&text);
}

/* The log of a channel, stream, future or value; NULL if there is none by that name. */
static struct json_object *read_events(const struct hp_image *image, const char *name)
{
	struct hp_text text = HP_TEXT_INIT;
	struct hp_json json = hp_json_start(&text, false);
	struct hp_flow_event *events = NULL;
	struct hp_error ignored;
	enum hp_site_kind kind;
	ssize_t count = hp_flow_events(image->bytes, image->size, name, &kind, &events, &ignored);

	if (count > 0)
		hp_events_json(&json, name, kind, events, (size_t)count);
	free(events);
	return hp_mcp_take(&text);
}

/* Copy rows as they are. */
static void add_rows(const struct hp_mcp_call *call, struct json_object *object, const char *key)
{
	struct json_object *rows = hp_mcp_member(object, key);
	size_t count = rows ? json_object_array_length(rows) : 0;
	size_t limit = (size_t)hp_mcp_number(call, "limit");

	for (size_t i = 0; i < count && i < limit; i++)
		hp_mcp_append(call->result, key,
			      json_object_get(json_object_array_get_idx(rows, i)));
	if (count > limit)
		hp_mcp_truncate(call->result);
}

static int run(const struct hp_mcp_call *call, struct hp_error *error)
{
	const struct hp_image *image = &call->reading.image;
	const char *name = hp_mcp_text(call, "name");
	if (!image->bytes)
		return hp_mcp_error(error, -ENOENT,
				    "single calls are known of one process with a segment only, "
				    "not of a saved report or a run of several; name its PID");

	struct json_object *object = read_events(image, name);
	if (!object)
		object = read_calls(call, name, error);
	if (!object)
		return -ENOENT;
	hp_mcp_add_text(call->result, "name", name);
	hp_mcp_add_text(call->result, "kind", hp_mcp_string(object, "kind"));
	add_rows(call, object, "calls");
	add_rows(call, object, "events");
	json_object_put(object);
	return 0;
}

static const struct hp_mcp_argument arguments[] = {
	{ .name = "name",
	  .type = HP_MCP_TEXT,
	  .is_required = true,
	  .description = "A measured function, or a channel, stream, future or value" },
	HP_MCP_LIMIT,
	HP_MCP_PROGRAM,
	{ .name = NULL },
};

static const struct hp_mcp_field fields[] = {
	{ "name", HP_MCP_TEXT, NULL },
	{ "kind", HP_MCP_TEXT, "What events are of" },
	{ "calls", HP_MCP_ROWS, "Newest first, with what they returned if that is logged" },
	{ "events", HP_MCP_ROWS, "Messages, items, futures or values, newest first" },
	HP_MCP_TRUNCATED,
	{ NULL },
};

const struct hp_mcp_tool hp_mcp_tool_recent_calls = {
	.name = "recent_calls",
	.title = "Recent calls",
	.description =
		"The newest calls of a measured function, one by one; or the newest messages of a "
		"channel, items of a stream, futures or values.",
	.arguments = arguments,
	.fields = fields,
	.run = run,
};
