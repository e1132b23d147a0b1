/* SPDX-License-Identifier: MIT */
/*
 * A program that only computes, 30 frames deep and without frame pointers, to see what it costs to sample it.
 *
 * usage: computing ROUNDS [SIGNALS]
 *
 * Prints its CPU time in milliseconds, as the kernel counts it. With so many signals for each second of CPU time, whose handler
 * is empty: what a sampler could not do without.
 */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	/* Levels of the recursion; with its end, mix(), main() and three frames of the C library, a stack has 30 frames. */
	DEPTH = 24,
	WORDS = 4096,
};

static uint64_t words[WORDS];

static __attribute__((noinline)) uint64_t mix(uint64_t seed)
{
	for (unsigned i = 0; i < WORDS; i++) {
		seed = seed * 6364136223846793005 + 1442695040888963407;
		words[(seed >> 32) % WORDS] ^= seed;
	}
	return seed;
}

static __attribute__((noinline)) uint64_t descend(unsigned depth, uint64_t seed)
{
	return depth ? descend(depth - 1, seed + depth) ^ words[depth] : mix(seed);
}

static double milliseconds(struct timeval time)
{
	return (double)time.tv_sec * 1e3 + (double)time.tv_usec / 1e3;
}

static void do_nothing(int number)
{
	(void)number;
}

/* Returns false where the kernel does not allow it. */
static bool signal_often(unsigned long rate)
{
	struct sigaction action = { .sa_handler = do_nothing, .sa_flags = SA_RESTART };
	struct perf_event_attr event = { .type = PERF_TYPE_SOFTWARE,
					 .size = sizeof(event),
					 .config = PERF_COUNT_SW_TASK_CLOCK,
					 .sample_period = 1000000000 / rate,
					 .exclude_kernel = 1,
					 .exclude_hv = 1,
					 .wakeup_events = 1 };
	struct f_owner_ex owner = { F_OWNER_TID, (pid_t)syscall(SYS_gettid) };
	int fd = (int)syscall(SYS_perf_event_open, &event, owner.pid, -1, -1, PERF_FLAG_FD_CLOEXEC);

	return fd >= 0 && sigaction(SIGURG, &action, NULL) == 0 &&
	       fcntl(fd, F_SETOWN_EX, &owner) == 0 && fcntl(fd, F_SETSIG, SIGURG) == 0 &&
	       fcntl(fd, F_SETFL, O_ASYNC) == 0;
}

int main(int argc, char **argv)
{
	unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;
	unsigned long rate = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
	struct rusage usage;
	uint64_t seed = 1;

	if (rate && !signal_often(rate))
		return 1;
	for (unsigned long i = 0; i < rounds; i++)
		seed = descend(DEPTH, seed);
	getrusage(RUSAGE_SELF, &usage);
	printf("%.3f\n", milliseconds(usage.ru_utime) + milliseconds(usage.ru_stime));
	return seed == 0;
}
