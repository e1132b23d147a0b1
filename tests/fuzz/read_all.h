/* SPDX-License-Identifier: MIT */
/* Do with a segment, or with a model, all that a user could do, and check what must always hold. */
#ifndef READ_ALL_H
#define READ_ALL_H

#include "cache.h"
#include "calls.h"
#include "kind.h"
#include "metrics.h"
#include "neighbours.h"
#include "reader.h"
#include "report.h"
#include "saved/saved.h"
#include "since.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What must hold always. Not __builtin_trap, which libFuzzer does not catch everywhere. */
#define must(holds) ((holds) ? (void)0 : broken(#holds))

static inline void broken(const char *what)
{
	fprintf(stderr, "does not hold: %s\n", what);
	abort();
}

static inline void check_points(const struct hp_points *points)
{
	for (size_t i = 0; i + 1 < points->count; i++)
		must(points->items[i].value <= points->items[i + 1].value);
}

static inline void check_function(const struct hp_function *function)
{
	static const double percents[] = { 0, 0.1, 50, 95, 99.99, 100 };

	must(function->name);
	check_points(&function->times);
	for (size_t i = 0; i < HP_ALLOC_HISTOGRAMS; i++)
		check_points(&function->alloc.calls[i]);
	/* Hostile extremes may be the wrong way round; then nothing is between them. */
	if (function->calls == 0 || function->min_ns > function->max_ns)
		return;
	for (size_t i = 0; i < sizeof(percents) / sizeof(*percents); i++) {
		uint64_t value = hp_function_percentile(function, percents[i]);
		must(function->min_ns <= value && value <= function->max_ns);
	}
}

/* A value of the program is of a kind that there is, and a string is there. */
static inline void check_value(const struct hp_entry *entry)
{
	for (const struct hp_field *field = entry->kind->fields; !hp_field_is_end(field); field++) {
		if (field->unit != HP_FIELD_VALUE)
			continue;
		uint64_t kind = hp_row_number(entry, field->at);
		must(kind <= HP_VALUE_STRING);
		must(kind != HP_VALUE_STRING || entry->texts[0]);
	}
}

/* They have names, are of kinds that there are, and in order. */
static inline void check_entries(const struct hp_entries *entries)
{
	for (size_t i = 0; i < entries->count; i++) {
		const struct hp_entry *entry = &entries->items[i];
		must(entry->name && entry->kind);
		must(hp_kind_of_site(entry->site_kind) == entry->kind);
		must(i == 0 || entry[-1].is_labelled >= entry->is_labelled);
		check_value(entry);
		for (unsigned j = 0; j < HP_ENTRY_TIMES; j++)
			check_points(&entry->times[j].points);
	}
}

/* They have names, and shares that are numbers or not known. */
static inline void check_threads(const struct hp_threads *threads)
{
	for (size_t i = 0; i < threads->count; i++) {
		const struct hp_thread *thread = &threads->items[i];
		must(thread->name);
		must(thread->cpu_avg >= 0 || thread->cpu_avg == HP_CPU_PERCENT_UNKNOWN);
	}
}

/* Places are in order. */
static inline void check_memory(const struct hp_memory *memory)
{
	for (size_t i = 0; i < memory->live_count; i++) {
		const struct hp_live *live = &memory->live[i];
		must(live->name);
		must(i == 0 || strcmp(live[-1].name, live->name) <= 0);
	}
}

/* What stacks refer to is there. */
static inline void check_cpu(const struct hp_model *model, const struct hp_cpu *cpu)
{
	must(cpu->attributed_samples <= cpu->total_samples);
	for (size_t i = 0; i < cpu->frame_count; i++) {
		const struct hp_cpu_frame *frame = &cpu->frames[i];
		must(frame->name && frame->kind != HP_FRAME_LINK);
		must(frame->module < (int32_t)cpu->module_count);
		must((frame->module >= 0) == (frame->kind == HP_FRAME_CODE));
		must(frame->function < (int32_t)model->function_count);
		must((frame->function >= 0) == (frame->kind == HP_FRAME_SITE));
	}
	for (size_t i = 0; i < cpu->stack_count; i++) {
		must(cpu->stacks[i].thread < cpu->thread_count);
		for (uint32_t j = 0; j < cpu->stacks[i].depth; j++)
			must(cpu->stacks[i].frames[j] < cpu->frame_count);
	}
}

