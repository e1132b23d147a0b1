/* SPDX-License-Identifier: MIT */
/*
 * The rows of the section "bottlenecks": measured functions, or threads if no function is measured.
 *
 * Measured functions have rows with their own time, but operations do not: they begin in one place and end in
 * another, so their CPU time is not known. If no function is measured, threads have rows, grouped by name: several
 * may compute at the same time, and one may wait for another.
 *
 * Waits that were measured are those of functions. A thread has them only if there is no other.
 */
#include "bottleneck_rows.h"

#include "arithmetic.h"
#include "balance.h"
#include "function_table.h"
#include "own_time.h"

#include <stdlib.h>
#include <string.h>

/* CPU time between two samples: CPU timers may be slower than the requested rate. */
static uint64_t look_ns(const struct hp_cpu *cpu)
{
	double each = cpu->looks ? (double)cpu->total_samples / (double)cpu->looks : 1;
	double ns = (double)cpu->period_ns * each;

	return each > 1 && ns < 1e18 ? (uint64_t)ns : cpu->period_ns;
}

/* Whether the CPU time of functions is known. */
static bool is_sampled(const struct hp_model *model)
{
	return model->cpu.source != HP_CPU_NONE && hp_cpu_is_complete(&model->cpu);
}

/* Queueing time of all threads. */
static uint64_t all_queue(const struct hp_model *model)
{
	uint64_t all = model->threads.rest.queue_ns;

	for (size_t i = 0; i < model->threads.count; i++)
		all += model->threads.items[i].queue_ns;
	return all;
}

/* Queueing time that is attributed to no function. */
static uint64_t unknown_queue(const struct hp_model *model)
{
	uint64_t known = 0;

	for (size_t i = 0; i < model->function_count; i++)
		known += model->functions[i].cpu.queue_ns;
	return hp_minus(all_queue(model), known);
}

/* ---- threads ---- */

static bool is_first(const struct hp_model *model, const struct hp_thread *thread)
{
	return thread->tid == thread->pid && model->processes <= 1;
}

/* The first thread is as old as the process. */
static uint64_t lived_ns(const struct hp_model *model, const struct hp_thread *thread)
{
	return is_first(model, thread) && model->elapsed_ns > thread->recorded_ns
		       ? model->elapsed_ns
		       : thread->recorded_ns;
}

static uint64_t samples_of(const struct hp_cpu *cpu, const struct hp_thread *thread)
{
	for (size_t i = 0; i < cpu->thread_count; i++)
		if (cpu->threads[i].tid == thread->tid && cpu->threads[i].pid == thread->pid)
			return cpu->threads[i].samples;
	return 0;
}

/* The kernel's times are known for threads that ended regularly; for others there are only samples. */
static struct hp_spent spent_in(const struct hp_model *model, const struct hp_thread *thread)
{
	uint64_t lived = lived_ns(model, thread), cpu_ns = hp_thread_cpu_ns(thread);
	uint64_t before = lived > thread->recorded_ns ? 0 : thread->before_ns;
	struct hp_spent spent = { .wall_ns = lived };

	if (thread->has_times) {
		spent.cpu_ns = hp_minus(cpu_ns, before);
		spent.system_ns = thread->system_ns;
		spent.queue_ns = thread->queue_ns;
	} else {
		spent.cpu_ns = samples_of(&model->cpu, thread) * model->cpu.period_ns;
		spent.look_ns = look_ns(&model->cpu);
		/* Its queueing time is not known, so waiting cannot be told from queueing. */
		spent.unknown_ns = lived;
		spent.is_unsampled = !is_sampled(model);
	}
	/* With one thread, all allocation time is its own. */
	if (hp_threads_total(&model->threads) == 1)
		spent.alloc_ns = model->cpu.outside_alloc_ns;
	return spent;
}

/* ---- functions ---- */

static struct hp_spent spent_by(const struct hp_model *model, const struct hp_function *function,
				uint64_t wall_ns)
{
	const struct hp_cpu_figures *cpu = &function->cpu;

	return (struct hp_spent){ .wall_ns = wall_ns,
				  .cpu_ns = cpu->samples * model->cpu.period_ns,
				  .system_ns = cpu->system_samples * model->cpu.period_ns,
				  .queue_ns = cpu->queue_ns,
				  .alloc_ns = cpu->alloc_ns,
				  .look_ns = look_ns(&model->cpu) };
}

