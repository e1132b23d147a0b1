/* SPDX-License-Identifier: MIT */
/* What functions spend their time with is decided as the manual says. */
#include "verdict.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define MS UINT64_C(1000000)

/* Looks come every millisecond. */
static void assert_verdict(uint64_t wall_ms, uint64_t cpu_ms, uint64_t alloc_ms,
			   const char *expected)
{
	struct hp_split split = hp_split(wall_ms * MS, cpu_ms * MS, alloc_ms * MS, MS);

	assert_string_equal(hp_verdict_name(split.verdict), expected);
	assert_int_equal(split.cpu_ns + split.wait_ns, split.wall_ns);
	assert_true(split.alloc_ns <= split.cpu_ns);
}

static void one_is_most(void **state)
{
	(void)state;
	assert_verdict(1000, 990, 0, "cpu");
	assert_verdict(1000, 600, 0, "cpu");
	assert_verdict(1000, 10, 0, "wait");
	assert_verdict(1000, 400, 0, "wait");
	assert_verdict(1000, 900, 800, "alloc");
	assert_verdict(1000, 800, 400, "alloc");
}

static void none_is_most(void **state)
{
	(void)state;
	assert_verdict(1000, 500, 0, "mixed");
	assert_verdict(1000, 599, 0, "mixed");
	assert_verdict(1000, 401, 0, "mixed");
	/* Less than half of what it computes, and more than can be left out. */
	assert_verdict(1000, 900, 380, "mixed");
	/* Half of what it computes, and little of its time. */
	assert_verdict(1000, 500, 300, "mixed");
}

/* To wait for most of the time is worth more than what the rest is. */
static void waiting_comes_first(void **state)
{
	(void)state;
	assert_verdict(1000, 390, 390, "wait");
	assert_verdict(1000, 0, 400, "wait");
}

static void parts_are_not_more_than_the_whole(void **state)
{
	(void)state;
	struct hp_split split = hp_split(100 * MS, 130 * MS, 0, MS);
	assert_int_equal(split.cpu_ns, 100 * MS);
	assert_int_equal(split.wait_ns, 0);
	/* What allocating took is known better than what was sampled. */
	split = hp_split(100 * MS, 20 * MS, 70 * MS, MS);
	assert_int_equal(split.cpu_ns, 70 * MS);
	assert_string_equal(hp_verdict_name(split.verdict), "alloc");
	split = hp_split(100 * MS, 0, 700 * MS, MS);
	assert_int_equal(split.alloc_ns, 100 * MS);
	split = hp_split(0, 0, 0, MS);
	assert_int_equal(split.wait_ns, 0);
}

/* In so short a time nobody looked, or by chance. */
static void too_short_to_sample(void **state)
{
	(void)state;
	assert_string_equal(hp_verdict_name(hp_split(MS / 10, 0, MS / 20, MS).verdict), "alloc");
	assert_string_equal(hp_verdict_name(hp_split(MS / 10, 0, MS / 50, MS).verdict), "mixed");
	assert_string_equal(hp_verdict_name(hp_split(MS / 10, MS, 0, MS).verdict), "cpu");
	assert_verdict(5, 0, 0, "wait");
	assert_verdict(2, 0, 0, "mixed");
	assert_verdict(9, 7, 0, "cpu");
	/* By samples it would be half of what it computes. */
	assert_verdict(9, 9, 4, "alloc");
}

static void assert_confidence(uint64_t wall_ms, uint64_t look_ns, const char *expected)
{
	struct hp_split split = hp_split(wall_ms * MS, 0, 0, look_ns);

	assert_string_equal(hp_confidence_name(split.confidence), expected);
}

static void confidence(void **state)
{
	(void)state;
	assert_confidence(400, MS, "high");
	assert_confidence(399, MS, "medium");
	assert_confidence(25, MS, "medium");
	assert_confidence(24, MS, "low");
	assert_confidence(0, MS, "low");
	/* Slower looks tell less; and none tell nothing. */
	assert_confidence(400, 4 * MS, "medium");
	assert_confidence(400, 0, "low");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_is_most),
		cmocka_unit_test(none_is_most),
		cmocka_unit_test(waiting_comes_first),
		cmocka_unit_test(parts_are_not_more_than_the_whole),
		cmocka_unit_test(too_short_to_sample),
		cmocka_unit_test(confidence),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
