/* SPDX-License-Identifier: MIT */
/* CPU time in a model: merging that of several processes. */
#include "cpu_time.h"

#include "arithmetic.h"
#include "atomic.h"
#include "names/index.h"
#include "names/intern.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool hp_cpu_is_same_frame(const struct hp_cpu_frame *a, const struct hp_cpu_frame *b)
{
	return a->kind == b->kind && a->module == b->module && a->address == b->address &&
	       a->returns == b->returns && a->function == b->function;
}

uint64_t hp_cpu_wait_address(const char *name)
{
	return hp_hash_string(0, name);
}

uint64_t hp_cpu_frame_hash(const struct hp_cpu_frame *frame)
{
	uint64_t hash = hp_hash(frame->address, (uint64_t)frame->kind * 2 + frame->returns);

	return hp_hash(hash, (uint64_t)(uint32_t)frame->module << 32 | (uint32_t)frame->function);
}

uint64_t hp_cpu_outside(const struct hp_cpu *cpu)
{
	uint64_t inside = cpu->attributed_samples + cpu->own_samples;

	return hp_minus(cpu->total_samples, inside);
}

static bool is_same(const void *frames, uint32_t number, const void *key)
{
	return hp_cpu_is_same_frame((const struct hp_cpu_frame *)frames + number, key);
}

void hp_cpu_module_copy_build_id(struct hp_cpu_module *to, const struct hp_module *from)
{
	uint32_t size = load(&from->build_id_size, RELAXED);

	to->build_id_size = size <= HP_BUILD_ID_MAX ? size : 0;
	memcpy(to->build_id, from->build_id, sizeof(to->build_id));
}

bool hp_cpu_is_same_module(const struct hp_cpu_module *a, const struct hp_cpu_module *b)
{
	return a->build_id_size == b->build_id_size &&
	       memcmp(a->build_id, b->build_id, a->build_id_size) == 0 &&
	       strcmp(a->path, b->path) == 0;
}

/* Make room for so many more at the end of an array. */
static void *extended(void *items, size_t count, size_t more, size_t size)
{
	return reallocarray(items, count + more + 1, size);
}

/* Maps indexes of modules, threads and frames in one process to those in the merged one. */
struct moved {
	const int32_t *functions;
	int32_t *modules;
	uint32_t *frames;
	uint32_t first_thread;
};

static int merge_modules(struct hp_cpu *into, const struct hp_cpu *from, struct moved *moved)
{
	struct hp_cpu_module *modules = extended(into->modules, into->module_count,
						 from->module_count, sizeof(*modules));
	if (!modules)
		return -ENOMEM;
	into->modules = modules;
	for (size_t i = 0; i < from->module_count; i++) {
		size_t at = 0;
		while (at < into->module_count &&
		       !hp_cpu_is_same_module(&modules[at], &from->modules[i]))
			at++;
		moved->modules[i] = (int32_t)at;
		if (at < into->module_count)
			continue;
		modules[at] = from->modules[i];
		modules[at].path = strdup(from->modules[i].path);
		if (!modules[at].path)
			return -ENOMEM;
		into->module_count++;
	}
	return 0;
}

static int merge_threads(struct hp_cpu *into, const struct hp_cpu *from, struct moved *moved)
{
	struct hp_cpu_thread *threads = extended(into->threads, into->thread_count,
						 from->thread_count, sizeof(*threads));
	if (!threads)
		return -ENOMEM;
	into->threads = threads;
	moved->first_thread = (uint32_t)into->thread_count;
	for (size_t i = 0; i < from->thread_count; i++) {
		struct hp_cpu_thread *thread = &threads[into->thread_count];
		*thread = from->threads[i];
		thread->name = strdup(from->threads[i].name);
		if (!thread->name)
			return -ENOMEM;
		into->thread_count++;
	}
	return 0;
}

void hp_cpu_frame_clear(struct hp_cpu_frame *frame)
{
	free(frame->name);
	free(frame->inlined);
	free(frame->location);
	free(frame->outer_location);
	free(frame->inlined_file);
	hp_betweens_free(&frame->between);
}

static bool copy_text(char **to, const char *from)
{
	*to = from ? strdup(from) : NULL;
	return *to || !from;
}

static bool copy_texts(struct hp_cpu_frame *to, const struct hp_cpu_frame *from)
{
	*to = *from;
	to->name = to->inlined = to->location = to->outer_location = to->inlined_file = NULL;
	to->between = (struct hp_betweens){ NULL, 0 };
	return copy_text(&to->name, from->name) && copy_text(&to->inlined, from->inlined) &&
	       hp_betweens_copy(&to->between, &from->between, true) &&
	       copy_text(&to->location, from->location) &&
	       copy_text(&to->outer_location, from->outer_location) &&
	       copy_text(&to->inlined_file, from->inlined_file);
}