/* Parents stand before their children, and have at least their time. */
static inline void check_tree(const struct hp_model *model)
{
	uint64_t *inside = calloc(model->branch_count + 1, sizeof(*inside));

	for (size_t i = model->branch_count; i-- > 0;) {
		const struct hp_branch *branch = &model->branches[i];
		int32_t parent = branch->parent;
		must(parent >= HP_NO_BRANCH && parent < (int32_t)i);
		must(branch->function >= HP_NO_FUNCTION);
		must(branch->function < (int32_t)model->function_count);
		must(branch->depth <= HP_BRANCH_DEPTH_MAX);
		must(branch->recursive || branch->total_ns >= inside[i]);
		if (parent == HP_NO_BRANCH) {
			must(branch->depth == 0);
			continue;
		}
		must(branch->depth == model->branches[parent].depth + 1);
		must(branch->function != model->branches[parent].function);
		if (__builtin_add_overflow(inside[parent], branch->total_ns, &inside[parent]))
			inside[parent] = UINT64_MAX;
	}
	free(inside);
}

static inline void write_report(const struct hp_model *model, enum hp_format format, bool complete)
{
	struct hp_text text = HP_TEXT_INIT;
	struct hp_report_options options;

	hp_report_options_init(&options);
	options.format = format;
	options.complete = complete;
	options.time_exclusive = complete;
	options.width = complete ? 0 : 60;
	strcpy(options.sections, "all");
	hp_report_write(model, &options, &text);
	must(text.length > 0 && text.bytes[text.length] == '\0');
	hp_text_free(&text);
}

/* Saved and read again, it is the same; numbers that no program can have measured may be refused. */
static inline void read_again(const struct hp_model *model, bool possible)
{
	struct hp_report_options options;
	struct hp_text text = HP_TEXT_INIT;
	struct hp_error error = { "" };
	struct hp_saved saved;

	hp_report_options_init(&options);
	options.format = HP_FORMAT_JSON;
	options.complete = true;
	hp_report_write(model, &options, &text);
	int failed = hp_saved_read(text.bytes, text.length, &saved, &error);
	hp_text_free(&text);
	if (failed && possible)
		broken(error.text);
	if (failed)
		return;
	/* What was never called is not saved. */
	must(saved.complete && saved.model->function_count <= model->function_count);
	must(saved.model->elapsed_ns == model->elapsed_ns && saved.model->pid == model->pid);
	/* Rows of the same place, which a segment of ours does not have, become one. */
	must(saved.model->branch_count <= model->branch_count);
	must(saved.model->memory.mode == model->memory.mode);
	must(saved.model->memory.bytes == model->memory.bytes);
	must(saved.model->threads.count == model->threads.count);
	must(saved.model->threads.rest.threads == model->threads.rest.threads);
	must(saved.model->memory.live_count <= model->memory.live_count);
	must(saved.model->entries.count <= model->entries.count);
	check_entries(&saved.model->entries);
	must(saved.model->cpu.total_samples == model->cpu.total_samples);
	must(saved.model->cpu.stack_count == model->cpu.stack_count);
	check_cpu(saved.model, &saved.model->cpu);
	check_cpu(saved.model, &saved.model->waits);
	check_tree(saved.model);
	hp_model_free(saved.model);
}

