/* SPDX-License-Identifier: MIT */
/*
 * What the recorder adds up, and the reader reads, is what was measured: call by call, to the last tick.
 *
 * Calls are recorded by the real library. After each of them its duration is read from the ring, and
 * added up here in the plainest way; in the end the model must say the same. Exact durations are given
 * to the recorder where it takes them from the stack.
 *
 * Runs itself once with each clock: that is chosen before main.
 */
#include "hotpath.h"

#include "calls/counting.h"
#include "calls/sites.h"
#include "calls/stack.h"
#include "process/clock.h"
#include "process/lanes.h"
#include "process/recorder_state.h"
#include "reader.h"
#include "sleds/sled_calls.h"

#include <errno.h>
#include <ftw.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum {
	CALLS_MAX = 100000,
};

/* Every test has a function of its own. */
static struct hotpath_site sites[64];
static char names[64][32];
static unsigned site_count;

static struct hotpath_site *new_site(void)
{
	struct hotpath_site *site = &sites[site_count];

	snprintf(names[site_count], sizeof(names[0]), "function_%u", site_count);
	*site = (struct hotpath_site){ names[site_count],     __FILE__, site_count + 1,
				       HOTPATH_SITE_FUNCTION, 0,	0 };
	site_count++;
	return site;
}

/* ---- what must come out ---- */

struct expected {
	uint64_t calls, total, nested, self, min, max;
	uint64_t buckets[HP_BUCKETS];
	uint64_t durations[CALLS_MAX];
};

static struct expected *new_expected(void)
{
	struct expected *expected = calloc(1, sizeof(*expected));

	expected->min = UINT64_MAX;
	return expected;
}

static void expect_call(struct expected *expected, uint64_t duration, uint64_t self, bool nested)
{
	*(nested ? &expected->nested : &expected->total) += duration;
	expected->self += self;
	expected->min = duration < expected->min ? duration : expected->min;
	expected->max = duration > expected->max ? duration : expected->max;
	expected->buckets[hp_bucket(duration)]++;
	assert_true(expected->calls < CALLS_MAX);
	expected->durations[expected->calls++] = duration;
}

static struct hp_stat *stat_of(const struct hotpath_site *site)
{
	assert_int_not_equal(site->id, 0);
	return hotpath__stat(hotpath__me, site->id);
}

/* The call that ended last, as it is in the ring. */
static void expect_newest(struct expected *expected, const struct hotpath_site *site)
{
	const struct hp_stat *stat = stat_of(site);
	uint64_t newest = stat->calls - 1, packed = stat->ring[newest % HP_RING].duration;

	assert_int_equal(stat->calls, expected->calls + 1);
	expect_call(expected, packed & HP_CALL_DURATION,
		    stat->places[newest % HP_FLUSH] & HP_CALL_DURATION, packed & HP_CALL_NESTED);
}

static uint64_t ticks_to_ns(uint64_t ticks)
{
	__extension__ typedef unsigned __int128 wide;

	return (uint64_t)((wide)ticks * 1000000000 / hotpath__header()->ticks_per_second);
}

/* ---- what comes out ---- */

static struct hp_model *read_model(void)
{
	static const struct hp_exit running = { .running = true, .status = -1 };
	struct hp_error error = { "" };
	struct hp_model *model = hp_model_read(hotpath__recorder->base, hotpath__recorder->used,
					       &running, true, &error);

	if (!model)
		fail_msg("%s", error.text);
	return model;
}

static const struct hp_function *find(const struct hp_model *model, const struct hotpath_site *site)
{
	for (size_t i = 0; i < model->function_count; i++)
		if (strcmp(model->functions[i].name, site->name) == 0)
			return &model->functions[i];
	return NULL;
}

static uint64_t sum_of_counts(const struct hp_function *function)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < function->times.count; i++)
		sum += function->times.items[i].count;
	return sum;
}

