/* SPDX-License-Identifier: MIT */
/* CPU time by the functions of the program itself, as its symbols name them. */
#include "native.h"

#include <stdlib.h>
#include <string.h>

/* A frame, and the function it is in. */
struct place {
	const struct hp_cpu_frame *frame;
	size_t number;
};

struct work {
	const struct hp_cpu *cpu;
	/* The function of each frame of the model, and the last stack that it was in, plus one. */
	size_t *functions;
	size_t *seen;
};

static int by_name(const void *left, const void *right)
{
	const struct hp_cpu_frame *a = ((const struct place *)left)->frame;
	const struct hp_cpu_frame *b = ((const struct place *)right)->frame;
	int order = strcmp(a->name, b->name);

	/* Of our libraries nobody asks which one it was. */
	if (!order && strcmp(a->name, HP_CPU_OWN) == 0)
		return 0;
	return order ? order : (a->module > b->module) - (a->module < b->module);
}

static bool is_code(const struct hp_cpu_frame *frame)
{
	return frame->kind != HP_FRAME_SITE;
}

static void add_function(struct hp_native *native, const struct hp_cpu *cpu,
			 const struct hp_cpu_frame *frame)
{
	char *module = frame->module >= 0 ? cpu->modules[frame->module].path : NULL;

	native->functions[native->count++] = (struct hp_function){ .name = frame->name,
								   .module = module };
}

/* Frames with the same name in the same file are one function. */
static void number_functions(struct hp_native *native, const struct work *work,
			     struct place *places)
{
	const struct hp_cpu *cpu = work->cpu;

	for (size_t i = 0; i < cpu->frame_count; i++)
		places[i] = (struct place){ &cpu->frames[i], i };
	if (cpu->frame_count)
		qsort(places, cpu->frame_count, sizeof(*places), by_name);
	for (size_t i = 0; i < cpu->frame_count; i++) {
		if (i == 0 || by_name(&places[i - 1], &places[i]) != 0)
			add_function(native, cpu, places[i].frame);
		work->functions[places[i].number] = native->count - 1;
	}
}

/* The innermost function was executed; of those around it, each counts once. */
static void add_stack(struct hp_native *native, const struct work *work, size_t nth)
{
	const struct hp_cpu_stack *stack = &work->cpu->stacks[nth];
	bool first = true;

	for (uint32_t i = 0; i < stack->depth; i++) {
		size_t at = work->functions[stack->frames[i]];
		struct hp_cpu_figures *figures = &native->functions[at].cpu;
		if (!is_code(&work->cpu->frames[stack->frames[i]]))
			continue;
		if (first) {
			figures->samples += stack->samples;
			figures->system_samples += stack->system ? stack->samples : 0;
		}
		if (work->seen[at] != nth + 1)
			figures->inclusive_samples += stack->samples;
		work->seen[at] = nth + 1;
		first = false;
	}
	if (!first && native->unknown_samples >= stack->samples)
		native->unknown_samples -= stack->samples;
}

bool hp_native_read(struct hp_native *native, const struct hp_cpu *cpu)
{
	size_t room = cpu->frame_count + 1;
	struct place *places = calloc(room, sizeof(*places));
	struct work work = { cpu, calloc(room, sizeof(size_t)), calloc(room, sizeof(size_t)) };

	*native = (struct hp_native){ .functions = calloc(room, sizeof(*native->functions)),
				      .unknown_samples = cpu->total_samples };
	bool done = places && work.functions && work.seen && native->functions;
	if (done) {
		number_functions(native, &work, places);
		for (size_t i = 0; i < cpu->stack_count; i++)
			add_stack(native, &work, i);
	}
	free(places);
	free(work.functions);
	free(work.seen);
	return done;
}

void hp_native_free(struct hp_native *native)
{
	free(native->functions);
}
