/* SPDX-License-Identifier: MIT */
/* Reads a saved report into a model. */
#include "saved.h"

#include "memory/responsible.h"
#include "memory/wrappers.h"
#include "saved_cpu.h"
#include "saved_entries.h"
#include "saved_fields.h"
#include "saved_memory.h"
#include "saved_parse.h"
#include "saved_points.h"
#include "saved_threads.h"
#include "saved_tree.h"
#include "trim.h"

#include <errno.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	/* Nesting depth: a report has about six levels, two more as the member of another, and two for each level of
	   the call tree. */
	DEPTH_MAX = 18 + 2 * HP_BRANCH_DEPTH_MAX,
};

static const struct hp_saved_field model_fields[] = {
	{ "program", &hp_saved_type_string, offsetof(struct hp_model, program) },
	{ "arguments", &hp_saved_type_string, offsetof(struct hp_model, arguments) },
	{ "title", &hp_saved_type_string, offsetof(struct hp_model, title) },
	{ "pid", &hp_saved_type_u32, offsetof(struct hp_model, pid) },
	{ "processes", &hp_saved_type_u32, offsetof(struct hp_model, processes) },
	{ "image", &hp_saved_type_u32, offsetof(struct hp_model, image) },
	{ "caller", &hp_saved_type_string, offsetof(struct hp_model, caller) },
	{ "elapsed_ns", &hp_saved_type_u64, offsetof(struct hp_model, elapsed_ns) },
	{ "own_elapsed_ns", &hp_saved_type_u64, offsetof(struct hp_model, own_elapsed_ns) },
	{ "start_unix_ns", &hp_saved_type_u64, offsetof(struct hp_model, start_unix_ns) },
	{ NULL, NULL, 0 },
};

static const struct hp_saved_field exit_fields[] = {
	{ "running", &hp_saved_type_boolean, offsetof(struct hp_exit, running) },
	{ "clean", &hp_saved_type_boolean, offsetof(struct hp_exit, clean) },
	{ "status", &hp_saved_type_byte, offsetof(struct hp_exit, status) },
	{ "signal", &hp_saved_type_byte, offsetof(struct hp_exit, signal) },
	{ NULL, NULL, 0 },
};

static const struct hp_saved_field io_fields[] = {
	{ "counted_bytes", &hp_saved_type_u64, offsetof(struct hp_io_total, counted_bytes) },
	{ "has_children", &hp_saved_type_boolean, offsetof(struct hp_io_total, has_children) },
	{ NULL, NULL, 0 },
};

/** The machine as in the report; in the model its texts have a fixed size. */
struct machine_words {
	char *arch;
	char *cpu;
	char *kernel;
	uint32_t cores;
};

static const struct hp_saved_field machine_fields[] = {
	{ "arch", &hp_saved_type_string, offsetof(struct machine_words, arch) },
	{ "cpu", &hp_saved_type_string, offsetof(struct machine_words, cpu) },
	{ "kernel", &hp_saved_type_string, offsetof(struct machine_words, kernel) },
	{ "cores", &hp_saved_type_u32, offsetof(struct machine_words, cores) },
	{ NULL, NULL, 0 },
};

static const struct hp_saved_field missing_fields[] = {
	{ "functions_cpu", &hp_saved_type_string, offsetof(struct hp_missing, cpu) },
	{ "functions_alloc", &hp_saved_type_string, offsetof(struct hp_missing, alloc) },
	{ NULL, NULL, 0 },
};

static const struct hp_saved_field overhead_fields[] = {
	{ "span_ns", &hp_saved_type_number, offsetof(struct hp_model, span_ns) },
	{ "estimated_ns", &hp_saved_type_u64, offsetof(struct hp_model, estimated_ns) },
	{ NULL, NULL, 0 },
};

static const struct hp_saved_field dropped_fields[] = {
#define COUNTER(name, sentence) { #name, &hp_saved_type_u64, HP_COUNTER_##name * sizeof(uint64_t) },
#include "counters.def"
#undef COUNTER
	{ NULL, NULL, 0 },
};

static const struct hp_saved_field function_fields[] = {
	{ "name", &hp_saved_type_string, offsetof(struct hp_function, name) },
	{ "kind", &hp_saved_type_kind, offsetof(struct hp_function, kind) },
	{ "caller", &hp_saved_type_boolean, offsetof(struct hp_function, is_caller) },
	{ "module", &hp_saved_type_string, offsetof(struct hp_function, module) },
	{ "offset", &hp_saved_type_u64, offsetof(struct hp_function, offset) },
	{ NULL, NULL, 0 },
};

