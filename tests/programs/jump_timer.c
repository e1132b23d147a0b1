/* SPDX-License-Identifier: MIT */
/*
 * A timer's handler leaves measured functions by siglongjmp, at any instruction of the profiler too.
 *
 * Whether a call that was left while it began or ended counts is not said: at least all that were left
 * or returned from count, at most all that were made.
 */
#include <hotpath.h>

#include "truth.h"

#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>

enum {
	JUMPS = 3000,
};

static sigjmp_buf outside;
static volatile sig_atomic_t jumps;
static volatile uint64_t made, returned, afters, arounds;

static void handler(int number)
{
	(void)number;
	jumps++;
	siglongjmp(outside, 1);
}

__attribute__((noinline)) static void inner(void)
{
	HOTPATH_MEASURE();
}

__attribute__((noinline)) static void after(void)
{
	HOTPATH_MEASURE();

	afters++;
}

/* Ends, by every second jump, as the next thing measured. */
__attribute__((noinline)) static void around(void)
{
	HOTPATH_MEASURE();
	struct itimerval once = { { 0, 0 }, { 0, 50 } };

	arounds++;
	if (sigsetjmp(outside, 1))
		return;
	setitimer(ITIMER_REAL, &once, NULL);
	for (;;) {
		made++;
		inner();
		returned++;
	}
}

int main(void)
{
	HOTPATH_MAIN();
	uint64_t start = own_clock();

	signal(SIGALRM, handler);
	while (jumps < JUMPS) {
		around();
		if (jumps % 2)
			after();
	}
	truth("after", afters);
	truth("around", arounds);
	truth("@made", made);
	truth("@returned", returned);
	truth("@elapsed", own_clock() - start);
	return 0;
}
