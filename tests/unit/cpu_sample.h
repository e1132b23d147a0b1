/* SPDX-License-Identifier: MIT */
/* A model with samples of CPU time, made by hand, whose sections tests write. */
#ifndef CPU_SAMPLE_H
#define CPU_SAMPLE_H

#include "written_report.h"

#include <stdlib.h>
#include <string.h>

#define MS UINT64_C(1000000)

static struct hp_function functions[] = {
	{ .name = (char[]){ "main" },
	  .kind = HP_SITE_MAIN,
	  .is_caller = true,
	  .calls = 1,
	  .total_ns = 2000 * MS,
	  .self_ns = 10 * MS,
	  .cpu = { .samples = 5, .inclusive_samples = 900 } },
	{ .name = (char[]){ "compute" },
	  .file = (char[]){ "src/work.c" },
	  .line = 7,
	  .kind = HP_SITE_FUNCTION,
	  .calls = 1000,
	  .total_ns = 850 * MS,
	  .self_ns = 800 * MS,
	  .cpu = { .samples = 790, .inclusive_samples = 840 } },
	{ .name = (char[]){ "sleep_a_while" },
	  .kind = HP_SITE_FUNCTION,
	  .calls = 1000,
	  .total_ns = 1140 * MS,
	  .self_ns = 1140 * MS,
	  .cpu = { .samples = 5, .inclusive_samples = 5 } },
	{ .name = (char[]){ "allocate" },
	  .kind = HP_SITE_BLOCK,
	  .calls = 1000,
	  .total_ns = 120000,
	  .self_ns = 120000,
	  .alloc = { .bytes = 4096 },
	  .cpu = { .alloc_ns = 90000 } },
	{ .name = (char[]){ "request" },
	  .kind = HP_SITE_SPAN,
	  .calls = 10,
	  .total_ns = 5000 * MS,
	  .self_ns = 5000 * MS },
	{ .name = (char[]){ "never_called" }, .kind = HP_SITE_FUNCTION },
};

static struct hp_cpu_module modules[] = {
	{ .path = (char[]){ "/bin/program" }, .build_id = { 0xab, 1 }, .build_id_size = 2 },
};

static struct hp_cpu_thread threads[] = {
	{ (char[]){ "main" }, 42, 41, 600 },
	{ (char[]){ "worker" }, 0, 41, 300 },
};

static struct hp_cpu_frame frames[] = {
	{ HP_FRAME_CODE, 0, 0x1000, false, -1, (char[]){ "loop" } },
	{ HP_FRAME_SITE, -1, 0, false, 1, (char[]){ "compute" } },
	{ HP_FRAME_CODE, 0, 0x2000, true, -1, (char[]){ "compute" } },
	{ HP_FRAME_CODE, 0, 0x3000, true, -1, (char[]){ "main" } },
	{ HP_FRAME_ADDRESS, -1, 0x7f0000000000, false, -1, (char[]){ "0x7f0000000000" } },
	{ HP_FRAME_CODE, 0, 0x1008, true, -1, (char[]){ "loop" } },
};

static struct hp_cpu_stack stacks[] = {
	{ 0, 4, 700, true, (uint32_t[]){ 0, 1, 2, 3 } },
	/* Calls itself. */
	{ 0, 4, 60, true, (uint32_t[]){ 0, 5, 1, 2 } },
	{ 1, 1, 90, false, (uint32_t[]){ 4 } },
};

static const struct hp_model sample = {
	.program = (char[]){ "./program" },
	.arguments = (char[]){ "" },
	.pid = 41,
	.processes = 1,
	.caller = (char[]){ "main" },
	.elapsed_ns = 2000 * MS,
	.exit = { .clean = true },
	.functions = functions,
	.function_count = 6,
	.cpu = { .source = HP_CPU_PERF,
		 .rate_hz = 1000,
		 .period_ns = MS,
		 .total_samples = 1000,
		 .attributed_samples = 800,
		 .looks = 990,
		 .modules = modules,
		 .module_count = 1,
		 .threads = threads,
		 .thread_count = 2,
		 .frames = frames,
		 .frame_count = 6,
		 .stacks = stacks,
		 .stack_count = 3 },
};

static inline int set_up(void **state)
{
	(void)state;
	model = sample;
	hp_report_options_init(&options);
	return 0;
}

static inline void forget_functions(void)
{
	model.function_count = 0;
	model.cpu.attributed_samples = 0;
}

static inline struct hp_thread timed(char *name, uint32_t tid, uint64_t cpu_ms, uint64_t queue_ms)
{
	return (struct hp_thread){ .name = name,
				   .tid = tid,
				   .pid = 41,
				   .threads = 1,
				   .has_times = true,
				   .user_ns = cpu_ms * MS,
				   .queue_ns = queue_ms * MS,
				   .recorded_ns = 1000 * MS };
}

#endif