/* Reports from other tools may only have the mean. */
static void complete_sum(struct json_object *row, struct hp_function *function)
{
	struct json_object *average = hp_saved_member(row, "avg_ns");
	uint64_t mean;

	if (!hp_saved_member(row, "sum_ns") && average && hp_saved_u64(average, &mean) &&
	    __builtin_mul_overflow(mean, function->calls, &function->sum_ns))
		function->sum_ns = UINT64_MAX;
}

static int read_function(struct json_object *row, struct hp_saved *saved,
			 struct hp_function *function, struct hp_error *error)
{
	bool complete;
	if (!json_object_is_type(row, json_type_object) || !hp_saved_member(row, "name"))
		return hp_saved_fail(error, -EINVAL, "damaged report: a function has no name");

	function->kind = HP_SITE_FUNCTION;
	int failed = hp_saved_fields(row, function_fields, function, error);
	if (!failed)
		failed = hp_saved_figures(row, hp_call_fields, function, error);
	if (!failed)
		failed = hp_saved_member_fields(row, "location", hp_saved_location_fields, function,
						error);
	if (!failed)
		failed = hp_saved_histograms(row, hp_call_fields, function, &complete, error);
	if (failed)
		return failed;
	complete_sum(row, function);
	if (complete)
		return 0;
	saved->complete = false;
	return hp_saved_percentiles(row, &saved->known, "", "ns", function->calls, function->max_ns,
				    &function->times, error);
}

/* Whether the section was cut by a limit, so functions may be missing. */
static bool is_limited(struct json_object *section, size_t rows)
{
	struct json_object *total = hp_saved_member(section, "total_count");
	uint64_t count;

	return total && hp_saved_u64(total, &count) && count > rows;
}

static int read_timing(struct json_object *section, struct hp_saved *saved, struct hp_error *error)
{
	struct hp_model *model = saved->model;
	struct json_object *rows;
	size_t count;
	if (!json_object_is_type(section, json_type_object))
		return hp_saved_fail(error, -EINVAL,
				     "damaged report: 'functions_timing' is not an object");
	int failed = hp_saved_known(section, &saved->known, error);
	if (!failed)
		failed = hp_saved_array(section, "data", &rows, &count, error);
	if (failed)
		return failed;

	saved->is_cut = is_limited(section, count);
	model->functions = calloc(count + 1, sizeof(*model->functions));
	if (!model->functions)
		return hp_saved_fail(error, -ENOMEM, "out of memory");
	for (size_t i = 0; i < count && !failed; i++)
		failed = read_function(json_object_array_get_idx(rows, i), saved,
				       &model->functions[model->function_count++], error);
	return failed;
}

static void copy_word(char *to, size_t size, const char *word)
{
	snprintf(to, size, "%s", word ? word : "");
}

static int read_machine(struct json_object *report, struct hp_machine *machine,
			struct hp_error *error)
{
	struct machine_words words = { 0 };
	int failed = hp_saved_member_fields(report, "machine", machine_fields, &words, error);

	copy_word(machine->arch, sizeof(machine->arch), words.arch);
	copy_word(machine->cpu, sizeof(machine->cpu), words.cpu);
	copy_word(machine->kernel, sizeof(machine->kernel), words.kernel);
	machine->cores = words.cores;
	free(words.arch);
	free(words.cpu);
	free(words.kernel);
	return failed;
}

/* The object that a provenance field is in: "pull_request" is inside "ci". */
static struct json_object *find_object(struct json_object *meta, const char *object)
{
	bool is_pull = strcmp(object, "pull_request") == 0;
	struct json_object *found = hp_saved_member(meta, is_pull ? "ci" : object);

	if (is_pull && json_object_is_type(found, json_type_object))
		found = hp_saved_member(found, object);
	return found;
}

static int read_provenance(struct json_object *report, struct hp_provenance *provenance,
			   struct hp_error *error)
{
	struct json_object *meta = hp_saved_member(report, "meta");
	if (meta && !json_object_is_type(meta, json_type_object))
		return hp_saved_fail(error, -EINVAL, "damaged report: 'meta' is not an object");

	for (const struct hp_provenance_field *field = hp_provenance_fields; meta && field->key;
	     field++) {
		struct json_object *object = find_object(meta, field->object);
		struct json_object *word = json_object_is_type(object, json_type_object)
						   ? hp_saved_member(object, field->key)
						   : NULL;
		if (word && !json_object_is_type(word, json_type_string))
			return hp_saved_fail(error, -EINVAL, "damaged report: '%s' is not a string",
					     field->key);
		copy_word((char *)provenance + field->offset, field->size,
			  json_object_get_string(word));
	}
	return 0;
}

