/* SPDX-License-Identifier: MIT */
/* Reads the stacks of a saved report, of samples, of waits and of allocations, and checks that all indexes are valid. */
#include "saved_cpu.h"
#include "saved_rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Hexadecimal digits, two for each byte. */
static bool read_build_id(struct json_object *value, void *into)
{
	struct hp_cpu_module *module = into;
	const char *text = json_object_get_string(value);
	size_t length = strlen(text);

	if (length % 2 || length > (size_t)2 * HP_BUILD_ID_MAX ||
	    strspn(text, "0123456789abcdef") != length)
		return false;
	module->build_id_size = (uint32_t)length / 2;
	for (size_t i = 0; i < length / 2; i++) {
		char digits[3] = { text[2 * i], text[2 * i + 1], '\0' };
		module->build_id[i] = (uint8_t)strtoul(digits, NULL, 16);
	}
	return true;
}

static bool read_frame_kind(struct json_object *value, void *into)
{
	static const char *const names[] = { [HP_FRAME_ADDRESS] = "address",
					     [HP_FRAME_CODE] = "code",
					     [HP_FRAME_LINK] = NULL,
					     [HP_FRAME_SITE] = "measured",
					     [HP_FRAME_WAIT] = "wait" };
	const char *name = json_object_get_string(value);

	for (unsigned kind = HP_FRAME_ADDRESS; kind <= HP_FRAME_WAIT; kind++) {
		if (names[kind] && strcmp(name, names[kind]) == 0) {
			*(enum hp_frame_kind *)into = (enum hp_frame_kind)kind;
			return true;
		}
	}
	return false;
}

/* A number in a list, of which -1 is none. */
static bool read_number(struct json_object *value, void *into)
{
	uint64_t number;

	if (!hp_saved_u64(value, &number) || number > INT32_MAX)
		return false;
	*(int32_t *)into = (int32_t)number;
	return true;
}

static const struct hp_saved_type build_id_type = { read_build_id, "a build id" };
static const struct hp_saved_type frame_kind_type = { read_frame_kind, "a kind of frame" };
static const struct hp_saved_type number_type = { read_number, "a number in a list" };

static const struct hp_saved_field module_fields[] = {
	{ "path", &hp_saved_type_string, offsetof(struct hp_cpu_module, path) },
	{ "build_id", &build_id_type, 0 },
	{ NULL, NULL, 0 },
};

static const struct hp_saved_field thread_fields[] = {
	{ "name", &hp_saved_type_string, offsetof(struct hp_cpu_thread, name) },
	{ "tid", &hp_saved_type_u32, offsetof(struct hp_cpu_thread, tid) },
	{ "pid", &hp_saved_type_u32, offsetof(struct hp_cpu_thread, pid) },
	{ "samples", &hp_saved_type_u64, offsetof(struct hp_cpu_thread, samples) },
	{ NULL, NULL, 0 },
};

static const struct hp_saved_field frame_fields[] = {
	{ "name", &hp_saved_type_string, offsetof(struct hp_cpu_frame, name) },
	{ "inlined", &hp_saved_type_string, offsetof(struct hp_cpu_frame, inlined) },
	{ "location", &hp_saved_type_string, offsetof(struct hp_cpu_frame, location) },
	{ "outer_location", &hp_saved_type_string, offsetof(struct hp_cpu_frame, outer_location) },
	{ "kind", &frame_kind_type, offsetof(struct hp_cpu_frame, kind) },
	{ "module", &number_type, offsetof(struct hp_cpu_frame, module) },
	{ "address", &hp_saved_type_u64, offsetof(struct hp_cpu_frame, address) },
	{ "returns", &hp_saved_type_boolean, offsetof(struct hp_cpu_frame, returns) },
	{ NULL, NULL, 0 },
};

static const struct hp_saved_field between_fields[] = {
	{ "name", &hp_saved_type_string, offsetof(struct hp_between, name) },
	{ "location", &hp_saved_type_string, offsetof(struct hp_between, location) },
	{ NULL, NULL, 0 },
};

