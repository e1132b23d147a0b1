/* SPDX-License-Identifier: MIT */
/*
 * The processed format of the Firefox Profiler, compressed:
 * https://github.com/firefox-devtools/profiler/blob/main/docs-developer/processed-profile-format.md
 *
 * It consists of tables, stored by column, that all threads share:
 *
 *	samples (of a thread) → stackTable → frameTable → funcTable → resourceTable → libs
 *
 * A call of the tree becomes one stack for each level of its location. Viewers also read older versions, so the
 * version is the first one with shared tables.
 */
#include "firefox_tables.h"

#include "hotpath/version.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum {
	FORMAT_VERSION = 60,
	/* Version of the Gecko format that this one is derived from. */
	GECKO_VERSION = 31,
};

static const char *const categories[][2] = {
	[HP_FIREFOX_OTHER] = { "Other", "grey" },
	[HP_FIREFOX_PROGRAM] = { "Program", "yellow" },
	[HP_FIREFOX_LIBRARY] = { "Library", "blue" },
	[HP_FIREFOX_MEASURED] = { "Measured", "green" },
	[HP_FIREFOX_WAIT] = { "Waiting", "purple" },
};

/* ---- modules ---- */

/* Breakpad treats the first 16 bytes as a GUID, whose first three fields are little-endian. */
static void put_breakpad_id(struct hp_firefox *writing, const struct hp_cpu_module *module)
{
	static const uint8_t order[] = { 3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15 };
	char id[2 * sizeof(order) + 2] = "";

	for (size_t i = 0; i < sizeof(order); i++)
		snprintf(&id[2 * i], 3, "%02X",
			 order[i] < module->build_id_size ? module->build_id[order[i]] : 0);
	strcat(id, "0");
	hp_firefox_member(writing, "breakpadId", id);
}

static void put_code_id(struct hp_firefox *writing, const struct hp_cpu_module *module)
{
	char id[2 * HP_BUILD_ID_MAX + 1] = "";

	for (uint32_t i = 0; i < module->build_id_size && i < HP_BUILD_ID_MAX; i++)
		snprintf(&id[(size_t)2 * i], 3, "%02x", module->build_id[i]);
	hp_firefox_member(writing, "codeId", *id ? id : NULL);
}

static void put_libraries(struct hp_firefox *writing)
{
	hp_firefox_column(writing, "libs");
	for (uint32_t i = 0; i < writing->profile->cpu->module_count; i++) {
		const struct hp_cpu_module *module = &writing->profile->cpu->modules[i];
		const char *path = module->path ? module->path : "?";
		const char *name = hp_profile_base(path);
		hp_json_begin_object(&writing->json);
		hp_firefox_member(writing, "arch", "");
		hp_firefox_member(writing, "name", name);
		hp_firefox_member(writing, "path", path);
		hp_firefox_member(writing, "debugName", name);
		hp_firefox_member(writing, "debugPath", path);
		put_breakpad_id(writing, module);
		put_code_id(writing, module);
		hp_json_end_object(&writing->json);
	}
	hp_json_end_array(&writing->json);
}

/* ---- threads ---- */

/* Samples of a thread, one after the other. */
struct thread {
	const struct hp_sampled *samples;
	uint32_t count;
};

static uint64_t main_value(const struct hp_firefox *writing, const struct hp_sampled *sampled)
{
	return hp_profile_main(writing->profile, &sampled->values);
}

/*
 * The times of samples are not known: stacks follow one another, each as long as its time, or a nanosecond for a byte. A last sample without a
 * stack marks the end of the one before.
 */
static void put_times(struct hp_firefox *writing, const struct thread *thread)
{
	uint64_t passed = 0;

	hp_firefox_column(writing, "time");
	for (uint32_t i = 0; i <= thread->count; i++) {
		hp_json_double(&writing->json, (double)passed / 1e6);
		passed += i < thread->count ? main_value(writing, &thread->samples[i]) : 0;
	}
	hp_json_end_array(&writing->json);
}

