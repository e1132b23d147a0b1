/* SPDX-License-Identifier: MIT */
/* What the section bottlenecks says of threads where no function is measured, of a model made by hand. */
#include "cpu_sample.h"

/* Where no function is measured. */
static void of_threads(void **state)
{
	char worker[] = "worker", killed[] = "killed";
	struct hp_thread items[] = { timed(killed, 41, 20, 0), timed(worker, 42, 100, 900),
				     timed(worker, 43, 300, 600), timed(killed, 44, 0, 0) };

	(void)state;
	forget_functions();
	items[0].recorded_ns = 2000 * MS;
	items[3].has_times = false;
	model.threads = (struct hp_threads){ .items = items, .count = 4 };
	model.caller = (char[]){ "program" };
	section("bottlenecks");
	assert_true(
		has("| Thread                |   Wall |    CPU |  Queue |   Wait | Verdict |\n"));
	assert_true(
		has("| worker (2 threads)    | 2.00 s | 20.00% | 75.00% |  5.00% | starved |\n"));
	assert_true(
		has("| program (main thread) | 2.00 s |  1.00% |  0.00% | 99.00% |    wait |\n"));
	/* Of a thread that was killed nobody knows how long it queued. */
	assert_true(
		has("| killed                | 1.00 s |      - |      - |      - |       - |\n"));
	assert_true(has("worker (2 threads) queues for a processor for 75 % of its 2.00 s; "));
}

/* A thread that slept needs no sample for its row; one that was shorter than a sample says nothing. */
static void of_threads_without_samples(void **state)
{
	char name[] = "program";
	struct hp_thread thread = timed(name, 41, 0, 0);

	(void)state;
	forget_functions();
	model.cpu = (struct hp_cpu){ .source = HP_CPU_PERF, .rate_hz = 1000, .period_ns = MS };
	model.threads = (struct hp_threads){ .items = &thread, .count = 1 };
	report();
	assert_true(has("| main   | 1.00 s | 0.00% | 100.00% |    wait |\n"));
	thread.recorded_ns = thread.queue_ns = MS / 3;
	report();
	assert_false(has("bottlenecks"));
}

/* Threads that have no name of their own do different things; and many are known by their sums only. */
static void of_threads_alike(void **state)
{
	char name[] = "program";
	struct hp_thread items[] = { timed(name, 41, 20, 0), timed(name, 42, 900, 50),
				     timed(name, 43, 300, 600), timed(name, 44, 10, 0),
				     timed(name, 0, 300, 0) };

	(void)state;
	forget_functions();
	items[4].threads = 30;
	items[4].recorded_ns = 30000 * MS;
	model.threads = (struct hp_threads){ .items = items, .count = 5 };
	section("bottlenecks");
	assert_true(has("| program (2 busy threads)     |  2.00 s | 60.00% | 32.50% |  7.50% |"));
	assert_true(has("| program (31 waiting threads) | 31.00 s |  1.00% |  0.00% | 99.00% |"));
	assert_true(has("program (2 busy threads) computes for 60 % of its 2.00 s and queues for a "
			"processor for 32 %; it is limited by the CPU.\n"));
	/* All wait, more or less. */
	items[1].user_ns = items[2].user_ns = items[2].queue_ns = 400 * MS;
	items[2].queue_ns = 0;
	section("bottlenecks");
	assert_true(has("| program (33 threads)"));
	items[1].user_ns = items[2].user_ns = 900 * MS;
	items[2].queue_ns = items[1].queue_ns = 0;
	model.threads.count = 3;
	section("bottlenecks");
	assert_true(has("| program (2 threads)"));
}

