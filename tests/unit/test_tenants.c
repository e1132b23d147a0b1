/* SPDX-License-Identifier: MIT */
/* What lanes know of their threads becomes the threads of a model, those that have ended too. */
#include "read_model.h"

#include <stdlib.h>

static int begin(void **state)
{
	(void)state;
	made_segment(&made);
	made_allocations(&made);
	return 0;
}

static const struct hp_thread *thread(uint32_t tid)
{
	for (size_t i = 0; i < model->threads.count; i++)
		if (model->threads.items[i].tid == tid)
			return &model->threads.items[i];
	fail_msg("no thread %u", tid);
	return NULL;
}

/* Whatever is recorded, threads and those without a row have all of it. */
static void assert_threads_are_all(void)
{
	uint64_t allocated = model->threads.rest.allocated_bytes;
	uint64_t freed = model->threads.rest.freed_bytes;

	for (size_t i = 0; i < model->threads.count; i++) {
		allocated += model->threads.items[i].allocated_bytes;
		freed += model->threads.items[i].freed_bytes;
	}
	assert_int_equal(allocated, model->memory.allocated_bytes);
	assert_int_equal(freed, model->memory.freed_bytes);
}

static void one_in_each_lane(void **state)
{
	(void)state;
	made_header(&made)->rss_bytes = 4096;
	made_header(&made)->peak_rss_bytes = 8192;
	read_model();
	assert_int_equal(model->memory.rss_bytes, 4096);
	assert_int_equal(model->memory.peak_rss_bytes, 8192);
	assert_int_equal(model->threads.count, 2);
	assert_int_equal(model->threads.rest.threads, 0);
	assert_string_equal(thread(100)->name, "thread");
	assert_int_equal(thread(100)->pid, 1);
	assert_int_equal(thread(100)->threads, 1);
	assert_int_equal(thread(100)->state, HP_THREAD_ENDED);
	assert_int_equal(thread(100)->allocated_bytes, 5000);
	assert_int_equal(thread(100)->freed_bytes, 2500);
	assert_false(thread(100)->has_times);
	assert_true(thread(100)->cpu_avg < 0 && thread(100)->cpu_now < 0);
	assert_int_equal(thread(101)->allocated_bytes, 2800);
	assert_false(thread(101)->is_named);
	made.lanes[1]->tenants.is_named = 1;
	read_model();
	assert_true(thread(101)->is_named);
	assert_threads_are_all();
}

static void without_allocations(void **state)
{
	(void)state;
	made_header(&made)->alloc_mode = HP_ALLOC_NONE;
	read_model();
	assert_int_equal(model->threads.count, 2);
	assert_int_equal(thread(100)->allocated_bytes, 0);
	assert_int_equal(model->memory.allocated_bytes, 0);
}

static void as_the_allocator_rounds(void **state)
{
	(void)state;
	made_ended(&made);
	made_header(&made)->alloc_mode = HP_ALLOC_FREED;
	read_model();
	assert_int_equal(thread(100)->allocated_bytes, 112 * 40);
	assert_int_equal(thread(50)->allocated_bytes, 112);
	assert_int_equal(model->threads.rest.allocated_bytes, 112 * 8);
	assert_threads_are_all();
	made_header(&made)->alloc_mode = HP_ALLOC_COUNT;
	read_model();
	assert_int_equal(model->memory.freed_bytes, 0);
	assert_threads_are_all();
}

/* Noted when the process ended: 21 microseconds after the thread was first recorded, and one of CPU time. */
static void times_at_the_end(void **state)
{
	(void)state;
	made_header(&made)->end_ticks = 1000 + 21000;
	made.lanes[0]->tenants.before_ns = 1000;
	made.lanes[0]->tenants.user_ns = 10000;
	made.lanes[0]->tenants.system_ns = 1000;
	read_model();
	assert_true(thread(100)->has_times);
	assert_int_equal(thread(100)->user_ns, 10000);
	assert_int_equal(thread(100)->system_ns, 1000);
	assert_int_equal((int)(thread(100)->cpu_avg + 0.5), 50);
	assert_true(thread(100)->cpu_max < 0);
	assert_false(thread(101)->has_times);
}

