/* SPDX-License-Identifier: MIT */
/*
 * Writes what was made by hand in one of the formats of `hotpath export`, or as a saved report.
 *
 *	made_profile saved                    made_cpu.h
 *	made_profile FORMAT [WHAT]            the samples of that, or what else it has
 *	made_profile FORMAT|saved STACKS      samples in so many different stacks, of 30 frames each
 */
#include "../unit/made_cpu.h"

#include "export.h"
#include "report.h"

#include <stdio.h>

enum { DEPTH = 30, FUNCTIONS = 3000, PER_STACK = 20 };

static uint32_t next_random(void)
{
	static uint64_t state = 42;

	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(state >> 33);
}

static void make_frames(struct hp_cpu *cpu)
{
	cpu->frames = calloc(FUNCTIONS, sizeof(*cpu->frames));
	cpu->frame_count = FUNCTIONS;
	for (uint32_t i = 0; i < FUNCTIONS; i++) {
		struct hp_cpu_frame frame = { .kind = HP_FRAME_CODE,
					      .module = i % 2,
					      .address = 0x1000 + 16 * i,
					      .function = HP_CPU_NOT_KNOWN };
		if (asprintf(&frame.name, "some_function_of_the_program_%u", i) < 0)
			abort();
		cpu->frames[i] = frame;
	}
}

/* Each stack begins as one before it, and goes on by itself. */
static void make_stacks(struct hp_cpu *cpu, size_t count)
{
	cpu->stacks = calloc(count, sizeof(*cpu->stacks));
	cpu->stack_count = count;
	for (size_t i = 0; i < count; i++) {
		uint32_t *frames = calloc(DEPTH, sizeof(*frames));
		size_t like = i ? next_random() % i : 0;
		uint32_t shared = i ? next_random() % DEPTH : 0;
		for (uint32_t at = 0; at < DEPTH; at++)
			frames[DEPTH - 1 - at] = at < shared
							 ? cpu->stacks[like].frames[DEPTH - 1 - at]
							 : next_random() % FUNCTIONS;
		cpu->stacks[i] = (struct hp_cpu_stack){ 0, DEPTH, PER_STACK, true, frames };
	}
}

static void write_saved(const struct hp_model *model, struct hp_text *text)
{
	struct hp_report_options options;

	hp_report_options_init(&options);
	options.format = HP_FORMAT_JSON;
	options.complete = true;
	hp_report_write(model, &options, text);
}

int main(int argc, char **argv)
{
	static struct made_cpu made;
	const struct hp_export_format *format = argc > 1 ? hp_export_find(argv[1]) : NULL;
	struct hp_text text = HP_TEXT_INIT;
	struct hp_model *model = made_cpu(&made);
	const struct hp_export_subject *subject = hp_export_subject_find(argc > 2 ? argv[2]
										  : "cpu");
	bool saved = argc > 1 && strcmp(argv[1], "saved") == 0;
	if (!format && !saved)
		return 2;

	if (!subject) {
		subject = hp_export_subjects;
		make_frames(&model->cpu);
		make_stacks(&model->cpu, strtoul(argv[2], NULL, 10));
	}
	if (saved)
		write_saved(model, &text);
	else
		hp_export_write(model, subject, format, &text);
	bool written = !text.failed && fwrite(text.bytes, 1, text.length, stdout) == text.length;
	hp_text_free(&text);
	return !written;
}