static const struct hp_saved_field stack_fields[] = {
	{ "thread", &hp_saved_type_u32, offsetof(struct hp_cpu_stack, thread) },
	{ "samples", &hp_saved_type_u64, offsetof(struct hp_cpu_stack, samples) },
	{ "bytes", &hp_saved_type_u64, offsetof(struct hp_cpu_stack, memory.bytes) },
	{ "blocks", &hp_saved_type_u64, offsetof(struct hp_cpu_stack, memory.blocks) },
	{ "live_bytes", &hp_saved_type_u64, offsetof(struct hp_cpu_stack, memory.live_bytes) },
	{ "live_blocks", &hp_saved_type_u64, offsetof(struct hp_cpu_stack, memory.live_blocks) },
	{ "peak_bytes", &hp_saved_type_u64, offsetof(struct hp_cpu_stack, memory.peak_bytes) },
	{ "temporary_blocks", &hp_saved_type_u64,
	  offsetof(struct hp_cpu_stack, memory.temporary_blocks) },
	{ "system", &hp_saved_type_boolean, offsetof(struct hp_cpu_stack, system) },
	{ "whole", &hp_saved_type_boolean, offsetof(struct hp_cpu_stack, whole) },
	{ NULL, NULL, 0 },
};

struct loading {
	struct hp_model *model;
	struct hp_cpu *cpu;
	struct hp_saved_rows rows;
	struct hp_error *error;
};

static int out_of_memory(struct loading *loading)
{
	return hp_saved_fail(loading->error, -ENOMEM, "out of memory");
}

static int damaged(struct loading *loading, const char *what)
{
	return hp_saved_fail(loading->error, -EINVAL, "damaged report: %s", what);
}

/* Read a list, whose items go into an array that is made for them. */
static int read_list(struct loading *loading, struct json_object *stacks, const char *key,
		     size_t size, void *items,
		     int (*read)(struct loading *loading, struct json_object *object))
{
	struct json_object *list;
	size_t count;
	int failed = hp_saved_array(stacks, key, &list, &count, loading->error);
	if (failed)
		return failed;

	*(void **)items = calloc(count + 1, size);
	if (!*(void **)items)
		return out_of_memory(loading);
	for (size_t i = 0; i < count && !failed; i++) {
		struct json_object *object = json_object_array_get_idx(list, i);
		failed = json_object_is_type(object, json_type_object)
				 ? read(loading, object)
				 : hp_saved_fail(loading->error, -EINVAL,
						 "damaged report: '%s' has items that are not "
						 "objects",
						 key);
	}
	return failed;
}

static int read_module(struct loading *loading, struct json_object *object)
{
	struct hp_cpu_module *module = &loading->cpu->modules[loading->cpu->module_count++];
	int failed = hp_saved_fields(object, module_fields, module, loading->error);

	return failed || module->path ? failed : damaged(loading, "a module has no path");
}

static int read_thread(struct loading *loading, struct json_object *object)
{
	struct hp_cpu_thread *thread = &loading->cpu->threads[loading->cpu->thread_count++];
	int failed = hp_saved_fields(object, thread_fields, thread, loading->error);

	return failed || thread->name ? failed : damaged(loading, "a thread has no name");
}

static int read_function(struct loading *loading, struct json_object *object,
			 struct hp_cpu_frame *frame)
{
	struct json_object *function = hp_saved_member(object, "function");

	if (!json_object_is_type(function, json_type_object) || !hp_saved_member(function, "name"))
		return damaged(loading, "a measured frame has no function");
	return hp_saved_row(&loading->rows, function, &frame->function, loading->error);
}

static int read_between(struct loading *loading, struct json_object *object,
			struct hp_cpu_frame *frame)
{
	struct hp_between *between = hp_betweens_add(&frame->between);

	if (!between)
		return out_of_memory(loading);
	if (!json_object_is_type(object, json_type_object))
		return damaged(loading, "'between' has items that are not objects");
	int failed = hp_saved_fields(object, between_fields, between, loading->error);
	return failed || between->name ? failed
				       : damaged(loading, "an inlined function has no name");
}

