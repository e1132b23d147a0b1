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

void hotpath__begin_account(struct sampler *sampler, uint64_t cpu_ns)
{
	struct account *account = &sampler->account;

	account->wall_ns = hotpath__monotonic_ns();
	account->cpu_ns = cpu_ns;
	/* Whether it waits until the first look is not known. */
	account->waits = UINT64_MAX;
	if (!hotpath__queued_so_far(sampler->tid, &account->queued_ns))
		account->queued_ns = 0;
	sampler->looked_ns = account->wall_ns;
}

/* Time that is neither CPU time nor waiting, since the last account. */
static uint64_t settle(struct sampler *mine, uint64_t now_ns)
{
	struct account *account = &mine->account;
	uint64_t cpu_ns = hotpath__cpu_ns(CLOCK_THREAD_CPUTIME_ID), waits = waits_so_far();
	uint64_t gap = hotpath__less(now_ns - account->wall_ns, cpu_ns - account->cpu_ns);
	uint64_t queued_ns = account->queued_ns;

	if (waits != UINT64_MAX && waits == account->waits)
		queued_ns += gap;
	else if (!hotpath__queued_so_far(mine->tid, &queued_ns))
		queued_ns = account->queued_ns;
	uint64_t queued = hotpath__less(queued_ns, account->queued_ns);
	*account = (struct account){ now_ns, cpu_ns, waits, queued_ns };
	return queued < gap ? queued : gap;
}

uint64_t hotpath__queued_since(struct sampler *mine, uint64_t computed_ns)
{
	uint64_t now_ns = hotpath__monotonic_ns(), passed = now_ns - mine->looked_ns;

	mine->looked_ns = now_ns;
	return passed > computed_ns + computed_ns / 4 + GAP_NS ? settle(mine, now_ns) : 0;
}
