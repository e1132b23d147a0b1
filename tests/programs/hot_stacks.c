/* SPDX-License-Identifier: MIT */
/*
 * Computes in functions that are inlined, measured, neither or both, in two threads.
 *
 *	hot_stacks              half a second or so for each thread
 *
 *	main    30 %  main → parse (measured) → "read line" (a block) → spin (inlined)
 *	        20 %  main → parse (measured) → spin (inlined)
 *	        50 %  main → render → spin (inlined)
 *	worker        work → render → spin (inlined)
 */
#include <hotpath.h>

#include <pthread.h>
#include <time.h>

enum {
	/* Of CPU time for each thread, and turns of the loop for a tenth of a round. */
	MILLISECONDS = 500,
	UNIT = 50000,
};

static inline __attribute__((always_inline)) void spin(unsigned units)
{
	unsigned long value = units;

	for (unsigned i = 0; i < units * UNIT; i++) {
		value = value * 6364136223846793005UL + 1;
		__asm__ volatile("" : "+r"(value));
	}
}

static __attribute__((noinline)) void parse(void)
{
	HOTPATH_MEASURE();
	HOTPATH_BLOCK("read line", { spin(3); });
	spin(2);
}

static __attribute__((noinline)) void render(void)
{
	spin(5);
}

static long thread_milliseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void *work(void *unused)
{
	pthread_setname_np(pthread_self(), "worker");
	while (thread_milliseconds() < MILLISECONDS)
		render();
	return unused;
}

int main(void)
{
	pthread_t worker;

	HOTPATH_MAIN();
	if (pthread_create(&worker, NULL, work, NULL))
		return 1;
	while (thread_milliseconds() < MILLISECONDS) {
		parse();
		render();
	}
	pthread_join(worker, NULL);
	return 0;
}