/* Neighbouring buckets with the same nanoseconds are one point. */
static void assert_histogram(const struct hp_function *function, const struct expected *expected)
{
	const struct hp_point *point = function->times.items, *end = point + function->times.count;
	uint64_t calls = 0;

	for (unsigned i = 0; i < HP_BUCKETS; i++) {
		if (!expected->buckets[i])
			continue;
		assert_true(point < end);
		assert_int_equal(point->value, ticks_to_ns(hp_bucket_middle(i)));
		calls += expected->buckets[i];
		if (calls == point->count) {
			point++;
			calls = 0;
		}
	}
	assert_ptr_equal(point, end);
	assert_int_equal(sum_of_counts(function), function->calls);
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void assert_percentiles(const struct hp_function *function, struct expected *expected)
{
	static const unsigned percents[] = { 1, 10, 50, 90, 95, 99 };

	qsort(expected->durations, expected->calls, sizeof(uint64_t), by_value);
	for (size_t i = 0; i < sizeof(percents) / sizeof(*percents); i++) {
		uint64_t rank = (expected->calls * percents[i] + 99) / 100;
		double truth = (double)ticks_to_ns(expected->durations[rank - 1]);
		double value = (double)hp_function_percentile(function, percents[i]);
		if (fabs(value - truth) > truth / 100 + 1)
			fail_msg("p%u of %s is %.0f, not %.0f", percents[i], function->name, value,
				 truth);
	}
	assert_int_equal(hp_function_percentile(function, 0), function->min_ns);
	assert_int_equal(hp_function_percentile(function, 100), function->max_ns);
}

static void assert_reported(const struct hotpath_site *site, struct expected *expected)
{
	struct hp_model *model = read_model();
	const struct hp_function *function = find(model, site);

	if (!expected->calls) {
		assert_null(function);
	} else {
		assert_non_null(function);
		assert_int_equal(function->calls, expected->calls);
		assert_int_equal(function->open, 0);
		assert_int_equal(function->total_ns, ticks_to_ns(expected->total));
		assert_int_equal(function->sum_ns, ticks_to_ns(expected->total + expected->nested));
		assert_int_equal(function->self_ns,
				 ticks_to_ns(expected->self < expected->total ? expected->self
									      : expected->total));
		assert_int_equal(function->min_ns, ticks_to_ns(expected->min));
		assert_int_equal(function->max_ns, ticks_to_ns(expected->max));
		assert_histogram(function, expected);
		assert_percentiles(function, expected);
	}
	hp_model_free(model);
}

/* ---- calls that take the time they take ---- */

static volatile unsigned sink;

static void spin(unsigned rounds)
{
	for (unsigned i = 0; i < rounds; i++)
		sink += i;
}

__attribute__((noinline)) static void measured(struct hotpath_site *site, unsigned rounds)
{
	struct hotpath_span span;

	hotpath_span_begin(&span, site);
	spin(rounds);
	hotpath_span_end(&span);
}

static const unsigned counts[] = { 0, 1, 2, 63, 64, 65, 127, 128, 129, 191, 192, 1000 };

static void any_number_of_calls(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
		struct hotpath_site *site = new_site();
		struct expected *expected = new_expected();

		for (unsigned call = 0; call < counts[i]; call++) {
			measured(site, call % 7 ? call % 50 : 2000 + call);
			expect_newest(expected, site);
		}
		assert_reported(site, expected);
		free(expected);
	}
}

/* At every number of calls, whether they were just added up or wait. */
static void after_every_call(void **state)
{
	struct hotpath_site *site = new_site();
	struct expected *expected = new_expected();

	(void)state;
	for (unsigned call = 0; call < 300; call++) {
		measured(site, call % 100);
		expect_newest(expected, site);
		assert_reported(site, expected);
	}
	free(expected);
}

