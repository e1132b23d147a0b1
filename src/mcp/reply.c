/* SPDX-License-Identifier: MIT */
/* Replies of JSON-RPC. */
#include "reply.h"

#include "bounded.h"

#include <hotpath/version.h>

#include <json-c/json.h>

void hp_mcp_put_server(struct hp_json *json)
{
	hp_json_begin_object(json);
	hp_json_member_string(json, "name", "hotpath");
	hp_json_member_string(json, "version", HOTPATH_VERSION);
	hp_json_end_object(json);
}

void hp_mcp_put_versions(struct hp_json *json)
{
	hp_json_begin_array(json);
	for (size_t i = 0; hp_mcp_versions[i]; i++)
		hp_json_string(json, hp_mcp_versions[i]);
	hp_json_end_array(json);
}

/* What a reply begins with. A string that is an id is repeated as it is. */
static void begin(struct hp_json *json, const struct hp_mcp_request *request)
{
	hp_json_begin_object(json);
	hp_json_member_string(json, "jsonrpc", "2.0");
	hp_json_key(json, "id");
	if (json_object_is_type(request->id, json_type_string))
		hp_json_string(json, json_object_get_string(request->id));
	else
		hp_mcp_put(json, request->id);
}

void hp_mcp_reply_begin(struct hp_json *json, const struct hp_mcp_request *request)
{
	begin(json, request);
	hp_json_key(json, "result");
	hp_json_begin_object(json);
	if (!request->is_modern)
		return;
	hp_json_member_string(json, "resultType", "complete");
	hp_json_key(json, "_meta");
	hp_json_begin_object(json);
	hp_json_key(json, HP_MCP_META("serverInfo"));
	hp_mcp_put_server(json);
	hp_json_end_object(json);
}

void hp_mcp_reply_end(struct hp_json *json)
{
	hp_json_end_object(json);
	hp_json_end_object(json);
}

int hp_mcp_reply_problem(struct hp_text *answer, const struct hp_mcp_request *request,
			 const struct hp_mcp_problem *problem)
{
	struct hp_json json = hp_json_start(answer, false);

	begin(&json, request);
	hp_json_key(&json, "error");
	hp_json_begin_object(&json);
	hp_json_key(&json, "code");
	hp_json_i64(&json, problem->code);
	hp_json_key(&json, "message");
	hp_mcp_put_string(&json, problem->text);
	if (problem->code == HP_MCP_BAD_VERSION) {
		hp_json_key(&json, "data");
		hp_json_begin_object(&json);
		hp_json_key(&json, "supported");
		hp_mcp_put_versions(&json);
		hp_json_key(&json, "requested");
		hp_mcp_put_string(&json, problem->requested);
		hp_json_end_object(&json);
	}
	hp_json_end_object(&json);
	hp_json_end_object(&json);
	return problem->status;
}