static bool add_frame(struct hp_cpu *into, const struct hp_cpu_frame *from,
		      const struct moved *moved, uint32_t *number)
{
	struct hp_cpu_frame frame = *from;
	uint32_t next = (uint32_t)into->frame_count;

	if (frame.module >= 0)
		frame.module = moved->modules[frame.module];
	if (frame.function >= 0)
		frame.function = moved->functions[frame.function];
	if (!hp_intern(into->known_frames, hp_cpu_frame_hash(&frame), into->frames, &frame, next,
		       number))
		return false;
	if (*number < next)
		return true;
	into->frame_count++;
	into->known_count++;
	return copy_texts(&into->frames[next], &frame);
}

/* The index is kept from one merge to the next: a run may have thousands of processes, and more frames with each. */
static bool know_frames(struct hp_cpu *into)
{
	uint32_t number;

	if (!into->known_frames)
		into->known_frames = calloc(1, sizeof(*into->known_frames));
	bool done = into->known_frames != NULL;
	if (done)
		into->known_frames->is_same = is_same;
	for (size_t *at = &into->known_count; done && *at < into->frame_count; *at += done)
		done = hp_intern(into->known_frames, hp_cpu_frame_hash(&into->frames[*at]),
				 into->frames, &into->frames[*at], (uint32_t)*at, &number);
	return done;
}

static int merge_frames(struct hp_cpu *into, const struct hp_cpu *from, struct moved *moved)
{
	struct hp_cpu_frame *frames = extended(into->frames, into->frame_count, from->frame_count,
					       sizeof(*frames));
	bool done = frames != NULL;

	if (done)
		into->frames = frames;
	done = done && know_frames(into);
	for (size_t i = 0; done && i < from->frame_count; i++)
		done = add_frame(into, &from->frames[i], moved, &moved->frames[i]);
	return done ? 0 : -ENOMEM;
}

static int merge_stacks(struct hp_cpu *into, const struct hp_cpu *from, const struct moved *moved)
{
	struct hp_cpu_stack *stacks = extended(into->stacks, into->stack_count, from->stack_count,
					       sizeof(*stacks));
	if (!stacks)
		return -ENOMEM;
	into->stacks = stacks;
	for (size_t i = 0; i < from->stack_count; i++) {
		struct hp_cpu_stack *stack = &stacks[into->stack_count];
		*stack = from->stacks[i];
		stack->thread += moved->first_thread;
		stack->frames = calloc(stack->depth + 1, sizeof(*stack->frames));
		if (!stack->frames)
			return -ENOMEM;
		for (uint32_t j = 0; j < stack->depth; j++)
			stack->frames[j] = moved->frames[from->stacks[i].frames[j]];
		into->stack_count++;
	}
	return 0;
}

static void merge_figures(struct hp_cpu *into, const struct hp_cpu *from)
{
	if (into->source == HP_CPU_NONE)
		into->source = from->source;
	if (from->end > into->end)
		into->end = from->end;
	if (from->rate_hz > into->rate_hz)
		into->rate_hz = from->rate_hz;
	if (from->period_ns > into->period_ns)
		into->period_ns = from->period_ns;
	into->total_samples += from->total_samples;
	into->attributed_samples += from->attributed_samples;
	into->own_samples += from->own_samples;
	into->outside_system_samples += from->outside_system_samples;
	into->unseen_samples += from->unseen_samples;
	/* In a damaged segment the sums may have overflowed. */
	if (into->total_samples < into->attributed_samples + into->own_samples)
		into->total_samples = into->attributed_samples + into->own_samples;
	into->kernel_samples += from->kernel_samples;
	into->loading_samples += from->loading_samples;
	into->looks += from->looks;
	into->outside_alloc_ns += from->outside_alloc_ns;
}

int hp_cpu_merge(struct hp_cpu *into, const struct hp_cpu *from, const int32_t *functions)
{
	struct moved moved = { functions, NULL, NULL, 0 };

	merge_figures(into, from);
	moved.modules = calloc(from->module_count + 1, sizeof(*moved.modules));
	moved.frames = calloc(from->frame_count + 1, sizeof(*moved.frames));
	int error = moved.modules && moved.frames ? 0 : -ENOMEM;
	if (!error)
		error = merge_modules(into, from, &moved);
	if (!error)
		error = merge_threads(into, from, &moved);
	if (!error)
		error = merge_frames(into, from, &moved);
	if (!error)
		error = merge_stacks(into, from, &moved);
	free(moved.modules);
	free(moved.frames);
	return error;
}

void hp_cpu_clear(struct hp_cpu *cpu)
{
	for (size_t i = 0; i < cpu->module_count; i++)
		free(cpu->modules[i].path);
	for (size_t i = 0; i < cpu->thread_count; i++)
		free(cpu->threads[i].name);
	for (size_t i = 0; i < cpu->frame_count; i++)
		hp_cpu_frame_clear(&cpu->frames[i]);
	for (size_t i = 0; i < cpu->stack_count; i++)
		free(cpu->stacks[i].frames);
	free(cpu->modules);
	free(cpu->threads);
	free(cpu->frames);
	if (cpu->known_frames)
		hp_intern_free(cpu->known_frames);
	free(cpu->known_frames);
	free(cpu->stacks);
	*cpu = (struct hp_cpu){ .source = HP_CPU_NONE };
}
