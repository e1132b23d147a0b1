/* SPDX-License-Identifier: MIT */
/*
 * Calls that stay open long after their function was restrained. `outer` calls `slow` once, which lasts until `slow` was called
 * far too often for a while; then `outer` works on. It prints how long both took, in nanoseconds.
 *
 * usage: sleds_stale main [flood]        on the main thread; another thread calls `slow` too often
 *        sleds_stale thread [flood]      the other way round
 *        sleds_stale recursion [flood]   `slow` does that itself, from several calls of it that are inside each other
 *
 * With `flood`, it is called so often that even its exits are too dear, in which the open call would end.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define NOINLINE __attribute__((noinline))
#define INLINE static inline __attribute__((always_inline))

enum {
	OPEN_MS = 150,
	AFTER_MS = 100,
	/* Calls between two readings of the clock. */
	CALLS = 256,
	FLOOD = 32768,
	DEPTH = 5,
};

enum how { BRIEFLY, WAITING, CALLING };

static atomic_bool is_open, is_enough;
static volatile unsigned sum;
static unsigned calls = CALLS;

INLINE long long read_clock(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

INLINE long long ns(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

INLINE long long cpu_ns(void)
{
	return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

INLINE void burn(long milliseconds)
{
	for (long long end = ns() + milliseconds * 1000000LL; ns() < end;)
		sum++;
}

/* It is timed all the time, so that the governor is asked now and then. */
NOINLINE static void tick(void)
{
	for (unsigned i = 0; i < 20000; i++)
		sum += i;
}

NOINLINE static void slow(enum how how, unsigned depth);

INLINE void call_often(void)
{
	for (long long end = cpu_ns() + OPEN_MS * 1000000LL; cpu_ns() < end; tick())
		for (unsigned i = 0; i < calls; i++)
			slow(BRIEFLY, 0);
}

NOINLINE static void slow(enum how how, unsigned depth)
{
	if (depth) {
		slow(how, depth - 1);
	} else if (how == WAITING) {
		atomic_store(&is_open, true);
		while (!atomic_load(&is_enough))
			sum++;
	} else if (how == CALLING) {
		call_often();
	}
	sum += depth;
}

NOINLINE static void inner(void)
{
	burn(AFTER_MS / 4);
	sum++;
}

/* What it calls last is deeper on the stack than `slow` was: if that seemed to be in progress, it would be around it. */
NOINLINE static void outer(enum how how)
{
	long long begin = ns();
	slow(how, how == CALLING ? DEPTH : 0);
	long long middle = ns();
	volatile char *room = __builtin_alloca(8192);
	room[0] = 1;
	burn(AFTER_MS / 2);
	long long before = ns();
	inner();
	long long after = ns();
	burn(AFTER_MS / 2);
	sum += room[0];
	printf("@slow %lld\n@own %lld\n", middle - begin, ns() - after + before - middle);
}

static void *call_from_another(void *unused)
{
	while (!atomic_load(&is_open))
		sum++;
	call_often();
	atomic_store(&is_enough, true);
	return unused;
}

static void *call_outer(void *unused)
{
	outer(WAITING);
	return unused;
}

int main(int argc, char **argv)
{
	bool is_main = argc > 1 && strcmp(argv[1], "main") == 0;
	pthread_t thread;

	if (argc > 2 && strcmp(argv[2], "flood") == 0)
		calls = FLOOD;
	if (argc > 1 && strcmp(argv[1], "recursion") == 0) {
		outer(CALLING);
		return 0;
	}
	if (pthread_create(&thread, NULL, is_main ? call_from_another : call_outer, NULL))
		return 1;
	(is_main ? call_outer : call_from_another)(NULL);
	pthread_join(thread, NULL);
	return 0;
}