/* Reports of earlier versions have none. */
static int read_betweens(struct loading *loading, struct json_object *object,
			 struct hp_cpu_frame *frame)
{
	struct json_object *list;
	size_t count;
	int failed = hp_saved_array(object, "between", &list, &count, loading->error);

	if (!failed && count > HP_BETWEEN_MAX)
		return damaged(loading, "a frame has too many inlined functions");
	for (size_t i = 0; !failed && i < count; i++)
		failed = read_between(loading, json_object_array_get_idx(list, i), frame);
	return failed;
}

static int read_frame(struct loading *loading, struct json_object *object)
{
	struct hp_cpu_frame *frame = &loading->cpu->frames[loading->cpu->frame_count++];

	*frame = (struct hp_cpu_frame){ .module = HP_CPU_NOT_KNOWN, .function = HP_CPU_NOT_KNOWN };
	int failed = hp_saved_fields(object, frame_fields, frame, loading->error);
	if (!failed)
		failed = read_betweens(loading, object, frame);
	if (failed)
		return failed;
	if (!frame->name)
		return damaged(loading, "a frame has no name");
	if (frame->module >= (int32_t)loading->cpu->module_count ||
	    (frame->kind == HP_FRAME_CODE) != (frame->module >= 0))
		return damaged(loading, "a frame refers to a missing module");
	if (frame->kind == HP_FRAME_WAIT)
		frame->address = hp_cpu_wait_address(frame->name);
	return frame->kind == HP_FRAME_SITE ? read_function(loading, object, frame) : 0;
}

static int read_stack(struct loading *loading, struct json_object *object)
{
	struct hp_cpu_stack *stack = &loading->cpu->stacks[loading->cpu->stack_count++];
	struct json_object *numbers;
	size_t depth;
	int failed = hp_saved_fields(object, stack_fields, stack, loading->error);
	if (!failed)
		failed = hp_saved_array(object, "frames", &numbers, &depth, loading->error);
	if (failed)
		return failed;
	if (stack->thread >= loading->cpu->thread_count || depth > HP_STACK_DEPTH_MAX)
		return damaged(loading, "a stack is too deep, or belongs to no thread");

	stack->frames = calloc(depth + 1, sizeof(*stack->frames));
	if (!stack->frames)
		return out_of_memory(loading);
	for (size_t i = 0; i < depth; i++)
		if (!hp_saved_type_u32.read(json_object_array_get_idx(numbers, i),
					    &stack->frames[stack->depth++]) ||
		    stack->frames[i] >= loading->cpu->frame_count)
			return damaged(loading, "a stack refers to a missing frame");
	return 0;
}

static int read_lists(struct loading *loading, struct json_object *stacks)
{
	struct hp_cpu *cpu = loading->cpu;
	int failed = read_list(loading, stacks, "modules", sizeof(*cpu->modules), &cpu->modules,
			       read_module);

	if (!failed)
		failed = read_list(loading, stacks, "threads", sizeof(*cpu->threads), &cpu->threads,
				   read_thread);
	if (!failed)
		failed = read_list(loading, stacks, "frames", sizeof(*cpu->frames), &cpu->frames,
				   read_frame);
	return failed ? failed
		      : read_list(loading, stacks, "stacks", sizeof(*cpu->stacks), &cpu->stacks,
				  read_stack);
}

int hp_saved_stacks(struct json_object *stacks, struct hp_model *model, struct hp_cpu *into,
		    struct hp_error *error)
{
	struct loading loading = { .model = model, .cpu = into, .error = error };
	struct json_object *frames;
	size_t count;
	if (!json_object_is_type(stacks, json_type_object))
		return damaged(&loading, "'stacks' is not an object");
	int failed = hp_saved_array(stacks, "frames", &frames, &count, error);
	if (failed)
		return failed;

	/* Every frame may be of a function that is not known yet. */
	failed = hp_saved_rows_open(&loading.rows, model, count, error);
	if (!failed)
		failed = read_lists(&loading, stacks);
	hp_saved_rows_close(&loading.rows);
	return failed;
}
