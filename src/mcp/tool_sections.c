/* SPDX-License-Identifier: MIT */
/* Tools that give sections of the report: locks, waits, I/O, channels, threads and processes. */
#include "rows.h"

enum { SECTIONS_MAX = 3 };

/* The sections that a tool gives; ends with NULL. */
struct sections {
	const struct hp_mcp_rows *items[SECTIONS_MAX + 1];
};

static int run(const struct hp_mcp_call *call, struct hp_error *error)
{
	const struct sections *sections = call->tool->detail;
	size_t limit = (size_t)hp_mcp_number(call, "limit");
	struct hp_report_options options;

	(void)error;
	hp_mcp_options(&options, limit);
	for (size_t i = 0; sections->items[i]; i++)
		hp_mcp_add_section(call, sections->items[i], &options, limit);
	return 0;
}

static const struct hp_mcp_argument arguments[] = {
	HP_MCP_PROGRAM,
	HP_MCP_LIMIT,
	HP_MCP_WINDOW,
	{ .name = NULL },
};

/* clang-format off */
#define MISSING { "missing", HP_MCP_OBJECT, "Why there is nothing, and how to get it, by key" }
/* clang-format on */

static const struct hp_mcp_field lock_fields[] = {
	{ "locks", HP_MCP_ROWS, "Locks, those that were waited for longest first" },
	{ "lock_waits", HP_MCP_ROWS,
	  "Which function (name) waited for a lock that which holder had" },
	MISSING,
	HP_MCP_TRUNCATED,
	{ NULL },
};

static const struct sections locks = { { &hp_mcp_lock_rows, &hp_mcp_lock_wait_rows } };

const struct hp_mcp_tool hp_mcp_tool_locks = {
	.name = "locks",
	.title = "Locks",
	.description =
		"Mutexes, reader-writer locks and their like: how often threads had to wait for "
		"them and how long, how long they were held, and who held them meanwhile.",
	.arguments = arguments,
	.fields = lock_fields,
	.run = run,
	.detail = &locks,
};

static const struct hp_mcp_field wait_fields[] = {
	{ "waits", HP_MCP_ROWS,
	  "Which function waited for what: sleep, poll, condition variables" },
	{ "lock_waits", HP_MCP_ROWS, "Waits for locks, and who held them" },
	{ "blocked", HP_MCP_ROWS, "What threads wait for at this moment, and deadlocks" },
	MISSING,
	HP_MCP_TRUNCATED,
	{ NULL },
};

static const struct sections waits = { { &hp_mcp_wait_rows, &hp_mcp_lock_wait_rows,
					 &hp_mcp_blocked_rows } };

const struct hp_mcp_tool hp_mcp_tool_waits = {
	.name = "waits",
	.title = "Waits",
	.description =
		"What functions wait for, and for how long; and what each thread waits for now.",
	.arguments = arguments,
	.fields = wait_fields,
	.run = run,
	.detail = &waits,
};

static const struct hp_mcp_field io_fields[] = {
	{ "io", HP_MCP_ROWS, "Reads and writes by function and file or socket" },
	MISSING,
	HP_MCP_TRUNCATED,
	{ NULL },
};

static const struct sections io = { { &hp_mcp_io_rows } };

const struct hp_mcp_tool hp_mcp_tool_io = {
	.name = "io",
	.title = "Input and output",
	.description = "Reads and writes of files, sockets and pipes: calls, bytes and times, by "
		       "function and target.",
	.arguments = arguments,
	.fields = io_fields,
	.run = run,
	.detail = &io,
};

static const struct hp_mcp_field channel_fields[] = {
	{ "channels", HP_MCP_ROWS, "Queues between threads" },
	{ "streams", HP_MCP_ROWS, NULL },
	{ "futures", HP_MCP_ROWS, NULL },
	MISSING,
	HP_MCP_TRUNCATED,
	{ NULL },
};

static const struct sections channels = { { &hp_mcp_channel_rows, &hp_mcp_stream_rows,
					    &hp_mcp_future_rows } };

const struct hp_mcp_tool hp_mcp_tool_channels = {
	.name = "channels",
	.title = "Channels, streams and futures",
	.description =
		"Queues, streams and asynchronous operations: how much went through them, how "
		"full they were, and how long it took.",
	.arguments = arguments,
	.fields = channel_fields,
	.run = run,
	.detail = &channels,
};

static const struct hp_mcp_field thread_fields[] = {
	{ "threads", HP_MCP_ROWS,
	  "Threads, with their CPU time and how long they queued for a processor" },
	MISSING,
	HP_MCP_TRUNCATED,
	{ NULL },
};

static const struct sections threads = { { &hp_mcp_thread_rows } };

const struct hp_mcp_tool hp_mcp_tool_threads = {
	.name = "threads",
	.title = "Threads",
	.description =
		"The threads of a program: their CPU time, state, and time in the run queue.",
	.arguments = arguments,
	.fields = thread_fields,
	.run = run,
	.detail = &threads,
};

static const struct hp_mcp_argument process_arguments[] = {
	HP_MCP_PROGRAM,
	HP_MCP_LIMIT,
	{ .name = NULL },
};

static const struct hp_mcp_field process_fields[] = {
	{ "process_tree", HP_MCP_ROWS, "Processes of a run as a tree, by depth" },
	MISSING,
	HP_MCP_TRUNCATED,
	{ NULL },
};

static const struct sections processes = { { &hp_mcp_process_rows } };

const struct hp_mcp_tool hp_mcp_tool_processes = {
	.name = "processes",
	.title = "Processes of a run",
	.description = "The processes that a run has started: how long each took, its CPU time and "
		       "memory, and how it ended.",
	.arguments = process_arguments,
	.fields = process_fields,
	.run = run,
	.detail = &processes,
};
