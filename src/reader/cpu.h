/* SPDX-License-Identifier: MIT */
/* What a model knows of CPU time: of each function, and the stacks that were seen. */
#ifndef HP_CPU_H
#define HP_CPU_H

#include "segment.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** CPU time of a function. */
struct hp_cpu_figures {
	/** Exclusive and inclusive. */
	uint64_t samples;
	uint64_t inclusive_samples;
	/** Of the exclusive ones, those in the kernel. */
	uint64_t system_samples;
	/** How long threads that executed it were ready to run, and had no processor. */
	uint64_t queue_ns;
	/** Of its own CPU time, what allocating and freeing took, by samples; 0 when allocations were not recorded. */
	uint64_t alloc_ns;
};

/** A file that code was executed in. */
struct hp_cpu_module {
	char *path;
	uint8_t build_id[HP_BUILD_ID_MAX];
	uint32_t build_id_size;
};

/** A thread; or several, one after the other. */
struct hp_cpu_thread {
	/** As it was called last. */
	char *name;
	/** 0 when it has ended. */
	uint32_t tid;
	uint32_t pid;
	uint64_t samples;
};

enum {
	/** The module of a frame that is in none, and the function of one that is no measured one. */
	HP_CPU_NOT_KNOWN = -1,
};

/** A place in the code, or a measured function; no two are the same. */
struct hp_cpu_frame {
	/** HP_FRAME_ADDRESS, HP_FRAME_CODE or HP_FRAME_SITE: links have been decided. */
	enum hp_frame_kind kind;
	int32_t module;
	/** As in the file of the module; without one, in memory. */
	uint64_t address;
	/** It is where a call returns to: the call is before it. */
	bool returns;
	/** The row of a measured function. */
	int32_t function;
	/** The symbol, a C++ name without its parameters, or "libc.so.6+0x1234", which is where the function begins if
	    that is known, or else the place; or HP_CPU_GENERATED; of a measured function or block, its name. */
	char *name;
	/** With the function that was inlined there, as "make_receipt (in worker)"; NULL when there is none. */
	char *inlined;
};

/** What a frame is called in tables. */
static inline const char *hp_cpu_frame_shown(const struct hp_cpu_frame *frame)
{
	return frame->inlined ? frame->inlined : frame->name;
}

/** All code of no file, which programs make for themselves: each address of it would be a function of its own. */
#define HP_CPU_GENERATED "<generated code>"

/** The recorder and its probes. */
#define HP_CPU_OWN "<hotpath>"

/** Frames, by their place in the table of them, the innermost first. */
struct hp_cpu_stack {
	uint32_t thread;
	uint32_t depth;
	uint64_t samples;
	/** It reaches to where the thread began. */
	bool whole;
	uint32_t *frames;
	/** The time was the kernel's. */
	bool system;
};

struct hp_cpu {
	/** HP_CPU_NONE when there was no sampling. */
	enum hp_cpu_source source;
	enum hp_cpu_end end;
	uint32_t rate_hz;
	uint64_t period_ns;
	/** All CPU time of the process, those without a stack too; and in measured functions. */
	uint64_t total_samples;
	uint64_t attributed_samples;
	/** In the recorder and its probes: in no function, and not outside. */
	uint64_t own_samples;
	/** In no function, and in the kernel. */
	uint64_t outside_system_samples;
	/** What nobody saw; of it, what was in the kernel, and to load the program. */
	uint64_t unseen_samples;
	uint64_t kernel_samples;
	uint64_t loading_samples;
	/** How often a thread was looked at; fewer than samples where the source is slower than the rate. */
	uint64_t looks;
	/** What allocating and freeing took outside of functions, the caller being none; as in a function. */
	uint64_t outside_alloc_ns;
	struct hp_cpu_module *modules;
	size_t module_count;
	struct hp_cpu_thread *threads;
	size_t thread_count;
	struct hp_cpu_frame *frames;
	size_t frame_count;
	struct hp_cpu_stack *stacks;
	size_t stack_count;
};

/** Whether CPU time was to be sampled, whatever became of it. */
static inline bool hp_cpu_was_asked_for(const struct hp_cpu *cpu)
{
	return cpu->source != HP_CPU_NONE || cpu->end != HP_CPU_GOES_ON;
}

/** What ran outside of measured functions, seen or not. */
uint64_t hp_cpu_outside(const struct hp_cpu *cpu);

/** Add the figures of one row to another. */
void hp_cpu_figures_add(struct hp_cpu_figures *into, const struct hp_cpu_figures *from);

/** Whether sampling went on to the end: of what came later nothing is known otherwise. */
static inline bool hp_cpu_is_complete(const struct hp_cpu *cpu)
{
	return cpu->end == HP_CPU_GOES_ON;
}

/** Whether any thread was looked at: how much CPU time there was is known without that. */
static inline bool hp_cpu_has_samples(const struct hp_cpu *cpu)
{
	return cpu->looks || cpu->stack_count || cpu->attributed_samples;
}

/** Whether two frames are the same place, or the same measured function. */
bool hp_cpu_is_same_frame(const struct hp_cpu_frame *a, const struct hp_cpu_frame *b);

/** The same for frames that are the same. */
uint64_t hp_cpu_frame_hash(const struct hp_cpu_frame *frame);

/** Add one process to another, whose rows are at functions[row] now. Returns 0, or -ENOMEM. */
int hp_cpu_merge(struct hp_cpu *into, const struct hp_cpu *from, const int32_t *functions);

void hp_cpu_clear(struct hp_cpu *cpu);

#endif
