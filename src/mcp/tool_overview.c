/* SPDX-License-Identifier: MIT */
/* The tool "overview": what limits a program, in sentences and in the top rows of each subject, and what to ask next. */
#include "request.h"
#include "rows.h"

#include <json-c/json.h>

#include <string.h>

enum {
	PROGRAMS = 8,
	SENTENCES = 6,
};

/* ---- the program ---- */

static uint64_t cpu_of(const struct hp_model *model, bool *known)
{
	const struct hp_threads *threads = &model->threads;
	uint64_t sum = threads->rest.user_ns + threads->rest.system_ns;

	*known = false;
	for (size_t i = 0; i < threads->count; i++) {
		sum += threads->items[i].user_ns + threads->items[i].system_ns;
		*known |= threads->items[i].has_times;
	}
	return sum;
}

static void add_memory(const struct hp_mcp_call *call)
{
	struct hp_report_options options;
	hp_mcp_options(&options, 1);
	struct json_object *threads = hp_mcp_section(&hp_mcp_thread_rows, call->model, &options);
	struct json_object *rss = hp_mcp_member(threads, "rss_bytes");
	struct json_object *peak = hp_mcp_member(threads, "peak_rss_bytes");

	hp_mcp_add(call->result, "rss_bytes", json_object_get(rss));
	hp_mcp_add(call->result, "peak_rss_bytes", json_object_get(peak));
	json_object_put(threads);
}

static void add_program(const struct hp_mcp_call *call)
{
	const struct hp_model *model = call->model;
	bool known;
	uint64_t cpu_ns = cpu_of(model, &known);

	hp_mcp_add_text(call->result, "program", model->program);
	hp_mcp_add_text(call->result, "arguments", model->arguments);
	hp_mcp_add_number(call->result, "pid", model->pid);
	hp_mcp_add_text(call->result, "state", model->exit.running ? "running" : "ended");
	if (model->processes > 1)
		hp_mcp_add_number(call->result, "processes", model->processes);
	hp_mcp_add_number(call->result, "elapsed_ns", model->elapsed_ns);
	if (known)
		hp_mcp_add_number(call->result, "cpu_ns", cpu_ns);
	add_memory(call);
	for (size_t i = 0; i < model->note_count && i < SENTENCES; i++)
		hp_mcp_append(call->result, "notes", json_object_new_string(model->notes[i]));
}

static void add_other(void *to, const struct hp_mcp_program *program)
{
	struct json_object *result = to, *row = json_object_new_object();
	struct json_object *programs = hp_mcp_member(result, "programs");

	if (!row || (programs && json_object_array_length(programs) >= PROGRAMS)) {
		json_object_put(row);
		return;
	}
	hp_mcp_add_text(row, "program", program->id);
	hp_mcp_add_text(row, "name", program->name);
	hp_mcp_add_text(row, "state", program->state);
	hp_mcp_append(result, "programs", row);
}

static void add_programs(const struct hp_mcp_call *call)
{
	struct hp_error ignored;

	call->host->list(call->host->context, add_other, call->result, &ignored);
}

/* ---- what to ask next ---- */

static void advise(const struct hp_mcp_call *call, const char *tool, const char *name,
		   const char *why)
{
	struct json_object *row = json_object_new_object();
	if (!row)
		return;

	hp_mcp_add_text(row, "tool", tool);
	hp_mcp_add_text(row, "name", name);
	hp_mcp_add_text(row, "why", why);
	hp_mcp_append(call->result, "next", row);
}

static struct json_object *first_row(const struct hp_mcp_call *call, const char *key)
{
	struct json_object *rows = hp_mcp_member(call->result, key);

	return rows && json_object_array_length(rows) ? json_object_array_get_idx(rows, 0) : NULL;
}

static const struct advice {
	const char *verdict;
	/* The section whose first row has the function, and the member with its name; NULL for none. */
	const char *section;
	const char *member;
	const char *tool;
	const char *why;
} advices[] = {
	{ "cpu", "functions_cpu", "name", "lines", "it computes: these lines take the CPU time" },
	{ "cpu", "functions_cpu", "name", "callers", "who asks for that work" },
	{ "alloc", "functions_alloc", "name", "callers", "it allocates: this function most" },
	{ "lock", NULL, NULL, "locks", "it waits for locks" },
	{ "disk", NULL, NULL, "io", "it waits for files" },
	{ "network", NULL, NULL, "io", "it waits for the network" },
	{ "pipe", NULL, NULL, "io", "it waits for pipes or terminals" },
	{ "starved", NULL, NULL, "threads", "threads queue for a processor" },
	{ "wait", NULL, NULL, "waits", "it waits" },
	{ "idle", NULL, NULL, "waits", "it has nothing to do for most of the time" },
	{ "mixed", "functions_cpu", "name", "function", "the function with most CPU time" },
	/* Whatever the verdict. */
	{ NULL, "lock_waits", "holder", "function", "others want a lock that it holds" },
	{ NULL, "lock_waits", NULL, "locks", "threads want locks that are not free" },
	{ NULL, "functions_cpu", "name", "lines", "the function with most CPU time" },
};

