/* SPDX-License-Identifier: MIT */
/* How often functions were called lately. */
#include "trends.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define MS UINT64_C(1000000)
#define BEGIN (UINT64_C(123456789) * MS)

static struct hp_trends trends;

static int begin(void **state)
{
	(void)state;
	return hp_trends_reserve(&trends, 3) ? 0 : -1;
}

static int end(void **state)
{
	(void)state;
	hp_trends_clear(&trends);
	return 0;
}

static const struct hp_trend *see(uint64_t calls, uint64_t ms)
{
	hp_trends_see(&trends, 3, calls, BEGIN + ms * MS);
	return hp_trends_of(&trends, 3);
}

static void assert_close(double one, double other)
{
	assert_true(fabs(one - other) < 1e-6 * (1 + fabs(other)));
}

/* The nth of the last seconds, 0 is the newest. */
static double second(const struct hp_trend *trend, unsigned nth)
{
	return trend->seconds[HP_TREND_SECONDS - 1 - nth];
}

static void first_look_knows_nothing(void **state)
{
	(void)state;
	const struct hp_trend *trend = see(1000, 0);
	assert_close(trend->rate, 0);
	assert_int_equal(trend->seen, 0);
}

static void rate_is_of_the_last_two_looks(void **state)
{
	(void)state;
	see(1000, 0);
	assert_close(see(1100, 500)->rate, 200);
	assert_close(see(1100, 750)->rate, 0);
	assert_close(see(1101, 751)->rate, 1000);
}

/* A function that is called every second is not called between most reads. */
static void rate_is_of_the_last_second_or_two(void **state)
{
	(void)state;
	see(0, 0);
	assert_close(see(9, 1000)->rate, 9);
	assert_close(see(9, 1250)->rate, 7.2);
	assert_close(see(9, 1500)->rate, 6);
	assert_close(see(18, 2000)->rate, 9);
}

/* Five seconds and the present one, or as many as there are. */
static void recent_is_of_the_last_five_seconds(void **state)
{
	(void)state;
	see(0, 0);
	assert_close(see(50, 500)->recent, 100);
	assert_close(see(50, 1000)->recent, 50);
	assert_close(see(50, 2500)->recent, 20);
	assert_close(see(50, 5000)->recent, 10);
	assert_close(see(50, 6000)->recent, 0);
	assert_close(see(155, 6250)->recent, 20);
}

static void seconds_are_cut_between_looks(void **state)
{
	(void)state;
	see(0, 0);
	assert_int_equal(see(100, 800)->seen, 0);
	/* Of the 40 calls, half were in the first second. */
	const struct hp_trend *trend = see(140, 1200);
	assert_int_equal(trend->seen, 1);
	assert_close(second(trend, 0), 120);
	trend = see(140, 2000);
	assert_int_equal(trend->seen, 2);
	assert_close(second(trend, 0), 20);
	assert_close(second(trend, 1), 120);
}

static void a_long_time_is_shared_evenly(void **state)
{
	(void)state;
	see(0, 0);
	const struct hp_trend *trend = see(1000, 10000);
	assert_int_equal(trend->seen, 10);
	for (unsigned i = 0; i < 10; i++)
		assert_close(second(trend, i), 100);
	/* Two weeks later. */
	trend = see(1000 + UINT64_C(1209600) * 7, 10000 + UINT64_C(1209600) * 1000);
	assert_int_equal(trend->seen, HP_TREND_SECONDS);
	for (unsigned i = 0; i < HP_TREND_SECONDS; i++)
		assert_close(second(trend, i), 7);
	assert_close(trend->rate, 7);
}

/* Whatever the reads, no call is lost. */
static void every_call_is_in_some_second(void **state)
{
	uint64_t calls = 0, ms = 0;
	double sum = 0;

	(void)state;
	see(0, 0);
	for (unsigned i = 1; ms < 50000; i++) {
		calls += i % 13;
		ms += i * 7 % 911;
		see(calls, ms);
	}
	uint64_t whole = (ms + 999) / 1000 * 1000;
	const struct hp_trend *trend = see(calls, whole);
	for (unsigned i = 0; i < HP_TREND_SECONDS; i++)
		sum += trend->seconds[i];
	assert_close(sum, (double)calls);
	assert_int_equal(trend->seen, whole / 1000);
}

static void fewer_calls_are_a_new_beginning(void **state)
{
	(void)state;
	see(1000, 0);
	see(2000, 3000);
	const struct hp_trend *trend = see(10, 3500);
	assert_int_equal(trend->seen, 0);
	assert_close(trend->rate, 0);
	assert_close(see(20, 4500)->rate, 10);
}

static void time_that_stands_still_changes_nothing(void **state)
{
	(void)state;
	see(1000, 0);
	assert_close(see(1100, 1000)->rate, 100);
	assert_close(see(1200, 1000)->rate, 100);
	assert_close(see(1300, 2000)->rate, 200);
}

static void room_is_made_for_more(void **state)
{
	(void)state;
	see(1000, 0);
	see(1100, 1000);
	assert_true(hp_trends_reserve(&trends, 10000));
	assert_close(hp_trends_of(&trends, 3)->rate, 100);
	assert_int_equal(hp_trends_of(&trends, 10000)->seen, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(first_look_knows_nothing),
		TEST(rate_is_of_the_last_two_looks),
		TEST(rate_is_of_the_last_second_or_two),
		TEST(recent_is_of_the_last_five_seconds),
		TEST(seconds_are_cut_between_looks),
		TEST(a_long_time_is_shared_evenly),
		TEST(every_call_is_in_some_second),
		TEST(fewer_calls_are_a_new_beginning),
		TEST(time_that_stands_still_changes_nothing),
		TEST(room_is_made_for_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
