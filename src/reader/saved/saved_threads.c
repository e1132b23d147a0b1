/* SPDX-License-Identifier: MIT */
/* Reads threads and the memory use of the process from a saved report. */
#include "saved_threads.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool read_state(struct json_object *value, void *into)
{
	enum hp_thread_state *state = into;

	*state = hp_thread_state_find(json_object_get_string(value));
	return *state != HP_THREAD_UNKNOWN;
}

static const struct hp_saved_type state_type = { read_state, "the state of a thread" };

static const struct hp_saved_field process_fields[] = {
	{ "rss_bytes", &hp_saved_type_u64, offsetof(struct hp_memory, rss_bytes) },
	{ "own_rss_bytes", &hp_saved_type_u64, offsetof(struct hp_memory, own_rss_bytes) },
	{ "peak_rss_bytes", &hp_saved_type_u64, offsetof(struct hp_memory, peak_rss_bytes) },
	{ "allocated_bytes", &hp_saved_type_u64, offsetof(struct hp_memory, allocated_bytes) },
	{ "freed_bytes", &hp_saved_type_u64, offsetof(struct hp_memory, freed_bytes) },
	{ NULL, NULL, 0 },
};

static const struct hp_saved_field thread_fields[] = {
	{ "name", &hp_saved_type_string, offsetof(struct hp_thread, name) },
	{ "tid", &hp_saved_type_u32, offsetof(struct hp_thread, tid) },
	{ "pid", &hp_saved_type_u32, offsetof(struct hp_thread, pid) },
	{ "state", &state_type, offsetof(struct hp_thread, state) },
	{ "threads", &hp_saved_type_u64, offsetof(struct hp_thread, threads) },
	{ "cpu_percent", &hp_saved_type_number, offsetof(struct hp_thread, cpu_now) },
	{ "cpu_percent_avg", &hp_saved_type_number, offsetof(struct hp_thread, cpu_avg) },
	{ "cpu_percent_max", &hp_saved_type_number, offsetof(struct hp_thread, cpu_max) },
	{ "user_ns", &hp_saved_type_u64, offsetof(struct hp_thread, user_ns) },
	{ "system_ns", &hp_saved_type_u64, offsetof(struct hp_thread, system_ns) },
	{ "queue_ns", &hp_saved_type_u64, offsetof(struct hp_thread, queue_ns) },
	{ "recorded_ns", &hp_saved_type_u64, offsetof(struct hp_thread, recorded_ns) },
	{ "before_ns", &hp_saved_type_u64, offsetof(struct hp_thread, before_ns) },
	{ "allocated_bytes", &hp_saved_type_u64, offsetof(struct hp_thread, allocated_bytes) },
	{ "freed_bytes", &hp_saved_type_u64, offsetof(struct hp_thread, freed_bytes) },
	{ NULL, NULL, 0 },
};

static int read_fields(struct json_object *row, struct hp_thread *thread, struct hp_error *error)
{
	thread->has_times = hp_saved_member(row, "user_ns") != NULL;
	return hp_saved_fields(row, thread_fields, thread, error);
}

static int read_thread(struct json_object *row, struct hp_model *model, struct hp_error *error)
{
	struct hp_thread thread = hp_thread_new(model->pid, 0);

	if (!json_object_is_type(row, json_type_object) || !hp_saved_member(row, "name"))
		return hp_saved_fail(error, -EINVAL, "damaged report: a thread has no name");
	int failed = read_fields(row, &thread, error);
	if (!failed && !hp_threads_append(&model->threads, thread))
		failed = hp_saved_fail(error, -ENOMEM, "out of memory");
	if (failed)
		free(thread.name);
	return failed;
}

static int read_ended(struct json_object *section, struct hp_thread *rest, struct hp_error *error)
{
	struct json_object *ended = hp_saved_member(section, "ended");

	if (!ended)
		return 0;
	if (!json_object_is_type(ended, json_type_object) || hp_saved_member(ended, "name"))
		return hp_saved_fail(error, -EINVAL,
				     "damaged report: 'ended' is not an object "
				     "with sums");
	return read_fields(ended, rest, error);
}

/* A report of threads alone still says what was recorded of allocations. */
static void set_mode(struct json_object *section, struct hp_memory *memory)
{
	if (memory->mode != HP_ALLOC_NONE || !hp_saved_member(section, "allocated_bytes"))
		return;
	memory->mode = hp_saved_member(section, "freed_bytes") ? HP_ALLOC_FREED : HP_ALLOC_COUNT;
}

int hp_saved_threads(struct json_object *report, struct hp_model *model, struct hp_error *error)
{
	struct json_object *section = hp_saved_member(report, "threads"), *rows;
	size_t count;
	if (!section)
		return 0;

	int failed = hp_saved_member_fields(report, "threads", process_fields, &model->memory,
					    error);
	if (!failed)
		failed = hp_saved_array(section, "data", &rows, &count, error);
	if (failed)
		return failed;
	set_mode(section, &model->memory);
	for (size_t i = 0; i < count && !failed; i++)
		failed = read_thread(json_object_array_get_idx(rows, i), model, error);
	if (!failed)
		failed = read_ended(section, &model->threads.rest, error);
	hp_threads_sort(&model->threads);
	return failed;
}
