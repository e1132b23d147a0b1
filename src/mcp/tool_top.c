/* SPDX-License-Identifier: MIT */
/* The tool "top": the functions with most of one figure. */
#include "rows.h"

#include <string.h>

static void by_self(struct hp_report_options *options)
{
	options->time_exclusive = true;
}

static void by_calls(struct hp_report_options *options)
{
	strcpy(options->sort, "calls");
}

static void by_inclusive_cpu(struct hp_report_options *options)
{
	options->cpu_inclusive = true;
}

static void by_count(struct hp_report_options *options)
{
	options->alloc_count = true;
}

static const struct metric {
	const struct hp_mcp_rows *rows;
	/* Sets the options by which rows are chosen and sorted; NULL for none. */
	void (*set)(struct hp_report_options *options);
} metrics[] = {
	{ &hp_mcp_cpu_rows, NULL },	   { &hp_mcp_cpu_rows, by_inclusive_cpu },
	{ &hp_mcp_timing_rows, NULL },	   { &hp_mcp_timing_rows, by_self },
	{ &hp_mcp_timing_rows, by_calls }, { &hp_mcp_alloc_rows, NULL },
	{ &hp_mcp_alloc_rows, by_count },  { &hp_mcp_live_rows, NULL },
	{ &hp_mcp_wait_rows, NULL },	   { &hp_mcp_lock_wait_rows, NULL },
};

/* In the same order. */
static const char *const words[] = { "cpu",   "cpu_inclusive", "time",	      "self",
				     "calls", "alloc_bytes",   "alloc_count", "live_bytes",
				     "waits", "lock_waits",    NULL };

static int run(const struct hp_mcp_call *call, struct hp_error *error)
{
	const char *word = hp_mcp_text(call, "metric");
	size_t limit = (size_t)hp_mcp_number(call, "limit"), at = 0;
	struct hp_report_options options;

	(void)error;
	while (words[at + 1] && strcmp(words[at], word) != 0)
		at++;
	hp_mcp_options(&options, limit);
	if (metrics[at].set)
		metrics[at].set(&options);
	hp_mcp_add_text(call->result, "metric", word);
	hp_mcp_add_section(call, metrics[at].rows, &options, limit);
	return 0;
}

static const struct hp_mcp_argument arguments[] = {
	{ .name = "metric",
	  .type = HP_MCP_TEXT,
	  .words = words,
	  .description = "cpu: own CPU time; time: wall time of measured functions; live_bytes: "
			 "never freed" },
	HP_MCP_LIMIT,
	HP_MCP_WINDOW,
	HP_MCP_PROGRAM,
	{ .name = NULL },
};

static const struct hp_mcp_field fields[] = {
	{ "metric", HP_MCP_TEXT, NULL },
	{ "functions_timing", HP_MCP_ROWS, NULL },
	{ "functions_cpu", HP_MCP_ROWS, NULL },
	{ "functions_alloc", HP_MCP_ROWS, NULL },
	{ "memory_live", HP_MCP_ROWS, NULL },
	{ "waits", HP_MCP_ROWS, NULL },
	{ "lock_waits", HP_MCP_ROWS, NULL },
	{ "missing", HP_MCP_OBJECT, "Why there is nothing, and how to get it" },
	HP_MCP_TRUNCATED,
	{ NULL },
};

const struct hp_mcp_tool hp_mcp_tool_top = {
	.name = "top",
	.title = "Top functions",
	.description =
		"The functions with most CPU time, wall time, calls, allocations or waits; the "
		"rows are in the one member that belongs to the metric.",
	.arguments = arguments,
	.fields = fields,
	.run = run,
};
