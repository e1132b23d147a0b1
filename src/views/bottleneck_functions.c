/* SPDX-License-Identifier: MIT */
/*
 * The rows of measured functions in the section "bottlenecks".
 *
 * Functions have rows with their own time, but operations do not: they begin in one place and end in another, so their
 * CPU time is not known.
 */
#include "bottleneck_parts.h"

#include "arithmetic.h"
#include "function_table.h"
#include "own_time.h"

#include <stdlib.h>
#include <string.h>

static struct hp_spent spent_by(const struct hp_model *model, const struct hp_function *function,
				uint64_t wall_ns)
{
	const struct hp_cpu_figures *cpu = &function->cpu;

	return (struct hp_spent){ .wall_ns = wall_ns,
				  .cpu_ns = cpu->samples * model->cpu.period_ns,
				  .system_ns = cpu->system_samples * model->cpu.period_ns,
				  .queue_ns = cpu->queue_ns,
				  .alloc_ns = cpu->alloc_ns,
				  .look_ns = hp_bottlenecks_look_ns(&model->cpu) };
}

static void add_rows(struct hp_bottlenecks *all, const struct hp_rows *rows, const uint64_t *times)
{
	for (size_t i = 0; i < rows->count; i++) {
		struct hp_table_row row = rows->items[i];
		uint64_t wall_ns = times[row.function - all->model->functions];
		row.weight = i;
		if (row.function->kind != HP_SITE_SPAN && wall_ns)
			all->items[all->count++] = (struct hp_bottleneck){
				.model = all->model,
				.row = row,
				.spent = spent_by(all->model, row.function, wall_ns),
			};
	}
}

/* ---- waits ---- */

/* Functions of the same name cannot be told apart: then nobody gets the waits of that name. */
static void claim_waits(struct hp_bottlenecks *all, const uint64_t *times)
{
	for (size_t i = 0; i < all->model->function_count && all->waited.count; i++) {
		const struct hp_function *function = &all->model->functions[i];
		struct hp_waited waited = { NULL, 0 };
		if (function->kind != HP_SITE_SPAN && times[i])
			waited = hp_waited_of(&all->waited, function->name);
		if (waited.count)
			waited.rows[0].claims++;
	}
}

static void give_waits(struct hp_bottlenecks *all)
{
	for (size_t i = 0; i < all->count && all->waited.count; i++) {
		struct hp_bottleneck *bottleneck = &all->items[i];
		struct hp_waited waited = hp_waited_of(&all->waited,
						       bottleneck->row.function->name);
		if (!waited.count || waited.rows[0].claims == 1)
			hp_bottleneck_give_waits(bottleneck, waited);
	}
}

/* ---- tries ---- */

static bool is_only(const struct hp_model *model, const char *name)
{
	size_t count = 0;

	for (size_t i = 0; i < model->function_count; i++)
		count += strcmp(model->functions[i].name, name) == 0;
	return count == 1;
}

static struct hp_bottleneck *row_of(const struct hp_bottlenecks *all, const char *name)
{
	for (size_t i = 0; i < all->count; i++)
		if (strcmp(all->items[i].row.function->name, name) == 0)
			return &all->items[i];
	return NULL;
}

/* CPU time in the recorder and its probes belongs to no function: how much of it may be in the time of this one. */
static uint64_t probes_in(const struct hp_bottleneck *bottleneck)
{
	const struct hp_spent *spent = &bottleneck->spent;
	const struct hp_cpu *cpu = &bottleneck->model->cpu;
	uint64_t known = spent->cpu_ns + spent->queue_ns + hp_spent_blocked(spent) +
			 hp_spent_io(spent);

	return hp_min(cpu->own_samples * cpu->period_ns, hp_minus(spent->wall_ns, known));
}

/* What a function and all that it calls computed: between two tries, it may do useful work in another one. */
static uint64_t inclusive_of(const struct hp_bottleneck *bottleneck)
{
	uint64_t samples = bottleneck->row.function->cpu.inclusive_samples;

	return hp_max(samples * bottleneck->model->cpu.period_ns, bottleneck->spent.cpu_ns);
}

/* A function that tries a lock again and again computes, for the most part in the probe. */
static void find_tries(struct hp_bottleneck *bottleneck)
{
	const char *name = bottleneck->row.function->name;
	struct hp_refused refused = hp_refused_most(bottleneck->model, name);
	uint64_t probes = probes_in(bottleneck), cpu_ns = bottleneck->spent.cpu_ns + probes;

	bottleneck->has_tries = true;
	if (!bottleneck->spent.cpu_ns ||
	    !hp_refused_spins(&refused, inclusive_of(bottleneck) + probes) ||
	    !is_only(bottleneck->model, name))
		return;
	bottleneck->may_spin = true;
	bottleneck->refused = refused;
	bottleneck->spent.cpu_ns = cpu_ns;
}

/* Few functions have any: they are looked for by their rows, not the other way round. */
static void find_all_tries(struct hp_bottlenecks *all)
{
	const struct hp_entries *entries = &all->model->entries;

	for (size_t i = 0; i < entries->count; i++) {
		struct hp_bottleneck *row = hp_refused_count(&entries->items[i])
						    ? row_of(all, entries->items[i].name)
						    : NULL;
		if (row && !row->has_tries)
			find_tries(row);
	}
}

/* ---- all of it ---- */

static int by_wall(const void *left, const void *right)
{
	const struct hp_bottleneck *a = left, *b = right;
	uint64_t one = a->split.wall_ns, other = b->split.wall_ns;

	/* They were in order before. */
	if (one == other)
		return (a->row.weight > b->row.weight) - (a->row.weight < b->row.weight);
	return one < other ? 1 : -1;
}

static void split_all(struct hp_bottlenecks *all)
{
	const struct hp_cpu *cpu = &all->model->cpu;
	const struct hp_account account = hp_account_of(all->model);
	uint64_t unseen = cpu->unseen_samples - cpu->loading_samples;

	hp_balance_functions(all, &account);
	find_all_tries(all);
	for (size_t i = 0; i < all->count; i++) {
		struct hp_spent *spent = &all->items[i].spent;
		spent->unknown_ns = account.loose_queue_ns + unseen * cpu->period_ns;
		spent->is_unsampled = !account.is_sampled;
		hp_bottleneck_split(&all->items[i], &account);
	}
	if (all->count)
		qsort(all->items, all->count, sizeof(*all->items), by_wall);
}

bool hp_bottlenecks_add_functions(struct hp_bottlenecks *all,
				  const struct hp_report_options *options)
{
	static const struct hp_measure own_time = { &hp_kind_timing, 0, true };
	struct hp_rows rows;
	bool done = hp_rows_select(&rows, all->model, options, &own_time);
	uint64_t *times = hp_own_times(all->model);

	all->items = reallocarray(NULL, rows.count + 1, sizeof(*all->items));
	done = done && times && all->items;
	if (done) {
		add_rows(all, &rows, times);
		claim_waits(all, times);
		give_waits(all);
		split_all(all);
	}
	free(rows.items);
	free(times);
	return done;
}
