/* SPDX-License-Identifier: MIT */
/* What tools take from the sections of a report: some rows of them, with some of their members. */
#ifndef HP_MCP_ROWS_H
#define HP_MCP_ROWS_H

#include "section.h"
#include "tool.h"

/** Rows of a section as tools give them. */
struct hp_mcp_rows {
	/** As in --report. */
	const char *section;
	/** The members of a row that are given unless they are null, with commas. */
	const char *members;
};

extern const struct hp_mcp_rows hp_mcp_timing_rows;
extern const struct hp_mcp_rows hp_mcp_cpu_rows;
extern const struct hp_mcp_rows hp_mcp_alloc_rows;
extern const struct hp_mcp_rows hp_mcp_live_rows;
extern const struct hp_mcp_rows hp_mcp_bottleneck_rows;
extern const struct hp_mcp_rows hp_mcp_lock_rows;
extern const struct hp_mcp_rows hp_mcp_lock_wait_rows;
extern const struct hp_mcp_rows hp_mcp_wait_rows;
extern const struct hp_mcp_rows hp_mcp_blocked_rows;
extern const struct hp_mcp_rows hp_mcp_io_rows;
extern const struct hp_mcp_rows hp_mcp_channel_rows;
extern const struct hp_mcp_rows hp_mcp_stream_rows;
extern const struct hp_mcp_rows hp_mcp_future_rows;
extern const struct hp_mcp_rows hp_mcp_thread_rows;
extern const struct hp_mcp_rows hp_mcp_process_rows;

/** Options for the sections of an answer: so many rows, 0 for all. */
void hp_mcp_options(struct hp_report_options *options, size_t limit);

/** Parse JSON that a view has written, and free its text. NULL if that failed. */
struct json_object *hp_mcp_take(struct hp_text *text);

/** The section that rows are of, as the report has it in JSON; NULL if there is nothing. To be freed. */
struct json_object *hp_mcp_section(const struct hp_mcp_rows *rows, const struct hp_model *model,
				   const struct hp_report_options *options);

/** A copy of an object with some of its members, as in struct hp_mcp_rows. */
struct json_object *hp_mcp_pick(struct json_object *row, const char *members);

/** Copies of the first rows of an array, which may be NULL. */
struct json_object *hp_mcp_pick_rows(struct json_object *rows, const char *members, size_t limit);

/**
 * Add the rows of a section to a result, under its key in JSON. If there are none, the member "missing" says why, by that
 * key. Sets "truncated" if there are more.
 */
void hp_mcp_add_section(const struct hp_mcp_call *call, const struct hp_mcp_rows *rows,
			const struct hp_report_options *options, size_t limit);

/** Set a member of a result, whose value is its own from then on; NULL is left out. */
void hp_mcp_add(struct json_object *result, const char *key, struct json_object *value);
void hp_mcp_add_text(struct json_object *result, const char *key, const char *text);
void hp_mcp_add_number(struct json_object *result, const char *key, uint64_t number);

/** Append to an array of a result, which is made if need be. */
void hp_mcp_append(struct json_object *result, const char *key, struct json_object *value);

/** Remember that not all rows were given. */
void hp_mcp_truncate(struct json_object *result);

#endif
