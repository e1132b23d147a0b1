/* SPDX-License-Identifier: MIT */
/* Calls are counted once, also while the recorder moves them from the ring to the histogram. */
#include "read_model.h"

enum {
	IN_BUCKETS = 20 + 21 + 22,
	WAITING = 20,
};

static uint16_t *first_octave(const struct hp_stat *stat)
{
	return (uint16_t *)(void *)(made.bytes + hp_octave_at(stat->octaves[0]));
}

static int begin(void **state)
{
	(void)state;
	made_segment(&made);
	made.stats[1]->flushed = IN_BUCKETS;
	made.stats[1]->calls = IN_BUCKETS + WAITING;
	return 0;
}

static uint64_t counted(void)
{
	read_model();
	return hp_points_calls(&row("a \"block\"")->times);
}

static void waiting_calls(void **state)
{
	(void)state;
	assert_int_equal(counted(), IN_BUCKETS + WAITING);
}

static void while_it_flushes(void **state)
{
	(void)state;
	for (unsigned i = 0; i < WAITING; i++) {
		first_octave(made.stats[1])[5]++;
		assert_int_equal(counted(), IN_BUCKETS + WAITING);
	}
	made.stats[1]->flushed = made.stats[1]->calls;
	assert_int_equal(counted(), IN_BUCKETS + WAITING);
}

/* The histogram is read after the ring: it may have calls that had not ended then. */
static void later_calls(void **state)
{
	(void)state;
	first_octave(made.stats[1])[5] += 100;
	assert_int_equal(counted(), IN_BUCKETS + 100);
}

/* Where the recorder had no memory for buckets, there are fewer calls in them than were flushed. */
static void without_some_buckets(void **state)
{
	(void)state;
	first_octave(made.stats[1])[0] -= 10;
	assert_int_equal(counted(), IN_BUCKETS + WAITING - 10);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(waiting_calls),
		TEST(while_it_flushes),
		TEST(later_calls),
		TEST(without_some_buckets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
