/* SPDX-License-Identifier: MIT */
/* The stacks of a window: samples, waits or allocations between two reads. */
#include "cpu_since.h"

#include "arithmetic.h"
#include "lower_bound.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- sums ---- */

static void subtract_figures(struct hp_cpu *cpu, const struct hp_cpu *earlier)
{
	cpu->attributed_samples = hp_minus(cpu->attributed_samples, earlier->attributed_samples);
	cpu->own_samples = hp_minus(cpu->own_samples, earlier->own_samples);
	cpu->total_samples = hp_max(hp_minus(cpu->total_samples, earlier->total_samples),
				    cpu->attributed_samples + cpu->own_samples);
	cpu->outside_system_samples = hp_minus(cpu->outside_system_samples,
					       earlier->outside_system_samples);
	cpu->unseen_samples = hp_minus(cpu->unseen_samples, earlier->unseen_samples);
	cpu->kernel_samples = hp_minus(cpu->kernel_samples, earlier->kernel_samples);
	cpu->loading_samples = hp_minus(cpu->loading_samples, earlier->loading_samples);
	cpu->looks = hp_minus(cpu->looks, earlier->looks);
	cpu->outside_alloc_ns = hp_minus(cpu->outside_alloc_ns, earlier->outside_alloc_ns);
}

/* Take as much as there is of an amount, and leave the rest to be taken elsewhere. */
static void take(uint64_t *figure, uint64_t *amount)
{
	uint64_t taken = hp_min(*figure, *amount);

	*figure -= taken;
	*amount -= taken;
}

/* ---- threads ---- */

static bool is_same_thread(const struct hp_cpu_thread *a, const struct hp_cpu_thread *b)
{
	return a->tid == b->tid && a->pid == b->pid && strcmp(a->name, b->name) == 0;
}

static void subtract_thread(struct hp_cpu *cpu, const struct hp_cpu_thread *earlier)
{
	uint64_t samples = earlier->samples;

	for (size_t i = 0; i < cpu->thread_count; i++)
		if (is_same_thread(&cpu->threads[i], earlier))
			take(&cpu->threads[i].samples, &samples);
	for (size_t i = 0; samples && i < cpu->thread_count; i++)
		if (!cpu->threads[i].tid && strcmp(cpu->threads[i].name, earlier->name) == 0)
			take(&cpu->threads[i].samples, &samples);
}

/* ---- frames ---- */

/* A module of the earlier read in this one; a number that no module has if it is gone. */
static int32_t find_module(const struct hp_cpu *cpu, const struct hp_cpu_module *module)
{
	size_t at = 0;

	while (at < cpu->module_count && !hp_cpu_is_same_module(&cpu->modules[at], module))
		at++;
	return (int32_t)at;
}

/* Each frame of this read, sorted by hash. */
struct hashed {
	uint64_t hash;
	uint32_t frame;
};

struct work {
	struct hp_cpu *cpu;
	const struct hp_cpu *earlier;
	const int32_t *functions;
	int32_t *modules;
	struct hashed *frames;
	/* For each earlier frame, that of this read, or UINT32_MAX. */
	uint32_t *moved;
	/* The stacks of this read, sorted by their frames. */
	struct hp_cpu_stack **stacks;
};

static int by_hash(const void *left, const void *right)
{
	const struct hashed *a = left, *b = right;

	return (a->hash > b->hash) - (a->hash < b->hash);
}

static void sort_frames(const struct work *work)
{
	for (size_t i = 0; i < work->cpu->frame_count; i++)
		work->frames[i] = (struct hashed){ hp_cpu_frame_hash(&work->cpu->frames[i]),
						   (uint32_t)i };
	qsort(work->frames, work->cpu->frame_count, sizeof(*work->frames), by_hash);
}

static bool is_before_hash(const void *element, const void *hash)
{
	return ((const struct hashed *)element)->hash < *(const uint64_t *)hash;
}

static uint32_t find_frame(const struct work *work, struct hp_cpu_frame frame)
{
	if (frame.module >= 0)
		frame.module = work->modules[frame.module];
	if (frame.function >= 0)
		frame.function = work->functions[frame.function];
	uint64_t hash = hp_cpu_frame_hash(&frame);
	size_t count = work->cpu->frame_count;
	size_t first = hp_lower_bound(&hash, work->frames, count, sizeof(*work->frames),
				      is_before_hash);

	for (size_t i = first; i < count && work->frames[i].hash == hash; i++)
		if (hp_cpu_is_same_frame(&work->cpu->frames[work->frames[i].frame], &frame))
			return work->frames[i].frame;
	return UINT32_MAX;
}

/* ---- stacks ---- */

static int by_frames(const struct hp_cpu_stack *a, const struct hp_cpu_stack *b)
{
	if (a->depth != b->depth)
		return a->depth < b->depth ? -1 : 1;
	for (uint32_t i = 0; i < a->depth; i++)
		if (a->frames[i] != b->frames[i])
			return a->frames[i] < b->frames[i] ? -1 : 1;
	if (a->whole != b->whole)
		return a->whole - b->whole;
	return a->system - b->system;
}

