/* SPDX-License-Identifier: MIT */
/* The rows of the section "bottlenecks": measured functions, or threads if no function is measured; process by process. */
#ifndef HP_BOTTLENECK_ROWS_H
#define HP_BOTTLENECK_ROWS_H

#include "columns.h"
#include "refused.h"
#include "verdict.h"
#include "waited.h"

/** Which of the threads of a name a row is about. */
enum hp_company {
	HP_COMPANY_ALL,
	HP_COMPANY_BUSY,
	HP_COMPANY_WAITING,
};

/** A function; or threads of one name, and then row.function is NULL. */
struct hp_bottleneck {
	/** Of the process that it belongs to. */
	const struct hp_model *model;
	struct hp_table_row row;
	/** The first of them, and how many there are. */
	const struct hp_thread *thread;
	size_t threads;
	enum hp_company company;
	/** What it waited for, and whether that is known. */
	struct hp_waited waited;
	bool has_waits;
	/** It tried locks in vain. If it computes, it may do so because it wants a lock; and what it tried in vain then, if that is known. */
	bool has_tries;
	bool may_spin;
	struct hp_refused refused;
	struct hp_spent spent;
	struct hp_split split;
};

/** The rows of one process. */
struct hp_bottlenecks {
	const struct hp_model *model;
	struct hp_bottleneck *items;
	size_t count;
	/** All waits of the program, also those that belong to no row. */
	struct hp_waited waited;
	/** The same added up, without the time in which threads that were woken queued for a processor. */
	uint64_t waits[HP_WAITINGS];
	/** Waits that are certainly those of some rows of threads; they are not all that those waited. */
	struct hp_waited_row *certain;
	/** In rows of threads: a function that may spin, its count is 0 if there is none; and its CPU time. */
	struct hp_refused refused;
	uint64_t refused_cpu_ns;
};

/** The rows of all processes of a run, in one order. */
struct hp_bottleneck_pool {
	struct hp_bottlenecks *processes;
	size_t process_count;
	const struct hp_bottleneck **rows;
	size_t count;
	/** Sums of processes that are one row in the tree of the run. */
	struct hp_model **joined;
	size_t joined_count;
};

/** Choose and sort the rows. Returns false when memory ran out; either way, they are to be freed. */
bool hp_bottlenecks_choose(struct hp_bottleneck_pool *pool, const struct hp_model *model,
			   const struct hp_report_options *options);

void hp_bottlenecks_free(struct hp_bottleneck_pool *pool);

/** The name of a row. */
void hp_bottleneck_name(const struct hp_bottleneck *bottleneck, struct hp_text *text);

/** The name of the process that a model is of: "nginx 1234"; or of several: "sed ×40". */
void hp_bottleneck_process(const struct hp_model *model, struct hp_text *text);

#endif