static void those_that_ended(void **state)
{
	(void)state;
	made_ended(&made);
	read_model();
	assert_int_equal(model->threads.count, 4);
	assert_int_equal(hp_threads_total(&model->threads), 12);
	assert_string_equal(thread(51)->name, "gone");
	assert_int_equal(thread(51)->state, HP_THREAD_ENDED);
	assert_int_equal(thread(51)->user_ns, 5000);
	assert_int_equal(thread(51)->system_ns, 1000);
	assert_int_equal(thread(51)->allocated_bytes, 100);
	assert_int_equal((int)(thread(51)->cpu_avg + 0.5), 25);
	assert_int_equal(model->threads.rest.threads, 8);
	assert_int_equal(model->threads.rest.user_ns, 40000);
	assert_int_equal(model->threads.rest.system_ns, 8000);
	assert_int_equal(model->threads.rest.allocated_bytes, 800);
	assert_int_equal(model->threads.rest.freed_bytes, 400);
	assert_int_equal(thread(100)->allocated_bytes, 4000);
	assert_int_equal(thread(100)->freed_bytes, 2000);
	assert_threads_are_all();
}

/* What is in a lane that nobody is in is of those that have ended, whether they were added up or not. */
static void nobody_in_a_lane(void **state)
{
	(void)state;
	made_ended(&made);
	made.lanes[0]->tid = 0;
	read_model();
	assert_int_equal(model->threads.count, 3);
	assert_int_equal(model->threads.rest.threads, 8);
	assert_int_equal(model->threads.rest.allocated_bytes, 5000 - 200);
	assert_threads_are_all();
}

/* A number is used again by the kernel: the row of old is another thread's. */
static void same_number_again(void **state)
{
	(void)state;
	struct hp_ended *rows = made_ended(&made);
	rows[0].tid = 100;
	read_model();
	assert_int_equal(model->threads.count, 4);
	/* The same thread, which was ending when the picture was taken. */
	rows[0].since = made.lanes[0]->since;
	read_model();
	assert_int_equal(model->threads.count, 3);
	assert_int_equal(thread(100)->allocated_bytes, 4000);
	assert_int_equal(model->threads.rest.threads, 9);
}

/* Rows that are newer than the sums, as in a picture that was taken meanwhile. */
static void never_below_zero(void **state)
{
	(void)state;
	struct hp_ended *rows = made_ended(&made);
	made.lanes[0]->tenants.ended = 1;
	rows[0].user_ns = rows[0].bytes = UINT64_MAX;
	read_model();
	assert_int_equal(model->threads.rest.threads, 0);
	assert_int_equal(model->threads.rest.user_ns, 0);
	assert_int_equal(model->threads.rest.allocated_bytes, 0);
	assert_int_equal(model->threads.rest.system_ns, 8000);
}

/* Signal handlers that interrupt the recorder write to a lane of their own. */
static void thread_with_two_lanes(void **state)
{
	(void)state;
	for (unsigned i = 0; i < MADE_LANES; i++) {
		made.lanes[i]->tid = 7;
		made.lanes[i]->tenants.user_ns = 3000;
		made.lanes[i]->since = 1000 + i;
	}
	read_model();
	assert_int_equal(model->threads.count, 1);
	assert_int_equal(thread(7)->since, 1000);
	assert_int_equal(thread(7)->threads, 1);
	assert_int_equal(thread(7)->user_ns, 3000);
	assert_int_equal(thread(7)->allocated_bytes, 7800);
	assert_int_equal(thread(7)->freed_bytes, 3900);
	assert_threads_are_all();
}

static void other_sessions(void **state)
{
	(void)state;
	made_ended(&made);
	made.lanes[0]->session = 7;
	made_header(&made)->ended = 0;
	read_model();
	assert_int_equal(model->threads.count, 1);
	assert_int_equal(model->threads.rest.threads, 0);
	assert_threads_are_all();
}

static void smaller_lanes_are_damage(void **state)
{
	struct hp_error error = { "" };

	(void)state;
	made_header(&made)->lane_size = sizeof(struct hp_lane) - 8;
	assert_null(hp_model_read(made.bytes, made.size, NULL, true, &error));
	assert_string_equal(error.text, "its header is damaged");
}

/* A table that is not inside the file is none. */
static void table_elsewhere(void **state)
{
	(void)state;
	made_ended(&made);
	made_header(&made)->ended = made.size - 64;
	read_model();
	assert_int_equal(model->threads.count, 2);
	assert_int_equal(model->threads.rest.threads, 10);
}

