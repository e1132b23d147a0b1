/* SPDX-License-Identifier: MIT */
/*
 * The cost of a measured call in a program with 500 functions, which are called in an order that no predictor learns, and
 * with a working set of its own: between two calls of a function the program has touched as many cache lines as 256 KB
 * have, so what the recorder keeps of the function is not in the nearest cache any more.
 *
 * There are two such programs, without measurement and with it. What that adds is compared with the floor of all calls. Two readings
 * of the clock in this program would be another one, but a processor may do them while it waits for memory, for next to nothing.
 */
#include "budget.h"

#include "clock.h"
#include "hundred.h"

#include <hotpath.h>

#include <pthread.h>

enum {
	FUNCTIONS = 500,
	/* Words of 256 KB, and how many of them are in a cache line. */
	WORDS = 256 * 1024 / sizeof(uint64_t),
	LINE = 64 / sizeof(uint64_t),
	/* So many lines are touched in a call that 500 calls touch as many as there are. */
	TOUCHED = 8,
	/* A round is about a millisecond: on a busy machine, too, some are not interrupted. */
	CALLS = 10 * FUNCTIONS,
	ROUNDS = 400,
	THREADS_MAX = 2,
};

/* A thread of the program: its working set, its random numbers, and the order in which it calls. */
struct worker {
	uint64_t words[WORDS];
	uint32_t random;
	uint16_t order[FUNCTIONS];
};

/* With its number, each function has code of its own: compilers make one of functions that are the same. */
static inline void touch(struct worker *worker, unsigned number)
{
	uint32_t random = worker->random;

	for (unsigned i = 0; i < TOUCHED; i++) {
		random = random * 1664525 + 1013904223;
		worker->words[(random >> 8) % (WORDS / LINE) * LINE]++;
	}
	worker->random = random;
	worker->words[1] += number;
}

/* Two functions of each number. */
#define DEFINE(n)                                                                                  \
	__attribute__((noinline)) static void plain_##n(struct worker *worker)                     \
	{                                                                                          \
		touch(worker, n);                                                                  \
	}                                                                                          \
	__attribute__((noinline)) static void measured_##n(struct worker *worker)                  \
	{                                                                                          \
		HOTPATH_MEASURE();                                                                 \
		touch(worker, n);                                                                  \
	}
#define ALL(of) HUNDRED(of, 1) HUNDRED(of, 2) HUNDRED(of, 3) HUNDRED(of, 4) HUNDRED(of, 5)

ALL(DEFINE)

typedef void work(struct worker *worker);
#define PLAIN(n) plain_##n,
#define MEASURED(n) measured_##n,

enum program { BARE, MEASURING, PROGRAMS };
static work *const functions[PROGRAMS][FUNCTIONS] = {
	[BARE] = { ALL(PLAIN) },
	[MEASURING] = { ALL(MEASURED) },
};

/* One step of a shuffle with each call: each function is called about as often as any other, in an order that changes. */
static void call_all(struct worker *worker, work *const *program)
{
	for (unsigned i = 0; i < FUNCTIONS; i++) {
		unsigned other = (worker->random >> 16) % FUNCTIONS;
		uint16_t next = worker->order[other];
		worker->order[other] = worker->order[i];
		worker->order[i] = next;
		program[next](worker);
	}
}

/* Both programs begin a round with the same random number, so that they have the same order. */
static double time_of_call(struct worker *worker, work *const *program, uint32_t seed)
{
	worker->random = seed;
	for (uint16_t n = 0; n < FUNCTIONS; n++)
		worker->order[n] = n;
	call_all(worker, program);
	double start = now_ns();

	for (unsigned i = 0; i < CALLS; i += FUNCTIONS)
		call_all(worker, program);
	return (now_ns() - start) / CALLS;
}

static struct worker workers[THREADS_MAX];
static pthread_barrier_t barrier;

struct run {
	struct worker *worker;
	work *const *program;
	uint32_t seed;
	double ns;
};

static void *run_thread(void *argument)
{
	struct run *run = argument;

	pthread_barrier_wait(&barrier);
	run->ns = time_of_call(run->worker, run->program, run->seed);
	return NULL;
}

/* The time of one call, on the slowest of so many threads. */
static double run_program_on(unsigned threads, enum program program, uint32_t seed)
{
	struct run runs[THREADS_MAX];
	pthread_t ids[THREADS_MAX];
	double slowest = 0;

	pthread_barrier_init(&barrier, NULL, threads);
	for (unsigned i = 0; i < threads; i++) {
		runs[i] = (struct run){ &workers[i], functions[program], seed, 0 };
		pthread_create(&ids[i], NULL, run_thread, &runs[i]);
	}
	for (unsigned i = 0; i < threads; i++) {
		pthread_join(ids[i], NULL);
		slowest = runs[i].ns > slowest ? runs[i].ns : slowest;
	}
	pthread_barrier_destroy(&barrier);
	return slowest;
}

static void bench_on(unsigned threads, const char *name, double two_reads)
{
	double best[PROGRAMS] = { 0 };

	for (uint32_t round = 0; round < ROUNDS; round++)
		for (int i = 0; i < PROGRAMS; i++) {
			double ns = run_program_on(threads, (enum program)i, round);
			if (!best[i] || ns < best[i])
				best[i] = ns;
		}
	double added = best[MEASURING] - best[BARE];
	row(name, added, "ns", added / two_reads, "floor", 1.5);
}

void bench_many(double two_reads)
{
	hotpath_start(NULL);
	bench_on(1, "a call of one of 500 functions", two_reads);
	bench_on(2, "the same, two threads at once", two_reads);
	hotpath_stop();
}
