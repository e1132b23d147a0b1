/* SPDX-License-Identifier: MIT */
/* A model with waits, which tests make row by row, and what its sections say. */
#ifndef WAITS_SAMPLE_H
#define WAITS_SAMPLE_H

#include "kind.h"
#include "written_report.h"

#include <json-c/json.h>

#define MS UINT64_C(1000000)

/* The kinds of which the section takes rows. */
static const struct hp_kind lock_waits = { .key = "lock_waits" };
static const struct hp_kind waits = { .key = "waits" };
static const struct hp_kind io = { .key = "io" };
static const struct hp_kind lock_kind = { .key = "locks" };
static const struct hp_kind others = { .key = "channels" };

static struct hp_entry entries[16];
static struct hp_function functions[3];
static struct hp_thread threads[3];

static inline void add(const struct hp_kind *kind, const char *name, const char *first,
		       const char *second, const char *third, uint64_t ms)
{
	entries[model.entries.count++] = (struct hp_entry){
		.kind = kind,
		.name = (char *)name,
		.texts = { (char *)first, (char *)second, (char *)third },
		.times = { { .count = 100, .sum_ns = ms * MS } },
	};
}

static inline void wait_lock(const char *waiter, const char *lock, const char *holder, uint64_t ms)
{
	add(&lock_waits, waiter, holder, lock, NULL, ms);
}

static inline void try_lock(const char *function, const char *lock, const char *holder,
			    uint64_t refused)
{
	add(&lock_waits, function, holder, lock, NULL, 0);
	entries[model.entries.count - 1].words[0] = refused;
}

static inline void add_lock(const char *name, enum hp_site_kind kind)
{
	add(&lock_kind, name, NULL, NULL, NULL, 0);
	entries[model.entries.count - 1].site_kind = kind;
}

static inline void add_function(const char *name, uint64_t wall_ms, uint64_t cpu_ms,
				uint64_t queue_ms)
{
	functions[model.function_count++] = (struct hp_function){
		.name = (char *)name,
		.kind = HP_SITE_FUNCTION,
		.calls = 100,
		.total_ns = wall_ms * MS,
		.self_ns = wall_ms * MS,
		.cpu = { .samples = cpu_ms, .queue_ns = queue_ms * MS },
	};
}

static inline void add_thread(const char *name, uint64_t wall_ms, uint64_t cpu_ms,
			      uint64_t queue_ms)
{
	threads[model.threads.count] = (struct hp_thread){
		.name = (char *)name,
		.tid = 42 + (uint32_t)model.threads.count,
		.pid = 41,
		.threads = 1,
		.has_times = true,
		.user_ns = cpu_ms * MS,
		.queue_ns = queue_ms * MS,
		.recorded_ns = wall_ms * MS,
	};
	model.threads.count++;
}

static inline int set_up(void **state)
{
	(void)state;
	model = (struct hp_model){
		.program = (char *)"./program",
		.arguments = (char *)"",
		.pid = 41,
		.processes = 1,
		.caller = (char *)"program",
		.elapsed_ns = 5000 * MS,
		.functions = functions,
		.threads = { .items = threads },
		.cpu = { .source = HP_CPU_PERF,
			 .rate_hz = 1000,
			 .period_ns = MS,
			 .total_samples = 1 },
		.entries = { entries, 0 },
	};
	hp_report_options_init(&options);
	return 0;
}

static inline void assert_has(const char *what)
{
	if (!has(what))
		fail_msg("'%s' is not in:\n%s", what, text.bytes);
}

static inline void not_sampled(void)
{
	model.cpu = (struct hp_cpu){ .source = HP_CPU_NONE };
}

static inline struct json_object *at(struct json_object *json, const char *path)
{
	struct json_object *found = NULL;

	if (json_pointer_get(json, path, &found))
		fail_msg("no %s in %s", path, text.bytes);
	return found;
}

#define ASSERT_JSON(json, path, expected)                                                          \
	assert_string_equal(json_object_to_json_string(at(json, path)), expected)

static inline struct json_object *parsed(void)
{
	set("format", "json");
	set("report", "bottlenecks");
	return json_tokener_parse(report());
}

#endif
