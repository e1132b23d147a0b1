/* SPDX-License-Identifier: MIT */
/* Reads CPU time and stacks from a saved report. */
#include "saved_cpu.h"

#include "saved_entries.h"

#include "saved_rows.h"

#include <errno.h>
#include <string.h>

/* Read one of some words, as its number. */
static bool read_word(struct json_object *value, const char *const *words, unsigned count,
		      unsigned *number)
{
	const char *word = json_object_get_string(value);

	for (*number = 1; *number < count; ++*number)
		if (strcmp(words[*number], word) == 0)
			return true;
	return false;
}

static bool read_source(struct json_object *value, void *into)
{
	static const char *const words[] = { NULL, "perf", "timer" };
	unsigned number;
	bool known = read_word(value, words, 3, &number);

	if (known)
		*(enum hp_cpu_source *)into = (enum hp_cpu_source)number;
	return known;
}

static bool read_end(struct json_object *value, void *into)
{
	static const char *const words[] = { NULL, "signal_taken", "refused", "elsewhere",
					     "filtered" };
	unsigned number;
	bool known = read_word(value, words, 5, &number);

	if (known)
		*(enum hp_cpu_end *)into = (enum hp_cpu_end)number;
	return known;
}

static const struct hp_saved_type source_type = { read_source, "perf or timer" };
static const struct hp_saved_type end_type = { read_end,
					       "signal_taken, refused, elsewhere or filtered" };

static const struct hp_saved_field total_fields[] = {
	{ "source", &source_type, offsetof(struct hp_cpu, source) },
	{ "end", &end_type, offsetof(struct hp_cpu, end) },
	{ "rate_hz", &hp_saved_type_u32, offsetof(struct hp_cpu, rate_hz) },
	{ "period_ns", &hp_saved_type_u64, offsetof(struct hp_cpu, period_ns) },
	{ "total_samples", &hp_saved_type_u64, offsetof(struct hp_cpu, total_samples) },
	{ "attributed_samples", &hp_saved_type_u64, offsetof(struct hp_cpu, attributed_samples) },
	{ "own_samples", &hp_saved_type_u64, offsetof(struct hp_cpu, own_samples) },
	{ "outside_system_samples", &hp_saved_type_u64,
	  offsetof(struct hp_cpu, outside_system_samples) },
	{ "unseen_samples", &hp_saved_type_u64, offsetof(struct hp_cpu, unseen_samples) },
	{ "kernel_samples", &hp_saved_type_u64, offsetof(struct hp_cpu, kernel_samples) },
	{ "loading_samples", &hp_saved_type_u64, offsetof(struct hp_cpu, loading_samples) },
	{ "looks", &hp_saved_type_u64, offsetof(struct hp_cpu, looks) },
	{ "outside_alloc_ns", &hp_saved_type_u64, offsetof(struct hp_cpu, outside_alloc_ns) },
	{ NULL, NULL, 0 },
};

/* Rows without a kind are not measured functions: they are rebuilt from the totals and the stacks. */
static int read_function(struct json_object *row, struct hp_saved_rows *rows,
			 struct hp_error *error)
{
	int32_t at;
	if (!json_object_is_type(row, json_type_object) || !hp_saved_member(row, "name"))
		return hp_saved_fail(error, -EINVAL, "damaged report: a function has no name");
	if (!hp_saved_member(row, "kind"))
		return 0;
	int failed = hp_saved_row(rows, row, &at, error);
	if (failed)
		return failed;
	return hp_saved_figures(row, hp_sample_fields, &rows->model->functions[at], error);
}

static int read_functions(struct json_object *section, struct hp_model *model,
			  struct hp_error *error)
{
	struct hp_saved_rows rows;
	struct json_object *data;
	size_t count;
	int failed = hp_saved_array(section, "data", &data, &count, error);
	if (failed)
		return failed;

	failed = hp_saved_rows_open(&rows, model, count, error);
	for (size_t i = 0; i < count && !failed; i++)
		failed = read_function(json_object_array_get_idx(data, i), &rows, error);
	hp_saved_rows_close(&rows);
	return failed;
}

/* Check that the totals are consistent. */
static int check_totals(const struct hp_cpu *cpu, struct hp_error *error)
{
	if (cpu->attributed_samples > cpu->total_samples ||
	    cpu->own_samples > cpu->total_samples - cpu->attributed_samples)
		return hp_saved_fail(error, -EINVAL,
				     "damaged report: 'attributed_samples' is more than all "
				     "samples");
	if (cpu->total_samples && cpu->source == HP_CPU_NONE)
		return hp_saved_fail(error, -EINVAL, "damaged report: samples have no 'source'");
	return 0;
}

int hp_saved_cpu(struct json_object *report, struct hp_model *model, struct hp_error *error)
{
	struct json_object *section = hp_saved_member(report, "functions_cpu");
	struct json_object *stacks = hp_saved_member(report, "stacks");
	int failed = hp_saved_member_fields(report, "functions_cpu", total_fields, &model->cpu,
					    error);

	if (!failed)
		failed = check_totals(&model->cpu, error);
	if (!failed && section)
		failed = read_functions(section, model, error);
	/* Stacks without a source of samples were not written by hotpath. */
	if (failed || !stacks || !hp_cpu_was_asked_for(&model->cpu))
		return failed;
	return hp_saved_stacks(stacks, model, &model->cpu, error);
}

static const struct hp_saved_field wait_fields[] = {
	{ "period_ns", &hp_saved_type_u64, offsetof(struct hp_cpu, period_ns) },
	{ NULL, NULL, 0 },
};

int hp_saved_waits(struct json_object *report, struct hp_model *model, struct hp_error *error)
{
	struct json_object *stacks = hp_saved_member(report, "wait_stacks");
	if (!stacks)
		return 0;
	int failed = hp_saved_stacks(stacks, model, &model->waits, error);
	if (!failed)
		failed = hp_saved_fields(stacks, wait_fields, &model->waits, error);
	for (size_t i = 0; i < model->waits.thread_count; i++)
		model->waits.total_samples += model->waits.threads[i].samples;
	return failed;
}

int hp_saved_allocations(struct json_object *report, struct hp_model *model, struct hp_error *error)
{
	struct json_object *stacks = hp_saved_member(report, "alloc_stacks");

	return stacks ? hp_saved_stacks(stacks, model, &model->allocations, error) : 0;
}
