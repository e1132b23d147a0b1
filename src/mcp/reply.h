/* SPDX-License-Identifier: MIT */
/* Replies of JSON-RPC. */
#ifndef HP_MCP_REPLY_H
#define HP_MCP_REPLY_H

#include "json_writer.h"
#include "request.h"

/** Begin a reply with its result, an object whose members follow; and end it. */
void hp_mcp_reply_begin(struct hp_json *json, const struct hp_mcp_request *request);
void hp_mcp_reply_end(struct hp_json *json);

/** Reply that a request cannot be answered. Returns the status for HTTP. */
int hp_mcp_reply_problem(struct hp_text *answer, const struct hp_mcp_request *request,
			 const struct hp_mcp_problem *problem);

/** The members "name" and "version" of this server, as an object. */
void hp_mcp_put_server(struct hp_json *json);

/** An array of all revisions that are understood. */
void hp_mcp_put_versions(struct hp_json *json);

#endif