/* CPU time since the sample before; null for the first. */
static void put_cpu_times(struct hp_firefox *writing, const struct thread *thread)
{
	hp_firefox_column(writing, "threadCPUDelta");
	hp_firefox_number(writing, 0);
	for (uint32_t i = 0; i < thread->count; i++)
		hp_firefox_number(writing, (int64_t)main_value(writing, &thread->samples[i]));
	hp_json_end_array(&writing->json);
}

/* Times are in milliseconds. */
static void put_weight(struct hp_firefox *writing, const struct hp_values *values)
{
	const struct hp_export_subject *subject = writing->profile->subject;
	uint64_t value = values->of[subject->weight];

	if (strcmp(subject->types[subject->weight].unit, "nanoseconds") == 0)
		hp_json_double(&writing->json, (double)value / 1e6);
	else
		hp_firefox_number(writing, (int64_t)value);
}

static void put_samples(struct hp_firefox *writing, const struct thread *thread)
{
	static const struct hp_values none = { { 0 } };
	const struct hp_export_subject *subject = writing->profile->subject;

	hp_firefox_table(writing, "samples", (uint64_t)thread->count + 1);
	hp_firefox_member(writing, "weightType", subject->firefox_weight);
	hp_firefox_column(writing, "stack");
	for (uint32_t i = 0; i < thread->count; i++)
		hp_firefox_number(writing, writing->stacks[thread->samples[i].call]);
	hp_firefox_number(writing, HP_FIREFOX_NOTHING);
	hp_json_end_array(&writing->json);
	put_times(writing, thread);
	if (subject->is_cpu_time)
		put_cpu_times(writing, thread);
	hp_firefox_column(writing, "weight");
	for (uint32_t i = 0; i < thread->count; i++)
		put_weight(writing, &thread->samples[i].values);
	put_weight(writing, &none);
	hp_json_end_array(&writing->json);
	hp_json_end_object(&writing->json);
}

static void put_markers(struct hp_firefox *writing)
{
	static const char *const columns[] = { "data",	  "name",  "startTime",
					       "endTime", "phase", "category" };

	hp_firefox_table(writing, "markers", 0);
	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++)
		hp_firefox_empty(writing, columns[i]);
	hp_json_end_object(&writing->json);
}

/* The process id is a string there. A thread that has ended has no tid, and gets its index in the list. */
static void put_ids(struct hp_firefox *writing, uint32_t number)
{
	const struct hp_model *model = writing->profile->model;
	const struct hp_cpu_thread *thread = &writing->profile->cpu->threads[number];
	char id[32];

	snprintf(id, sizeof(id), "%u", (unsigned)(thread->pid ? thread->pid : model->pid));
	hp_firefox_member(writing, "pid", id);
	snprintf(id, sizeof(id), thread->tid ? "%u" : "ended-%u",
		 (unsigned)(thread->tid ? thread->tid : number));
	hp_firefox_member(writing, "tid", id);
	hp_json_key(&writing->json, "isMainThread");
	hp_json_bool(&writing->json, number == 0 || (thread->tid && thread->tid == thread->pid));
}

static void put_thread(struct hp_firefox *writing, const struct thread *thread)
{
	struct hp_json *json = &writing->json;
	uint32_t number = thread->samples->thread;

	hp_json_begin_object(json);
	hp_firefox_member(writing, "name", hp_profile_thread(writing->profile, number));
	hp_firefox_member(writing, "processName", hp_profile_program(writing->profile));
	hp_firefox_member(writing, "processType", "default");
	put_ids(writing, number);
	hp_json_member_u64(json, "processStartupTime", 0);
	hp_json_member_u64(json, "registerTime", 0);
	hp_firefox_member(writing, "processShutdownTime", NULL);
	hp_firefox_member(writing, "unregisterTime", NULL);
	hp_firefox_empty(writing, "pausedRanges");
	put_samples(writing, thread);
	put_markers(writing);
	hp_json_end_object(json);
}