static inline void use_neighbours(const struct hp_model *model)
{
	struct hp_text text = HP_TEXT_INIT;
	struct hp_report_options options;

	hp_report_options_init(&options);
	for (size_t i = 0; i < model->branch_count && i < 4; i++) {
		int32_t function = model->branches[i].function;
		const char *name = function < 0 ? "" : model->functions[function].name;
		int failed = hp_neighbours_write(model, HP_CALLERS, name, &options, &text);
		must(!failed || function < 0);
		options.format = HP_FORMAT_JSON;
		hp_neighbours_write(model, HP_CALLEES, name, &options, &text);
	}
	hp_text_free(&text);
}

/* What happened since now is nothing, and can be shown like all else. */
static inline void use_window(const struct hp_model *model)
{
	struct hp_error error = { "" };
	struct hp_model *window = hp_model_since(model, model, &error);

	must(window || error.text[0]);
	if (!window)
		return;
	for (size_t i = 0; i < window->function_count; i++)
		check_function(&window->functions[i]);
	must(window->elapsed_ns == 0 && window->entries.count <= model->entries.count);
	check_tree(window);
	check_threads(&window->threads);
	check_cpu(window, &window->cpu);
	check_cpu(window, &window->waits);
	check_entries(&window->entries);
	write_report(window, HP_FORMAT_TABLE, false);
	hp_model_free(window);
}

/* Each message is as long as the number in front of it says. */
static inline void check_messages(const struct hp_text *text)
{
	size_t at = 0;

	while (at < text->length) {
		size_t length = 0;
		unsigned shift = 0, byte;
		do {
			must(at < text->length && shift < 32);
			byte = (unsigned char)text->bytes[at++];
			length |= (size_t)(byte & 0x7f) << shift;
			shift += 7;
		} while (byte & 0x80);
		must(length && length <= text->length - at);
		at += length;
	}
}

static inline void use_metrics(const struct hp_model *model)
{
	const struct hp_metrics_program programs[] = { { model, NULL }, { model, "again" } };
	struct hp_metrics_options options = { HP_METRICS_OPEN, 1 };
	struct hp_text text = HP_TEXT_INIT;

	hp_metrics_write(programs, 2, &options, &text);
	must(!text.failed && strcmp(text.bytes + text.length - 6, "# EOF\n") == 0);
	text.length = 0;
	options.format = HP_METRICS_PROTOBUF;
	hp_metrics_write(programs, 2, &options, &text);
	must(!text.failed);
	check_messages(&text);
	hp_text_free(&text);
}

static inline void use_model(const struct hp_model *model, bool possible)
{
	struct hp_model *merged = calloc(1, sizeof(*merged));

	must(model->function_count == 0 || model->functions);
	for (size_t i = 0; i < model->function_count; i++)
		check_function(&model->functions[i]);
	check_tree(model);
	check_memory(&model->memory);
	check_threads(&model->threads);
	check_cpu(model, &model->cpu);
	check_cpu(model, &model->waits);
	check_entries(&model->entries);
	write_report(model, HP_FORMAT_TABLE, false);
	write_report(model, HP_FORMAT_JSON, false);
	use_neighbours(model);
	use_window(model);
	use_metrics(model);
	read_again(model, possible);
	must(hp_model_merge(merged, model) == 0 && hp_model_merge(merged, model) == 0);
	check_tree(merged);
	check_memory(&merged->memory);
	check_threads(&merged->threads);
	check_cpu(merged, &merged->cpu);
	check_cpu(merged, &merged->waits);
	check_entries(&merged->entries);
	must(merged->entries.count <= 2 * model->entries.count);
	write_report(merged, HP_FORMAT_JSON_PRETTY, false);
	write_report(merged, HP_FORMAT_TABLE, true);
	hp_model_free(merged);
}

