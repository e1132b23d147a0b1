/* SPDX-License-Identifier: MIT */
/*
 * The rows of threads in the section "bottlenecks", if no function is measured.
 *
 * Threads of one name are one row: its time is that of all of them, each from its begin to its end, because several may
 * compute at the same time and one may wait for another. Threads without a name of their own have that of the program,
 * and may do quite different things: if some are busy and others wait, these are two rows.
 *
 * Waits that were measured are those of functions. A thread has them only if there is no other, but for the few that are
 * certainly its own.
 */
#include "bottleneck_parts.h"

#include "arithmetic.h"

#include <stdlib.h>
#include <string.h>

enum {
	/* Percent of a thread's time in which it computes or queues: from here on it is certainly busy; up to here it
	   certainly waits; and where the others are divided, if there are both kinds. */
	BUSY = 60,
	WAITING = 20,
	DIVIDED = 40,
};

/* ---- times of a thread ---- */

/* Whether the CPU time of functions is known. */
static bool is_sampled(const struct hp_model *model)
{
	return model->cpu.source != HP_CPU_NONE && hp_cpu_is_complete(&model->cpu);
}

static bool is_first(const struct hp_model *model, const struct hp_thread *thread)
{
	return thread->tid == thread->pid && model->processes <= 1;
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
	struct hp_spent spent = { .wall_ns = thread->recorded_ns };

	if (thread->has_times) {
		spent.cpu_ns = hp_minus(hp_thread_cpu_ns(thread), thread->before_ns);
		spent.system_ns = thread->system_ns;
		spent.queue_ns = thread->queue_ns;
	} else {
		spent.cpu_ns = samples_of(&model->cpu, thread) * model->cpu.period_ns;
		spent.look_ns = hp_bottlenecks_look_ns(&model->cpu);
		/* Its queueing time is not known, so waiting cannot be told from queueing. */
		spent.unknown_ns = spent.wall_ns;
		spent.is_unsampled = !is_sampled(model);
	}
	/* With one thread, all allocation time is its own. */
	if (hp_threads_total(&model->threads) == 1)
		spent.alloc_ns = model->cpu.outside_alloc_ns;
	return spent;
}

/* ---- times of all threads ---- */

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

struct hp_account hp_account_of(const struct hp_model *model)
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

/* ---- groups ---- */

static void add_spent(struct hp_spent *sum, const struct hp_spent *spent)
{
	sum->wall_ns += spent->wall_ns;
	sum->cpu_ns += spent->cpu_ns;
	sum->system_ns += spent->system_ns;
	sum->queue_ns += spent->queue_ns;
	sum->alloc_ns += spent->alloc_ns;
	sum->unknown_ns += spent->unknown_ns;
	sum->is_unsampled |= spent->is_unsampled;
	sum->look_ns = hp_max(sum->look_ns, spent->look_ns);
}

static void add_thread(struct hp_bottleneck *row, const struct hp_thread *thread)
{
	struct hp_spent spent = spent_in(row->model, thread);

	if (!row->thread)
		row->thread = thread;
	row->threads += thread->threads;
	add_spent(&row->spent, &spent);
}

/* The first thread, which has the program's name, has a row of its own. */
static bool is_of(const struct hp_bottleneck *row, const struct hp_thread *thread)
{
	return !is_first(row->model, thread) && !is_first(row->model, row->thread) &&
	       strcmp(row->thread->name, thread->name) == 0;
}

/* Find or add the row of a thread's name. */
static struct hp_bottleneck *row_of(struct hp_bottlenecks *all, const struct hp_thread *thread)
{
	for (size_t i = 0; i < all->count; i++)
		if (is_of(&all->items[i], thread))
			return &all->items[i];
	all->items[all->count] = (struct hp_bottleneck){ .model = all->model };
	return &all->items[all->count++];
}

/* For how many percent of its time a thread computed or queued. */
static unsigned busy_percent(const struct hp_model *model, const struct hp_thread *thread)
{
	struct hp_spent spent = spent_in(model, thread);
	uint64_t busy = hp_min(spent.cpu_ns + spent.queue_ns, spent.wall_ns);

	return spent.wall_ns ? (unsigned)((double)busy * 100 / (double)spent.wall_ns) : 0;
}

/* Whether some threads of a row are busy, and others wait. */
static bool is_divided(const struct hp_bottleneck *row)
{
	const struct hp_threads *threads = &row->model->threads;
	bool has_busy = false, has_waiting = false;

	for (size_t i = 0; i < threads->count && row->threads > 1; i++) {
		const struct hp_thread *thread = &threads->items[i];
		if (!thread->has_times || !thread->recorded_ns || !is_of(row, thread))
			continue;
		has_busy |= busy_percent(row->model, thread) >= BUSY;
		has_waiting |= busy_percent(row->model, thread) <= WAITING;
	}
	return has_busy && has_waiting;
}

