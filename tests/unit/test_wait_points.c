/* SPDX-License-Identifier: MIT */
/* Each wait gets the samples that are its share, whatever the order of waits. */
#include "cpu/wait_points.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { PERIOD = 1000 };

static struct wait_points made(uint64_t seed)
{
	struct wait_points points = { .random = seed };

	hotpath__choose_point(&points, PERIOD);
	return points;
}

/* As the recorder does it: most waits are too short for more than an addition. */
static uint64_t wait_for(struct wait_points *points, uint64_t ticks)
{
	if (points->passed + ticks > points->quiet)
		return hotpath__count_points(points, PERIOD, ticks);
	points->passed += ticks;
	return 0;
}

/* The samples are the time, to one period, at every moment. */
static void is_the_time(void **state)
{
	static const uint64_t waits[] = { 1, 999, 1000, 1001, 0, 123456, 7, 350, 2000, 1 };

	(void)state;
	for (uint64_t seed = 0; seed < 100; seed++) {
		struct wait_points points = made(seed);
		uint64_t total = 0, samples = 0;
		for (unsigned i = 0; i < 1000; i++) {
			uint64_t ticks = waits[(seed + i) % (sizeof(waits) / sizeof(*waits))];
			total += ticks;
			samples += wait_for(&points, ticks);
			assert_true(samples * PERIOD < total + PERIOD);
			assert_true(samples * PERIOD + PERIOD > total);
		}
	}
}

/* Two waits in turn, which together are as long as a period: one point would always be in the same one. */
static void has_no_rhythm(void **state)
{
	struct wait_points points = made(42);
	uint64_t samples[2] = { 0, 0 };

	(void)state;
	for (unsigned i = 0; i < 100000; i++) {
		samples[0] += wait_for(&points, 700);
		samples[1] += wait_for(&points, 300);
	}
	assert_int_equal(samples[0] + samples[1], 100000);
	assert_in_range(samples[0], 69300, 70700);
}

static void short_waits_have_their_share(void **state)
{
	struct wait_points points = made(7);
	uint64_t samples[3] = { 0, 0, 0 };

	(void)state;
	for (unsigned i = 0; i < 300000; i++) {
		samples[0] += wait_for(&points, 3);
		samples[1] += wait_for(&points, 17);
		samples[2] += i % 1000 == 0 ? wait_for(&points, 20000) : 0;
	}
	assert_in_range(samples[0], 850, 950);
	assert_in_range(samples[1], 5040, 5160);
	assert_in_range(samples[2], 5990, 6010);
}

/* The clock may have few ticks in a second. */
static void periods_of_one_tick(void **state)
{
	struct wait_points points = { .random = 1 };

	(void)state;
	hotpath__choose_point(&points, 1);
	for (uint64_t ticks = 0; ticks < 10; ticks++)
		assert_int_equal(hotpath__count_points(&points, 1, ticks), ticks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_the_time),
		cmocka_unit_test(has_no_rhythm),
		cmocka_unit_test(short_waits_have_their_share),
		cmocka_unit_test(periods_of_one_tick),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
