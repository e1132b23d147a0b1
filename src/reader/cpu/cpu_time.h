/* SPDX-License-Identifier: MIT */
/* CPU time in a model: of each function, and the stacks that were sampled. */
#ifndef HP_CPU_TIME_H
#define HP_CPU_TIME_H

#include "between.h"
#include "function.h"
#include "segment.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A file that code was executed in. */
struct hp_cpu_module {
	char *path;
	uint8_t build_id[HP_BUILD_ID_MAX];
	uint32_t build_id_size;
};

/** A thread; or several, one after the other. */
struct hp_cpu_thread {
	/** The last name of the thread. */
	char *name;
	/** The thread's id; 0 when it has ended. */
	uint32_t tid;
	uint32_t pid;
	uint64_t samples;
};

enum {
	/**
	 * Used as the module of a frame that is in no module, and as the function of a frame that is not a measured
	 * function.
	 */
	HP_CPU_NOT_KNOWN = -1,
};

/** A place in the code, or a measured function. Each is in the table once. */
struct hp_cpu_frame {
	/** HP_FRAME_ADDRESS, HP_FRAME_CODE, HP_FRAME_SITE or HP_FRAME_WAIT. HP_FRAME_LINK was resolved before. */
	enum hp_frame_kind kind;
	int32_t module;
	/** Address in the file of the module; without a module, in memory. Of a wait, a number that its name has. */
	uint64_t address;
	/** A return address: the call instruction ends right before it. */
	bool returns;
	/** The row of a measured function. */
	int32_t function;
	/** The symbol, a C++ name without its parameters, or "libc.so.6+0x1234", which is where the function begins if
	    that is known, or else the place; or HP_CPU_GENERATED; of a measured function or block, its name; of a wait,
	    what it was for. */
	char *name;
	/**
	 * The name with the function that was inlined there: "make_receipt (in worker)"; NULL if nothing was inlined.
	 */
	char *inlined;
	/** The source line of an allocation, "src/work.c:33", in the inlined function if there is one, and then also that
	    in the function around it; NULL if debug information does not tell. */
	char *location;
	char *outer_location;
	/** Functions that were inlined around that one; also if the innermost is the outermost again, by recursion. */
	struct hp_betweens between;
	/** While a segment is read: where the function begins, whether its name is a symbol of the file that ran, and where the
	    inlined function is declared. */
	uint64_t entry;
	bool has_symbol;
	char *inlined_file;
	uint32_t inlined_line;
};

/** The name of a frame in tables. */
static inline const char *hp_cpu_frame_shown(const struct hp_cpu_frame *frame)
{
	return frame->inlined ? frame->inlined : frame->name;
}

/** The number of functions that a frame stands for: more than one where functions were inlined. */
static inline uint32_t hp_cpu_frame_levels(const struct hp_cpu_frame *frame)
{
	return frame->inlined || frame->between.count ? frame->between.count + 2 : 1;
}

/** The name of one of these functions, the innermost first. */
static inline const char *hp_cpu_frame_level(const struct hp_cpu_frame *frame, uint32_t level)
{
	if (level == 0)
		return hp_cpu_frame_shown(frame);
	return level <= frame->between.count ? frame->between.items[level - 1].name : frame->name;
}

/** The source line of a frame in one of these functions; NULL if it is not known. */
static inline const char *hp_cpu_frame_level_location(const struct hp_cpu_frame *frame,
						      uint32_t level)
{
	if (level == 0)
		return frame->location;
	return level <= frame->between.count ? frame->between.items[level - 1].location
					     : frame->outer_location;
}

/**
 * Name of all code that is in no file, such as that of a JIT compiler. It is one row: otherwise each address would be
 * a function of its own.
 */
#define HP_CPU_GENERATED "<generated code>"

/** The recorder and its probes. */
#define HP_CPU_OWN "<hotpath>"

/** What was allocated with one stack, and how much of it was not freed. */
struct hp_stack_memory {
	uint64_t bytes;
	uint64_t blocks;
	uint64_t live_bytes;
	uint64_t live_blocks;
	/** The most bytes at one time; of several stacks that were made one, the sum of theirs. */
	uint64_t peak_bytes;
	/** Blocks that were freed at once, as in struct hp_alloc_figures. */
	uint64_t temporary_blocks;
};

/** A stack: indexes into the table of frames, innermost first. */
struct hp_cpu_stack {
	uint32_t thread;
	uint32_t depth;
	uint64_t samples;
	/** Complete: it reaches the start of the thread. */
	bool whole;
	uint32_t *frames;
	/** The time was the kernel's. */
	bool system;
	/** Figures of a stack of allocations, which has no samples. */
	struct hp_stack_memory memory;
	/** Unwind tables told all callers. Only while the stack is read from a segment. */
	bool by_rules;
};

