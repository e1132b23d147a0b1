/* SPDX-License-Identifier: MIT */
/* The row of a function: how long its calls took, what it allocated, and its CPU time. */
#ifndef HP_FUNCTION_H
#define HP_FUNCTION_H

#include "kind.h"
#include "points.h"
#include "segment.h"
#include "trend.h"

/** What a function allocated and freed. */
struct hp_alloc_figures {
	/** Exclusive, in bytes as the program requested them, calls in progress included. */
	uint64_t bytes;
	uint64_t count;
	/**
	 * Inclusive: with the measured calls inside. For a recursive function, of its outermost calls only. Calls in
	 * progress are included.
	 */
	uint64_t inclusive_bytes;
	uint64_t inclusive_count;
	/**
	 * What the inner calls of a recursive function allocated inclusively; added to the outermost ones, this is
	 * the sum over all calls.
	 */
	uint64_t nested_bytes;
	uint64_t nested_count;
	/**
	 * What the function freed, no matter who allocated it. For rows of kind HP_SITE_CALL: what was freed of the
	 * row's own blocks, by anyone.
	 */
	uint64_t freed_bytes;
	uint64_t freed_count;
	/**
	 * Blocks of this function that were freed before the allocating call returned, or by the very next call of
	 * the allocator.
	 */
	uint64_t temporary_count;
	/**
	 * Distributions over calls, indexed by enum hp_alloc_histogram. Calls that ended but are in no bucket
	 * allocated nothing.
	 */
	struct hp_points calls[HP_ALLOC_HISTOGRAMS];
};

/** CPU time of a function. */
struct hp_cpu_figures {
	/** Exclusive and inclusive. */
	uint64_t samples;
	uint64_t inclusive_samples;
	/** Exclusive samples that were taken in the kernel. */
	uint64_t system_samples;
	/** How long threads that executed it were runnable but had no processor. */
	uint64_t queue_ns;
	/**
	 * Time spent in the allocator, as part of its own CPU time, estimated from samples; 0 if allocations were not
	 * recorded.
	 */
	uint64_t alloc_ns;
};

/** How calls of a function were measured: some may not have been timed, because that would have cost too much. */
enum hp_measured {
	HP_MEASURED_TIMED,
	/** Some were only counted. */
	HP_MEASURED_COUNTED,
	/** Of some, nothing is known. */
	HP_MEASURED_PARTLY,
};

/**
 * One row: a function, block or operation, over all threads.
 *
 * Some rows have allocations but no calls: the row of the whole process, if that is the caller; and, if nothing was
 * measured, functions that call malloc, of kind HP_SITE_CALL.
 */
struct hp_function {
	char *name;
	/** Its site in the segment, which identifies it across repeated reads; 0 if there is none. */
	uint32_t id;
	/** NULL when not known. */
	char *file;
	uint32_t line;
	enum hp_site_kind kind;
	/** For a function that is known by its address: its file, and the address in it; NULL otherwise. */
	char *module;
	uint64_t offset;
	/** Its name is a symbol of that file, which was verified to be the one that ran. */
	bool has_symbol;
	/** The row that is 100 %. */
	bool is_caller;
	/** Calls that ended, and calls in progress; those that were only counted are not among them. */
	uint64_t calls;
	uint64_t open;
	uint64_t counted;
	/** Calls of other functions inside those, as far as the call tree was read. */
	uint64_t inner_calls;
	/** An enum hp_measured. */
	uint64_t measured;
	/** Inclusive (outermost calls, and those in progress so far); exclusive; sum of all calls. */
	uint64_t total_ns;
	uint64_t self_ns;
	uint64_t sum_ns;
	/** Both 0 when no call ended. */
	uint64_t min_ns;
	uint64_t max_ns;
	/** How long calls took. */
	struct hp_points times;
	struct hp_alloc_figures alloc;
	struct hp_cpu_figures cpu;
	/** Trends of calls, and of exclusive and inclusive samples. Not owned by the row; NULL if the program was not watched. */
	const struct hp_trend *trend;
	const struct hp_trend *cpu_trend;
	const struct hp_trend *cpu_inclusive_trend;
};

/**
 * A percentile of the durations of all calls.
 *
 * @param percent
 *         0 is the minimum, 100 the maximum, both exact; between them within 1 %.
 * @return
 *         Nanoseconds; 0 when no call ended.
 */
uint64_t hp_function_percentile(const struct hp_function *function, double percent);

/** The mean over all calls; 0 when none ended. */
uint64_t hp_function_average(const struct hp_function *function);

/**
 * A percentile of what calls of a function allocated.
 *
 * @param calls
 *         How many calls of the function ended.
 * @return
 *         Bytes or blocks, within 1 %.
 */
uint64_t hp_alloc_percentile(const struct hp_alloc_figures *figures, uint64_t calls,
			     enum hp_alloc_histogram which, double percent);

/**
 * Whether measuring took longer than what was measured, so that the times are not reliable: those of a function alone, or with what
 * it called.
 *
 * @param call_ns
 *         What it takes to measure a call.
 */
bool hp_function_is_mostly_cost(const struct hp_function *function, enum hp_field_depth depth,
				double call_ns);

/** Whether all calls of a row were timed; what some of them took is no share of the time. */
bool hp_function_is_timed(const void *row);

/** Whether such times are to be taken with care: for that reason, or because they are not those of all calls. */
bool hp_function_is_rough(const struct hp_function *function, enum hp_field_depth depth,
			  double call_ns);

/** Whether a function was called: a call has ended or is in progress. */
bool hp_function_was_called(const struct hp_function *function);

/** The figures of a function, each described once: of its calls, of its allocations, and of its samples. */
extern const struct hp_field hp_call_fields[];
extern const struct hp_field hp_alloc_fields[];
extern const struct hp_field hp_sample_fields[];

/** The table of those samples that are known of measured functions only; the others have 0. */
enum { HP_SAMPLES_OF_MEASURED = 1 };

/** The tables of allocations: bytes, and blocks. */
enum {
	HP_ALLOC_TABLE_BYTES,
	HP_ALLOC_TABLE_COUNT,
};

/** Sections about functions: their rows are of struct hp_function. */
extern const struct hp_kind hp_kind_timing;
extern const struct hp_kind hp_kind_tree;
extern const struct hp_kind hp_kind_alloc;
extern const struct hp_kind hp_kind_cpu;

/** Add the figures of another row. Returns 0 or -ENOMEM, as the next one. */
int hp_function_merge(struct hp_function *into, const struct hp_function *from);

/** Add its allocations alone. */
int hp_alloc_figures_merge(struct hp_function *into, const struct hp_function *from);
void hp_alloc_figures_clear(struct hp_alloc_figures *figures);

#endif