static void put_threads(struct hp_firefox *writing)
{
	const struct hp_profile *profile = writing->profile;

	hp_firefox_column(writing, "threads");
	for (size_t i = 0; i < profile->sample_count;) {
		struct thread thread = { &profile->samples[i], 0 };
		while (i < profile->sample_count &&
		       profile->samples[i].thread == thread.samples->thread) {
			thread.count++;
			i++;
		}
		put_thread(writing, &thread);
	}
	hp_json_end_array(&writing->json);
}

/* ---- the file ---- */

static void put_categories(struct hp_firefox *writing)
{
	struct hp_json *json = &writing->json;

	hp_firefox_column(writing, "categories");
	for (size_t i = 0; i < sizeof(categories) / sizeof(*categories); i++) {
		hp_json_begin_object(json);
		hp_firefox_member(writing, "name", categories[i][0]);
		hp_firefox_member(writing, "color", categories[i][1]);
		hp_firefox_column(writing, "subcategories");
		hp_json_string(json, "Other");
		hp_json_end_array(json);
		hp_json_end_object(json);
	}
	hp_json_end_array(json);
}

static void put_meta(struct hp_firefox *writing)
{
	const struct hp_model *model = writing->profile->model;
	static const char *const units[][2] = { { "time", "ms" },
						{ "eventDelay", "ms" },
						{ "threadCPUDelta", "ns" } };
	uint64_t period_ns = writing->profile->cpu->period_ns;
	struct hp_json *json = &writing->json;

	hp_json_key(json, "meta");
	hp_json_begin_object(json);
	hp_json_member_u64(json, "version", GECKO_VERSION);
	hp_json_member_u64(json, "preprocessedProfileVersion", FORMAT_VERSION);
	hp_firefox_member(writing, "product", hp_profile_program(writing->profile));
	hp_firefox_member(writing, "importedFrom", "hotpath " HOTPATH_VERSION);
	hp_firefox_member(writing, "platform", "Linux");
	hp_firefox_member(writing, "oscpu", "Linux");
	hp_firefox_member(writing, "toolkit", "");
	hp_json_key(json, "interval");
	hp_json_double(json, period_ns ? (double)period_ns / 1e6 : 1);
	hp_json_key(json, "startTime");
	hp_json_double(json, (double)model->start_unix_ns / 1e6);
	hp_json_member_u64(json, "processType", 0);
	hp_json_member_u64(json, "stackwalk", 1);
	hp_json_member_u64(json, "debug", 0);
	hp_json_key(json, "symbolicated");
	hp_json_bool(json, true);
	hp_json_key(json, "usesOnlyOneStackType");
	hp_json_bool(json, true);
	hp_json_key(json, "sourceCodeIsNotOnSearchfox");
	hp_json_bool(json, true);
	hp_firefox_empty(writing, "markerSchema");
	hp_json_key(json, "sampleUnits");
	hp_json_begin_object(json);
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		hp_firefox_member(writing, units[i][0], units[i][1]);
	hp_json_end_object(json);
	put_categories(writing);
	hp_json_end_object(json);
}

static void put_all(struct hp_firefox *writing)
{
	hp_json_begin_object(&writing->json);
	put_meta(writing);
	put_libraries(writing);
	hp_firefox_tables(writing);
	put_threads(writing);
	hp_json_end_object(&writing->json);
}

static int write_firefox(const struct hp_profile *profile, struct hp_sink *sink)
{
	struct hp_firefox writing;
	bool opened = hp_firefox_open(&writing, profile, sink);

	if (opened)
		put_all(&writing);
	return hp_firefox_close(&writing) && opened ? 0 : -ENOMEM;
}

const struct hp_export_format hp_export_firefox = {
	.name = "firefox",
	.extension = "firefox.json.gz",
	.compressed = true,
	.write = write_firefox,
};
