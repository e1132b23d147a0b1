/* SPDX-License-Identifier: MIT */
/* A request of JSON-RPC, and the errors that answer it. */
#ifndef HP_MCP_REQUEST_H
#define HP_MCP_REQUEST_H

#include "mcp.h"

#include <json-c/json_types.h>

/** The newest revision of the protocol, which needs no handshake. */
#define HP_MCP_MODERN "2026-07-28"

enum hp_mcp_code {
	HP_MCP_NO_JSON = -32700,
	HP_MCP_NO_REQUEST = -32600,
	HP_MCP_NO_METHOD = -32601,
	HP_MCP_BAD_PARAMS = -32602,
	HP_MCP_INTERNAL = -32603,
	HP_MCP_HEADER_MISMATCH = -32020,
	HP_MCP_BAD_VERSION = -32022,
};

/** The keys of _meta, and those of ours. */
#define HP_MCP_META(name) "io.modelcontextprotocol/" name

struct hp_mcp_request {
	/** A string or an integer; NULL for a notification, or if it cannot be known. It belongs to the parsed text. */
	struct json_object *id;
	const char *method;
	/** An object; NULL for none. */
	struct json_object *params;
	/** The request says in its _meta which revision it is of. */
	bool is_modern;
	bool is_notification;
};

/** What is wrong with a request. */
struct hp_mcp_problem {
	enum hp_mcp_code code;
	/** The status for HTTP. */
	int status;
	char text[256];
	/** For HP_MCP_BAD_VERSION: the one that was asked for. */
	char requested[32];
};

/** All revisions that are understood, newest first; ends with NULL. The first is the modern one. */
extern const char *const hp_mcp_versions[];

/** The revision that an "initialize" gets, which asks for one: the same if it is an older one that is understood. */
const char *hp_mcp_legacy_version(const char *asked);

/** Parse text that anyone may have written. NULL with what is wrong. */
struct json_object *hp_mcp_parse(const char *bytes, size_t length, struct hp_mcp_problem *problem);

/**
 * Take a request apart, and check it against its headers.
 *
 * @return
 *         False with what is wrong; the id is set if it is known.
 */
bool hp_mcp_request_read(struct hp_mcp_request *request, struct json_object *object,
			 const struct hp_mcp_headers *headers, struct hp_mcp_problem *problem);

/** A member of an object; NULL if there is none, it is null, or the other is no object. */
struct json_object *hp_mcp_member(struct json_object *object, const char *key);

/** The same for a string. */
const char *hp_mcp_string(struct json_object *object, const char *key);

/** Set what is wrong. Returns false. */
bool hp_mcp_fail(struct hp_mcp_problem *problem, enum hp_mcp_code code, int status,
		 const char *format, ...) __attribute__((format(printf, 4, 5)));

#endif
