/* SPDX-License-Identifier: MIT */
/* The stacks of samples, of waits and of allocations in JSON, so that a saved report can be exported like a segment. */
#include "stacks_json.h"

#include "function_json.h"

#include <stdio.h>

static void begin_list(struct hp_json *json, const char *key)
{
	hp_json_key(json, key);
	hp_json_begin_array(json);
}

static void put_module(struct hp_json *json, const struct hp_cpu_module *module)
{
	char id[2 * HP_BUILD_ID_MAX + 1] = "";

	for (uint32_t i = 0; i < module->build_id_size && i < HP_BUILD_ID_MAX; i++)
		snprintf(&id[2 * (size_t)i], 3, "%02x", module->build_id[i]);
	hp_json_begin_object(json);
	hp_json_member_string(json, "path", module->path);
	hp_json_member_string(json, "build_id", id);
	hp_json_end_object(json);
}

static void put_thread(struct hp_json *json, const struct hp_cpu_thread *thread)
{
	hp_json_begin_object(json);
	hp_json_member_string(json, "name", thread->name);
	hp_json_member_known(json, "tid", thread->tid, thread->tid != 0);
	hp_json_member_u64(json, "pid", thread->pid);
	hp_json_member_u64(json, "samples", thread->samples);
	hp_json_end_object(json);
}

static void put_function(struct hp_json *json, const struct hp_function *function)
{
	hp_json_key(json, "function");
	hp_json_begin_object(json);
	hp_json_name(json, function);
	hp_json_location(json, function);
	hp_json_end_object(json);
}

static void put_betweens(struct hp_json *json, const struct hp_betweens *between)
{
	begin_list(json, "between");
	for (uint32_t i = 0; i < between->count; i++) {
		hp_json_begin_object(json);
		hp_json_member_string(json, "name", between->items[i].name);
		if (between->items[i].location)
			hp_json_member_string(json, "location", between->items[i].location);
		hp_json_end_object(json);
	}
	hp_json_end_array(json);
}

static void put_frame(struct hp_json *json, const struct hp_model *model,
		      const struct hp_cpu_frame *frame)
{
	static const char *const kinds[] = { [HP_FRAME_ADDRESS] = "address",
					     [HP_FRAME_CODE] = "code",
					     [HP_FRAME_LINK] = "code",
					     [HP_FRAME_SITE] = "measured",
					     [HP_FRAME_WAIT] = "wait" };

	hp_json_begin_object(json);
	hp_json_member_string(json, "kind", kinds[frame->kind]);
	hp_json_member_string(json, "name", frame->name);
	if (frame->inlined)
		hp_json_member_string(json, "inlined", frame->inlined);
	if (frame->between.count)
		put_betweens(json, &frame->between);
	if (frame->location)
		hp_json_member_string(json, "location", frame->location);
	if (frame->outer_location)
		hp_json_member_string(json, "outer_location", frame->outer_location);
	if (frame->kind == HP_FRAME_SITE) {
		put_function(json, &model->functions[frame->function]);
	} else if (frame->kind != HP_FRAME_WAIT) {
		hp_json_member_known(json, "module", (uint64_t)frame->module, frame->module >= 0);
		hp_json_member_u64(json, "address", frame->address);
		hp_json_member_bool(json, "returns", frame->returns);
	}
	hp_json_end_object(json);
}

static void put_memory(struct hp_json *json, const struct hp_stack_memory *memory)
{
	hp_json_member_u64(json, "bytes", memory->bytes);
	hp_json_member_u64(json, "blocks", memory->blocks);
	hp_json_member_u64(json, "live_bytes", memory->live_bytes);
	hp_json_member_u64(json, "live_blocks", memory->live_blocks);
	hp_json_member_u64(json, "peak_bytes", memory->peak_bytes);
	hp_json_member_u64(json, "temporary_blocks", memory->temporary_blocks);
}

static void put_stack(struct hp_json *json, const struct hp_cpu_stack *stack)
{
	hp_json_begin_object(json);
	hp_json_member_u64(json, "thread", stack->thread);
	hp_json_member_u64(json, "samples", stack->samples);
	if (stack->memory.blocks)
		put_memory(json, &stack->memory);
	hp_json_member_bool(json, "whole", stack->whole);
	hp_json_member_bool(json, "system", stack->system);
	begin_list(json, "frames");
	for (uint32_t i = 0; i < stack->depth; i++)
		hp_json_u64(json, stack->frames[i]);
	hp_json_end_array(json);
	hp_json_end_object(json);
}

static void put_lists(struct hp_json *json, const struct hp_model *model, const struct hp_cpu *cpu)
{
	begin_list(json, "modules");
	for (size_t i = 0; i < cpu->module_count; i++)
		put_module(json, &cpu->modules[i]);
	hp_json_end_array(json);
	begin_list(json, "threads");
	for (size_t i = 0; i < cpu->thread_count; i++)
		put_thread(json, &cpu->threads[i]);
	hp_json_end_array(json);
	begin_list(json, "frames");
	for (size_t i = 0; i < cpu->frame_count; i++)
		put_frame(json, model, &cpu->frames[i]);
	hp_json_end_array(json);
	begin_list(json, "stacks");
	for (size_t i = 0; i < cpu->stack_count; i++)
		put_stack(json, &cpu->stacks[i]);
	hp_json_end_array(json);
}

void hp_stacks_json(const struct hp_model *model, struct hp_json *json)
{
	if (model->cpu.stack_count == 0)
		return;
	hp_json_key(json, "stacks");
	hp_json_begin_object(json);
	put_lists(json, model, &model->cpu);
	hp_json_end_object(json);
}

void hp_wait_stacks_json(const struct hp_model *model, struct hp_json *json)
{
	if (model->waits.stack_count == 0)
		return;
	hp_json_key(json, "wait_stacks");
	hp_json_begin_object(json);
	hp_json_member_u64(json, "period_ns", model->waits.period_ns);
	put_lists(json, model, &model->waits);
	hp_json_end_object(json);
}

void hp_alloc_stacks_json(const struct hp_model *model, struct hp_json *json)
{
	if (model->allocations.stack_count == 0)
		return;
	hp_json_key(json, "alloc_stacks");
	hp_json_begin_object(json);
	put_lists(json, model, &model->allocations);
	hp_json_end_object(json);
}
