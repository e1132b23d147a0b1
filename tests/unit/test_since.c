/* SPDX-License-Identifier: MIT */
/* What happened between two models that were made by hand: nothing since now, and everything since the start. */
#include "histogram.h"
#include "made_cpu.h"
#include "made_entry.h"
#include "made_window.h"

static void refuses(const struct hp_model *now, const struct hp_model *then, const char *reason)
{
	assert_null(hp_model_since(now, then, &window_error));
	if (!strstr(window_error.text, reason))
		fail_msg("%s", window_error.text);
}

/* ---- models made by hand ---- */

static void nothing_since_now(void **state)
{
	static struct made_cpu now_made;
	const struct hp_model *now = made_cpu(&now_made);

	(void)state;
	since(now, now);
	assert_int_equal(window->elapsed_ns, 0);
	assert_int_equal(window->branch_count, 0);
	assert_int_equal(window->cpu.stack_count, 0);
	assert_int_equal(window->cpu.total_samples, 0);
	assert_int_equal(window->cpu.threads[0].samples, 0);
	assert_int_equal(window->memory.bytes, 0);
	assert_int_equal(window->memory.freed_count, 0);
	/* Live blocks are those of now, and so are their stacks. */
	assert_int_equal(window->memory.live_bytes, MADE_LIVE);
	assert_int_equal(window->allocations.stack_count, 2);
	assert_int_equal(window->allocations.stacks[0].memory.bytes, 0);
	assert_int_equal(window->allocations.stacks[0].memory.live_bytes, 200000);
}

static void everything_since_the_start(void **state)
{
	static struct made_cpu now_made;
	const struct hp_model *now = made_cpu(&now_made);
	struct hp_model start = start_of(now);

	(void)state;
	now_made.model.processes = 1;
	since(now, &start);
	assert_same_report(window, now);
}

static void stacks_of_the_window(void **state)
{
	static struct made_cpu now_made, then_made;
	struct hp_model *now = made_cpu(&now_made), *then = made_cpu(&then_made);

	(void)state;
	now_made.stacks[2].samples += 30;
	now_made.stacks[5].samples += 7;
	now_made.threads[0].samples += 30;
	now_made.threads[1].samples += 7;
	now->cpu.total_samples += 37;
	now_made.alloc_stacks[0].memory.bytes += 64;
	now_made.alloc_stacks[0].memory.blocks += 2;
	since(now, then);
	assert_int_equal(window->cpu.stack_count, 2);
	assert_int_equal(window->cpu.stacks[0].samples, 30);
	assert_int_equal(window->cpu.stacks[1].samples, 7);
	assert_int_equal(window->cpu.threads[0].samples, 30);
	assert_int_equal(window->cpu.threads[1].samples, 7);
	assert_int_equal(window->cpu.total_samples, 37);
	assert_int_equal(window->allocations.stacks[0].memory.bytes, 64);
	assert_int_equal(window->allocations.stacks[0].memory.blocks, 2);
}

/* A thread that ends has no number any more; what it did before is not done again. */
static void threads_end(void **state)
{
	static struct made_cpu now_made, then_made;
	struct hp_model *now = made_cpu(&now_made), *then = made_cpu(&then_made);
	struct hp_thread alive = hp_thread_new(4711, 4712), ended = hp_thread_new(4711, 0);

	(void)state;
	then_made.threads[1].tid = 4712;
	now_made.stacks[5].samples += 5;
	alive.name = ended.name = (char *)(uintptr_t) "worker;1";
	hp_thread_set_times(&alive, 100, 10, 1);
	hp_thread_set_times(&ended, 150, 30, 1);
	then->threads = (struct hp_threads){ .items = &alive, .count = 1 };
	now->threads = (struct hp_threads){ .items = &ended, .count = 1 };
	since(now, then);
	assert_int_equal(window->cpu.stack_count, 1);
	assert_int_equal(window->cpu.stacks[0].samples, 5);
	assert_int_equal(window->threads.items[0].user_ns, 50);
	assert_int_equal(window->threads.items[0].system_ns, 20);
	/* One that no row is left of is in the rest. */
	now->threads = (struct hp_threads){ .rest = ended };
	now->threads.rest.name = NULL;
	since(now, then);
	assert_int_equal(window->threads.rest.user_ns, 50);
}