static void calls_inside_calls(void **state)
{
	struct hotpath_site *outer = new_site(), *inner = new_site();
	struct expected *around = new_expected(), *inside = new_expected();
	struct hotpath_span span;

	(void)state;
	for (unsigned call = 0; call < 1000; call++) {
		hotpath_span_begin(&span, outer);
		for (unsigned i = 0; i < call % 4; i++) {
			measured(inner, 20 * i);
			expect_newest(inside, inner);
		}
		spin(30);
		hotpath_span_end(&span);
		expect_newest(around, outer);
	}
	assert_reported(outer, around);
	assert_reported(inner, inside);
	/* Time is in one function or in the other. */
	assert_int_equal(around->self, around->total - inside->total);
	assert_int_equal(inside->self, inside->total);
	free(around);
	free(inside);
}

/* A machine that was slow only while the cost was measured: what is subtracted is far too much. */
static void cost_too_high(void **state)
{
	struct hotpath_site *outer = new_site(), *inner = new_site();
	struct expected *around = new_expected(), *inside = new_expected();
	struct thread *me = hotpath__me;
	uint64_t cost = me->span_cost;
	struct hotpath_span span;

	(void)state;
	me->span_cost = UINT64_C(1) << 32;
	for (unsigned call = 0; call < 100; call++) {
		hotpath_span_begin(&span, outer);
		measured(inner, 1000);
		expect_newest(inside, inner);
		hotpath_span_end(&span);
		expect_newest(around, outer);
	}
	me->span_cost = cost;
	assert_true(inside->total > 0);
	assert_int_equal(around->total, inside->total);
	assert_int_equal(around->self, 0);
	free(around);
	free(inside);
}

__attribute__((noinline)) static void recurse(struct hotpath_site *site, struct expected *expected,
					      unsigned depth)
{
	struct hotpath_span span;

	hotpath_span_begin(&span, site);
	spin(10);
	if (depth)
		recurse(site, expected, depth - 1);
	if (depth % 2)
		recurse(site, expected, depth / 2);
	hotpath_span_end(&span);
	expect_newest(expected, site);
}

static void recursion(void **state)
{
	struct hotpath_site *site = new_site();
	struct expected *expected = new_expected();

	(void)state;
	for (unsigned depth = 0; depth < 20; depth++)
		recurse(site, expected, depth);
	assert_true(expected->calls > 500);
	assert_true(expected->nested > 0);
	/* The total is of the outermost calls; what they do themselves adds up to it. */
	assert_int_equal(expected->self, expected->total);
	assert_reported(site, expected);
	free(expected);
}

static double now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* Another clock, read just inside and just outside, says the same. */
static void durations_are_true(void **state)
{
	struct hotpath_site *site = new_site();
	double inside = 0, outside = 0;
	struct hotpath_span span;

	(void)state;
	for (unsigned i = 0; i < 20; i++) {
		double before = now_ns();
		hotpath_span_begin(&span, site);
		double start = now_ns();
		while (now_ns() - start < 200000)
			spin(100);
		inside += now_ns() - start;
		hotpath_span_end(&span);
		outside += now_ns() - before;
	}
	struct hp_model *model = read_model();
	double total = (double)find(model, site)->total_ns;
	hp_model_free(model);
	/* A counter's rate is known to one part in a thousand at least; what a call costs is taken off. */
	if (total < inside * 0.999 - 20 * 1000 || total > outside * 1.001)
		fail_msg("%.0f ns is not between %.0f and %.0f", total, inside, outside);
}

/* ---- calls that take the time they are given ---- */

struct gift {
	uint64_t duration;
	bool nested;
};

static struct gift same(unsigned call)
{
	(void)call;
	return (struct gift){ 7, false };
}

static struct gift two_neighbours(unsigned call)
{
	return (struct gift){ 63 + call % 2, false };
}

static struct gift a_few_buckets(unsigned call)
{
	return (struct gift){ 200 + call % 20, false };
}

