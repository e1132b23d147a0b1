/* SPDX-License-Identifier: MIT */
/*
 * Makes the times of functions agree with each other, and with what the kernel knows of all threads.
 *
 * Three accounts are of different quality. Calls that block are measured by the clock, each in its function. The kernel
 * knows exactly how long a thread computed, queued and was blocked, but of no function. Samples tell how long a function
 * computed, roughly, and queueing time, which may belong to the function before.
 */
#include "balance.h"

#include "arithmetic.h"

/* ---- room in the time of a function ---- */

/* The time in which a function or thread neither computed nor queued. */
static uint64_t waiting_of(const struct hp_spent *spent)
{
	return hp_minus(spent->wall_ns, spent->cpu_ns + spent->queue_ns);
}

/* How much more queueing time fits in: calls of I/O may have queued, too. */
static uint64_t room_of(const struct hp_spent *spent)
{
	return hp_minus(waiting_of(spent), hp_spent_blocked(spent));
}

/* The part of that room in which no measured call was waiting. */
static uint64_t unexplained_of(const struct hp_spent *spent)
{
	return hp_minus(room_of(spent), hp_spent_io(spent));
}

/* What a share of a part is; all of it if the share is more. */
static uint64_t share_of(uint64_t part, double share)
{
	return share < 1 ? (uint64_t)((double)part * share) : part;
}

/* ---- queueing ---- */

/*
 * A sample attributes queueing time to the function that runs after it, which may not be the one that was preempted.
 * Take off what is too much for the function.
 */
static uint64_t take_excess(struct hp_spent *spent)
{
	uint64_t most = hp_minus(spent->wall_ns, spent->cpu_ns + hp_spent_blocked(spent));
	uint64_t excess = hp_minus(spent->queue_ns, most);

	spent->queue_ns -= excess;
	return excess;
}

/* Distribute the excess queueing time of some functions over others that were sampled. Returns what found no room. */
static uint64_t share_queue(struct hp_bottlenecks *all)
{
	double excess = 0, work = 0, shared = 0;

	for (size_t i = 0; i < all->count; i++)
		excess += (double)take_excess(&all->items[i].spent);
	for (size_t i = 0; i < all->count; i++)
		if (room_of(&all->items[i].spent))
			work += (double)(all->items[i].spent.cpu_ns + all->items[i].spent.queue_ns);
	for (size_t i = 0; i < all->count && work > 0; i++) {
		struct hp_spent *spent = &all->items[i].spent;
		double more = excess / work * (double)(spent->cpu_ns + spent->queue_ns);
		uint64_t room = room_of(spent);
		uint64_t taken = more < (double)room ? (uint64_t)more : room;
		spent->queue_ns += taken;
		shared += (double)taken;
	}
	return excess > shared ? (uint64_t)(excess - shared) : 0;
}

static uint64_t blocked_in(const uint64_t waits[HP_WAITINGS])
{
	return waits[HP_WAITING_LOCK] + waits[HP_WAITING_IDLE];
}

/* Take a part off the waits that are no I/O; returns how much that was. */
static uint64_t take_off(uint64_t waits[HP_WAITINGS], double part)
{
	uint64_t before = blocked_in(waits);
	double share = before ? part / (double)before : 0;

	waits[HP_WAITING_LOCK] -= share_of(waits[HP_WAITING_LOCK], share);
	waits[HP_WAITING_IDLE] -= share_of(waits[HP_WAITING_IDLE], share);
	return before - blocked_in(waits);
}

/*
 * A thread that is woken queues for a processor before its wait is over. The kernel knows how long all threads were
 * blocked: if functions seem to wait for longer, some of that is queueing time. It is taken off by the number of waits,
 * since each ends with queueing once.
 *
 * @param queue
 *         Queueing time that belongs to no function so far.
 * @param waited
 *         How long threads can have waited in measured functions.
 * @param is_sampled
 *         If CPU time is not known, only measured waits are certain not to be computing.
 */
