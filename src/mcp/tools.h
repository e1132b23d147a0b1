/* SPDX-License-Identifier: MIT */
/* The list of tools, and calls of them. */
#ifndef HP_MCP_TOOLS_H
#define HP_MCP_TOOLS_H

#include "json_writer.h"
#include "request.h"

/** Write the array of all tools. */
void hp_mcp_put_tools(struct hp_json *json);

/** Answer "tools/call". Returns the status for HTTP. */
int hp_mcp_call_tool(const struct hp_mcp_host *host, const struct hp_mcp_request *request,
		     struct hp_text *answer);

#endif
