/* SPDX-License-Identifier: MIT */
/* Every duration has one bucket, and the bucket's middle is close to it. */
#include "histogram.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static uint64_t high_of(unsigned bucket)
{
	return bucket + 1 < HP_BUCKETS ? hp_bucket_low(bucket + 1) - 1 : HP_VALUE_MAX;
}

/* 0.8 % is 1/125: a bucket is 1/64 wide, and its middle half of that away. */
static void assert_close(uint64_t middle, uint64_t value)
{
	uint64_t error = middle > value ? middle - value : value - middle;

	if (error > value / 125)
		fail_msg("%llu stands for %llu", (unsigned long long)middle,
			 (unsigned long long)value);
}

/* Each bucket begins where the one before ends: no value has none, and none has two. */
static void buckets_cover_everything(void **state)
{
	(void)state;
	assert_int_equal(hp_bucket_low(0), 0);
	for (unsigned bucket = 0; bucket < HP_BUCKETS; bucket++) {
		uint64_t low = hp_bucket_low(bucket), high = high_of(bucket);

		assert_true(low <= high);
		assert_int_equal(hp_bucket(low), bucket);
		assert_int_equal(hp_bucket(high), bucket);
		if (bucket)
			assert_int_equal(hp_bucket(low - 1), bucket - 1);
	}
}

static void middles_are_close(void **state)
{
	(void)state;
	for (unsigned bucket = 0; bucket < HP_BUCKETS; bucket++) {
		uint64_t low = hp_bucket_low(bucket), high = high_of(bucket);
		uint64_t middle = hp_bucket_middle(bucket);

		assert_true(low <= middle && middle <= high);
		assert_close(middle, low);
		assert_close(middle, high);
	}
}

static void short_durations_are_exact(void **state)
{
	(void)state;
	for (unsigned value = 0; value < 2 * HP_OCTAVE_BUCKETS; value++) {
		assert_int_equal(hp_bucket(value), value);
		assert_int_equal(hp_bucket_low(value), value);
		assert_int_equal(hp_bucket_middle(value), value);
	}
}

/* Around every power of two, where the width changes. */
static void powers_of_two(void **state)
{
	(void)state;
	for (unsigned exponent = 0; exponent < 48; exponent++) {
		uint64_t power = UINT64_C(1) << exponent;

		for (uint64_t value = power - (power > 3 ? 3 : power); value < power + 3; value++) {
			unsigned bucket = hp_bucket(value);
			assert_true(bucket < HP_BUCKETS);
			assert_true(hp_bucket_low(bucket) <= value && value <= high_of(bucket));
			assert_true(hp_bucket(value + 1) - bucket <= 1);
		}
		if (exponent > HP_SUB_BITS)
			assert_int_equal(hp_bucket(power) % HP_OCTAVE_BUCKETS, 0);
	}
}

static void any_duration(void **state)
{
	uint64_t seed = 1, last = 0;

	(void)state;
	for (unsigned i = 0; i < 1000000; i++) {
		seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		uint64_t value = (seed >> 16) >> (i % 48);
		unsigned bucket = hp_bucket(value);
		assert_close(hp_bucket_middle(bucket), value);
		/* Longer calls are never in lower buckets. */
		assert_true(value < last ? bucket <= hp_bucket(last) : bucket >= hp_bucket(last));
		last = value;
	}
}

static void the_longest(void **state)
{
	(void)state;
	assert_int_equal(HP_VALUE_MAX, (UINT64_C(1) << 48) - 1);
	assert_int_equal(hp_bucket(HP_VALUE_MAX), HP_BUCKETS - 1);
	assert_int_equal(hp_bucket(HP_VALUE_MAX + 1), HP_BUCKETS - 1);
	assert_int_equal(hp_bucket(UINT64_MAX), HP_BUCKETS - 1);
	assert_int_equal(hp_bucket(hp_bucket_low(HP_BUCKETS - 1) - 1), HP_BUCKETS - 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(buckets_cover_everything),
		cmocka_unit_test(middles_are_close),
		cmocka_unit_test(short_durations_are_exact),
		cmocka_unit_test(powers_of_two),
		cmocka_unit_test(any_duration),
		cmocka_unit_test(the_longest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