/* How long all threads waited, by the times that the kernel keeps; UINT64_MAX if those of a thread are not known. */
static uint64_t waited_ns(const struct hp_model *model)
{
	uint64_t waited = 0;

	if (!model->threads.count || model->threads.rest.threads)
		return UINT64_MAX;
	for (size_t i = 0; i < model->threads.count; i++) {
		struct hp_spent spent = spent_in(model, &model->threads.items[i]);
		if (spent.unknown_ns)
			return UINT64_MAX;
		waited += hp_minus(spent.wall_ns, spent.cpu_ns + spent.queue_ns);
	}
	return waited;
}

static int by_wall(const void *left, const void *right)
{
	const struct hp_bottleneck *a = left, *b = right;
	uint64_t one = a->split.wall_ns, other = b->split.wall_ns;

	/* They were in order before. */
	if (one == other)
		return (a->row.weight > b->row.weight) - (a->row.weight < b->row.weight);
	return one < other ? 1 : -1;
}

static void add_functions(struct hp_bottlenecks *all, const struct hp_model *model,
			  const struct hp_rows *rows, const uint64_t *times)
{
	for (size_t i = 0; i < rows->count; i++) {
		struct hp_table_row row = rows->items[i];
		uint64_t wall_ns = times[row.function - model->functions];
		row.weight = i;
		if (row.function->kind != HP_SITE_SPAN && wall_ns)
			all->items[all->count++] = (struct hp_bottleneck){
				.row = row,
				.spent = spent_by(model, row.function, wall_ns),
			};
	}
}

/* ---- waits of functions ---- */

/* Functions of the same name cannot be told apart: then nobody gets the waits of that name. */
static void claim_waits(struct hp_bottlenecks *all, const struct hp_model *model,
			const uint64_t *times)
{
	for (size_t i = 0; i < model->function_count && all->waited.count; i++) {
		const struct hp_function *function = &model->functions[i];
		struct hp_waited waited = { NULL, 0 };
		if (function->kind != HP_SITE_SPAN && times[i])
			waited = hp_waited_of(&all->waited, function->name);
		if (waited.count)
			waited.rows[0].claims++;
	}
}

/* The cost of measuring is not in the wall time, but in waits: they may seem to be longer. */
static void give_waits(struct hp_bottleneck *bottleneck, struct hp_waited waited)
{
	struct hp_spent *spent = &bottleneck->spent;

	bottleneck->waited = waited;
	bottleneck->has_waits = true;
	hp_waited_sum(&waited, spent->waits);
	double blocked = (double)hp_spent_blocked(spent), wall = (double)spent->wall_ns;
	for (enum hp_waiting i = 0; i < HP_WAITING_DISK && blocked > wall; i++)
		spent->waits[i] = (uint64_t)((double)spent->waits[i] / blocked * wall);
}

static void give_waits_to_functions(struct hp_bottlenecks *all)
{
	for (size_t i = 0; i < all->count && all->waited.count; i++) {
		struct hp_bottleneck *bottleneck = &all->items[i];
		struct hp_waited waited = hp_waited_of(&all->waited,
						       bottleneck->row.function->name);
		if (!waited.count || waited.rows[0].claims == 1)
			give_waits(bottleneck, waited);
	}
}

static struct hp_account account_of(const struct hp_model *model)
{
	struct hp_account account = { .waited_ns = waited_ns(model),
				      .queue_ns = all_queue(model),
				      .loose_queue_ns = unknown_queue(model),
				      .system_ns = model->threads.rest.system_ns,
				      .is_sampled = is_sampled(model) };

	for (size_t i = 0; i < model->threads.count; i++)
		account.system_ns += model->threads.items[i].system_ns;
	return account;
}

/* A file may be in memory: if no CPU time is known, reading it may have been computing. */
static void split(struct hp_bottleneck *bottleneck, const struct hp_account *account)
{
	struct hp_spent *spent = &bottleneck->spent;

	if (spent->is_unsampled && account->waited_ns == UINT64_MAX)
		spent->waits[HP_WAITING_DISK] = 0;
	bottleneck->split = hp_split(spent);
}

static void split_functions(struct hp_bottlenecks *all, const struct hp_model *model)
{
	const struct hp_account account = account_of(model);
	uint64_t unseen = model->cpu.unseen_samples - model->cpu.loading_samples;

	hp_balance_functions(all, &account);
	for (size_t i = 0; i < all->count; i++) {
		struct hp_spent *spent = &all->items[i].spent;
		spent->unknown_ns = account.loose_queue_ns + unseen * model->cpu.period_ns;
		spent->is_unsampled = !account.is_sampled;
		split(&all->items[i], &account);
	}
	if (all->count)
		qsort(all->items, all->count, sizeof(*all->items), by_wall);
}

