/* SPDX-License-Identifier: MIT */
/* What the section bottlenecks says of tries to lock that were refused, of a model made by hand. */
#include "waits_sample.h"

/* A wait in which a thread spins is one, although it computes. */
static void spinning(void **state)
{
	(void)state;
	add_function("take", 1000, 990, 0);
	wait_lock("take", "lock", "keep", 900);
	add_thread("program", 1000, 1000, 0);
	section("bottlenecks");
	assert_has("take waits 90 % of its 1.00 s for lock, mostly held by keep.\n");
}

/* Who tries a lock again and again seems to compute. */
static void tried_in_vain(void **state)
{
	(void)state;
	model.cpu.attributed_samples = 1960;
	add_function("spin", 2000, 1960, 0);
	try_lock("spin", "stats_lock", "keep", 8000000);
	try_lock("spin", "stats_lock", "<unknown>", 1800000);
	try_lock("spin", "other_lock", "keep", 9000000);
	try_lock("work", "stats_lock", "keep", 90000000);
	section("bottlenecks");
	assert_has(
		"spin computes for 98 % of its 2.00 s; it tried stats_lock 9800000 times in vain, "
		"mostly held by keep, once in 200 ns of CPU time: it may be spinning.\n");
	/* Also if it has no processor for most of the time: with more of them, it would not be faster. */
	functions[0].cpu = (struct hp_cpu_figures){ .samples = 500, .queue_ns = 1500 * MS };
	section("bottlenecks");
	assert_has(
		"spin queues for a processor for 75 % of its 2.00 s; it tried stats_lock 9800000 "
		"times in vain, mostly held by keep, once in 51 ns of CPU time: it may be "
		"spinning.\n");
}

/* Who computes, and tries a lock now and then, does not spin; nor does one that tried it a few times. */
static void tried_now_and_then(void **state)
{
	(void)state;
	model.cpu.attributed_samples = 1960;
	add_function("work", 2000, 1960, 0);
	try_lock("work", "stats_lock", "keep", 100000);
	section("bottlenecks");
	assert_has("work computes for 98 % of its 2.00 s; it is limited by the CPU.\n");
	entries[0].words[0] = 1960000;
	section("bottlenecks");
	assert_has("once in 1.00 µs of CPU time: it may be spinning.\n");
	/* What it does between two tries may be in a function that it calls; and it may be too short to be sampled. */
	functions[0].cpu.inclusive_samples = 2500;
	section("bottlenecks");
	assert_false(has("spinning"));
	functions[0].cpu = (struct hp_cpu_figures){ .samples = 0 };
	section("bottlenecks");
	assert_false(has("spinning"));
	functions[0].cpu.samples = 1960;
	entries[0].words[0] = 999;
	functions[0].self_ns = functions[0].total_ns = 100000;
	section("bottlenecks");
	assert_false(has("spinning"));
	/* Of two functions of one name, nobody knows which it was. */
	entries[0].words[0] = 1960000;
	functions[0].self_ns = functions[0].total_ns = 2000 * MS;
	add_function("work", 900, 900, 0);
	functions[1].file = (char[]){ "other.c" };
	section("bottlenecks");
	assert_false(has("spinning"));
}

/* Without stacks, all that threads compute is what is compared. */
static void threads_that_try(void **state)
{
	(void)state;
	add_thread("a", 1000, 1000, 0);
	add_thread("b", 1000, 0, 0);
	try_lock("spin", "stats_lock", "keep", 5000000);
	section("bottlenecks");
	assert_has("\na computes for 100 % of its 1.00 s.\n");
	assert_has(
		"spin tried stats_lock 5000000 times in vain, mostly held by keep, once in 200 ns "
		"of CPU time: it may be spinning.\n");
	entries[0].words[0] = 900000;
	section("bottlenecks");
	assert_has("\na computes for 100 % of its 1.00 s; it is limited by the CPU.\n");
	assert_false(has("spinning"));
}

/* A function that spins a little is not what a thread does that computes a lot more. */
static void threads_that_compute_beside(void **state)
{
	struct hp_cpu_module modules[] = { { .path = (char[]){ "/bin/program" } } };
	struct hp_cpu_frame frames[] = {
		{ HP_FRAME_CODE, 0, 0x1000, true, -1, (char[]){ "spin" } },
		{ HP_FRAME_CODE, 0, 0x2000, true, -1, (char[]){ "work" } },
	};
	struct hp_cpu_stack stacks[] = { { 0, 1, 1000, true, (uint32_t[]){ 0 } },
					 { 0, 1, 9000, true, (uint32_t[]){ 1 } } };

	(void)state;
	model.cpu.modules = modules;
	model.cpu.module_count = 1;
	model.cpu.frames = frames;
	model.cpu.frame_count = 2;
	model.cpu.stacks = stacks;
	model.cpu.stack_count = 2;
	model.cpu.total_samples = 10000;
	add_thread("a", 9000, 9000, 0);
	add_thread("b", 1000, 1000, 0);
	try_lock("spin", "stats_lock", "keep", 5000000);
	section("bottlenecks");
	assert_has("\na computes for 100 % of its 9.00 s; it is limited by the CPU.\n");
	assert_has("\nb computes for 100 % of its 1.00 s.\n");
}

/* A thread that waits for a spin lock computes: so it is known whose wait it was, if the others computed less than that. */
static void threads_that_spin(void **state)
{
	(void)state;
	add_thread("a", 1000, 600, 380);
	add_thread("b", 1000, 100, 0);
	add_lock("busy_lock", HP_SITE_SPIN_LOCK);
	wait_lock("take", "busy_lock", "keep", 800);
	wait_lock("give", "busy_lock", "keep", 150);
	section("bottlenecks");
	assert_has("| a      | 1.00 s | 15.00% | 85.00% |    lock |\n");
	assert_has("\na waits 85 % of its 1.00 s for busy_lock, mostly held by keep.\n");
	/* Both may have spun: it is not known who, and neither is said to need a faster processor. */
	threads[1].user_ns = 1000 * MS;
	section("bottlenecks");
	assert_false(has("lock |\n"));
	assert_false(has("it is limited by the CPU"));
	/* Who waits for another kind of lock sleeps. */
	entries[0].site_kind = HP_SITE_MUTEX;
	section("bottlenecks");
	assert_false(has("lock |\n"));
	assert_has("\nb computes for 100 % of its 1.00 s; it is limited by the CPU.\n");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(spinning),
		TEST(tried_in_vain),
		TEST(tried_now_and_then),
		TEST(threads_that_try),
		TEST(threads_that_compute_beside),
		TEST(threads_that_spin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
