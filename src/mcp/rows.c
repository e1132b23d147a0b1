/* SPDX-License-Identifier: MIT */
/* What tools take from the sections of a report. */
#include "rows.h"

#include "request.h"

#include <json-c/json.h>

#include <string.h>

/* ---- members ---- */

const struct hp_mcp_rows hp_mcp_timing_rows = {
	"timing", "name,calls,open,counted_calls,measured,total_ns,self_ns,avg_ns,p95_ns,max_ns,"
		  "percent_total,location"
};
const struct hp_mcp_rows hp_mcp_cpu_rows = {
	"cpu", "name,cpu_ns,samples,inclusive_samples,system_samples,percent"
};
const struct hp_mcp_rows hp_mcp_alloc_rows = {
	"alloc-bytes",
	"name,calls,bytes,count,inclusive_bytes,temporary_count,percent_total,location"
};
const struct hp_mcp_rows hp_mcp_live_rows = { "live", "name,location,bytes,blocks,peak_bytes" };
const struct hp_mcp_rows hp_mcp_bottleneck_rows = {
	"bottlenecks", "name,threads,verdict,confidence,wall_ns,cpu_ns,queue_ns,wait_ns,lock_ns,"
		       "disk_ns,network_ns,pipe_ns,idle_ns,alloc_ns,waits_for"
};
const struct hp_mcp_rows hp_mcp_lock_rows = {
	"locks",
	"name,lock_type,instances,acquired_count,contended_count,contended_percent,"
	"refused_count,wait_sum_ns,wait_avg_ns,wait_p95_ns,wait_max_ns,hold_sum_ns,hold_avg_ns,"
	"hold_max_ns,max_waiters,location"
};
const struct hp_mcp_rows hp_mcp_lock_wait_rows = {
	"lock-waits", "name,lock,holder,wait_sampled_count,wait_sum_ns,wait_avg_ns,wait_max_ns,"
		      "refused_count"
};
const struct hp_mcp_rows hp_mcp_wait_rows = {
	"waits", "name,reason,target,wait_sampled_count,wait_sum_ns,wait_avg_ns,wait_p95_ns,"
		 "wait_max_ns"
};
const struct hp_mcp_rows hp_mcp_blocked_rows = {
	"blocked", "name,tid,reason,target,waited_ns,function,holder,holder_tid,holder_function,"
		   "is_deadlocked"
};
const struct hp_mcp_rows hp_mcp_io_rows = {
	"io", "name,target,operation,medium,calls,bytes,bytes_per_sec,sum_ns,avg_ns,time_p95_ns,"
	      "max_ns,errors,small_percent"
};
const struct hp_mcp_rows hp_mcp_channel_rows = {
	"channels", "name,channel_type,instances,state,sent_count,received_count,sent_per_sec,"
		    "queue_size,max_queue_size,full_percent,send_waited_ns,waited_ns,delay_avg_ns,"
		    "delay_p95_ns,delay_max_ns,location"
};
const struct hp_mcp_rows hp_mcp_stream_rows = {
	"streams", "name,instances,state,items_yielded,items_per_sec,yielded_bytes,location"
};
const struct hp_mcp_rows hp_mcp_future_rows = {
	"futures", "name,call_count,ended_count,cancelled_count,total_polls,total_poll_duration_ns,"
		   "max_poll_duration_ns,lifetime_avg_ns,lifetime_p95_ns,lifetime_max_ns,"
		   "total_queue_ns,total_service_ns,location"
};
const struct hp_mcp_rows hp_mcp_thread_rows = {
	"threads", "name,tid,state,threads,cpu_percent,cpu_percent_avg,recorded_ns,user_ns,"
		   "system_ns,queue_ns,allocated_bytes,freed_bytes"
};
const struct hp_mcp_rows hp_mcp_process_rows = {
	"processes", "program,arguments,pid,parent_pid,processes,depth,elapsed_ns,user_ns,"
		     "system_ns,peak_rss_bytes,end,status"
};

/* ---- results ---- */