static bool is_advised(const struct hp_mcp_call *call, const char *tool)
{
	struct json_object *rows = hp_mcp_member(call->result, "next");
	size_t count = rows ? json_object_array_length(rows) : 0;

	for (size_t i = 0; i < count; i++)
		if (strcmp(hp_mcp_string(json_object_array_get_idx(rows, i), "tool"), tool) == 0)
			return true;
	return false;
}

static void add_next(const struct hp_mcp_call *call)
{
	const char *verdict = hp_mcp_string(first_row(call, "bottlenecks"), "verdict");

	for (size_t i = 0; i < sizeof(advices) / sizeof(*advices); i++) {
		const struct advice *advice = &advices[i];
		struct json_object *row = advice->section ? first_row(call, advice->section) : NULL;
		if ((advice->verdict && (!verdict || strcmp(advice->verdict, verdict) != 0)) ||
		    (advice->section && !row) || is_advised(call, advice->tool))
			continue;
		advise(call, advice->tool,
		       advice->member ? hp_mcp_string(row, advice->member) : NULL, advice->why);
	}
}

/* ---- the rows ---- */

static void add_summary(const struct hp_mcp_call *call, const struct hp_report_options *options)
{
	struct json_object *object = hp_mcp_section(&hp_mcp_bottleneck_rows, call->model, options);
	struct json_object *summary = hp_mcp_member(object, "summary");
	size_t count = summary ? json_object_array_length(summary) : 0;

	for (size_t i = 0; i < count && i < SENTENCES; i++)
		hp_mcp_append(call->result, "summary",
			      json_object_get(json_object_array_get_idx(summary, i)));
	json_object_put(object);
}

static int run(const struct hp_mcp_call *call, struct hp_error *error)
{
	static const struct hp_mcp_rows sections[] = {
		{ "bottlenecks", "name,verdict,wall_ns,waits_for" },
		{ "timing", "name,calls,total_ns,self_ns,percent_total" },
		{ "cpu", "name,cpu_ns,percent" },
		{ "alloc-bytes", "name,bytes,count,percent_total" },
		{ "lock-waits", "name,lock,holder,wait_sum_ns,refused_count" },
		{ "waits", "name,reason,target,wait_sum_ns" },
	};
	size_t limit = (size_t)hp_mcp_number(call, "limit");
	struct hp_report_options options;

	(void)error;
	hp_mcp_options(&options, limit);
	add_program(call);
	add_summary(call, &options);
	for (size_t i = 0; i < sizeof(sections) / sizeof(*sections); i++)
		hp_mcp_add_section(call, &sections[i], &options, limit);
	/* It promises no more than the top. */
	hp_mcp_add(call->result, "truncated", json_object_new_boolean(false));
	add_next(call);
	add_programs(call);
	return 0;
}

static const struct hp_mcp_argument arguments[] = {
	HP_MCP_PROGRAM,
	HP_MCP_LIMIT_EACH,
	HP_MCP_WINDOW,
	{ .name = NULL },
};

static const struct hp_mcp_field fields[] = {
	{ "program", HP_MCP_TEXT, NULL },
	{ "arguments", HP_MCP_TEXT, NULL },
	{ "pid", HP_MCP_NUMBER, NULL },
	{ "state", HP_MCP_TEXT, "running or ended" },
	{ "processes", HP_MCP_NUMBER, "Processes that were added up" },
	{ "elapsed_ns", HP_MCP_NUMBER, NULL },
	{ "cpu_ns", HP_MCP_NUMBER, "CPU time of all threads" },
	{ "rss_bytes", HP_MCP_NUMBER, NULL },
	{ "peak_rss_bytes", HP_MCP_NUMBER, NULL },
	{ "notes", HP_MCP_TEXTS, "What the figures do not tell" },
	{ "summary", HP_MCP_TEXTS, "What limits the program" },
	{ "bottlenecks", HP_MCP_ROWS, "Functions or threads, with what they spend their time on" },
	{ "functions_timing", HP_MCP_ROWS, "Measured functions by wall time" },
	{ "functions_cpu", HP_MCP_ROWS, "Functions by CPU time of their own" },
	{ "functions_alloc", HP_MCP_ROWS, "Functions by bytes that they allocated" },
	{ "lock_waits", HP_MCP_ROWS, "Who waited for a lock that which holder had" },
	{ "waits", HP_MCP_ROWS, "Other waits" },
	{ "missing", HP_MCP_OBJECT, "What is not known, and how to get it" },
	{ "next", HP_MCP_ROWS, "Which tools to ask next, with the function to name" },
	{ "programs", HP_MCP_ROWS, "What can be asked about, as 'program'" },
	HP_MCP_TRUNCATED,
	{ NULL },
};

const struct hp_mcp_tool hp_mcp_tool_overview = {
	.name = "overview",
	.title = "Why is it slow?",
	.description = "Ask this first: what limits a program, in sentences; the top functions by "
		       "time, CPU time, allocations and waits; and which tools to ask next.",
	.arguments = arguments,
	.fields = fields,
	.run = run,
};
