/* SPDX-License-Identifier: MIT */
/* Takes requests of JSON-RPC apart. Nothing in them is believed. */
#include "request.h"

#include <json-c/json.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	DEPTH_MAX = 16,
	/* A value takes up to a kilobyte, however short its text. */
	VALUES_MAX = 10000,
	/* The id is a part of the answer, which is bounded. */
	ID_MAX = 256,
};

bool hp_mcp_fail(struct hp_mcp_problem *problem, enum hp_mcp_code code, int status,
		 const char *format, ...)
{
	va_list arguments;

	problem->code = code;
	problem->status = status;
	va_start(arguments, format);
	vsnprintf(problem->text, sizeof(problem->text), format, arguments);
	va_end(arguments);
	return false;
}

/* ---- text ---- */

/* An upper bound of the number of values. */
static size_t count_values(const char *bytes, size_t length)
{
	size_t count = 1;

	for (size_t i = 0; i < length; i++)
		count += bytes[i] == ',' || bytes[i] == '[' || bytes[i] == '{';
	return count;
}

struct json_object *hp_mcp_parse(const char *bytes, size_t length, struct hp_mcp_problem *problem)
{
	struct json_tokener *tokener = NULL;
	struct json_object *object = NULL;

	if (length > HP_MCP_REQUEST_MAX || count_values(bytes, length) > VALUES_MAX) {
		hp_mcp_fail(problem, HP_MCP_NO_REQUEST, 400, "the request is too large");
		return NULL;
	}
	tokener = json_tokener_new_ex(DEPTH_MAX);
	if (!tokener) {
		hp_mcp_fail(problem, HP_MCP_INTERNAL, 500, "out of memory");
		return NULL;
	}
	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	object = json_tokener_parse_ex(tokener, bytes, (int)length);
	enum json_tokener_error error = json_tokener_get_error(tokener);
	json_tokener_free(tokener);
	if (error == json_tokener_success && object)
		return object;
	hp_mcp_fail(problem, HP_MCP_NO_JSON, 400, "no JSON: %s",
		    error == json_tokener_success    ? "null is no request"
		    : error == json_tokener_continue ? "it ends too early"
						     : json_tokener_error_desc(error));
	return NULL;
}

struct json_object *hp_mcp_member(struct json_object *object, const char *key)
{
	struct json_object *member = NULL;

	if (json_object_is_type(object, json_type_object))
		json_object_object_get_ex(object, key, &member);
	return member;
}

const char *hp_mcp_string(struct json_object *object, const char *key)
{
	struct json_object *member = hp_mcp_member(object, key);

	return json_object_is_type(member, json_type_string) ? json_object_get_string(member)
							     : NULL;
}

/* ---- revisions ---- */

const char *const hp_mcp_versions[] = { HP_MCP_MODERN, "2025-11-25", "2025-06-18",
					"2025-03-26",  "2024-11-05", NULL };

const char *hp_mcp_legacy_version(const char *asked)
{
	for (size_t i = 1; asked && hp_mcp_versions[i]; i++)
		if (strcmp(hp_mcp_versions[i], asked) == 0)
			return hp_mcp_versions[i];
	return hp_mcp_versions[1];
}

static bool refuse_version(struct hp_mcp_problem *problem, const char *requested)
{
	snprintf(problem->requested, sizeof(problem->requested), "%s", requested);
	return hp_mcp_fail(problem, HP_MCP_BAD_VERSION, 400, "Unsupported protocol version");
}

/* ---- headers ---- */