/* Threads that have no row of their own are one, with their name. */
static void those_of_a_name(void **state)
{
	(void)state;
	made_ended(&made);
	struct hp_ended *names = made_ended_names(&made);
	read_model();
	assert_int_equal(model->threads.count, 5);
	assert_int_equal(hp_threads_total(&model->threads), 12);
	assert_string_equal(thread(0)->name, "gone");
	assert_int_equal(thread(0)->state, HP_THREAD_ENDED);
	assert_int_equal(thread(0)->threads, 7);
	assert_int_equal(thread(0)->user_ns, 35000);
	assert_int_equal(thread(0)->system_ns, 7000);
	assert_int_equal(thread(0)->before_ns, 7000);
	/* The two that have rows lived for 20 microseconds each. */
	assert_int_equal(thread(0)->recorded_ns, 9 * 30000 - 2 * 20000);
	assert_true(thread(0)->has_times);
	assert_int_equal(thread(0)->allocated_bytes, 700);
	assert_int_equal(model->threads.rest.threads, 1);
	assert_int_equal(model->threads.rest.user_ns, 5000);
	assert_int_equal(model->threads.rest.allocated_bytes, 100);
	assert_threads_are_all();
	/* All of that name have a row. */
	names->threads = 2;
	read_model();
	assert_int_equal(model->threads.count, 4);
	assert_int_equal(model->threads.rest.threads, 8);
	/* A table that is not inside the file is none. */
	made_header(&made)->ended_names = made.size - 64;
	read_model();
	assert_int_equal(model->threads.count, 4);
	assert_int_equal(model->threads.rest.threads, 8);
}

/* Of a program that was killed, the last sample is the last that is known. */
static void killed(void **state)
{
	(void)state;
	made.lanes[0]->since = made_header(&made)->start.ticks;
	read_model();
	assert_true(thread(100)->recorded_ns < 5000000);
	/* A tick is less than a nanosecond. */
	made.lanes[1]->last_look = made_header(&made)->start.ticks + 5250000;
	read_model();
	assert_true(model->elapsed_ns >= 5000000);
	assert_int_equal(thread(100)->recorded_ns, 5000000);
}

/* The first thread is as old as the process, however long it slept before it recorded anything. */
static void first_thread_that_slept(void **state)
{
	uint64_t start = made_header(&made)->start.ticks;

	(void)state;
	made_header(&made)->pid = 100;
	made.lanes[0]->since = start + 6300000;
	made.lanes[0]->tenants.user_ns = 4000000;
	made.lanes[0]->tenants.system_ns = 0;
	made.lanes[0]->tenants.before_ns = 30000;
	made.lanes[1]->last_look = start + 10500000;
	read_model();
	assert_int_equal(thread(100)->recorded_ns, 10000000);
	assert_int_equal(thread(100)->before_ns, 0);
	assert_float_equal(thread(100)->cpu_avg, 40, 0.01);
	/* It cannot have computed for longer than there was time. */
	made.lanes[0]->since = start + 1050000;
	made.lanes[0]->tenants.before_ns = 3000000;
	read_model();
	assert_int_equal(thread(100)->recorded_ns, 10000000);
	assert_int_equal(thread(100)->before_ns, 2000000);
	/* Another thread is recorded from its begin on; or from that of the session, if it is older. */
	made_header(&made)->pid = 99;
	read_model();
	assert_int_equal(thread(100)->recorded_ns, 9000000);
	assert_int_equal(thread(100)->before_ns, 3000000);
	made.lanes[0]->since = start - 1;
	read_model();
	assert_int_equal(thread(100)->recorded_ns, 10000000);
	assert_int_equal(thread(100)->before_ns, 3000000);
}

static void merging(void **state)
{
	struct hp_model *merged = calloc(1, sizeof(*merged));

	(void)state;
	made_ended(&made);
	read_model();
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(hp_model_merge(merged, model), 0);
	hp_model_free(model);
	model = merged;
	assert_int_equal(model->threads.count, 8);
	assert_int_equal(model->threads.rest.threads, 16);
	assert_int_equal(model->threads.rest.user_ns, 80000);
	assert_true(model->threads.rest.has_times);
	assert_threads_are_all();
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(one_in_each_lane),		TEST(without_allocations),
		TEST(as_the_allocator_rounds),	TEST(times_at_the_end),
		TEST(those_that_ended),		TEST(nobody_in_a_lane),
		TEST(same_number_again),	TEST(never_below_zero),
		TEST(thread_with_two_lanes),	TEST(other_sessions),
		TEST(smaller_lanes_are_damage), TEST(table_elsewhere),
		TEST(those_of_a_name),		TEST(killed),
		TEST(first_thread_that_slept),	TEST(merging),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
