/* SPDX-License-Identifier: MIT */
/* The threads of a process that is attached to: their samples and times, and what is left of those that have ended. */
#include "thread_lanes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static struct hp_segment_writer writer;
static struct hp_thread_lanes lanes;
static char folder[32];

static int begin(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/hotpath-test-XXXXXX");
	assert_non_null(mkdtemp(folder));
	assert_int_equal(setenv("HOTPATH_DIR", folder, 1), 0);
	lanes = (struct hp_thread_lanes){ .writer = &writer, .period_ns = 1000 };
	return hp_segment_writer_create(&writer, 1);
}

static int end(void **state)
{
	(void)state;
	hp_lanes_free(&lanes);
	unlink(writer.path);
	hp_segment_writer_close(&writer);
	return rmdir(folder);
}

static const struct hp_lane *lane_of(uint32_t tid)
{
	const struct hp_lane *lane;

	for (uint64_t at = hp_segment_writer_header(&writer)->lanes; at; at = lane->next) {
		lane = hp_segment_writer_at(&writer, at);
		if (lane->tid == tid)
			return lane;
	}
	fail_msg("thread %u has no lane", tid);
	return NULL;
}

static void sample(uint32_t tid, uint32_t event, uint64_t frame, uint32_t stack_end)
{
	const struct hp_sampled_stack stack = { .depth = 1, .end = stack_end, .frames = { frame } };

	hp_lanes_sample(&lanes, tid, event, &stack, 0);
}

static void see(uint32_t tid, uint64_t user_ns, uint64_t system_ns)
{
	const struct hp_task_stat task = {
		.tid = tid, .name = "worker", .user_ns = user_ns, .system_ns = system_ns
	};

	hp_lanes_see(&lanes, &task, 10);
}

static void equal_stacks_are_counted_together(void **state)
{
	(void)state;
	see(7, 0, 0);
	sample(7, 7, 100, HP_STACK_BROKEN);
	sample(7, 7, 100, HP_STACK_BROKEN);
	sample(7, 7, 200, HP_STACK_BROKEN);
	sample(7, 7, 200, HP_STACK_BROKEN | HP_STACK_SYSTEM);
	assert_int_equal(lane_of(7)->samples, 4);
	assert_int_equal(lane_of(7)->outside_system_samples, 1);
	assert_int_equal(lane_of(7)->stack_count, 3);
	assert_int_equal(lanes.samples, 4);
}

/* One that was started while its events were opened has inherited those of another thread, too. */
static void a_thread_is_sampled_by_one_event(void **state)
{
	(void)state;
	see(7, 0, 0);
	sample(7, 5, 100, HP_STACK_BROKEN);
	sample(7, 7, 100, HP_STACK_BROKEN);
	sample(7, 5, 100, HP_STACK_BROKEN);
	assert_int_equal(lane_of(7)->samples, 2);
}

static void times_are_since_the_beginning(void **state)
{
	(void)state;
	see(7, 5000, 700);
	see(7, 8000, 900);
	hp_lanes_begin(&lanes, 8, 7, 20);
	assert_string_equal(lane_of(8)->name, "worker");
	see(8, 300, 0);
	assert_int_equal(lane_of(7)->tenants.user_ns, 3000);
	assert_int_equal(lane_of(7)->tenants.system_ns, 200);
	assert_int_equal(lane_of(8)->tenants.user_ns, 300);
}

/* What it computed after /proc was read for the last time is known by its samples. The next thread gets the lane. */
static void ended_threads_are_rows(void **state)
{
	(void)state;
	see(7, 0, 0);
	see(7, 1500, 0);
	for (unsigned i = 0; i < 4; i++)
		sample(7, 7, 100, HP_STACK_BROKEN);
	hp_lanes_end(&lanes, 7, 50);
	const struct hp_header *header = hp_segment_writer_header(&writer);
	const struct hp_ended *row = hp_segment_writer_at(&writer, header->ended);
	assert_int_equal(row->tid, 7);
	assert_string_equal(row->name, "worker");
	assert_int_equal(row->user_ns, 4000);
	assert_int_equal(row->until, 50);
	hp_lanes_begin(&lanes, 9, 0, 60);
	assert_int_equal(header->lane_count, 1);
	assert_int_equal(lane_of(9)->generation, 2);
	assert_int_equal(lane_of(9)->tenants.ended_user_ns, 4000);
	assert_int_equal(lane_of(9)->tenants.user_ns, 0);
}