static struct gift more_than_a_few(unsigned call)
{
	return (struct gift){ 64 + call % 64, false };
}

static struct gift every_magnitude(unsigned call)
{
	return (struct gift){ (UINT64_C(0x9e3779b97f4a7c15) * (call + 1)) >> 16 >> (call % 48),
			      false };
}

static struct gift zero_and_the_longest(unsigned call)
{
	return (struct gift){ call % 2 ? 0 : HP_CALL_DURATION, false };
}

static struct gift some_nested(unsigned call)
{
	return (struct gift){ 100 + call % 30, call % 5 == 1 };
}

static struct gift all_nested(unsigned call)
{
	return (struct gift){ call, true };
}

/* One call that is flagged, at every place of a batch. */
static struct gift one_nested(unsigned call)
{
	return (struct gift){ 50, call % 65 == 64 };
}

static struct thread *entered(void)
{
	struct thread *me = hotpath__enter(hotpath__stack_pointer());

	assert_non_null(me);
	return me;
}

static void give(struct thread *me, struct hp_stat *stat, struct gift gift, uint64_t self)
{
	struct call call = { hotpath__ticks(), gift.duration, self,
			     gift.nested ? HP_CALL_NESTED | HP_CALL_SAME_NODE : 0 };
	struct branch branch = { .stat = stat };

	hotpath__enter_busy(me, hotpath__stack_pointer());
	hotpath__count_call(me, &branch, call, NULL);
	hotpath__leave_busy(me);
}

static uint64_t self_of(struct gift gift, unsigned call)
{
	return gift.duration / (1 + call % 3);
}

static void given_durations(void **state)
{
	struct gift (*const kinds[])(unsigned call) = {
		same,
		two_neighbours,
		a_few_buckets,
		more_than_a_few,
		every_magnitude,
		zero_and_the_longest,
		some_nested,
		all_nested,
		one_nested,
	};

	(void)state;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		struct hotpath_site *site = new_site();
		struct expected *expected = new_expected();
		struct thread *me = entered();
		struct hp_stat *stat = hotpath__stat(me, hotpath__site_id(site));

		for (unsigned call = 0; call < 5000; call++) {
			struct gift gift = kinds[i](call);
			give(me, stat, gift, self_of(gift, call));
			expect_call(expected, gift.duration, self_of(gift, call), gift.nested);
			if (call < 3 || call % 97 == 0 || call % 64 == 63)
				assert_reported(site, expected);
		}
		assert_reported(site, expected);
		free(expected);
	}
}

/* Each duration of 15 bits once, and those in a batch are far apart: buckets are found by vector instructions. */
static void every_short_duration(void **state)
{
	struct hotpath_site *site = new_site();
	struct expected *expected = new_expected();
	struct thread *me = entered();
	struct hp_stat *stat = hotpath__stat(me, hotpath__site_id(site));

	(void)state;
	for (unsigned call = 0; call <= INT16_MAX; call++) {
		struct gift gift = { call * 12345 & INT16_MAX, false };
		give(me, stat, gift, gift.duration);
		expect_call(expected, gift.duration, gift.duration, false);
	}
	assert_reported(site, expected);
	free(expected);
}

/* Batches need not begin where the ring does. */
static void flushed_at_any_time(void **state)
{
	struct hotpath_site *site = new_site();
	struct expected *expected = new_expected();
	struct thread *me = entered();
	struct hp_stat *stat = hotpath__stat(me, hotpath__site_id(site));

	(void)state;
	for (unsigned call = 0; call < 5000; call++) {
		struct gift gift = a_few_buckets(call);
		give(me, stat, gift, gift.duration);
		expect_call(expected, gift.duration, gift.duration, false);
		if (call % 13 == 0 || call % 101 < 3)
			hotpath__flush(me, stat);
		if (call % 31 == 0)
			assert_reported(site, expected);
	}
	assert_reported(site, expected);
	free(expected);
}