void hp_mcp_add(struct json_object *result, const char *key, struct json_object *value)
{
	if (value && json_object_object_add(result, key, value) < 0)
		json_object_put(value);
}

void hp_mcp_add_text(struct json_object *result, const char *key, const char *text)
{
	if (text)
		hp_mcp_add(result, key, json_object_new_string(text));
}

void hp_mcp_add_number(struct json_object *result, const char *key, uint64_t number)
{
	hp_mcp_add(result, key, json_object_new_uint64(number));
}

void hp_mcp_append(struct json_object *result, const char *key, struct json_object *value)
{
	struct json_object *array = hp_mcp_member(result, key);

	if (!array) {
		array = json_object_new_array();
		hp_mcp_add(result, key, array);
	}
	if (!array || json_object_array_add(array, value) < 0)
		json_object_put(value);
}

void hp_mcp_truncate(struct json_object *result)
{
	hp_mcp_add(result, "truncated", json_object_new_boolean(true));
}

/* ---- sections ---- */

void hp_mcp_options(struct hp_report_options *options, size_t limit)
{
	hp_report_options_init(options);
	options->format = HP_FORMAT_JSON;
	options->limits[HP_LIMIT_ALL] = (int)limit;
}

struct json_object *hp_mcp_take(struct hp_text *text)
{
	struct json_object *value = text->bytes && !text->failed ? json_tokener_parse(text->bytes)
								 : NULL;

	hp_text_free(text);
	return value;
}

struct json_object *hp_mcp_section(const struct hp_mcp_rows *rows, const struct hp_model *model,
				   const struct hp_report_options *options)
{
	struct hp_text text = HP_TEXT_INIT;
	struct hp_json json = hp_json_start(&text, false);

	hp_section_write_json(hp_section_find(rows->section), model, options, &json);
	return hp_mcp_take(&text);
}

struct json_object *hp_mcp_pick(struct json_object *row, const char *members)
{
	struct json_object *picked = json_object_new_object();
	struct hp_item item;

	while (picked && hp_item_next(&members, &item)) {
		struct json_object *member = hp_mcp_member(row, item.text);
		if (member)
			hp_mcp_add(picked, item.text, json_object_get(member));
	}
	return picked;
}

struct json_object *hp_mcp_pick_rows(struct json_object *rows, const char *members, size_t limit)
{
	struct json_object *picked = json_object_new_array();
	size_t count = rows ? json_object_array_length(rows) : 0;

	for (size_t i = 0; picked && i < count && i < limit; i++)
		json_object_array_add(picked,
				      hp_mcp_pick(json_object_array_get_idx(rows, i), members));
	return picked;
}

static void add_missing(const struct hp_mcp_call *call, const struct hp_section *section)
{
	struct json_object *missing = hp_mcp_member(call->result, "missing");
	struct hp_text why = HP_TEXT_INIT;

	if (!missing) {
		missing = json_object_new_object();
		hp_mcp_add(call->result, "missing", missing);
	}
	if (missing && hp_section_is_nothing(section, call->model, &why))
		hp_mcp_add_text(missing, section->json_key, why.bytes);
	else if (missing)
		hp_mcp_add_text(missing, section->json_key, "There was none.");
	hp_text_free(&why);
}

void hp_mcp_add_section(const struct hp_mcp_call *call, const struct hp_mcp_rows *rows,
			const struct hp_report_options *options, size_t limit)
{
	const struct hp_section *section = hp_section_find(rows->section);
	struct json_object *object = hp_mcp_section(rows, call->model, options);
	struct json_object *data = hp_mcp_member(object, "data");
	size_t total = (size_t)json_object_get_uint64(hp_mcp_member(object, "total_count"));

	if (data && json_object_array_length(data)) {
		hp_mcp_add(call->result, section->json_key,
			   hp_mcp_pick_rows(data, rows->members, limit));
		if (total > limit)
			hp_mcp_truncate(call->result);
	} else {
		add_missing(call, section);
	}
	json_object_put(object);
}