static int read_metadata(struct json_object *report, struct hp_metadata *metadata,
			 struct hp_error *error)
{
	struct json_object *object = hp_saved_member(report, "user_metadata");
	bool is_object = json_object_is_type(object, json_type_object);
	if (object && !is_object)
		return hp_saved_fail(error, -EINVAL,
				     "damaged report: 'user_metadata' is not an object");

	for (struct lh_entry *entry = is_object ? json_object_get_object(object)->head : NULL;
	     entry; entry = entry->next) {
		const char *key = lh_entry_k(entry);
		struct json_object *value = (struct json_object *)lh_entry_v(entry);
		if (!json_object_is_type(value, json_type_string))
			return hp_saved_fail(error, -EINVAL,
					     "damaged report: 'user_metadata' has values that are "
					     "not strings");
		const char *word = json_object_get_string(value);
		if (hp_metadata_add(metadata, key, strlen(key), word, strlen(word)))
			return hp_saved_fail(error, -ENOMEM, "out of memory");
	}
	return 0;
}

static int read_notes(struct json_object *report, struct hp_model *model, struct hp_error *error)
{
	struct json_object *array;
	size_t length;
	int failed = hp_saved_array(report, "notes", &array, &length, error);
	if (failed)
		return failed;

	model->notes = calloc(length + 1, sizeof(*model->notes));
	if (!model->notes)
		return hp_saved_fail(error, -ENOMEM, "out of memory");
	for (size_t i = 0; i < length; i++)
		if (!hp_saved_type_string.read(json_object_array_get_idx(array, i),
					       &model->notes[model->note_count++]))
			return hp_saved_fail(error, -EINVAL,
					     "damaged report: 'notes' has items that are not "
					     "strings");
	return 0;
}

/* Files without symbols, and which of the notes is about them. */
static int read_unnamed(struct json_object *report, struct hp_model *model, struct hp_error *error)
{
	struct json_object *array;
	size_t length;
	int failed = hp_saved_array(report, "unnamed_files", &array, &length, error);

	for (size_t i = 0; i < length && !failed; i++) {
		struct json_object *file = json_object_array_get_idx(array, i);
		struct json_object *path = hp_saved_member(file, "path");
		struct json_object *package = hp_saved_member(file, "debug_package");
		if (!path)
			failed = hp_saved_fail(error, -EINVAL,
					       "damaged report: 'unnamed_files' has no paths");
		else if (!hp_unnamed_append(&model->unnamed, json_object_get_string(path),
					    package ? json_object_get_string(package) : NULL))
			failed = hp_saved_fail(error, -ENOMEM, "out of memory");
	}
	hp_unnamed_find_note(model);
	return failed;
}

static int read_into_model(struct json_object *report, struct hp_saved *saved,
			   struct hp_error *error)
{
	struct json_object *section = hp_saved_member(report, "functions_timing");
	struct hp_model *model = calloc(1, sizeof(*model));
	if (!model)
		return hp_saved_fail(error, -ENOMEM, "out of memory");

	saved->model = model;
	model->exit.status = -1;
	int failed = hp_saved_fields(report, model_fields, model, error);
	if (!failed)
		failed = hp_saved_member_fields(report, "exit", exit_fields, &model->exit, error);
	if (!failed)
		failed = hp_saved_member_fields(report, "overhead", overhead_fields, model, error);
	if (!failed)
		failed = hp_saved_member_fields(report, "dropped", dropped_fields, model->dropped,
						error);
	if (!failed)
		failed = hp_saved_member_fields(report, "missing", missing_fields, &model->missing,
						error);
	if (!failed)
		failed = hp_saved_member_fields(report, "io_total", io_fields, &model->io, error);
	if (!failed)
		failed = read_machine(report, &model->machine, error);
	if (!failed)
		failed = read_provenance(report, &model->provenance, error);
	if (!failed)
		failed = read_metadata(report, &model->user_metadata, error);
	if (!failed)
		failed = read_notes(report, model, error);
	if (!failed)
		failed = read_unnamed(report, model, error);
	if (!failed && section)
		failed = read_timing(section, saved, error);
	if (!failed)
		failed = hp_saved_memory(report, saved, error);
	if (!failed)
		failed = hp_saved_threads(report, model, error);
	if (!failed)
		failed = hp_saved_cpu(report, model, error);
	if (!failed)
		failed = hp_saved_waits(report, model, error);
	if (!failed)
		failed = hp_saved_allocations(report, model, error);
	if (!failed)
		failed = hp_saved_tree(report, model, error);
	if (!failed)
		failed = hp_saved_entries(report, saved, error);
	if (model->processes == 0)
		model->processes = 1;
	return failed;
}