static void branches_of_the_window(void **state)
{
	static struct made_cpu now_made, then_made;
	const struct hp_model *now = made_cpu(&now_made), *then = made_cpu(&then_made);

	(void)state;
	now_made.branches[1].calls += 3;
	now_made.branches[1].total_ns += 300;
	now_made.branches[1].self_ns += 300;
	now_made.branches[0].total_ns += 300;
	since(now, then);
	/* The branch that was called, and the one above it. */
	assert_int_equal(window->branch_count, 2);
	assert_int_equal(window->branches[0].total_ns, 300);
	assert_int_equal(window->branches[0].calls, 0);
	assert_int_equal(window->branches[1].calls, 3);
	assert_int_equal(window->branches[1].parent, 0);
	assert_int_equal(window->branches[1].self_ns, 300);
}

/* ---- histograms ---- */

static struct hp_function called(uint64_t calls, uint64_t least, uint64_t most,
				 struct hp_point *points, size_t count)
{
	return (struct hp_function){ .name = (char *)(uintptr_t) "work",
				     .kind = HP_SITE_FUNCTION,
				     .calls = calls,
				     .min_ns = least,
				     .max_ns = most,
				     .times = { points, count } };
}

static const struct hp_function *between(struct hp_function *now, struct hp_function *then)
{
	struct hp_model after = { .pid = 1, .processes = 1, .functions = now, .function_count = 1 };
	struct hp_model before = { .pid = 1, .functions = then, .function_count = 1 };

	since(&after, &before);
	return &window->functions[0];
}

static void percentiles_of_the_window(void **state)
{
	struct hp_point now[] = { { 10, 900 }, { 1000, 60 }, { 200000, 40 } };
	/* The bucket of 200000, by a clock that was calibrated slightly differently. */
	struct hp_point then[] = { { 10, 900 }, { 1000, 10 }, { 199990, 30 } };
	struct hp_function after = called(1000, 9, 200500, now, 3);
	struct hp_function before = called(940, 9, 200500, then, 3);

	(void)state;
	const struct hp_function *row = between(&after, &before);
	assert_int_equal(row->calls, 60);
	assert_int_equal(hp_points_calls(&row->times), 60);
	assert_int_equal(hp_function_percentile(row, 50), 1000);
	assert_int_equal(hp_function_percentile(row, 95), 200000);
	/* Neither is new: they are those of the buckets. */
	assert_int_equal(row->min_ns, 1000);
	assert_int_equal(row->max_ns, 200000);
}

/* At the end of a program, its clock is calibrated once more: buckets may move by 2/10000, and then are still the nearest. */
static void times_of_another_calibration(void **state)
{
	struct hp_point now[] = { { 4, 10 }, { 5, 8 }, { 6401, 3 }, { 6450, 1 }, { 1000200, 5 } };
	struct hp_point then[] = { { 4, 9 }, { 5, 8 }, { 6400, 3 }, { 1000000, 4 } };
	struct hp_function after = called(27, 4, 1000200, now, 5);
	struct hp_function before = called(24, 4, 1000000, then, 4);

	(void)state;
	const struct hp_function *row = between(&after, &before);
	assert_int_equal(row->times.count, 3);
	assert_int_equal(row->times.items[0].value, 4);
	assert_int_equal(row->times.items[1].value, 6450);
	assert_int_equal(row->times.items[2].value, 1000200);
	assert_int_equal(hp_points_calls(&row->times), 3);
}