static int sextet(char c)
{
	static const char alphabet[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *at = c ? strchr(alphabet, c) : NULL;

	return at ? (int)(at - alphabet) : -1;
}

/* Whether a text in base64, up to its padding, is that of a string. */
static bool is_base64_of(const char *encoded, size_t length, const char *string)
{
	unsigned bits = 0, held = 0;
	size_t at = 0, size = strlen(string);

	while (length && encoded[length - 1] == '=')
		length--;
	for (size_t i = 0; i < length; i++) {
		int value = sextet(encoded[i]);
		if (value < 0)
			return false;
		held = held << 6 | (unsigned)value;
		bits += 6;
		if (bits < 8)
			continue;
		bits -= 8;
		if (at == size || (unsigned char)string[at++] != (held >> bits & 0xff))
			return false;
	}
	return at == size;
}

/* Whether a header has a value, as it is or as =?base64?…?=. White space around it does not count. */
static bool header_is(const char *header, const char *value)
{
	static const char begin[] = "=?base64?", end[] = "?=";
	size_t marks = sizeof(begin) - 1 + sizeof(end) - 1;

	header += strspn(header, " \t");
	size_t length = strlen(header);
	while (length && (header[length - 1] == ' ' || header[length - 1] == '\t'))
		length--;
	if (length >= marks && strncmp(header, begin, sizeof(begin) - 1) == 0 &&
	    strncmp(header + length - (sizeof(end) - 1), end, sizeof(end) - 1) == 0)
		return is_base64_of(header + sizeof(begin) - 1, length - marks, value);
	return length == strlen(value) && strncmp(header, value, length) == 0;
}

static bool check_header(const char *name, const char *header, const char *value,
			 struct hp_mcp_problem *problem)
{
	if (header && value && header_is(header, value))
		return true;
	return hp_mcp_fail(problem, HP_MCP_HEADER_MISMATCH, 400, "Header mismatch: %s %s", name,
			   header ? "is not what the request says" : "is missing");
}

static bool check_headers(const struct hp_mcp_request *request, const char *version,
			  const struct hp_mcp_headers *headers, struct hp_mcp_problem *problem)
{
	if (!headers)
		return true;
	if (!check_header("MCP-Protocol-Version", headers->version, version, problem) ||
	    !check_header("Mcp-Method", headers->method, request->method, problem))
		return false;
	return strcmp(request->method, "tools/call") != 0 ||
	       check_header("Mcp-Name", headers->name, hp_mcp_string(request->params, "name"),
			    problem);
}

/* ---- requests ---- */

static bool is_modern_header(const struct hp_mcp_headers *headers)
{
	if (!headers || !headers->version)
		return false;
	for (size_t i = 1; hp_mcp_versions[i]; i++)
		if (strcmp(headers->version, hp_mcp_versions[i]) == 0)
			return false;
	return true;
}

/* A request with any of the members that only the modern revision has is one of it, and must have them all. */
static bool check_era(struct hp_mcp_request *request, const struct hp_mcp_headers *headers,
		      struct hp_mcp_problem *problem)
{
	struct json_object *meta = hp_mcp_member(request->params, "_meta");
	const char *version = hp_mcp_string(meta, HP_MCP_META("protocolVersion"));
	struct json_object *capabilities = hp_mcp_member(meta, HP_MCP_META("clientCapabilities"));

	request->is_modern = version || capabilities || is_modern_header(headers) ||
			     strcmp(request->method, "server/discover") == 0;
	if (!request->is_modern)
		return true;
	if (!version || !json_object_is_type(capabilities, json_type_object))
		return hp_mcp_fail(problem, HP_MCP_BAD_PARAMS, 400,
				   "_meta has no " HP_MCP_META("%s"),
				   version ? "clientCapabilities" : "protocolVersion");
	if (!check_headers(request, version, headers, problem))
		return false;
	return strcmp(version, HP_MCP_MODERN) == 0 || refuse_version(problem, version);
}

/* It is written in the answer as it came, so it must be no string that ends early. */
static bool is_id(struct json_object *id)
{
	if (!json_object_is_type(id, json_type_string))
		return json_object_is_type(id, json_type_int);
	int length = json_object_get_string_len(id);
	return length <= ID_MAX && strlen(json_object_get_string(id)) == (size_t)length;
}

/* A response: we have asked for nothing. */
static bool is_response(struct json_object *object)
{
	return hp_mcp_member(object, "result") || hp_mcp_member(object, "error");
}

static bool read_members(struct hp_mcp_request *request, struct json_object *object,
			 struct hp_mcp_problem *problem)
{
	const char *version = hp_mcp_string(object, "jsonrpc");
	bool has_id = json_object_is_type(object, json_type_object) &&
		      json_object_object_get_ex(object, "id", &request->id);

	if (has_id && !is_id(request->id)) {
		request->id = NULL;
		return hp_mcp_fail(problem, HP_MCP_NO_REQUEST, 400,
				   "the id must be a short string or an integer");
	}
	request->method = hp_mcp_string(object, "method");
	request->params = hp_mcp_member(object, "params");
	request->is_notification = !has_id || (!request->method && is_response(object));
	if (!version || strcmp(version, "2.0") != 0 || (!request->method && !is_response(object)))
		return hp_mcp_fail(problem, HP_MCP_NO_REQUEST, 400, "no request of JSON-RPC 2.0");
	if (request->params && !json_object_is_type(request->params, json_type_object))
		return hp_mcp_fail(problem, HP_MCP_BAD_PARAMS, 400, "params must be an object");
	return true;
}

bool hp_mcp_request_read(struct hp_mcp_request *request, struct json_object *object,
			 const struct hp_mcp_headers *headers, struct hp_mcp_problem *problem)
{
	*request = (struct hp_mcp_request){ NULL };
	if (!read_members(request, object, problem))
		return false;
	return request->is_notification || check_era(request, headers, problem);
}