static inline void use_calls(const void *bytes, size_t size, const char *name)
{
	struct hp_recent *recent = NULL;
	struct hp_text text = HP_TEXT_INIT;
	struct hp_error error;
	ssize_t count = hp_recent_calls(bytes, size, name, &recent, &error);

	for (ssize_t i = 0; i < count; i++)
		must(strnlen(recent[i].text, HP_LONG_TEXT_MAX) < HP_LONG_TEXT_MAX);
	if (count > 0) {
		calls_write(name, recent, (size_t)count, HP_FORMAT_TABLE, &text);
		calls_write(name, recent, (size_t)count, HP_FORMAT_JSON, &text);
	}
	hp_text_free(&text);
	free(recent);
}

static inline void use_events(const void *bytes, size_t size, const char *name)
{
	struct hp_flow_event *events = NULL;
	struct hp_text text = HP_TEXT_INIT;
	enum hp_site_kind kind;
	struct hp_error error;
	ssize_t count = hp_flow_events(bytes, size, name, &kind, &events, &error);

	for (ssize_t i = 0; i < count; i++)
		must(strnlen(events[i].text, HP_LONG_TEXT_MAX) < HP_LONG_TEXT_MAX);
	if (count > 0) {
		events_write(name, kind, events, (size_t)count, HP_FORMAT_TABLE, &text);
		events_write(name, kind, events, (size_t)count, HP_FORMAT_JSON, &text);
	}
	hp_text_free(&text);
	free(events);
}

struct looked_at {
	const char *bytes;
	size_t size;
};

static inline ssize_t read_part(void *context, void *into, size_t size, uint64_t at)
{
	const struct looked_at *file = context;

	if (at > file->size || size > file->size - at)
		return 0;
	memcpy(into, file->bytes + at, size);
	return (ssize_t)size;
}

static inline void pause_reading(void *context)
{
	must(context);
}

/* A read of a segment, of which others may be known that were there before. */
static inline void look_again(struct hp_cache *cache, const void *bytes, size_t size, bool running,
			      bool in_place)
{
	static const uint32_t visible[] = { 2, 5, UINT32_MAX };
	struct hp_exit known = { .running = running, .status = -1 };
	struct looked_at file = { bytes, size };
	struct hp_glance glance = { .visible = visible,
				    .visible_count = 3,
				    .whole_count = 1,
				    .quota = 1,
				    .read = in_place ? NULL : read_part,
				    .pause = pause_reading,
				    .context = &file };
	struct hp_error error = { "" };
	struct hp_calling *calling = NULL;
	struct hp_flow_event *events = NULL;
	struct hp_recent *recent = NULL;
	struct hp_model *model = hp_cache_read(cache, bytes, size, running ? &known : NULL, &glance,
					       &error);

	must(model || error.text[0]);
	for (size_t i = 0; model && i < model->function_count; i++)
		check_function(&model->functions[i]);
	if (model)
		check_memory(&model->memory);
	if (model)
		check_entries(&model->entries);
	if (model && model->entries.count)
		hp_cache_events(cache, bytes, size, running, model->entries.items[0].id, &events);
	if (model && model->function_count)
		hp_cache_recent(cache, bytes, size, running, model->functions[0].name, &recent,
				&error);
	hp_cache_calling(cache, bytes, size, running, 2, &calling, &error);
	free(events);
	free(recent);
	free(calling);
	hp_model_free(model);
}

/* Everything that can be asked of a segment. */
static inline void read_all(const void *bytes, size_t size, bool running)
{
	struct hp_exit known = { .running = running, .status = -1 };
	struct hp_error error = { "" };
	struct hp_model *model = hp_model_read(bytes, size, running ? &known : NULL, true, &error);

	if (!model) {
		must(error.text[0]);
		return;
	}
	struct hp_cache *cache = hp_cache_new();
	look_again(cache, bytes, size, running, running);
	look_again(cache, bytes, size, running, !running);
	hp_cache_free(cache);
	use_model(model, false);
	if (model->function_count)
		use_calls(bytes, size, model->functions[0].name);
	for (size_t i = 0; i < model->entries.count && i < 4; i++)
		use_events(bytes, size, model->entries.items[i].name);
	hp_model_free(model);
}

#endif
