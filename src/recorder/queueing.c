/* SPDX-License-Identifier: MIT */
/*
 * How long a thread was ready to run and had no processor.
 *
 *	|<------------------ wall time of a thread ------------------>|
 *	| CPU time | queueing for a processor | waiting for something |
 *
 * Who has never given its processor away since the last account has waited for nothing: whatever it did not compute, it
 * queued. Of others the kernel tells how long they queued, in a file; that takes three system calls, and is asked only
 * when time has passed between two looks in which the thread did not compute.
 */
#include "sampler.h"

#include <string.h>
#include <sys/resource.h>

enum {
	/* Time between two looks that is no CPU time: less is the kernel's way of counting. */
	GAP_NS = 100000,
};

/* The second number in the file. */
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

/* How often this thread gave its processor away to wait. */
static uint64_t waits_so_far(void)
{
	struct rusage usage;

	return getrusage(RUSAGE_THREAD, &usage) ? UINT64_MAX : (uint64_t)usage.ru_nvcsw;
}

/* RELAXED, as are all of these: who begins to sample a thread anew may meet it in the middle of a look, and one account is
   wrong then by what they disagree about. */
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
	/* Whether it waits until the first look is not known. */
	struct account account = { hotpath__monotonic_ns(), cpu_ns, UINT64_MAX, 0 };

	if (!hotpath__queued_so_far(sampler->tid, &account.queued_ns))
		account.queued_ns = 0;
	keep(sampler, account);
	store(&sampler->looked_ns, account.wall_ns, RELAXED);
}

/* Time that is neither CPU time nor waiting, since the last account. */
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
