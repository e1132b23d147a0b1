/* SPDX-License-Identifier: MIT */
/*
 * A model with samples that was made by hand: a program of two threads, with names that mean harm.
 *
 *	made        400  main → parse (measured) → "read line" (a block) → memcpy in libc.so.6
 *	            300  main → parse (measured)
 *	            200  main → render → draw<a> & "b"; 'c'  with a line break
 *	            50   main → walk → walk → walk
 *	            10   [no stack]
 *	worker;1    240  start_thread → render, the stack cut off before it
 *
 * It has allocated, too, some of it in a function that freed all, and some that no stack is known of:
 *
 *	  bytes  blocks    live
 *	1000000      10       0   main → render
 *	 500000       5  200000   main → parse (measured), of which 2 blocks are live
 *	     24       1      24   main → walk → walk
 *	    100       4       0   no stack; of these, one block is not in the stacks at all
 *
 * And it has a call tree, in ms:
 *
 *	calls  total  self
 *	    5     10     4   parse
 *	   50      5     5   ├─ read line
 *	    7      1     1   └─ <other>
 *	    1      2     2   <other>
 */
#ifndef MADE_CPU_H
#define MADE_CPU_H

#include "model.h"

#include <stdlib.h>
#include <string.h>

enum { MADE_ROOM = 64 };

struct made_cpu {
	struct hp_model model;
	struct hp_function functions[2];
	struct hp_cpu_module modules[2];
	struct hp_cpu_thread threads[2];
	struct hp_cpu_frame frames[MADE_ROOM];
	struct hp_cpu_stack stacks[MADE_ROOM];
	uint32_t in_stacks[MADE_ROOM][8];
	struct hp_cpu_thread alloc_thread;
	struct hp_cpu_stack alloc_stacks[4];
	uint32_t in_alloc_stacks[4][4];
	struct hp_branch branches[4];
};

#define MADE_EVIL "draw<a> & \"b\"; 'c'\n]]></script>"
#define MADE_TOTAL 1200
#define MADE_ALLOCATED 1500124
#define MADE_LIVE 200024

static inline uint32_t made_frame(struct made_cpu *made, struct hp_cpu_frame frame)
{
	frame.address = 0x1000 + made->model.cpu.frame_count * 16;
	made->frames[made->model.cpu.frame_count] = frame;
	return (uint32_t)made->model.cpu.frame_count++;
}

static inline uint32_t made_code(struct made_cpu *made, int32_t module, const char *name)
{
	return made_frame(made, (struct hp_cpu_frame){ .kind = HP_FRAME_CODE,
						       .module = module,
						       .function = HP_CPU_NOT_KNOWN,
						       .name = (char *)(uintptr_t)name });
}

static inline uint32_t made_site(struct made_cpu *made, int32_t function)
{
	return made_frame(made, (struct hp_cpu_frame){ .kind = HP_FRAME_SITE,
						       .module = HP_CPU_NOT_KNOWN,
						       .function = function,
						       .name = made->functions[function].name });
}

/* Frames are the innermost first, and end with UINT32_MAX. */
static inline void made_stack(struct made_cpu *made, uint32_t thread, uint64_t samples, bool whole,
			      const uint32_t *frames)
{
	size_t at = made->model.cpu.stack_count++;
	struct hp_cpu_stack *stack = &made->stacks[at];

	*stack = (struct hp_cpu_stack){ thread, 0, samples, whole, made->in_stacks[at] };
	for (; frames[stack->depth] != UINT32_MAX; stack->depth++)
		stack->frames[stack->depth] = frames[stack->depth];
}

#define MADE_STACK(made, thread, samples, whole, ...)                                              \
	made_stack(made, thread, samples, whole, (const uint32_t[]){ __VA_ARGS__, UINT32_MAX })