static int by_pointed_frames(const void *left, const void *right)
{
	return by_frames(*(struct hp_cpu_stack *const *)left, *(struct hp_cpu_stack *const *)right);
}

static void sort_stacks(const struct work *work)
{
	for (size_t i = 0; i < work->cpu->stack_count; i++)
		work->stacks[i] = &work->cpu->stacks[i];
	qsort(work->stacks, work->cpu->stack_count, sizeof(struct hp_cpu_stack *),
	      by_pointed_frames);
}

static bool is_before_stack(const void *element, const void *stack)
{
	return by_frames(*(struct hp_cpu_stack *const *)element, stack) < 0;
}

/* What is left of an earlier stack to be taken out. */
static void take_stack(struct hp_cpu_stack *from, struct hp_cpu_stack *left)
{
	take(&from->samples, &left->samples);
	take(&from->memory.bytes, &left->memory.bytes);
	take(&from->memory.blocks, &left->memory.blocks);
	take(&from->memory.temporary_blocks, &left->memory.temporary_blocks);
}

/* First from the thread that had it, then from any. */
static void subtract_stack(const struct work *work, struct hp_cpu_stack left)
{
	const struct hp_cpu_thread *thread = &work->earlier->threads[left.thread];
	size_t count = work->cpu->stack_count;
	size_t first = hp_lower_bound(&left, work->stacks, count, sizeof(struct hp_cpu_stack *),
				      is_before_stack);
	size_t end = first;

	for (; end < count && by_frames(work->stacks[end], &left) == 0; end++)
		if (is_same_thread(&work->cpu->threads[work->stacks[end]->thread], thread))
			take_stack(work->stacks[end], &left);
	for (size_t i = first; i < end; i++)
		take_stack(work->stacks[i], &left);
}

static bool translate(const struct work *work, const struct hp_cpu_stack *stack, uint32_t *frames)
{
	for (uint32_t i = 0; i < stack->depth; i++) {
		frames[i] = work->moved[stack->frames[i]];
		if (frames[i] == UINT32_MAX)
			return false;
	}
	return true;
}

static int subtract_stacks(const struct work *work)
{
	const struct hp_cpu *earlier = work->earlier;
	uint32_t most = 0;
	for (size_t i = 0; i < earlier->stack_count; i++)
		most = (uint32_t)hp_max(most, earlier->stacks[i].depth);
	uint32_t *frames = calloc((size_t)most + 1, sizeof(*frames));
	if (!frames)
		return -ENOMEM;

	for (size_t i = 0; i < earlier->stack_count; i++) {
		struct hp_cpu_stack left = earlier->stacks[i];
		left.frames = frames;
		if (translate(work, &earlier->stacks[i], frames))
			subtract_stack(work, left);
	}
	free(frames);
	return 0;
}

static bool is_idle(const struct hp_cpu_stack *stack)
{
	return !stack->samples && !stack->memory.bytes && !stack->memory.blocks &&
	       !stack->memory.live_blocks;
}

static void drop_idle(struct hp_cpu *cpu)
{
	size_t kept = 0;

	for (size_t i = 0; i < cpu->stack_count; i++) {
		if (is_idle(&cpu->stacks[i]))
			free(cpu->stacks[i].frames);
		else
			cpu->stacks[kept++] = cpu->stacks[i];
	}
	cpu->stack_count = kept;
}

/* ---- all ---- */

static bool make_room(struct work *work)
{
	work->modules = calloc(work->earlier->module_count + 1, sizeof(*work->modules));
	work->moved = calloc(work->earlier->frame_count + 1, sizeof(*work->moved));
	work->frames = calloc(work->cpu->frame_count + 1, sizeof(*work->frames));
	work->stacks = calloc(work->cpu->stack_count + 1, sizeof(struct hp_cpu_stack *));
	return work->modules && work->moved && work->frames && work->stacks;
}

static int subtract(const struct work *work)
{
	const struct hp_cpu *earlier = work->earlier;

	sort_frames(work);
	sort_stacks(work);
	for (size_t i = 0; i < earlier->module_count; i++)
		work->modules[i] = find_module(work->cpu, &earlier->modules[i]);
	for (size_t i = 0; i < earlier->frame_count; i++)
		work->moved[i] = find_frame(work, earlier->frames[i]);
	return subtract_stacks(work);
}

int hp_cpu_subtract(struct hp_cpu *cpu, const struct hp_cpu *earlier, const int32_t *functions)
{
	struct work work = { .cpu = cpu, .earlier = earlier, .functions = functions };
	int error = make_room(&work) ? subtract(&work) : -ENOMEM;

	free(work.modules);
	free(work.moved);
	free(work.frames);
	free(work.stacks);
	if (error)
		return error;
	subtract_figures(cpu, earlier);
	for (size_t i = 0; i < earlier->thread_count; i++)
		subtract_thread(cpu, &earlier->threads[i]);
	drop_idle(cpu);
	return 0;
}