static bool choose_functions(struct hp_bottlenecks *all, const struct hp_model *model,
			     const struct hp_report_options *options)
{
	static const struct hp_measure own_time = { &hp_kind_timing, 0, true };
	struct hp_rows rows;
	bool done = hp_rows_select(&rows, model, options, &own_time);
	uint64_t *times = hp_own_times(model);

	all->items = reallocarray(NULL, rows.count + 1, sizeof(*all->items));
	done = done && times && all->items;
	if (done) {
		add_functions(all, model, &rows, times);
		claim_waits(all, model, times);
		give_waits_to_functions(all);
		split_functions(all, model);
	}
	free(rows.items);
	free(times);
	return done;
}

/* ---- groups of threads ---- */

static void add_spent(struct hp_spent *sum, const struct hp_spent *spent)
{
	sum->wall_ns += spent->wall_ns;
	sum->cpu_ns += spent->cpu_ns;
	sum->system_ns += spent->system_ns;
	sum->queue_ns += spent->queue_ns;
	sum->alloc_ns += spent->alloc_ns;
	sum->unknown_ns += spent->unknown_ns;
	sum->is_unsampled |= spent->is_unsampled;
	if (spent->look_ns > sum->look_ns)
		sum->look_ns = spent->look_ns;
}

/* Find or add the row of a thread name; the first thread, which has the program's name, has a row of its own. */
static struct hp_bottleneck *row_of(struct hp_bottlenecks *all, const struct hp_model *model,
				    const struct hp_thread *thread)
{
	for (size_t i = 0; i < all->count && !is_first(model, thread); i++)
		if (!is_first(model, all->items[i].thread) &&
		    strcmp(all->items[i].thread->name, thread->name) == 0)
			return &all->items[i];
	all->items[all->count] = (struct hp_bottleneck){ .thread = thread };
	return &all->items[all->count++];
}

static int by_work(const void *left, const void *right)
{
	const struct hp_split *a = &((const struct hp_bottleneck *)left)->split;
	const struct hp_split *b = &((const struct hp_bottleneck *)right)->split;
	uint64_t one = a->cpu_ns + a->queue_ns, other = b->cpu_ns + b->queue_ns;

	return (one < other) - (one > other);
}

static bool choose_threads(struct hp_bottlenecks *all, const struct hp_model *model)
{
	all->items = reallocarray(NULL, model->threads.count + 1, sizeof(*all->items));
	if (!all->items)
		return false;
	for (size_t i = 0; i < model->threads.count; i++) {
		const struct hp_thread *thread = &model->threads.items[i];
		struct hp_spent spent = spent_in(model, thread);
		if (!spent.wall_ns)
			continue;
		struct hp_bottleneck *row = row_of(all, model, thread);
		row->threads++;
		add_spent(&row->spent, &spent);
	}
	if (all->waited.count && all->count == 1 && hp_threads_total(&model->threads) == 1)
		give_waits(&all->items[0], all->waited);
	const struct hp_account account = account_of(model);
	hp_balance_threads(all, &account);
	for (size_t i = 0; i < all->count; i++)
		split(&all->items[i], &account);
	if (all->count)
		qsort(all->items, all->count, sizeof(*all->items), by_work);
	return true;
}

bool hp_bottlenecks_choose(struct hp_bottlenecks *all, const struct hp_model *model,
			   const struct hp_report_options *options)
{
	*all = (struct hp_bottlenecks){ .items = NULL };
	if (!hp_waited_collect(&all->waited, model))
		return false;
	hp_waited_sum(&all->waited, all->waits);
	return hp_model_has_calls(model) ? choose_functions(all, model, options)
					 : choose_threads(all, model);
}

void hp_bottlenecks_free(struct hp_bottlenecks *all)
{
	free(all->items);
	free(all->waited.rows);
}

void hp_bottleneck_name(const struct hp_bottleneck *bottleneck, const struct hp_model *model,
			struct hp_text *text)
{
	const struct hp_thread *thread = bottleneck->thread;

	if (!thread) {
		hp_row_name(&bottleneck->row, text);
		return;
	}
	/* The first thread has the name of the program, which the kernel cuts off after 15 bytes. */
	if (is_first(model, thread))
		hp_text_puts(text, model->caller);
	else
		hp_text_puts(text, thread->name[0] ? thread->name : "?");
	if (bottleneck->threads > 1)
		hp_text_printf(text, " (%zu threads)", bottleneck->threads);
}