static void threads_that_are_gone_have_ended(void **state)
{
	(void)state;
	see(7, 0, 0);
	see(8, 0, 0);
	hp_lanes_end_unseen(&lanes, 20);
	see(8, 0, 0);
	hp_lanes_end_unseen(&lanes, 30);
	assert_int_equal(lane_of(8)->tid, 8);
	assert_int_equal(lane_of(0)->tenants.ended, 1);
}

static const struct hp_ended *row_of(uint32_t tid)
{
	const struct hp_header *header = hp_segment_writer_header(&writer);
	const struct hp_ended *rows = hp_segment_writer_at(&writer, header->ended);

	for (unsigned i = 0; i < HP_ENDED_MAX; i++)
		if (rows[i].tid == tid)
			return &rows[i];
	return NULL;
}

/* More threads than there are rows: those that computed most have one, and the first, which did not; all are in the sums. */
static void many_threads_are_sums(void **state)
{
	enum { FIRST = 1, THREADS = HP_ENDED_MAX + 20 };

	(void)state;
	see(FIRST, 0, 0);
	hp_lanes_end(&lanes, FIRST, 30);
	for (uint32_t i = 0; i < THREADS; i++) {
		hp_lanes_begin(&lanes, 100 + i, 0, 10);
		see(100 + i, 1000 + i, 10);
		hp_lanes_end(&lanes, 100 + i, 40);
	}
	assert_non_null(row_of(FIRST));
	assert_non_null(row_of(100 + THREADS - 1));
	assert_null(row_of(100));
	const struct hp_header *header = hp_segment_writer_header(&writer);
	assert_int_not_equal(header->ended_names, 0);
	const struct hp_ended *sums = hp_segment_writer_at(&writer, header->ended_names);
	assert_string_equal(sums[0].name, "worker");
	assert_int_equal(sums[0].threads, THREADS + 1);
	assert_int_equal(sums[0].user_ns, THREADS * 1000 + THREADS * (THREADS - 1) / 2);
	assert_int_equal(sums[0].system_ns, THREADS * 10);
	assert_int_equal(sums[0].lived, 20 + THREADS * 30);
	assert_int_equal(sums[1].tid, 0);
}

/* The last that is known of threads whose program is replaced are their samples. */
static void threads_that_are_left(void **state)
{
	(void)state;
	see(7, 0, 0);
	see(7, 1500, 100);
	sample(7, 7, 100, HP_STACK_BROKEN);
	hp_lanes_leave(&lanes);
	assert_int_equal(lane_of(7)->tenants.user_ns, 1500);
	sample(7, 7, 100, HP_STACK_BROKEN);
	sample(7, 7, 100, HP_STACK_BROKEN | HP_STACK_SYSTEM);
	hp_lanes_leave(&lanes);
	assert_int_equal(lane_of(7)->tenants.user_ns, 2000);
	assert_int_equal(lane_of(7)->tenants.system_ns, 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(equal_stacks_are_counted_together, begin, end),
		cmocka_unit_test_setup_teardown(a_thread_is_sampled_by_one_event, begin, end),
		cmocka_unit_test_setup_teardown(times_are_since_the_beginning, begin, end),
		cmocka_unit_test_setup_teardown(ended_threads_are_rows, begin, end),
		cmocka_unit_test_setup_teardown(threads_that_are_gone_have_ended, begin, end),
		cmocka_unit_test_setup_teardown(many_threads_are_sums, begin, end),
		cmocka_unit_test_setup_teardown(threads_that_are_left, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