/* Stacks of allocations have the frames of the samples. */
static inline void made_allocations(struct made_cpu *made, uint32_t start, uint32_t render,
				    uint32_t parse, uint32_t measured, uint32_t walk)
{
	const uint32_t frames[4][4] = { { render, start },
					{ measured, parse, start },
					{ walk, walk, start } };
	static const uint32_t depths[] = { 2, 3, 3, 0 };
	static const struct hp_stack_memory memory[] = {
		{ 1000000, 10, 0, 0 }, { 500000, 5, 200000, 2 }, { 24, 1, 24, 1 }, { 70, 3, 0, 0 }
	};

	memcpy(made->in_alloc_stacks, frames, sizeof(frames));
	for (size_t i = 0; i < 4; i++)
		made->alloc_stacks[i] = (struct hp_cpu_stack){ .depth = depths[i],
							       .whole = true,
							       .frames = made->in_alloc_stacks[i],
							       .memory = memory[i] };
	made->alloc_thread = (struct hp_cpu_thread){ .name = (char *)(uintptr_t) "made",
						     .pid = 4711 };
	made->model.allocations = (struct hp_cpu){ .modules = made->modules,
						   .module_count = 2,
						   .threads = &made->alloc_thread,
						   .thread_count = 1,
						   .frames = made->frames,
						   .frame_count = made->model.cpu.frame_count,
						   .stacks = made->alloc_stacks,
						   .stack_count = 4 };
	made->model.memory = (struct hp_memory){ .mode = HP_ALLOC_LIVE,
						 .bytes = MADE_ALLOCATED,
						 .count = 20,
						 .allocated_bytes = MADE_ALLOCATED,
						 .freed_bytes = MADE_ALLOCATED - MADE_LIVE,
						 .freed_count = 17,
						 .live_bytes = MADE_LIVE,
						 .live_blocks = 3 };
}

static inline void made_tree(struct made_cpu *made)
{
	const struct hp_branch branches[] = {
		{ HP_NO_BRANCH, 0, 0, 5, 0, 10000000, 4000000, false },
		{ 0, 1, 1, 50, 0, 5000000, 5000000, false },
		{ 0, HP_NO_FUNCTION, 1, 7, 0, 1000000, 1000000, false },
		{ HP_NO_BRANCH, HP_NO_FUNCTION, 0, 1, 0, 2000000, 2000000, false },
	};

	memcpy(made->branches, branches, sizeof(branches));
	made->model.has_tree = true;
	made->model.branches = made->branches;
	made->model.branch_count = 4;
}

static inline void made_stacks(struct made_cpu *made)
{
	uint32_t start = made_code(made, 1, "start_thread"),
		 start_main = made_code(made, 0, "main");
	uint32_t parse = made_code(made, 0, "parse.constprop.0"),
		 render = made_code(made, 0, "render");
	uint32_t copy = made_code(made, 1, "memcpy"), walk = made_code(made, 0, "walk");
	uint32_t draw = made_code(made, 0, MADE_EVIL);
	uint32_t measured = made_site(made, 0), block = made_site(made, 1);

	MADE_STACK(made, 0, 150, true, copy, block, measured, parse, start_main);
	MADE_STACK(made, 0, 250, true, copy, block, measured, parse, start_main);
	MADE_STACK(made, 0, 300, true, measured, parse, start_main);
	MADE_STACK(made, 0, 200, true, draw, render, start_main);
	MADE_STACK(made, 0, 50, true, walk, walk, walk, start_main);
	MADE_STACK(made, 1, 240, false, render, start);
	made_allocations(made, start_main, render, parse, measured, walk);
}

static inline struct hp_model *made_cpu(struct made_cpu *made)
{
	*made = (struct made_cpu){ .model = { .program = (char *)(uintptr_t) "/usr/bin/made",
					      .pid = 4711,
					      .start_unix_ns = UINT64_C(1700000000000000000),
					      .elapsed_ns = 1300000000,
					      .functions = made->functions,
					      .function_count = 2 } };
	made->functions[0] = (struct hp_function){ .name = (char *)(uintptr_t) "parse",
						   .kind = HP_SITE_FUNCTION };
	made->functions[1] = (struct hp_function){ .name = (char *)(uintptr_t) "read line",
						   .file = (char *)(uintptr_t) "parse.c",
						   .line = 42,
						   .kind = HP_SITE_BLOCK };
	made->modules[0] = (struct hp_cpu_module){ .path = (char *)(uintptr_t) "/none/bin/made",
						   .build_id = { 1, 2, 3, 4, 5 },
						   .build_id_size = 20 };
	made->modules[1] = (struct hp_cpu_module){ .path = (char *)(uintptr_t) "/none/libc.so.6" };
	made->threads[0] = (struct hp_cpu_thread){ (char *)(uintptr_t) "made", 4711, 4711, 960 };
	made->threads[1] = (struct hp_cpu_thread){ (char *)(uintptr_t) "worker;1", 0, 4711, 240 };
	made->model.cpu = (struct hp_cpu){ .source = HP_CPU_PERF,
					   .rate_hz = 1000,
					   .period_ns = 1000000,
					   .total_samples = MADE_TOTAL,
					   .looks = MADE_TOTAL,
					   .modules = made->modules,
					   .module_count = 2,
					   .threads = made->threads,
					   .thread_count = 2,
					   .frames = made->frames,
					   .stacks = made->stacks };
	made_stacks(made);
	made_tree(made);
	return &made->model;
}

#endif
