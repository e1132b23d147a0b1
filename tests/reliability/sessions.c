/* SPDX-License-Identifier: MIT */
/*
 * Threads measure while others read what they write, and recording is stopped and started again.
 *
 *	sessions NUMBER
 *
 * Eight threads call measured functions, allocate and free, send messages, end, and are followed by new ones. A reader looks at the live
 * segment all the time, in the memory where it is written: a sanitizer sees both sides. The main thread
 * starts and stops recording, so many times. In each session as many calls are counted as were made.
 */
#include "hotpath.h"

#include "probe.h"
#include "process/recorder_state.h"
#include "reader.h"
#include "report.h"

#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	THREADS = 8,
	/* Calls of a thread before it ends. */
	LIFE = 500,
	/* Calls of all in a session. */
	SESSION = 3000,
};

/* Calls of work() that are about to begin, and that have returned. */
static struct {
	uint64_t begun, ended;
} counts[THREADS];
static uint32_t done;
static unsigned failures;

__attribute__((format(printf, 1, 2))) static void complain(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	putchar('\n');
	fetch_add(&failures, 1, RELAXED);
}

__attribute__((noinline)) static int recursive(int depth)
{
	HOTPATH_MEASURE();
	if (depth)
		return recursive(depth - 1) + 1;
	HOTPATH_RETURN(depth);
}

__attribute__((noinline)) static const char *text(unsigned turn)
{
	static const char *const texts[] = { "one", "another" };

	HOTPATH_MEASURE();
	HOTPATH_RETURN(texts[turn % 2]);
}

/* A block that nobody allocated, but could have: some share a cell of the table, and some are large. */
static uintptr_t new_address(void)
{
	static uintptr_t next = (uintptr_t)1 << 40;

	return fetch_add(&next, 48, RELAXED);
}

/* What one thread allocates the next one frees, whichever that is: ACQUIRE pairs with its own RELEASE. */
__attribute__((noinline)) static void allocate(unsigned turn)
{
	static uintptr_t given;
	uintptr_t mine = new_address(), theirs, sp = (uintptr_t)__builtin_dwarf_cfa();
	char pool[4];

	HOTPATH_MEASURE();
	hotpath__follow(mine, turn % 32 ? turn : 100000, (uintptr_t)allocate + 1, sp);
	HOTPATH_ALLOC(&pool[turn % 4], 1);
	theirs = __atomic_exchange_n(&given, mine, __ATOMIC_ACQ_REL);
	if (theirs)
		hotpath__unfollow(theirs, sp);
	HOTPATH_FREE(&pool[turn % 4]);
}

/* Made once, in the first session; what is open goes on. */
static struct hotpath_channel jobs;

/* A channel that all threads use, one for each call, and what one of them works at. */
__attribute__((noinline)) static void pass_on(unsigned turn)
{
	struct hotpath_channel own;
	struct hotpath_future future;

	HOTPATH_CHANNEL_SEND_LOG(&jobs, turn, "turn %u", turn);
	HOTPATH_CHANNEL_RECV(&jobs);
	HOTPATH_CHANNEL_NEW(&own, "own", 1);
	HOTPATH_CHANNEL_SEND(&own, 1);
	HOTPATH_CHANNEL_CLOSE(&own);
	HOTPATH_FUTURE_NEW(&future, "step");
	{
		HOTPATH_FUTURE_POLL(&future);
		HOTPATH_GAUGE_ADD("level", turn % 3);
	}
	HOTPATH_FUTURE_READY_LOG(&future, turn);
	HOTPATH_VAL("turn", turn % 2 ? "odd" : "even");
}

__attribute__((noinline)) static void work(unsigned turn)
{
	HOTPATH_MEASURE();
	if (turn % 8 == 0)
		pass_on(turn);
	recursive((int)(turn % 5));
	if (turn % 16 == 0)
		text(turn);
	if (turn % 2 == 0)
		allocate(turn);
}

static void *live(void *slot)
{
	uint64_t *begun = &counts[(uintptr_t)slot].begun, *ended = &counts[(uintptr_t)slot].ended;
	struct hotpath_span span;

	HOTPATH_THREAD_NAME("worker");
	HOTPATH_SPAN_BEGIN(span, "life");
	for (unsigned turn = 0; turn < LIFE && !load(&done, RELAXED); turn++) {
		store(begun, *begun + 1, RELAXED);
		work(turn);
		store(ended, *ended + 1, RELAXED);
	}
	HOTPATH_SPAN_END(span);
	return NULL;
}

/* Threads that have ended. */
static uint64_t gone;

static void *keep_alive(void *slot)
{
	pthread_t thread;

	while (!load(&done, RELAXED))
		if (pthread_create(&thread, NULL, live, slot) == 0) {
			pthread_join(thread, NULL);
			fetch_add(&gone, 1, RELAXED);
		}
	return NULL;
}

static uint64_t begun(void)
{
	uint64_t sum = 0;

	for (unsigned slot = 0; slot < THREADS; slot++)
		sum += load(&counts[slot].begun, RELAXED);
	return sum;
}

static uint64_t ended(void)
{
	uint64_t sum = 0;

	for (unsigned slot = 0; slot < THREADS; slot++)
		sum += load(&counts[slot].ended, RELAXED);
	return sum;
}

/* ---- the reader ---- */