/* While all calls are in one bucket, its value is their mean; with a second bucket, it is the middle. */
static void sizes_of_the_window(void **state)
{
	struct hp_point then[] = { { 1000, 1000000 } };
	struct hp_point now[] = { { hp_bucket_middle(hp_bucket(1000)), 1000010 },
				  { hp_bucket_middle(hp_bucket(5000)), 1 } };
	struct hp_function after = called(1000011, 1, 1, NULL, 0);
	struct hp_function before = called(1000000, 1, 1, NULL, 0);

	(void)state;
	after.alloc.calls[HP_ALLOC_BYTES] = (struct hp_points){ now, 2 };
	before.alloc.calls[HP_ALLOC_BYTES] = (struct hp_points){ then, 1 };
	const struct hp_points *left = &between(&after, &before)->alloc.calls[HP_ALLOC_BYTES];
	assert_int_equal(left->count, 2);
	assert_int_equal(left->items[0].count, 10);
	assert_int_equal(left->items[1].count, 1);
}

static void new_extremes_are_exact(void **state)
{
	struct hp_point now[] = { { 10, 2 }, { 1000, 2 } }, then[] = { { 1000, 2 } };
	struct hp_function after = called(4, 9, 1005, now, 2);
	struct hp_function before = called(2, 995, 1003, then, 1);

	(void)state;
	const struct hp_function *row = between(&after, &before);
	assert_int_equal(row->min_ns, 9);
	assert_int_equal(row->max_ns, 1005);
	row = between(&after, &after);
	assert_int_equal(row->min_ns, 0);
	assert_int_equal(row->max_ns, 0);
}

/* A function that is compiled several times has a site for each, and one row. */
static void sites_of_one_function_are_one_row(void **state)
{
	struct hp_point first[] = { { 10, 7 }, { 1000, 3 } }, first_then[] = { { 10, 4 } };
	struct hp_point second[] = { { 10, 2 }, { 5000, 1 } }, second_then[] = { { 10, 1 } };
	struct hp_function now[] = { called(10, 9, 1005, first, 2), called(3, 9, 5005, second, 2) };
	struct hp_function then[] = { called(1, 9, 11, second_then, 1),
				      called(4, 9, 11, first_then, 1) };
	struct hp_model after = { .pid = 1, .processes = 1, .functions = now, .function_count = 2 };
	struct hp_model before = { .pid = 1, .functions = then, .function_count = 2 };

	(void)state;
	now[0].id = then[1].id = 1;
	now[1].id = then[0].id = 2;
	since(&after, &before);
	assert_int_equal(window->function_count, 1);
	const struct hp_function *row = &window->functions[0];
	assert_int_equal(row->calls, 8);
	assert_int_equal(row->times.count, 3);
	assert_int_equal(row->times.items[0].count, 4);
	assert_int_equal(row->times.items[1].count, 3);
	assert_int_equal(row->times.items[2].count, 1);
	now[1].calls = 0;
	then[1].calls = 11;
	refuses(&after, &before, "fewer calls are known of work");
}

/* Frees a histogram; that of the next row is not there yet. */
static void drop_times(struct hp_function *row)
{
	assert_non_null(row->times.items);
	free(row->times.items);
	row->times = (struct hp_points){ NULL, 0 };
	if (row->name[0] == 'a')
		assert_null(row[1].times.items);
}

static void rows_are_reduced_one_by_one(void **state)
{
	struct hp_point points[] = { { 10, 7 }, { 1000, 3 } };
	struct hp_function now[] = { called(10, 9, 1005, points, 2),
				     called(10, 9, 1005, points, 2) };
	struct hp_model after = { .pid = 1, .processes = 1, .functions = now, .function_count = 2 };
	struct hp_model before = { .pid = 1 };

	(void)state;
	now[0].name = (char *)(uintptr_t) "a";
	now[1].name = (char *)(uintptr_t) "b";
	const struct hp_earlier earlier = { &before, NULL };
	window = hp_model_since_reduced(&after, &earlier, drop_times, &window_error);
	assert_non_null(window);
	assert_int_equal(window->function_count, 2);
	assert_int_equal(window->functions[0].calls, 10);
	assert_null(window->functions[0].times.items);
	assert_null(window->functions[1].times.items);
}