/* Make two rows of one. */
static void divide(struct hp_bottlenecks *all, size_t at)
{
	const struct hp_threads *threads = &all->model->threads;
	struct hp_bottleneck both = all->items[at];
	struct hp_bottleneck busy = { .model = all->model, .company = HP_COMPANY_BUSY };
	struct hp_bottleneck waiting = { .model = all->model, .company = HP_COMPANY_WAITING };

	for (size_t i = 0; i < threads->count; i++) {
		const struct hp_thread *thread = &threads->items[i];
		if (is_of(&both, thread) && thread->recorded_ns)
			add_thread(busy_percent(all->model, thread) >= DIVIDED ? &busy : &waiting,
				   thread);
	}
	all->items[at] = busy;
	all->items[all->count++] = waiting;
}

bool hp_bottleneck_has_thread(const struct hp_bottleneck *row, const struct hp_thread *thread)
{
	if (thread == row->thread)
		return true;
	if (!is_of(row, thread) || row->company == HP_COMPANY_ALL)
		return is_of(row, thread);
	return (busy_percent(row->model, thread) >= DIVIDED) == (row->company == HP_COMPANY_BUSY);
}

/* ---- all of it ---- */

/* What a row worked, or was kept from working by a lock. */
static uint64_t work_of(const void *row)
{
	const struct hp_split *split = &((const struct hp_bottleneck *)row)->split;

	return split->cpu_ns + split->queue_ns + split->waits[HP_WAITING_LOCK];
}

static int by_work(const void *left, const void *right)
{
	uint64_t one = work_of(left), other = work_of(right);

	return (one < other) - (one > other);
}

static void add_rows(struct hp_bottlenecks *all)
{
	const struct hp_threads *threads = &all->model->threads;

	for (size_t i = 0; i < threads->count; i++)
		if (threads->items[i].recorded_ns)
			add_thread(row_of(all, &threads->items[i]), &threads->items[i]);
	for (size_t i = 0, count = all->count; i < count; i++)
		if (is_divided(&all->items[i]))
			divide(all, i);
}

/* Nobody knows in which of the threads a function is that spins: it may be one that it can be much of. */
static void find_spinning(struct hp_bottlenecks *all)
{
	if (!hp_refused_find(all->model, &all->refused, &all->refused_cpu_ns))
		all->refused.count = 0;
	for (size_t i = 0; i < all->count && all->refused.count; i++)
		all->items[i].may_spin |= all->refused_cpu_ns >=
					  all->items[i].split.cpu_ns / 100 * DIVIDED;
}

bool hp_bottlenecks_add_threads(struct hp_bottlenecks *all)
{
	const struct hp_threads *threads = &all->model->threads;

	/* A divided row has at least two threads. */
	all->items = reallocarray(NULL, threads->count + 1, sizeof(*all->items));
	if (!all->items)
		return false;
	add_rows(all);
	bool is_one = all->count == 1 && hp_threads_total(threads) == 1;
	if (all->waited.count && is_one)
		hp_bottleneck_give_waits(&all->items[0], all->waited);
	const struct hp_account account = hp_account_of(all->model);
	hp_balance_threads(all, &account);
	if (!is_one && !hp_bottlenecks_give_certain(all))
		return false;
	for (size_t i = 0; i < all->count; i++)
		hp_bottleneck_split(&all->items[i], &account);
	find_spinning(all);
	if (all->count)
		qsort(all->items, all->count, sizeof(*all->items), by_work);
	return true;
}

/* ---- names ---- */

/* " (8 threads)", " (2 busy threads)" */
static void put_number(const struct hp_bottleneck *row, struct hp_text *text)
{
	static const char *const kinds[] = { "", "busy ", "waiting " };

	if (is_first(row->model, row->thread) && hp_threads_total(&row->model->threads) > 1)
		hp_text_puts(text, " (main thread)");
	else if (row->threads > 1)
		hp_text_printf(text, " (%zu %sthreads)", row->threads, kinds[row->company]);
	else if (row->company != HP_COMPANY_ALL)
		hp_text_printf(text, " (%sthread)", kinds[row->company]);
}

void hp_bottleneck_name(const struct hp_bottleneck *bottleneck, struct hp_text *text)
{
	const struct hp_thread *thread = bottleneck->thread;

	if (!thread) {
		hp_row_name(&bottleneck->row, text);
		return;
	}
	/* The first thread has the name of the program, which the kernel cuts off after 15 bytes. */
	if (is_first(bottleneck->model, thread))
		hp_text_puts(text, bottleneck->model->caller);
	else
		hp_text_puts(text, thread->name[0] ? thread->name : "?");
	put_number(bottleneck, text);
}