/* ---- a run: reports of its processes ---- */

static int read_report(struct json_object *report, struct hp_saved *saved, struct hp_error *error);

/* Whatever is wrong with a member is wrong with the whole; a member has no members. */
static int read_member(struct json_object *report, struct hp_saved *saved, struct hp_error *error)
{
	struct hp_saved member = { .complete = true };
	struct hp_model *run = saved->model;
	if (json_object_is_type(report, json_type_object) && hp_saved_member(report, "members"))
		return hp_saved_fail(error, -EINVAL, "damaged report: a member has members");

	int failed = read_report(report, &member, error);
	if (failed)
		hp_model_free(member.model);
	else
		run->members[run->member_count++] = member.model;
	saved->complete &= member.complete;
	return failed;
}

static int read_members(struct json_object *report, struct hp_saved *saved, struct hp_error *error)
{
	struct json_object *array;
	size_t count;
	int failed = hp_saved_array(report, "members", &array, &count, error);
	if (failed || !count)
		return failed;

	saved->model->members = calloc(count, sizeof(*saved->model->members));
	if (!saved->model->members)
		return hp_saved_fail(error, -ENOMEM, "out of memory");
	for (size_t i = 0; i < count && !failed; i++)
		failed = read_member(json_object_array_get_idx(array, i), saved, error);
	return failed;
}

static int wrong_schema(uint64_t schema, const char *reason, struct hp_error *error)
{
	return hp_saved_fail(error, -ENOTSUP,
			     "a report of schema %" PRIu64 "; this hotpath reads %d%s%.160s",
			     schema, HP_SAVED_SCHEMA, *reason ? ": " : "", reason);
}

int hp_saved_check_schema(const struct hp_saved *saved, struct hp_error *error)
{
	return saved->schema > HP_SAVED_SCHEMA ? wrong_schema(saved->schema, "", error) : 0;
}

/* Read whether the JSON is a report at all, its schema, and who wrote it. */
static int read_schema(struct json_object *report, struct hp_saved *saved, struct hp_error *error)
{
	bool is_object = json_object_is_type(report, json_type_object);
	const char *type = is_object ? json_object_get_string(hp_saved_member(report, "type"))
				     : NULL;
	if (!type || strcmp(type, "hotpath_report") != 0)
		return hp_saved_fail(error, -EINVAL, "JSON, but not a hotpath report");
	if (!hp_saved_u64(hp_saved_member(report, "schema"), &saved->schema))
		return hp_saved_fail(error, -EINVAL, "damaged report: it has no schema");
	struct json_object *version = hp_saved_member(report, "version");
	if (version && !json_object_is_type(version, json_type_string))
		return hp_saved_fail(error, -EINVAL, "damaged report: 'version' is not a string");
	copy_word(saved->version, sizeof(saved->version), json_object_get_string(version));
	return saved->schema < HP_SAVED_SCHEMA ? wrong_schema(saved->schema, "", error) : 0;
}

/* In a report of a newer schema, unknown values are not errors. */
static int read_report(struct json_object *report, struct hp_saved *saved, struct hp_error *error)
{
	int failed = read_schema(report, saved, error);
	if (!failed)
		failed = read_into_model(report, saved, error);
	if (!failed)
		failed = read_members(report, saved, error);
	if (!failed && hp_wrappers_are_named() && !hp_responsible_rows(saved->model))
		failed = hp_saved_fail(error, -ENOMEM, "out of memory");
	if (failed != -EINVAL || saved->schema <= HP_SAVED_SCHEMA)
		return failed;

	struct hp_error reason = *error;
	return wrong_schema(saved->schema, reason.text, error);
}

int hp_saved_read(const char *bytes, size_t size, struct hp_saved *saved, struct hp_error *error)
{
	struct json_object *report;

	*saved = (struct hp_saved){ .complete = true };
	int failed = hp_saved_parse(bytes, size, DEPTH_MAX, "neither a segment nor a saved report",
				    &report, error);
	if (failed)
		return failed;
	failed = read_report(report, saved, error);
	json_object_put(report);
	hp_trim();
	if (failed) {
		hp_model_free(saved->model);
		saved->model = NULL;
	}
	return failed;
}
