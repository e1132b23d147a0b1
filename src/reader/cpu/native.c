/* SPDX-License-Identifier: MIT */
/* CPU time of the program's own functions, by their symbols, for programs without measured functions. */
#include "native.h"

#include "arithmetic.h"

#include <stdlib.h>
#include <string.h>

/* The name of a frame, and where to store the index of its function. */
struct place {
	const char *name;
	int32_t module;
	size_t *number;
};

struct work {
	const struct hp_cpu *cpu;
	/* For each function: the last stack that it was in, plus one. */
	size_t *seen;
};

static int by_name(const void *left, const void *right)
{
	const struct place *a = left, *b = right;
	int order = strcmp(a->name, b->name);

	/* All libraries of hotpath are one function. */
	if (!order && strcmp(a->name, HP_CPU_OWN) == 0)
		return 0;
	return order ? order : (a->module > b->module) - (a->module < b->module);
}

static void add_function(struct hp_native *native, const struct hp_cpu *cpu,
			 const struct place *place)
{
	char *module = place->module >= 0 ? cpu->modules[place->module].path : NULL;

	native->functions[native->count++] =
		(struct hp_function){ .name = (char *)(uintptr_t)place->name, .module = module };
}

/* Frames with the same name in the same file are one function. */
static void number_functions(struct hp_native *native, const struct hp_cpu *cpu,
			     struct place *places)
{
	size_t count = 0;

	for (size_t i = 0; i < cpu->frame_count; i++) {
		const struct hp_cpu_frame *frame = &cpu->frames[i];
		native->first[i] = count;
		for (uint32_t level = 0; level < hp_cpu_frame_levels(frame); level++, count++)
			places[count] = (struct place){ hp_cpu_frame_level(frame, level),
							frame->module, &native->levels[count] };
	}
	native->first[cpu->frame_count] = count;
	if (count)
		qsort(places, count, sizeof(*places), by_name);
	for (size_t i = 0; i < count; i++) {
		if (i == 0 || by_name(&places[i - 1], &places[i]) != 0)
			add_function(native, cpu, &places[i]);
		*places[i].number = native->count - 1;
	}
}

static void count_inclusive(struct hp_native *native, const struct work *work, size_t function,
			    size_t nth)
{
	if (work->seen[function] != nth + 1)
		native->functions[function].cpu.inclusive_samples += work->cpu->stacks[nth].samples;
	work->seen[function] = nth + 1;
}

/* The sample counts exclusively for the innermost function, and inclusively once for each function in the stack. */
static void add_stack(struct hp_native *native, const struct work *work, size_t nth, uint64_t *seen)
{
	const struct hp_cpu_stack *stack = &work->cpu->stacks[nth];
	bool first = true;

	for (uint32_t i = 0; i < stack->depth; i++) {
		uint32_t frame = stack->frames[i];
		if (!hp_native_is_code(&work->cpu->frames[frame]))
			continue;
		size_t inner = native->levels[native->first[frame]];
		struct hp_cpu_figures *figures = &native->functions[inner].cpu;
		if (first) {
			figures->samples += stack->samples;
			figures->system_samples += stack->system ? stack->samples : 0;
		}
		for (size_t at = native->first[frame]; at < native->first[frame + 1]; at++)
			count_inclusive(native, work, native->levels[at], nth);
		first = false;
	}
	if (!first)
		*seen += stack->samples;
}

static void add_rest(struct hp_native *native, const char *name, uint64_t samples, bool system)
{
	const struct hp_cpu_figures cpu = { .samples = samples,
					    .inclusive_samples = samples,
					    .system_samples = system ? samples : 0 };

	if (samples)
		native->rests[native->rest_count++] =
			(struct hp_function){ .name = (char *)(uintptr_t)name, .cpu = cpu };
}

static void add_rests(struct hp_native *native, const struct hp_cpu *cpu, uint64_t seen)
{
	uint64_t left = hp_minus(cpu->total_samples, seen);
	uint64_t kernel = hp_min(cpu->kernel_samples, left);
	uint64_t loading = hp_min(cpu->loading_samples, left - kernel);

	add_rest(native, "<kernel>", kernel, true);
	add_rest(native, "<loading>", loading, false);
	add_rest(native, "<no stack>", left - kernel - loading, false);
}

static size_t count_levels(const struct hp_cpu *cpu)
{
	size_t count = 0;

	for (size_t i = 0; i < cpu->frame_count; i++)
		count += hp_cpu_frame_levels(&cpu->frames[i]);
	return count;
}

bool hp_native_read(struct hp_native *native, const struct hp_cpu *cpu)
{
	size_t room = count_levels(cpu) + 1;
	struct place *places = calloc(room, sizeof(*places));
	struct work work = { cpu, calloc(room, sizeof(size_t)) };

	*native = (struct hp_native){ .functions = calloc(room, sizeof(*native->functions)),
				      .levels = calloc(room, sizeof(size_t)),
				      .first = calloc(cpu->frame_count + 1, sizeof(size_t)) };
	uint64_t seen = 0;
	bool done = places && work.seen && native->functions && native->levels && native->first;
	if (done) {
		number_functions(native, cpu, places);
		for (size_t i = 0; i < cpu->stack_count; i++)
			add_stack(native, &work, i, &seen);
		add_rests(native, cpu, seen);
	}
	free(places);
	free(work.seen);
	return done;
}

void hp_native_free(struct hp_native *native)
{
	free(native->functions);
	free(native->levels);
	free(native->first);
}