/* Counters on their way past 2^16, and past 2^32: one by one, and by many at once. */
static void count_past(unsigned bits, struct gift (*kind)(unsigned call))
{
	const uint64_t before = (UINT64_C(1) << bits) - 128;
	uint64_t bucket = hp_bucket(kind(0).duration);
	struct hotpath_site *site = new_site();
	struct thread *me = entered();
	struct hp_stat *stat = hotpath__stat(me, hotpath__site_id(site));
	uint32_t *octave = &stat->octaves[bucket / HP_OCTAVE_BUCKETS];

	for (unsigned call = 0; call < HP_RING; call++)
		give(me, stat, kind(call), 1);
	assert_int_equal(stat->flushed, HP_RING);
	stat->calls = stat->flushed = before;
	hotpath__count_slowly(me, octave, bucket % HP_OCTAVE_BUCKETS, before - HP_RING);
	assert_int_equal(1 << hp_octave_counter(*octave), bits / 8);
	for (unsigned call = 0; call < 200; call++) {
		give(me, stat, kind(call), 1);
		struct hp_model *model = read_model();
		const struct hp_function *function = find(model, site);
		assert_int_equal(function->calls, before + call + 1);
		assert_int_equal(function->times.count, 1);
		assert_int_equal(function->times.items[0].count, before + call + 1);
		hp_model_free(model);
	}
	assert_int_equal(1 << hp_octave_counter(*octave), bits / 4);
}

static void counters_that_grow(void **state)
{
	(void)state;
	for (unsigned bits = 16; bits <= 32; bits *= 2) {
		count_past(bits, same);
		count_past(bits, one_nested);
	}
}

/* ---- sessions ---- */

static void start(void)
{
	struct hotpath_options options = HOTPATH_OPTIONS_INIT;

	options.format = HOTPATH_FORMAT_NONE;
	assert_int_equal(hotpath_start(&options), 0);
}

/* A batch with each call in a bucket of its own. */
static void give_spread_batch(struct thread *me, struct hp_stat *stat)
{
	for (unsigned call = 0; call < HP_FLUSH; call++)
		give(me, stat, (struct gift){ HP_OCTAVE_BUCKETS + call, false }, 1);
}

/* One of the counters is full: all of its octave are copied, and what comes after it is counted in the copies. Later, the lower half of
   that counter is full, and carries. */
static void one_of_many_counters_grows(void **state)
{
	enum { FULL = 3, ELSEWHERE = 40 };
	struct hotpath_site *site = new_site();
	struct thread *me = entered();
	struct hp_stat *stat = hotpath__stat(me, hotpath__site_id(site));
	uint32_t *octave = &stat->octaves[1];

	(void)state;
	give_spread_batch(me, stat);
	hotpath__count_slowly(me, octave, FULL, UINT16_MAX - 1);
	hotpath__count_slowly(me, octave, ELSEWHERE, 2);
	assert_int_equal(hp_octave_counter(*octave), HP_COUNTER_16);
	stat->calls = stat->flushed = HP_FLUSH + UINT16_MAX + 1;
	give_spread_batch(me, stat);
	assert_int_equal(hp_octave_counter(*octave), HP_COUNTER_32);
	const uint32_t *counters = (const void *)(me->base + hp_octave_at(*octave));
	for (unsigned i = 0; i < HP_FLUSH; i++)
		assert_int_equal(counters[i], i == FULL ? UINT16_MAX + 1 : 2);
	hotpath__count_slowly(me, octave, FULL, UINT16_MAX);
	stat->calls = stat->flushed += UINT16_MAX + 1;
	give_spread_batch(me, stat);
	for (unsigned i = 0; i < HP_FLUSH; i++)
		assert_int_equal(counters[i], i == FULL ? 2 * (UINT16_MAX + 1) : 3);
}