/* Where no part is most of the time, all that matter are said. */
static void of_a_mixed_thread(void **state)
{
	char name[] = "worker";
	struct hp_thread items[] = { timed(name, 42, 330, 300), timed(name, 43, 450, 0) };

	(void)state;
	forget_functions();
	model.threads = (struct hp_threads){ .items = items, .count = 1 };
	section("bottlenecks");
	assert_true(has("| worker | 1.00 s | 33.00% | 30.00% | 37.00% |   mixed |\n"));
	assert_true(has(
		"worker computes for 33 %, queues for a processor for 30 % and waits for 37 % of "
		"its 1.00 s; none dominates.\n"));
	model.threads.items = &items[1];
	section("bottlenecks");
	assert_true(has("worker computes for 45 % and waits for 55 % of its 1.00 s; neither "
			"dominates.\n"));
}

/* Nobody was sampled; but the kernel knows that they slept. */
static void of_threads_that_sleep(void **state)
{
	char worker[] = "worker";
	struct hp_thread items[] = { timed(worker, 42, 0, 0), timed(worker, 43, 0, 0) };

	(void)state;
	forget_functions();
	model.cpu = (struct hp_cpu){ .source = HP_CPU_PERF, .rate_hz = 1000, .period_ns = MS };
	model.threads = (struct hp_threads){ .items = items, .count = 2 };
	section("auto");
	assert_true(has("| worker (2 threads) | 2.00 s | 0.00% | 100.00% |    wait |\n"));
	model.cpu.source = HP_CPU_NONE;
	section("auto");
	assert_false(has("bottlenecks"));
}

static struct hp_model process_of(struct hp_thread *thread, char *program, uint32_t pid)
{
	struct hp_model process = sample;

	process.program = process.caller = program;
	process.pid = pid;
	process.function_count = 0;
	process.threads = (struct hp_threads){ .items = thread, .count = 1 };
	return process;
}

/* Each process is judged by itself. */
static void of_processes(void **state)
{
	char first[] = "/bin/first", second[] = "second", third[] = "third";
	struct hp_thread items[] = { timed(first, 51, 990, 0), timed(second, 52, 100, 800),
				     timed(third, 53, 10, 0) };
	struct hp_model processes[] = { process_of(&items[0], first, 51),
					process_of(&items[1], second, 52),
					process_of(&items[2], third, 53) };
	struct hp_model *members[] = { &processes[2], &processes[1], &processes[0], &model };
	struct hp_model sum = model;

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		items[i].pid = items[i].tid;
		processes[i].elapsed_ns = 1000 * MS;
	}
	sum.members = members;
	sum.member_count = 3;
	sum.processes = 3;
	model = sum;
	section("bottlenecks");
	assert_true(
		has("| Thread     | Process   |   Wall |    CPU |  Queue |   Wait | Verdict |\n"));
	assert_true(
		has("| /bin/first | first 51  | 1.00 s | 99.00% |  0.00% |  1.00% |     cpu |\n"
		    "| second     | second 52 | 1.00 s | 10.00% | 80.00% | 10.00% | starved |\n"
		    "| third      | third 53  | 1.00 s |  1.00% |  0.00% | 99.00% |    wait |\n"));
	assert_true(has("first 51: /bin/first computes for 99 % of its 1.00 s; "));
	assert_true(has("second 52: second queues for a processor for 80 % of its 1.00 s; "));
}

static void of_one_thread(void **state)
{
	char name[] = "program";
	struct hp_thread thread = timed(name, 41, 1000, 0);

	(void)state;
	forget_functions();
	thread.recorded_ns = 2000 * MS;
	model.threads = (struct hp_threads){ .items = &thread, .count = 1 };
	model.cpu.outside_alloc_ns = 200 * MS;
	model.memory.mode = HP_ALLOC_COUNT;
	section("bottlenecks");
	assert_true(has("| main   | 2.00 s | 50.00% | 50.00% | 10.00% |   mixed |\n"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(of_threads),	 TEST(of_threads_without_samples), TEST(of_threads_alike),
		TEST(of_a_mixed_thread), TEST(of_threads_that_sleep),	   TEST(of_processes),
		TEST(of_one_thread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
