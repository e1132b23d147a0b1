/* SPDX-License-Identifier: MIT */
/* The JSON of speedscope, https://www.speedscope.app/file-format-schema.json: a profile for each thread. */
#include "export.h"
#include "json_writer.h"

#include "hotpath/version.h"

#include <errno.h>
#include <stdlib.h>

static void write_frame(struct hp_json *json, const struct hp_code *code)
{
	struct hp_text name = HP_TEXT_INIT;

	hp_text_printf(&name, code->measured ? "%s [measured]" : "%s", code->name);
	json->text->failed |= name.failed;
	hp_json_begin_object(json);
	hp_json_key(json, "name");
	hp_json_string(json, name.bytes);
	if (code->file) {
		hp_json_key(json, "file");
		hp_json_string(json, code->file);
		hp_json_member_u64(json, "line", code->line);
	}
	hp_json_end_object(json);
	hp_text_free(&name);
}

static void write_frames(struct hp_json *json, const struct hp_profile *profile,
			 struct hp_sink *sink)
{
	hp_json_key(json, "shared");
	hp_json_begin_object(json);
	hp_json_key(json, "frames");
	hp_json_begin_array(json);
	for (uint32_t i = 0; i < profile->functions.count; i++) {
		write_frame(json, &profile->functions.items[i]);
		hp_sink_pass(sink);
	}
	hp_json_end_array(json);
	hp_json_end_object(json);
}

/* The calls of a tree from a root to the next. */
struct thread {
	const struct hp_call_tree *tree;
	uint32_t first;
	uint32_t end;
	/* The main value of all. */
	uint64_t value;
};

static uint64_t value_of(const struct hp_profile *profile, const struct hp_call_tree *tree,
			 uint32_t call)
{
	return hp_profile_main(profile, &tree->calls[call].values);
}

static struct thread thread_at(const struct hp_profile *profile, const struct hp_call_tree *tree,
			       uint32_t root)
{
	struct thread thread = { tree, root, root + 1, value_of(profile, tree, root) };

	while (thread.end < tree->count && tree->calls[thread.end].depth > 0)
		thread.value += value_of(profile, tree, thread.end++);
	return thread;
}

static void write_stacks(struct hp_json *json, const struct hp_profile *profile,
			 const struct thread *thread, uint32_t *keys, struct hp_sink *sink)
{
	hp_json_key(json, "samples");
	hp_json_begin_array(json);
	for (uint32_t i = thread->first; i < thread->end; i++) {
		if (value_of(profile, thread->tree, i) == 0)
			continue;
		uint32_t count = hp_call_tree_path(thread->tree, i, keys);
		hp_json_begin_array(json);
		for (uint32_t level = 1; level < count; level++)
			hp_json_u64(json, keys[level]);
		hp_json_end_array(json);
		hp_sink_pass(sink);
	}
	hp_json_end_array(json);
}

static void write_weights(struct hp_json *json, const struct hp_profile *profile,
			  const struct thread *thread)
{
	hp_json_key(json, "weights");
	hp_json_begin_array(json);
	for (uint32_t i = thread->first; i < thread->end; i++) {
		uint64_t value = value_of(profile, thread->tree, i);
		if (value)
			hp_json_u64(json, value);
	}
	hp_json_end_array(json);
}

static void write_thread_name(struct hp_json *json, const struct hp_profile *profile,
			      uint32_t thread)
{
	struct hp_text name = HP_TEXT_INIT;
	uint32_t tid = profile->cpu->threads[thread].tid;

	hp_text_puts(&name, hp_profile_thread(profile, thread));
	if (tid)
		hp_text_printf(&name, " (%u)", (unsigned)tid);
	json->text->failed |= name.failed;
	hp_json_key(json, "name");
	hp_json_string(json, name.bytes);
	hp_text_free(&name);
}

static void write_thread(struct hp_json *json, const struct hp_profile *profile,
			 const struct thread *thread, uint32_t *keys, struct hp_sink *sink)
{
	hp_json_begin_object(json);
	hp_json_key(json, "type");
	hp_json_string(json, "sampled");
	write_thread_name(json, profile, thread->tree->calls[thread->first].key);
	hp_json_key(json, "unit");
	hp_json_string(json, profile->subject->types[profile->subject->main].unit);
	hp_json_member_u64(json, "startValue", 0);
	hp_json_member_u64(json, "endValue", thread->value);
	write_stacks(json, profile, thread, keys, sink);
	write_weights(json, profile, thread);
	hp_json_end_object(json);
}

static void write_title(struct hp_json *json, const struct hp_profile *profile)
{
	struct hp_text title = HP_TEXT_INIT;

	hp_text_puts(&title, hp_profile_program(profile));
	if (profile->subject->title)
		hp_text_printf(&title, ", %s", profile->subject->title);
	json->text->failed |= title.failed;
	hp_json_string(json, title.bytes);
	hp_text_free(&title);
}

static void write_file(const struct hp_profile *profile, const struct hp_call_tree *tree,
		       uint32_t *keys, struct hp_sink *sink)
{
	struct hp_json json = hp_json_start(sink->text, false);

	hp_json_begin_object(&json);
	hp_json_key(&json, "$schema");
	hp_json_string(&json, "https://www.speedscope.app/file-format-schema.json");
	hp_json_key(&json, "exporter");
	hp_json_string(&json, "hotpath " HOTPATH_VERSION);
	hp_json_key(&json, "name");
	write_title(&json, profile);
	write_frames(&json, profile, sink);
	hp_json_key(&json, "profiles");
	hp_json_begin_array(&json);
	for (uint32_t root = 0; root < tree->count;) {
		struct thread thread = thread_at(profile, tree, root);
		write_thread(&json, profile, &thread, keys, sink);
		root = thread.end;
	}
	hp_json_end_array(&json);
	hp_json_end_object(&json);
	hp_text_putc(sink->text, '\n');
}

static int write_speedscope(const struct hp_profile *profile, struct hp_sink *sink)
{
	struct hp_call_tree tree;
	int error = hp_profile_functions(profile, false, &tree);
	uint32_t *keys = calloc((size_t)tree.depth_max + 1, sizeof(*keys));

	if (!error && keys)
		write_file(profile, &tree, keys, sink);
	error = keys ? error : -ENOMEM;
	free(keys);
	hp_call_tree_free(&tree);
	return error;
}

const struct hp_export_format hp_export_speedscope = {
	.name = "speedscope",
	.extension = "speedscope.json",
	.write = write_speedscope,
};