static void sessions_begin_at_zero(void **state)
{
	struct hotpath_site *site = new_site();

	(void)state;
	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
		struct expected *expected = new_expected();

		assert_int_equal(hotpath_stop(), 0);
		start();
		for (unsigned call = 0; call < counts[i]; call++) {
			measured(site, call);
			expect_newest(expected, site);
		}
		if (counts[i])
			assert_reported(site, expected);
		/* Not counted: nothing is recorded. */
		assert_int_equal(hotpath_stop(), 0);
		measured(site, 1);
		assert_int_equal(hotpath_stop(), -EALREADY);
		assert_reported(site, expected);
		start();
		free(expected);
	}
}

/* What saves registers for a flush is no part of what the end of a call takes, and the next beginning is timed as well. */
static void sleds_are_timed_as_other_calls(void **state)
{
	struct thread *me = hotpath__me;
	struct hotpath_site *site = new_site();
	uintptr_t body = (uintptr_t)new_site, sp = hotpath__stack_pointer();

	(void)state;
	if (hotpath__monotonic)
		return;
	for (unsigned i = 0; i < 2; i++) {
		hotpath__sled_enter_slow(body, sp, 0);
		hotpath__sled_exit_slow(sp, hotpath__ticks());
	}
	measured(site, 1);
	struct hp_stat *stat = stat_of(site);
	me->flushes = TIMED_FLUSHES - 1;
	me->timed_sum = me->timed = 0;
	me->end_done = stat->ring[(stat->calls - 1) % HP_RING].end + 7;
	hotpath__enter_busy(me, sp);
	hotpath__flush_and_leave(me, stat);
	assert_int_equal(me->timed_sum, 7);
	assert_int_equal(me->end_done, 0);
	assert_true(me->times_next);
	hotpath__sled_enter_slow(body, sp, 0);
	assert_false(me->times_next);
	assert_true(me->timed_sum > 7);
	assert_int_equal(me->top->key, body | KEY_SLED);
	hotpath__sled_exit_slow(sp, hotpath__ticks());
	assert_ptr_equal(me->top, me->frames);
}

static int begin(void **state)
{
	(void)state;
	start();
	return 0;
}

static int end(void **state)
{
	(void)state;
	return hotpath_stop();
}

static int run_all(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_number_of_calls),
		cmocka_unit_test(after_every_call),
		cmocka_unit_test(calls_inside_calls),
		cmocka_unit_test(cost_too_high),
		cmocka_unit_test(recursion),
		cmocka_unit_test(durations_are_true),
		cmocka_unit_test(given_durations),
		cmocka_unit_test(every_short_duration),
		cmocka_unit_test(flushed_at_any_time),
		cmocka_unit_test(counters_that_grow),
		cmocka_unit_test(one_of_many_counters_grows),
		cmocka_unit_test(sessions_begin_at_zero),
		cmocka_unit_test(sleds_are_timed_as_other_calls),
	};

	return cmocka_run_group_tests_name(getenv("HOTPATH_CLOCK"), tests, begin, end);
}

static int run_with(char **argv, const char *clock, const char *folder)
{
	int status = -1;
	pid_t child = fork();

	if (child == 0) {
		setenv("HOTPATH_CLOCK", clock, 1);
		setenv("HOTPATH_DIR", folder, 1);
		unsetenv("HOTPATH_RUN");
		execv("/proc/self/exe", argv);
		_exit(127);
	}
	waitpid(child, &status, 0);
	return status != 0;
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *place)
{
	(void)info;
	(void)kind;
	(void)place;
	return remove(path);
}

int main(int argc, char **argv)
{
	char folder[] = "/tmp/test_flush-XXXXXX";

	(void)argc;
	if (getenv("HOTPATH_CLOCK"))
		return run_all();
	if (!mkdtemp(folder))
		return 1;
	int failed = run_with(argv, "counter", folder) | run_with(argv, "monotonic", folder);
	nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	return failed;
}