static struct hp_model *read_segment(void)
{
	static const struct hp_exit running = { .running = true, .status = -1 };
	struct hp_error error = { "" };
	size_t used = load(&hotpath__header()->used, ACQUIRE);
	struct hp_model *model = hp_model_read(hotpath__recorder->base, used, &running, true,
					       &error);

	if (!model)
		complain("no model: %s", error.text);
	return model;
}

static void check_function(const struct hp_function *function)
{
	uint64_t median = hp_function_percentile(function, 50);

	if (!function->calls)
		return;
	if (function->min_ns > function->max_ns)
		complain("%s: from %" PRIu64 " to %" PRIu64 " ns", function->name, function->min_ns,
			 function->max_ns);
	if (median < function->min_ns || median > function->max_ns)
		complain("%s: the median is %" PRIu64 " ns", function->name, median);
}

static void read_recent(const char *name)
{
	size_t used = load(&hotpath__header()->used, ACQUIRE);
	struct hp_recent *recent = NULL;
	struct hp_error error;

	hp_recent_calls(hotpath__recorder->base, used, name, &recent, &error);
	free(recent);
}

static void read_log(const char *name)
{
	size_t used = load(&hotpath__header()->used, ACQUIRE);
	struct hp_flow_event *events = NULL;
	enum hp_site_kind kind;
	struct hp_error error;

	hp_flow_events(hotpath__recorder->base, used, name, &kind, &events, &error);
	free(events);
}

static void *keep_reading(void *unused)
{
	struct hp_report_options options;

	hp_report_options_init(&options);
	options.format = HP_FORMAT_JSON;
	while (!load(&done, RELAXED)) {
		struct hp_text report = HP_TEXT_INIT;
		/* Between two sessions figures are being set to zero, and readers know it. */
		uint32_t session = load(&hotpath__header()->session, ACQUIRE);
		struct hp_model *model = read_segment();
		bool steady = session % 2 == 0 &&
			      session == load(&hotpath__header()->session, ACQUIRE);

		for (size_t i = 0; steady && model && i < model->function_count; i++)
			check_function(&model->functions[i]);
		if (model)
			hp_report_write(model, &options, &report);
		read_recent("recursive");
		read_recent("text");
		read_log("jobs");
		read_log("step");
		read_log("turn");
		hp_text_free(&report);
		hp_model_free(model);
	}
	return unused;
}

/* ---- sessions ---- */

static uint64_t reported(uint64_t *threads)
{
	struct hp_model *model = read_segment();
	uint64_t calls = 0;

	*threads = model ? model->threads.rest.threads : 0;
	for (size_t i = 0; model && i < model->threads.count; i++)
		*threads += model->threads.items[i].state == HP_THREAD_ENDED;

	for (size_t i = 0; model && i < model->function_count; i++)
		if (strcmp(model->functions[i].name, "work") == 0)
			calls = model->functions[i].calls;
	hp_model_free(model);
	return calls;
}

static void start(void)
{
	struct hotpath_options options = HOTPATH_OPTIONS_INIT;

	options.format = HOTPATH_FORMAT_JSON;
	options.output_path = "/dev/null";
	if (hotpath_start(&options))
		complain("recording cannot be started");
}

static void wait_for_calls(uint64_t calls)
{
	uint64_t first = ended();

	while (ended() < first + calls)
		sched_yield();
}

/*
 * Each thread may be in the midst of a call, or of counting it, when recording starts or stops; hence the
 * one call more or less for each. The same is true of threads that end.
 */
static void record_session(unsigned number)
{
	uint64_t before = begun(), gone_before = load(&gone, RELAXED);
	start();
	uint64_t first = ended(), gone_first = load(&gone, RELAXED), threads;
	wait_for_calls(SESSION);
	uint64_t last = ended(), gone_meanwhile = load(&gone, RELAXED) - gone_first;
	hotpath_stop();
	uint64_t after = begun();
	wait_for_calls(SESSION / 4);
	uint64_t calls = reported(&threads);
	uint64_t gone_until_now = load(&gone, RELAXED) - gone_before;

	if (calls < last - first - THREADS)
		complain("session %u: %" PRIu64 " calls, and not %" PRIu64 " at least", number,
			 calls, last - first - THREADS);
	/* What was called after the stop is not of the session. */
	if (calls > after - before + 2 * THREADS)
		complain("session %u: %" PRIu64 " calls, and not %" PRIu64 " at most", number,
			 calls, after - before + 2 * THREADS);
	if (threads + THREADS < gone_meanwhile || threads > gone_until_now + THREADS)
		complain("session %u: %" PRIu64 " threads, and not %" PRIu64 " to %" PRIu64, number,
			 threads, gone_meanwhile, gone_until_now);
}

int main(int argc, char **argv)
{
	unsigned sessions = argc > 1 ? (unsigned)atoi(argv[1]) : 10;
	pthread_t threads[THREADS + 1];

	start();
	HOTPATH_CHANNEL_NEW(&jobs, "jobs", 0);
	for (uintptr_t slot = 0; slot < THREADS; slot++)
		if (pthread_create(&threads[slot], NULL, keep_alive, (void *)slot))
			return 1;
	if (pthread_create(&threads[THREADS], NULL, keep_reading, NULL))
		return 1;
	hotpath_stop();
	for (unsigned number = 0; number < sessions; number++)
		record_session(number);
	store(&done, 1, RELAXED);
	for (unsigned i = 0; i <= THREADS; i++)
		pthread_join(threads[i], NULL);
	return failures != 0;
}