static struct hp_points copied(const struct hp_point *points, size_t count)
{
	struct hp_points copy = { calloc(count, sizeof(*points)), count };

	assert_non_null(copy.items);
	memcpy(copy.items, points, count * sizeof(*points));
	return copy;
}

/* A model that is kept packs its histograms, and the difference is the same. */
static void packed_histograms_are_the_same(void **state)
{
	static const struct hp_point times[] = {
		{ 0, 1 }, { 127, 127 }, { 128, 128 }, { 300, 1000000 }, { UINT64_MAX, UINT64_MAX }
	};
	static const struct hp_point bytes[] = { { 64, 5 }, { 100000, 2 } };
	struct hp_model *then = calloc(1, sizeof(*then));
	struct hp_earlier earlier;
	struct hp_points again;

	(void)state;
	assert_non_null(then);
	then->functions = calloc(2, sizeof(*then->functions));
	assert_non_null(then->functions);
	then->function_count = 2;
	for (size_t i = 0; i < 2; i++)
		then->functions[i].name = strdup(i ? "b" : "a");
	then->functions[1].times = copied(times, 5);
	then->functions[1].alloc.calls[HP_ALLOC_BLOCKS] = copied(bytes, 2);
	struct hp_model *same = hp_model_copy(then);
	assert_non_null(same);
	assert_true(hp_earlier_take(&earlier, then));
	assert_null(then->functions[1].times.items);
	assert_true(hp_points_unpack(&again, &earlier.packed[1 + HP_ALLOC_HISTOGRAMS]));
	assert_int_equal(again.count, 5);
	assert_memory_equal(again.items, times, sizeof(times));
	free(again.items);
	window = hp_model_since_reduced(same, &earlier, NULL, &window_error);
	assert_non_null(window);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(window->functions[i].times.count, 0);
		assert_int_equal(window->functions[i].alloc.calls[HP_ALLOC_BLOCKS].count, 0);
	}
	hp_earlier_clear(&earlier);
	hp_model_free(same);
}

/* ---- kinds ---- */

static void of_entries(struct hp_entry *now, size_t now_count, struct hp_entry *then,
		       size_t then_count)
{
	struct hp_model after = { .pid = 1, .processes = 1, .entries = { now, now_count } };
	struct hp_model before = { .pid = 1, .entries = { then, then_count } };

	since(&after, &before);
}

static void locks(void **state)
{
	struct hp_point now_waits[] = { { 100, 4 }, { 200, 2 } }, then_waits[] = { { 100, 3 } };
	struct hp_entry now = made_entry(HP_SITE_MUTEX, "queue"), then = now;

	(void)state;
	PUT(&now, { "instances", 3 }, { "acquired_count", 50 }, { "contended_count", 6 },
	    { "uncontended_count", 44 }, { "max_waiters", 4 });
	PUT(&then, { "instances", 2 }, { "acquired_count", 20 }, { "contended_count", 3 },
	    { "uncontended_count", 17 }, { "max_waiters", 4 });
	now.times[1] = (struct hp_times){ 6, 800, 90, 210, { now_waits, 2 } };
	then.times[1] = (struct hp_times){ 3, 300, 90, 110, { then_waits, 1 } };
	of_entries(&now, 1, &then, 1);
	const struct hp_entry *row = &window->entries.items[0];
	assert_int_equal(figure_of(row, "acquired_count"), 30);
	assert_int_equal(figure_of(row, "uncontended_count"), 27);
	assert_int_equal(figure_of(row, "instances"), 3);
	assert_int_equal(figure_of(row, "max_waiters"), 4);
	assert_int_equal(figure_of(row, "wait_sampled_count"), 3);
	assert_int_equal(figure_of(row, "wait_sum_ns"), 500);
	assert_int_equal(figure_of(row, "wait_min_ns"), 100);
	assert_int_equal(figure_of(row, "wait_max_ns"), 210);
	assert_int_equal(row->times[1].points.count, 2);
}