static void find_hidden_queue(struct hp_bottlenecks *all, uint64_t queue, uint64_t waited,
			      bool is_sampled)
{
	uint64_t wakes = hp_waited_wakes(&all->waited), sum = 0;

	for (size_t i = 0; i < all->count; i++) {
		const struct hp_spent *spent = &all->items[i].spent;
		sum += is_sampled ? waiting_of(spent) : hp_spent_blocked(spent);
	}
	double hidden = (double)hp_min(queue, hp_minus(sum, waited));
	for (size_t i = 0; i < all->count && wakes; i++) {
		struct hp_bottleneck *bottleneck = &all->items[i];
		double own = (double)hp_waited_wakes(&bottleneck->waited) / (double)wakes;
		bottleneck->spent.queue_ns += take_off(bottleneck->spent.waits, hidden * own);
	}
}

/* ---- waiting ---- */

/* How long threads were blocked where no function is measured; less the time that they may have queued then. */
static uint64_t waited_outside(const struct hp_bottlenecks *all, const struct hp_account *account)
{
	uint64_t outside = 0;

	for (size_t i = 0; i < all->waited.count;) {
		struct hp_waited one = hp_waited_of(&all->waited, all->waited.rows[i].function);
		uint64_t sums[HP_WAITINGS];
		hp_waited_sum(&one, sums);
		outside += one.rows[0].claims ? 0 : blocked_in(sums);
		i += one.count;
	}
	return hp_minus(outside, account->queue_ns);
}

/*
 * All functions together cannot have waited longer than all threads. If samples are few, or the cost of measuring was
 * not quite taken off, it seems so: what is too much was computing. First, what no measured call explains; then calls of
 * I/O, which compute when the kernel has the data in memory.
 */
static void limit_waits(struct hp_bottlenecks *all, uint64_t waited)
{
	double sum = 0, unexplained = 0, io = 0;

	for (size_t i = 0; i < all->count; i++) {
		const struct hp_spent *spent = &all->items[i].spent;
		sum += (double)waiting_of(spent);
		unexplained += (double)unexplained_of(spent);
		io += (double)(room_of(spent) - unexplained_of(spent));
	}
	double excess = sum - (double)waited;
	if (excess <= 0)
		return;
	double of_rest = unexplained > 0 ? excess / unexplained : 0;
	double of_io = io > 0 && excess > unexplained ? (excess - unexplained) / io : 0;
	for (size_t i = 0; i < all->count; i++) {
		struct hp_spent *spent = &all->items[i].spent;
		uint64_t rest = unexplained_of(spent), in_io = room_of(spent) - rest;
		spent->cpu_ns += share_of(rest, of_rest) + share_of(in_io, of_io);
	}
}

/* Threads waited for I/O at most for as long as they were blocked and not in another wait; and calls that computed did so
   in the kernel. */
static void limit_io(uint64_t waits[HP_WAITINGS], const struct hp_account *account)
{
	bool is_known = account->waited_ns != UINT64_MAX;
	uint64_t io = 0;

	for (enum hp_waiting i = HP_WAITING_DISK; i < HP_WAITINGS; i++)
		io += waits[i];
	uint64_t most = hp_min(hp_minus(account->waited_ns, blocked_in(waits)),
			       hp_minus(io, account->system_ns));
	double share = is_known && io ? (double)most / (double)io : 0;
	for (enum hp_waiting i = HP_WAITING_DISK; i < HP_WAITINGS; i++)
		waits[i] = share_of(waits[i], share);
}

/* ---- all of it ---- */

void hp_balance_functions(struct hp_bottlenecks *all, const struct hp_account *account)
{
	uint64_t loose = share_queue(all) + account->loose_queue_ns;

	if (account->waited_ns == UINT64_MAX)
		return;
	uint64_t waited = hp_minus(account->waited_ns, waited_outside(all, account));
	find_hidden_queue(all, loose, waited, account->is_sampled);
	limit_waits(all, waited);
}

void hp_balance_threads(struct hp_bottlenecks *all, const struct hp_account *account)
{
	uint64_t blocked = blocked_in(all->waits);
	uint64_t hidden = hp_min(account->queue_ns, hp_minus(blocked, account->waited_ns));

	take_off(all->waits, (double)hidden);
	limit_io(all->waits, account);
	for (size_t i = 0; i < all->count; i++)
		if (all->items[i].waited.count)
			take_off(all->items[i].spent.waits, (double)hidden);
}