struct hp_native;

/** Trends beside those of functions: of all samples; of those outside of measured functions; of those of the recorder. */
enum hp_cpu_trend {
	HP_CPU_TREND_TOTAL,
	HP_CPU_TREND_OUTSIDE,
	HP_CPU_TREND_OWN,
	HP_CPU_TRENDS,
};

/** Samples of the CPU; or of waits, which have a period, a total, and the tables; or allocations, which have the tables. */
struct hp_cpu {
	/** HP_CPU_NONE when there was no sampling. */
	enum hp_cpu_source source;
	enum hp_cpu_end end;
	uint32_t rate_hz;
	uint64_t period_ns;
	/**
	 * Samples for all CPU time of the process, including those without a stack; and those in measured functions.
	 */
	uint64_t total_samples;
	uint64_t attributed_samples;
	/** Samples in the recorder and its probes. They count neither for a function nor as outside. */
	uint64_t own_samples;
	/** Samples in the kernel outside of measured functions. */
	uint64_t outside_system_samples;
	/**
	 * CPU time that no sample was taken of, in samples; and the parts of it in the kernel, and spent loading the
	 * program.
	 */
	uint64_t unseen_samples;
	uint64_t kernel_samples;
	uint64_t loading_samples;
	/**
	 * Looks: samples that were actually taken. Fewer than the number of samples if the source is slower than the
	 * rate: then one look counts for several.
	 */
	uint64_t looks;
	/**
	 * Time spent in the allocator outside of measured functions, if there is no caller to count it for; estimated
	 * as in a function.
	 */
	uint64_t outside_alloc_ns;
	struct hp_cpu_module *modules;
	size_t module_count;
	struct hp_cpu_thread *threads;
	size_t thread_count;
	struct hp_cpu_frame *frames;
	size_t frame_count;
	/** Finds frames when further processes are merged: as many of them as it was told of. NULL before that. */
	struct hp_intern *known_frames;
	size_t known_count;
	struct hp_cpu_stack *stacks;
	size_t stack_count;
	/** Trends; and the stacks added up by function, with trends. Owned by the watch; NULL if the program is not watched. */
	const struct hp_trend *trends[HP_CPU_TRENDS];
	const struct hp_native *native;
};

/** Whether sampling was requested, even if it failed. */
static inline bool hp_cpu_was_asked_for(const struct hp_cpu *cpu)
{
	return cpu->source != HP_CPU_NONE || cpu->end != HP_CPU_GOES_ON;
}

/** CPU time outside of measured functions, sampled or not. */
uint64_t hp_cpu_outside(const struct hp_cpu *cpu);

/** Whether sampling went on to the end. If not, nothing is known of what came later. */
static inline bool hp_cpu_is_complete(const struct hp_cpu *cpu)
{
	return cpu->end == HP_CPU_GOES_ON;
}

/** Whether any sample was taken. The total CPU time is known without samples. */
static inline bool hp_cpu_has_samples(const struct hp_cpu *cpu)
{
	return cpu->looks || cpu->stack_count || cpu->attributed_samples;
}

/** Add what was allocated with another stack. */
static inline void hp_stack_memory_add(struct hp_stack_memory *to,
				       const struct hp_stack_memory *more)
{
	to->bytes += more->bytes;
	to->blocks += more->blocks;
	to->live_bytes += more->live_bytes;
	to->live_blocks += more->live_blocks;
	to->peak_bytes += more->peak_bytes;
	to->temporary_blocks += more->temporary_blocks;
}

/** Free the texts of a frame. */
void hp_cpu_frame_clear(struct hp_cpu_frame *frame);

/** Copy the build id of a module in a segment, which may change meanwhile: a size that is not possible counts as no build id. */
void hp_cpu_module_copy_build_id(struct hp_cpu_module *to, const struct hp_module *from);

/** Whether two modules are the same file. */
bool hp_cpu_is_same_module(const struct hp_cpu_module *a, const struct hp_cpu_module *b);

/** Whether two frames are the same place, or the same measured function. */
bool hp_cpu_is_same_frame(const struct hp_cpu_frame *a, const struct hp_cpu_frame *b);

/** The address of a frame that is a wait: those of one name are one. */
uint64_t hp_cpu_wait_address(const char *name);

/** A hash that is equal for equal frames. */
uint64_t hp_cpu_frame_hash(const struct hp_cpu_frame *frame);

/**
 * Merge the CPU time of one process into another; functions[row] is the new index of a row. Returns 0, or -ENOMEM.
 */
int hp_cpu_merge(struct hp_cpu *into, const struct hp_cpu *from, const int32_t *functions);

void hp_cpu_clear(struct hp_cpu *cpu);

#endif
