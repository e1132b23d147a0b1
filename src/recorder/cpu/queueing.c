/* SPDX-License-Identifier: MIT */
/*
 * Queueing: how long a thread was runnable and waited for a processor.
 *
 *	|<------------------ wall time of a thread ------------------>|
 *	| CPU time | queueing for a processor | waiting for something |
 *
 * A thread without a voluntary context switch since the last account has not waited for anything: all of its time that
 * is no CPU time was queueing. For other threads the kernel tells it, in a file. To read that takes three system calls,
 * so it is done only if, between two looks, more time has passed than the thread has used CPU time.
 */
#include "sampler.h"

#include "process/clock.h"
#include "process/kernel_files.h"
#include "process/seccomp.h"

#include <string.h>
#include <sys/resource.h>

enum {
	/* Time between two looks that is no CPU time, in nanoseconds; less than this is inaccuracy of the kernel's
	   clocks. */
	GAP_NS = 100000,
};

/* The second number in /proc/self/task/TID/schedstat. */
bool hotpath__queued_so_far(uint32_t tid, uint64_t *queued_ns)
{
	char text[80];
	uint64_t ns = 0;

	if (hotpath__read_task(tid, "schedstat", text, sizeof(text)) <= 0)
		return false;
	const char *at = strchr(text, ' ');
	if (!at)
		return false;
	for (at++; *at >= '0' && *at <= '9'; at++)
		ns = ns * 10 + (uint64_t)(*at - '0');
	*queued_ns = ns;
	return true;
}

/* The number of voluntary context switches of this thread: how often it gave up its processor to wait. */
static uint64_t waits_so_far(void)
{
	struct rusage usage;

	return getrusage(RUSAGE_THREAD, &usage) ? UINT64_MAX : (uint64_t)usage.ru_nvcsw;
}

/* All accesses are RELAXED: a thread that starts the sampling of this one again may write the account while this
   one is in a look. One account may be slightly wrong then. */
static void keep(struct sampler *sampler, struct account account)
{
	store(&sampler->account.wall_ns, account.wall_ns, RELAXED);
	store(&sampler->account.cpu_ns, account.cpu_ns, RELAXED);
	store(&sampler->account.waits, account.waits, RELAXED);
	store(&sampler->account.queued_ns, account.queued_ns, RELAXED);
}

static struct account account_of(const struct sampler *sampler)
{
	return (struct account){ load(&sampler->account.wall_ns, RELAXED),
				 load(&sampler->account.cpu_ns, RELAXED),
				 load(&sampler->account.waits, RELAXED),
				 load(&sampler->account.queued_ns, RELAXED) };
}

void hotpath__begin_account(struct sampler *sampler, uint64_t cpu_ns)
{
	/* With this number of context switches the first look does not assume that the thread has never waited. */
	struct account account = { hotpath__monotonic_ns(), cpu_ns, UINT64_MAX, 0 };

	if (!hotpath__queued_so_far(sampler->tid, &account.queued_ns))
		account.queued_ns = 0;
	keep(sampler, account);
	store(&sampler->looked_ns, account.wall_ns, RELAXED);
}

/* Bring the account up to date; returns how long the thread has waited for a processor since the last one. */
static uint64_t settle(struct sampler *mine, uint64_t now_ns)
{
	const struct account before = account_of(mine);
	struct account now = { now_ns, hotpath__cpu_ns(CLOCK_THREAD_CPUTIME_ID), waits_so_far(),
			       before.queued_ns };
	uint64_t gap = hotpath__less(now.wall_ns - before.wall_ns, now.cpu_ns - before.cpu_ns);

	if (now.waits != UINT64_MAX && now.waits == before.waits)
		now.queued_ns += gap;
	else if (!hotpath__queued_so_far(mine->tid, &now.queued_ns))
		now.queued_ns = before.queued_ns;
	keep(mine, now);
	uint64_t queued = hotpath__less(now.queued_ns, before.queued_ns);
	return queued < gap ? queued : gap;
}

uint64_t hotpath__queued_since(struct sampler *mine, uint64_t computed_ns)
{
	uint64_t now_ns = hotpath__monotonic_ns();
	uint64_t passed = hotpath__less(now_ns, load(&mine->looked_ns, RELAXED));

	store(&mine->looked_ns, now_ns, RELAXED);
	return passed > computed_ns + computed_ns / 4 + GAP_NS ? settle(mine, now_ns) : 0;
}