static void states_stay(void **state)
{
	struct hp_entry now = made_entry(HP_SITE_CHANNEL, "jobs"), then = now;

	(void)state;
	put_oneshot(&now);
	put_oneshot(&then);
	PUT(&now, { "instances", 2 }, { "sent_count", 2 }, { "state", MADE_NOTIFIED },
	    { "queue_size", 1 });
	PUT(&then, { "instances", 2 }, { "sent_count", 1 }, { "queue_size", 5 });
	of_entries(&now, 1, &then, 1);
	assert_int_equal(figure_of(&window->entries.items[0], "sent_count"), 1);
	assert_int_equal(figure_of(&window->entries.items[0], "queue_size"), 1);
	assert_int_equal(figure_of(&window->entries.items[0], "state"), MADE_NOTIFIED);
}

/* A wait that was not repeated is no row of the window; a value that was not set again is. */
static void idle_rows(void **state)
{
	struct hp_point points[] = { { 100, 1 } };
	struct hp_entry rows[] = { made_entry(HP_SITE_WAIT, "work"),
				   made_entry(HP_SITE_GAUGE, "depth") };

	(void)state;
	rows[0].times[0] = (struct hp_times){ 1, 100, 100, 100, { points, 1 } };
	PUT(&rows[1], { "log_count", 9 });
	put_value(&rows[1], HP_VALUE_DOUBLE, 0);
	of_entries(rows, 2, rows, 2);
	assert_int_equal(window->entries.count, 1);
	assert_string_equal(window->entries.items[0].name, "depth");
	assert_int_equal(figure_of(&window->entries.items[0], "log_count"), 0);
}

/* A site that could not be named then, or cannot now, is known by its number. */
static void sites_tell(void **state)
{
	struct hp_entry now = made_entry(HP_SITE_MUTEX, "queue"), then = now;

	(void)state;
	then.name = (char *)(uintptr_t) "program+0x40";
	now.id = then.id = 9;
	PUT(&now, { "acquired_count", 5 });
	PUT(&then, { "acquired_count", 4 });
	of_entries(&now, 1, &then, 1);
	assert_int_equal(window->entries.count, 1);
	assert_int_equal(figure_of(&window->entries.items[0], "acquired_count"), 1);
}

/* ---- what is no window ---- */

static void other_programs(void **state)
{
	struct hp_function function = { .name = (char *)(uintptr_t) "work", .calls = 5 };
	struct hp_model now = { .pid = 7, .start_unix_ns = 100, .elapsed_ns = 50 }, then = now;

	(void)state;
	then.pid = 8;
	refuses(&now, &then,
		"process 8 cannot be compared with what it was before: it was started");
	then.pid = 7;
	then.start_unix_ns = 99;
	refuses(&now, &then, "it was started again");
	then.start_unix_ns = 100;
	then.session = 1;
	refuses(&now, &then, "it has begun to record anew");
	then.session = 0;
	then.elapsed_ns = 51;
	refuses(&now, &then, "its time went back");
	then.elapsed_ns = 0;
	then.functions = &function;
	then.function_count = 1;
	refuses(&now, &then, "fewer calls are known of work");
	then.function_count = 0;
	then.memory.count = 1;
	refuses(&now, &then, "fewer allocations");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_teardown(name, close_window)
	const struct CMUnitTest tests[] = {
		TEST(nothing_since_now),
		TEST(everything_since_the_start),
		TEST(stacks_of_the_window),
		TEST(threads_end),
		TEST(branches_of_the_window),
		TEST(percentiles_of_the_window),
		TEST(times_of_another_calibration),
		TEST(sizes_of_the_window),
		TEST(new_extremes_are_exact),
		TEST(sites_of_one_function_are_one_row),
		TEST(rows_are_reduced_one_by_one),
		TEST(packed_histograms_are_the_same),
		TEST(locks),
		TEST(states_stay),
		TEST(idle_rows),
		TEST(sites_tell),
		TEST(other_programs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
