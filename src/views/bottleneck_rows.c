/* SPDX-License-Identifier: MIT */
/*
 * The rows of the section "bottlenecks", of all processes of a run.
 *
 * What a function or a thread spends its time on is known of one process only: times of the kernel, samples and waits
 * of several have nothing to do with each other. So rows are made of each process by itself, and put in one order then.
 */
#include "bottleneck_rows.h"

#include "arithmetic.h"
#include "bottleneck_parts.h"
#include "file_name.h"

#include <inttypes.h>
#include <stdlib.h>

/* ---- one row ---- */

/* The cost of measuring is not in the wall time, but in waits: they may seem to be longer. */
void hp_bottleneck_give_waits(struct hp_bottleneck *bottleneck, struct hp_waited waited)
{
	struct hp_spent *spent = &bottleneck->spent;

	bottleneck->waited = waited;
	bottleneck->has_waits = true;
	hp_waited_sum(&waited, spent->waits);
	double blocked = (double)hp_spent_blocked(spent), wall = (double)spent->wall_ns;
	for (enum hp_waiting i = 0; i < HP_WAITING_DISK && blocked > wall; i++)
		spent->waits[i] = (uint64_t)((double)spent->waits[i] / blocked * wall);
}

/* A file may be in memory: if no CPU time is known, reading it may have been computing. */
void hp_bottleneck_split(struct hp_bottleneck *bottleneck, const struct hp_account *account)
{
	struct hp_spent *spent = &bottleneck->spent;
	bool is_unclear = spent->is_unsampled && account->waited_ns == UINT64_MAX &&
			  spent->waits[HP_WAITING_DISK];

	if (is_unclear)
		spent->waits[HP_WAITING_DISK] = 0;
	bottleneck->split = hp_split(spent);
	bottleneck->split.is_unclear[HP_WAITING_DISK] |= is_unclear;
}

uint64_t hp_bottlenecks_look_ns(const struct hp_cpu *cpu)
{
	double each = cpu->looks ? (double)cpu->total_samples / (double)cpu->looks : 1;
	double ns = (double)cpu->period_ns * each;

	return each > 1 && ns < 1e18 ? (uint64_t)ns : cpu->period_ns;
}

/* ---- one process ---- */

static bool choose_one(struct hp_bottlenecks *all, const struct hp_model *model,
		       const struct hp_report_options *options)
{
	*all = (struct hp_bottlenecks){ .model = model };
	if (!hp_waited_collect(&all->waited, model))
		return false;
	hp_waited_sum(&all->waited, all->waits);
	return hp_model_has_calls(model) ? hp_bottlenecks_add_functions(all, options)
					 : hp_bottlenecks_add_threads(all);
}

/* ---- all of them ---- */

/* The time in which a row was not idle. Of a thread whose waits are not known, all but those for locks may be that. */
static uint64_t weight_of(const struct hp_bottleneck *row)
{
	const struct hp_split *split = &row->split;

	if (row->thread && !row->has_waits)
		return split->cpu_ns + split->queue_ns + split->waits[HP_WAITING_LOCK];
	return hp_minus(split->wall_ns, split->waits[HP_WAITING_IDLE]);
}

static int by_weight(const void *left, const void *right)
{
	const struct hp_bottleneck *const *one = left, *const *other = right;
	uint64_t a = weight_of(*one), b = weight_of(*other);

	if (a == b) {
		a = (*one)->split.wall_ns;
		b = (*other)->split.wall_ns;
	}
	return (a < b) - (a > b);
}

/* The rows of one process are in order. */
static bool pool_rows(struct hp_bottleneck_pool *pool)
{
	size_t count = 0;

	for (size_t i = 0; i < pool->process_count; i++)
		count += pool->processes[i].count;
	pool->rows = reallocarray(NULL, count + 1, sizeof(struct hp_bottleneck *));
	if (!pool->rows)
		return false;
	for (size_t i = 0; i < pool->process_count; i++)
		for (size_t j = 0; j < pool->processes[i].count; j++)
			pool->rows[pool->count++] = &pool->processes[i].items[j];
	if (pool->process_count > 1 && count)
		qsort(pool->rows, count, sizeof(struct hp_bottleneck *), by_weight);
	return true;
}

/* ---- processes that are one row ---- */

/* Whether a process has no row of its own in the tree, but one with others of its program. */
static bool is_joined(const struct hp_model *run, const struct hp_model *member)
{
	const char *program = hp_model_process(member).program;
	bool joined = false;

	for (size_t i = 0; i < run->tree.count; i++) {
		const struct hp_process *row = &run->tree.items[i];
		if (row->count == 1 && row->pid == member->pid)
			return false;
		joined |= row->count > 1 && strcmp(row->program, program) == 0;
	}
	return joined;
}

static struct hp_model *find_joined(const struct hp_bottleneck_pool *pool, const char *program)
{
	for (size_t i = 0; i < pool->joined_count; i++)
		if (strcmp(hp_model_process(pool->joined[i]).program, program) == 0)
			return pool->joined[i];
	return NULL;
}

/* Add a process to those of its program. Returns false when memory ran out. */
static bool join(struct hp_bottleneck_pool *pool, const struct hp_model *member)
{
	struct hp_model *sum = find_joined(pool, hp_model_process(member).program);

	if (!sum) {
		sum = calloc(1, sizeof(*sum));
		if (!sum)
			return false;
		pool->joined[pool->joined_count++] = sum;
	}
	return hp_model_merge(sum, member) == 0;
}

static bool add_process(struct hp_bottleneck_pool *pool, const struct hp_model *model,
			const struct hp_report_options *options)
{
	return choose_one(&pool->processes[pool->process_count++], model, options);
}

static bool add_processes(struct hp_bottleneck_pool *pool, const struct hp_model *run,
			  const struct hp_report_options *options)
{
	for (size_t i = 0; i < run->member_count; i++)
		if (is_joined(run, run->members[i]) ? !join(pool, run->members[i])
						    : !add_process(pool, run->members[i], options))
			return false;
	for (size_t i = 0; i < pool->joined_count; i++)
		if (!add_process(pool, pool->joined[i], options))
			return false;
	return true;
}

bool hp_bottlenecks_choose(struct hp_bottleneck_pool *pool, const struct hp_model *model,
			   const struct hp_report_options *options)
{
	size_t count = model->member_count + 1;

	*pool = (struct hp_bottleneck_pool){ .processes = calloc(count, sizeof(*pool->processes)),
					     .joined = calloc(count, sizeof(*pool->joined)) };
	if (!pool->processes || !pool->joined)
		return false;
	if (model->member_count ? !add_processes(pool, model, options)
				: !add_process(pool, model, options))
		return false;
	return pool_rows(pool);
}

void hp_bottlenecks_free(struct hp_bottleneck_pool *pool)
{
	for (size_t i = 0; i < pool->process_count; i++) {
		free(pool->processes[i].items);
		free(pool->processes[i].waited.rows);
		free(pool->processes[i].certain);
	}
	for (size_t i = 0; i < pool->joined_count; i++)
		hp_model_free(pool->joined[i]);
	free(pool->joined);
	free(pool->processes);
	free(pool->rows);
}

/* ---- names ---- */

void hp_bottleneck_process(const struct hp_model *model, struct hp_text *text)
{
	hp_text_puts(text, hp_file_name(hp_model_process(model).program));
	if (model->processes > 1)
		hp_text_printf(text, " ×%" PRIu32, model->processes);
	else
		hp_text_printf(text, " %" PRIu32, model->pid);
}
