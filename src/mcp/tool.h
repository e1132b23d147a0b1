/* SPDX-License-Identifier: MIT */
/*
 * A tool that agents can call: its arguments, its result, and its function.
 *
 * A tool is a constant at the end of a file, and a line in the table of tools. Its schemas, the check of its arguments and
 * their defaults come from tables.
 */
#ifndef HP_MCP_TOOL_H
#define HP_MCP_TOOL_H

#include "mcp.h"
#include "report_options.h"

#include <json-c/json_types.h>

enum hp_mcp_type {
	HP_MCP_TEXT,
	HP_MCP_NUMBER,
	/** For results only. */
	HP_MCP_BOOLEAN,
	HP_MCP_OBJECT,
	/** Arrays: of objects, and of strings. */
	HP_MCP_ROWS,
	HP_MCP_TEXTS,
};

struct hp_mcp_argument {
	const char *name;
	const char *description;
	/** Texts only: what it may be; NULL for anything. The first is the default. */
	const char *const *words;
	enum hp_mcp_type type;
	/** Numbers only. */
	int least;
	int most;
	int value_default;
	bool is_required;
};

/** A member of a result. */
struct hp_mcp_field {
	const char *name;
	enum hp_mcp_type type;
	const char *description;
};

struct hp_mcp_call {
	const struct hp_mcp_host *host;
	const struct hp_mcp_tool *tool;
	/** Checked; NULL for none. */
	struct json_object *arguments;
	/** The program that the call is about, if the tool takes one. */
	struct hp_mcp_reading reading;
	const struct hp_model *model;
	/** Gets the members. */
	struct json_object *result;
};

struct hp_mcp_tool {
	const char *name;
	const char *title;
	const char *description;
	/** Both end with a name of NULL. */
	const struct hp_mcp_argument *arguments;
	const struct hp_mcp_field *fields;
	/** Returns 0, or a negative errno with one line in error, which tells the agent what to do. */
	int (*run)(const struct hp_mcp_call *call, struct hp_error *error);
	/** What the function needs to know besides; NULL for nothing. */
	const void *detail;
};

/** All tools, in the order of their list; ends with NULL. */
extern const struct hp_mcp_tool *const hp_mcp_tools[];

extern const struct hp_mcp_tool hp_mcp_tool_overview;
extern const struct hp_mcp_tool hp_mcp_tool_top;
extern const struct hp_mcp_tool hp_mcp_tool_function;
extern const struct hp_mcp_tool hp_mcp_tool_callers;
extern const struct hp_mcp_tool hp_mcp_tool_callees;
extern const struct hp_mcp_tool hp_mcp_tool_lines;
extern const struct hp_mcp_tool hp_mcp_tool_locks;
extern const struct hp_mcp_tool hp_mcp_tool_waits;
extern const struct hp_mcp_tool hp_mcp_tool_io;
extern const struct hp_mcp_tool hp_mcp_tool_channels;
extern const struct hp_mcp_tool hp_mcp_tool_threads;
extern const struct hp_mcp_tool hp_mcp_tool_processes;
extern const struct hp_mcp_tool hp_mcp_tool_compare;
extern const struct hp_mcp_tool hp_mcp_tool_recent_calls;

/* clang-format off */
/** Arguments that several tools have. */
#define HP_MCP_PROGRAM                                                                             \
	{ .name = "program", .type = HP_MCP_TEXT,                                                  \
	  .description = "Process id, name or saved report; default: the newest run" }
#define HP_MCP_LIMIT                                                                               \
	{ .name = "limit", .type = HP_MCP_NUMBER, .least = 1, .most = 50, .value_default = 10,     \
	  .description = "Rows at most" }
#define HP_MCP_LIMIT_EACH                                                                          \
	{ .name = "limit", .type = HP_MCP_NUMBER, .least = 1, .most = 20, .value_default = 5,      \
	  .description = "Rows of each member at most" }
#define HP_MCP_WINDOW                                                                              \
	{ .name = "window", .type = HP_MCP_NUMBER, .most = HP_MCP_WINDOW_MAX,                      \
	  .description = "Seconds to watch a running program from now on; 0: all since its start" }
#define HP_MCP_FUNCTION                                                                            \
	{ .name = "name", .type = HP_MCP_TEXT, .is_required = true,                                \
	  .description = "Name of a function, as other tools give it" }

/** The member that all results have. */
#define HP_MCP_TRUNCATED                                                                           \
	{ "truncated", HP_MCP_BOOLEAN, "There are more rows; a higher limit may give them" }
/* clang-format on */

/** The value of an argument, or its default; NULL or 0 if it has none, or the tool has no such argument. */
const char *hp_mcp_text(const struct hp_mcp_call *call, const char *name);
int hp_mcp_number(const struct hp_mcp_call *call, const char *name);

/** Write the schema of the arguments of a tool, and that of its result. */
struct hp_json;
void hp_mcp_put_input_schema(struct hp_json *json, const struct hp_mcp_tool *tool);
void hp_mcp_put_output_schema(struct hp_json *json, const struct hp_mcp_tool *tool);

/** Check arguments by that schema. Returns 0, or -EINVAL with what is wrong. */
int hp_mcp_check(const struct hp_mcp_tool *tool, struct json_object *arguments,
		 struct hp_error *error);

/** Set the one line that tells what is wrong. Returns the error number. */
int hp_mcp_error(struct hp_error *error, int number, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
