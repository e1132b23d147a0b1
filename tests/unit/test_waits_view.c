/* SPDX-License-Identifier: MIT */
/* What the section "bottlenecks" makes of measured waits, of a model made by hand. */
#include "waits_sample.h"

/* ---- sentences ---- */

static void one_lock(void **state)
{
	(void)state;
	add_function("update_stats", 4200, 400, 0);
	wait_lock("update_stats", "stats_lock", "find_customer", 3000);
	wait_lock("update_stats", "stats_lock", "update_stats", 402);
	wait_lock("find_customer", "stats_lock", "update_stats", 4000);
	add(&others, "update_stats", NULL, NULL, NULL, 9000);
	assert_string_equal(
		section("bottlenecks"),
		"bottlenecks - What functions spend their own time on.\n"
		"+--------------+--------+-------+--------+-------+---------+\n"
		"| Function     |   Wall |   CPU |   Lock | Other | Verdict |\n"
		"+--------------+--------+-------+--------+-------+---------+\n"
		"| update_stats | 4.20 s | 9.52% | 81.00% | 9.48% |    lock |\n"
		"+--------------+--------+-------+--------+-------+---------+\n"
		"update_stats waits 81 % of its 4.20 s for stats_lock, mostly held by find_customer.\n");
}

static void locks(void **state)
{
	(void)state;
	add_function("work", 1000, 0, 0);
	wait_lock("work", "one", "<readers>", 300);
	wait_lock("work", "two", "a", 250);
	wait_lock("work", "two", "b", 250);
	section("bottlenecks");
	/* The longest lock is not that of the longest row. */
	assert_has("work waits 80 % of its 1.00 s for locks, partly for two held by a.\n");
	entries[1].times[0].sum_ns = 10 * MS;
	entries[2].times[0].sum_ns = 2 * MS;
	entries[0].times[0].sum_ns = 788 * MS;
	section("bottlenecks");
	assert_has("work waits 80 % of its 1.00 s for one, mostly held by readers.\n");
	/* Nobody knows the holder; nor the lock. */
	entries[0].texts[0] = (char[]){ "<unknown>" };
	section("bottlenecks");
	assert_has("work waits 80 % of its 1.00 s for one.\n");
	entries[0].texts[1] = (char[]){ "<unknown>" };
	section("bottlenecks");
	assert_has("for locks, mostly for a lock without a name.\n");
}

static void disk_and_network(void **state)
{
	(void)state;
	add_function("handle", 3000, 900, 0);
	add_function("save_order", 2100, 400, 0);
	add(&io, "save_order", "orders.db", "write", "disk", 133);
	add(&io, "save_order", "orders.db", "fsync", "disk", 1400);
	add(&io, "handle", "127.0.0.1:5432", "receive", "network", 1800);
	section("bottlenecks");
	assert_true(
		has("| Function   |   Wall |    CPU |   Disk | Network |  Other | Verdict |\n"));
	assert_true(
		has("| save_order | 2.10 s | 19.05% | 73.00% |   0.00% |  7.95% |    disk |\n"));
	assert_has("save_order waits 73 % of its 2.10 s for the disk, mostly in fsync of "
		   "orders.db.\n");
	assert_has("handle waits 60 % of its 3.00 s for the network, mostly to receive from "
		   "127.0.0.1:5432.\n");
	entries[2].texts[1] = (char[]){ "send" };
	section("bottlenecks");
	assert_has(", mostly to send to 127.0.0.1:5432.\n");
	entries[2].texts[1] = (char[]){ "accept" };
	section("bottlenecks");
	assert_has(", mostly for connections to 127.0.0.1:5432.\n");
	entries[2].texts[2] = (char[]){ "pipe" };
	section("bottlenecks");
	assert_true(
		has("handle waits 60 % of its 3.00 s for pipes and terminals, mostly in accept of "
		    "127.0.0.1:5432.\n"));
}

static void idle(void **state)
{
	(void)state;
	add_function("worker", 10000, 100, 0);
	add_function("consume", 2000, 100, 0);
	add_function("compute", 1000, 990, 0);
	add(&waits, "worker", "poll", NULL, NULL, 9700);
	add(&waits, "consume", "condition", "queue_filled", NULL, 1500);
	/* A lock is in the rows about locks. */
	add(&waits, "compute", "lock", "stats_lock", NULL, 900);
	section("bottlenecks");
	assert_has("| worker   | 10.00 s |  1.00% | 97.00% |  2.00% |    idle |\n");
	/* To be idle is no fault, so it is said last. */
	assert_has("compute computes for 99 % of its 1.00 s; it is limited by the CPU.\n"
		   "worker is idle for 97 % of its 10.00 s, mostly in poll.\n"
		   "consume is idle for 75 % of its 2.00 s, mostly waiting for condition "
		   "queue_filled.\n");
	entries[1].texts[0] = (char[]){ "child" };
	entries[1].texts[1] = NULL;
	section("bottlenecks");
	assert_has("consume is idle for 75 % of its 2.00 s, mostly waiting for a child to end.\n");
}

/* ---- what is not waiting ---- */

/* The kernel's account of all threads is exact: they were hardly blocked. */
static void files_in_memory(void **state)
{
	(void)state;
	add_function("read_all", 1000, 0, 0);
	add(&io, "read_all", "data", "read", "disk", 990);
	section("bottlenecks");
	assert_has("| read_all | 1.00 s | 0.00% | 99.00% | ");
	add_thread("program", 1000, 980, 0);
	section("bottlenecks");
	assert_has("| read_all | 1.00 s | 98.00% | 2.00% |     cpu |\n");
	/* The same without samples: CPU time is not claimed, but neither is the disk. */
	not_sampled();
	section("bottlenecks");
	assert_has("| read_all | 1.00 s | 100.00% |\n");
	/* A thread that is idle elsewhere was blocked, but not for this. */
	add_thread("idler", 1000, 0, 0);
	section("bottlenecks");
	assert_has("| read_all | 1.00 s | 99.00% | ");
	add(&waits, "not_measured", "poll", NULL, NULL, 1000);
	section("bottlenecks");
	assert_has("| read_all | 1.00 s | 100.00% |\n");
	/* If nothing is known of the threads, the disk is not blamed. */
	threads[0].has_times = false;
	section("bottlenecks");
	assert_has("| read_all | 1.00 s | 100.00% |\n");
}

/* Too short for samples: calls of I/O may have computed. Locks and idle calls are waiting, however short they are. */
static void too_short_to_tell(void **state)
{
	(void)state;
	add_function("save", 1000, 50, 0);
	add_function("put", 2, 0, 0);
	add(&io, "save", "orders.db", "fsync", "disk", 900);
	add(&io, "put", "orders.db", "write", "disk", 1);
	wait_lock("put", "lock", "save", 0);
	entries[2].times[0].sum_ns = MS / 10;
	section("bottlenecks");
	assert_has("| Function |    Wall |   CPU |  Lock |   Disk | Other | Verdict |\n");
	assert_has("| save     |  1.00 s | 5.00% | 0.00% | 90.00% | 5.00% |    disk |\n");
	assert_has("| put      | 2.00 ms |     - | 5.00% |      - |     - |       - |\n");
	assert_false(has("put waits"));
	struct json_object *json = parsed();
	ASSERT_JSON(json, "/bottlenecks/data/0/disk_ns", "900000000");
	ASSERT_JSON(json, "/bottlenecks/data/1/verdict", "null");
	ASSERT_JSON(json, "/bottlenecks/data/1/lock_ns", "100000");
	ASSERT_JSON(json, "/bottlenecks/data/1/disk_ns", "null");
	/* No call of this class was made. */
	ASSERT_JSON(json, "/bottlenecks/data/1/network_ns", "0");
	ASSERT_JSON(json, "/bottlenecks/data/1/unexplained_ns", "null");
	ASSERT_JSON(json, "/bottlenecks/data/1/waits_for/reason", "\"lock\"");
	json_object_put(json);
}

/* A real disk: the rest of the program computes. */
static void files_on_disk(void **state)
{
	(void)state;
	add_function("compute", 3000, 0, 0);
	add_function("save", 1000, 0, 0);
	add(&io, "save", "orders.db", "fsync", "disk", 950);
	add_thread("program", 4000, 3020, 0);
	not_sampled();
	section("bottlenecks");
	assert_has("CPU time is not known: --cpu tells computing from other waiting.\n");
	assert_has("| save     | 1.00 s | 95.00% |   5.00% |    disk |\n");
	assert_has("| compute  | 3.00 s |  0.00% | 100.00% |       - |\n");
	assert_false(has("computes"));
}

/* Who is woken queues for a processor; samples find that in the function that runs next. */
static void queueing_inside_waits(void **state)
{
	(void)state;
	add_function("take", 1000, 10, 0);
	add_function("compute", 1000, 500, 900);
	wait_lock("take", "lock", "compute", 990);
	add_thread("one", 1000, 255, 645);
	add_thread("two", 1000, 255, 645);
	section("bottlenecks");
	/* Blocked for 200 ms by the kernel's account: the rest of the wait for the lock was queueing. */
	assert_has("| compute  | 1.00 s | 50.00% | 50.00% |  0.00% | ");
	assert_has("| take     | 1.00 s |  1.00% | 79.00% | 20.00% | starved |\n");
	model.threads.count = 0;
	add_thread("one", 1000, 255, 0);
	add_thread("two", 1000, 255, 0);
	functions[1].cpu.queue_ns = 0;
	section("bottlenecks");
	assert_has("| take     | 1.00 s |  1.00% | 99.00% |");
}

/* If nobody was sampled, computing is not taken for hidden queueing. */
static void queueing_without_samples(void **state)
{
	(void)state;
	add_function("take", 1000, 0, 0);
	add_function("compute", 2000, 0, 0);
	wait_lock("take", "lock", "compute", 900);
	add_thread("one", 1500, 1000, 300);
	add_thread("two", 1500, 700, 100);
	not_sampled();
	section("bottlenecks");
	assert_has("| take     | 1.00 s | 90.00% |  10.00% |    lock |\n");
	/* They were blocked for 500 ms. */
	threads[0].queue_ns = 500 * MS;
	threads[1].queue_ns = 300 * MS;
	section("bottlenecks");
	assert_has("| take     | 1.00 s | 50.00% |  50.00% |    lock |\n");
}

/* Two functions of one name: nobody knows which of them waited. */
static void same_names(void **state)
{
	(void)state;
	add_function("run", 1000, 0, 0);
	add_function("run", 900, 0, 0);
	functions[1].file = (char[]){ "other.c" };
	add_function("work", 800, 0, 0);
	wait_lock("run", "lock", "work", 900);
	wait_lock("work", "lock", "run", 600);
	section("bottlenecks");
	assert_has("| Function      |      Wall |   CPU |   Lock |   Other | Verdict |\n");
	assert_has(" |    1.00 s | 0.00% |      - | 100.00% |    wait |\n");
	assert_has(" | 800.00 ms | 0.00% | 75.00% |  25.00% |    lock |\n");
}

/* ---- programs without measured functions ---- */

static void one_thread(void **state)
{
	(void)state;
	add_thread("program", 5000, 500, 500);
	threads[0].tid = 41;
	wait_lock("take (in main)", "lock", "<unknown>", 1000);
	add(&waits, "main", "sleep", NULL, NULL, 3000);
	section("bottlenecks");
	assert_has("| Thread  |   Wall |    CPU |  Queue |   Lock |   Idle | Verdict |\n");
	assert_has("| program | 5.00 s | 10.00% | 10.00% | 20.00% | 60.00% |    idle |\n");
	assert_has("program is idle for 60 % of its 5.00 s, mostly in sleep.\n");
	/* The kernel knows the times of threads: no sample is needed. */
	not_sampled();
	section("bottlenecks");
	assert_has("| program | 5.00 s | 10.00% | 10.00% | 20.00% | 60.00% |    idle |\n");
	/* If they are not known either, reading a file may have been computing. */
	threads[0].has_times = false;
	add(&io, "main", "data", "read", "disk", 500);
	section("bottlenecks");
	assert_has("| program | 5.00 s | 20.00% | 60.00% | 20.00% |    idle |\n");
}

static void several_threads(void **state)
{
	(void)state;
	add_thread("a", 1000, 100, 0);
	add_thread("b", 1000, 100, 0);
	wait_lock("update_stats", "stats_lock", "find_customer", 600);
	wait_lock("find_customer", "stats_lock", "find_customer", 200);
	add(&waits, "main", "sleep", NULL, NULL, 900);
	section("bottlenecks");
	assert_has("| Thread |   Wall |    CPU |   Wait | Verdict |\n");
	assert_has("All threads together wait for locks for 40 % of their 2.00 s, mostly "
		   "update_stats for stats_lock held by find_customer.\n");
	model.entries.count = 0;
	add(&waits, "worker", "poll", NULL, NULL, 1700);
	section("bottlenecks");
	assert_has("All threads together are idle for 85 % of their 2.00 s, mostly worker in "
		   "poll.\n");
	model.entries.count = 0;
	wait_lock("update_stats", "stats_lock", "find_customer", 2);
	section("bottlenecks");
	assert_false(has("All threads"));
}

/* Reading files that are in memory is not said to be waiting. */
static void several_threads_that_read(void **state)
{
	(void)state;
	add_thread("reader", 1000, 100, 0);
	add_thread("saver", 1000, 50, 0);
	threads[0].system_ns = 800 * MS;
	add(&io, "read_all", "data", "read", "disk", 850);
	section("bottlenecks");
	assert_has(
		"All threads together wait for the disk for 2 % of their 2.00 s, mostly read_all in "
		"read of data.\n");
	threads[0].system_ns = 840 * MS;
	section("bottlenecks");
	assert_false(has("All threads"));
	add(&io, "save", "orders.db", "fsync", "disk", 940);
	section("bottlenecks");
	assert_has(
		"All threads together wait for the disk for 47 % of their 2.00 s, mostly save in fsync "
		"of orders.db.\n");
	/* Nobody knows how long a thread was blocked. */
	threads[1].has_times = false;
	section("bottlenecks");
	assert_false(has("All threads"));
}

/* Waits that have not ended: of a program that runs their time is known, of one that was killed it is not. */
static void waits_now(void **state)
{
	struct hp_blocked_thread blocked[] = {
		{ .tid = 43,
		  .pid = 41,
		  .reason = HP_REASON_LOCK,
		  .target = (char *)"stats_lock",
		  .function = (char *)"update_stats",
		  .waited_ns = 500 * MS,
		  .has_waited = true,
		  .holder_function = (char *)"find_customer" },
		{ .tid = 44,
		  .pid = 41,
		  .reason = HP_REASON_LOCK,
		  .target = (char *)"stats_lock",
		  .function = (char *)"update_stats",
		  .waited_ns = 400 * MS,
		  .has_waited = true,
		  .holder_function = (char *)"find_customer" },
		{ .tid = 45,
		  .pid = 41,
		  .reason = HP_REASON_SLEEP,
		  .function = (char *)"rest",
		  .waited_ns = 100 * MS,
		  .has_waited = true },
	};

	(void)state;
	add_thread("a", 1000, 100, 0);
	add_thread("b", 1000, 100, 0);
	add(&waits, "rest", "sleep", NULL, NULL, 90);
	model.exit.running = true;
	model.blocked = (struct hp_blocked_list){ blocked, 3, 3 };
	section("bottlenecks");
	assert_has("\n2 threads wait for locks now (section blocked).\n");
	assert_has("| b      | 1.00 s | 10.00% | 90.00% |    lock |\n");
	assert_has("\nb waits 50 % of its 1.00 s for stats_lock, mostly held by find_customer.\n");
	assert_has("| a      | 1.00 s | 10.00% | 90.00% |    wait |\n");
	assert_has("All threads together wait for locks for 45 % of their 2.00 s, mostly "
		   "update_stats for stats_lock held by find_customer.\n");
	section("lock-waits");
	assert_has("No wait for a lock has ended: 2 threads wait now (section blocked).\n");
	model.blocked.count = 1;
	section("lock-waits");
	assert_has("No wait for a lock has ended: 1 thread waits now (section blocked).\n");
	model.exit.running = false;
	blocked[0].has_waited = false;
	section("bottlenecks");
	assert_has("\n1 thread waited for locks when the program ended (section blocked).\n");
	assert_false(has("All threads together"));
	section("lock-waits");
	assert_has("No wait for a lock has ended: 1 thread waited when the program ended (section "
		   "blocked).\n");
	blocked[0].reason = HP_REASON_SLEEP;
	section("bottlenecks");
	assert_false(has("when the program ended"));
	section("lock-waits");
	assert_has("No wait for a lock was measured");
}

/* A call that goes on has taken the time that its wait did, if the call tree tells. */
static void calls_that_wait(void **state)
{
	struct hp_blocked_thread blocked = { .tid = 43,
					     .pid = 41,
					     .reason = HP_REASON_LOCK,
					     .target = (char *)"stats_lock",
					     .function = (char *)"update_stats",
					     .waited_ns = 3000 * MS,
					     .has_waited = true,
					     .holder_function = (char *)"find_customer" };
	struct hp_branch branch = { .parent = HP_NO_BRANCH,
				    .calls = 100,
				    .open = 1,
				    .total_ns = 4000 * MS,
				    .self_ns = 1000 * MS };

	(void)state;
	model.cpu.attributed_samples = 900;
	add_function("update_stats", 1000, 900, 0);
	model.exit.running = true;
	model.blocked = (struct hp_blocked_list){ &blocked, 1, 1 };
	section("bottlenecks");
	assert_has("update_stats computes for 90 % of its 1.00 s; it is limited by the CPU.\n");
	functions[0].open = 1;
	model.has_tree = true;
	model.branches = &branch;
	model.branch_count = 1;
	section("bottlenecks");
	assert_has("| update_stats | 4.00 s | 22.50% | 75.00% | 2.50% |    lock |\n");
	assert_has("update_stats waits 75 % of its 4.00 s for stats_lock, mostly held by "
		   "find_customer.\n");
}

/* A row that took next to nothing is not worth a sentence, even if the others are idle. */
static void next_to_nothing(void **state)
{
	(void)state;
	add_function("rest", 4000, 0, 0);
	add_function("check", 1, 1, 0);
	functions[1].self_ns = functions[1].total_ns = MS / 3;
	add(&waits, "rest", "sleep", NULL, NULL, 4000);
	section("bottlenecks");
	assert_has("| check    | 333.33 µs |");
	assert_false(has("check computes"));
	assert_has("rest is idle for 100 % of its 4.00 s");
	functions[1].self_ns = functions[1].total_ns = MS / 2;
	section("bottlenecks");
	assert_has("check computes");
}

static struct hp_model member_of(uint32_t pid)
{
	struct hp_model member = model;

	member.pid = pid;
	model.function_count = 0;
	model.threads = (struct hp_threads){ 0 };
	model.entries = (struct hp_entries){ 0 };
	return member;
}

/* Rows of functions and of threads, of several processes, are in one order: the time in which they were not idle. */
static void several_processes(void **state)
{
	static struct hp_entry others_entries[1];

	(void)state;
	add_function("count", 60, 60, 0);
	add_function("rest", 4000, 0, 0);
	add(&waits, "rest", "sleep", NULL, NULL, 4000);
	struct hp_model parent = member_of(41);
	add_thread("child", 1000, 40, 0);
	model.threads.items = threads;
	others_entries[0] =
		(struct hp_entry){ .kind = &io,
				   .name = (char *)"fill",
				   .texts = { (char *)"pipe", (char *)"write", (char *)"pipe" },
				   .times = { { .count = 1, .sum_ns = 960 * MS } } };
	model.entries = (struct hp_entries){ others_entries, 1 };
	struct hp_model child = member_of(42), *members[] = { &parent, &child };
	model.members = members;
	model.member_count = 2;
	/* The sum of both has waits, too. */
	model.entries = child.entries;
	section("bottlenecks");
	const char *rows[] = { strstr(text.bytes, "| child"), strstr(text.bytes, "| count"),
			       strstr(text.bytes, "| rest") };
	assert_true(rows[0] && rows[1] && rows[2] && rows[0] < rows[1] && rows[1] < rows[2]);
	assert_has("waits 96 % of its 1.00 s for pipes and terminals");
}

/* ---- when the section is shown; JSON ---- */

static void without_samples(void **state)
{
	(void)state;
	add_function("update_stats", 1000, 0, 0);
	not_sampled();
	section("bottlenecks");
	assert_has("No CPU time was sampled");
	section("auto");
	assert_false(has("bottlenecks"));
	wait_lock("update_stats", "stats_lock", "find_customer", 810);
	section("auto");
	assert_has("| update_stats | 1.00 s | 81.00% | 19.00% |    lock |\n");
	/* Sampling that ended early is no sampling. */
	model.cpu = (struct hp_cpu){ .source = HP_CPU_PERF,
				     .period_ns = MS,
				     .total_samples = 100,
				     .end = HP_CPU_SIGNAL_TAKEN };
	functions[0].cpu.samples = 100;
	section("bottlenecks");
	assert_has("| update_stats | 1.00 s | 81.00% | 19.00% |    lock |\n");
}

static void json(void **state)
{
	(void)state;
	add_function("update_stats", 1000, 100, 0);
	struct json_object *json = parsed();
	ASSERT_JSON(json, "/bottlenecks/data/0/lock_ns", "null");
	ASSERT_JSON(json, "/bottlenecks/data/0/waits_for", "null");
	json_object_put(json);
	wait_lock("update_stats", "stats_lock", "find_customer", 700);
	add(&io, "update_stats", "log", "write", "disk", 150);
	json = parsed();
	ASSERT_JSON(json, "/bottlenecks/data/0/cpu_ns", "100000000");
	ASSERT_JSON(json, "/bottlenecks/data/0/wait_ns", "900000000");
	ASSERT_JSON(json, "/bottlenecks/data/0/lock_ns", "700000000");
	ASSERT_JSON(json, "/bottlenecks/data/0/disk_ns", "150000000");
	ASSERT_JSON(json, "/bottlenecks/data/0/network_ns", "0");
	ASSERT_JSON(json, "/bottlenecks/data/0/pipe_ns", "0");
	ASSERT_JSON(json, "/bottlenecks/data/0/idle_ns", "0");
	ASSERT_JSON(json, "/bottlenecks/data/0/unexplained_ns", "50000000");
	ASSERT_JSON(json, "/bottlenecks/data/0/verdict", "\"lock\"");
	ASSERT_JSON(json, "/bottlenecks/data/0/waits_for",
		    "{ \"reason\": \"lock\", \"target\": \"stats_lock\", \"holder\": "
		    "\"find_customer\", \"operation\": null }");
	json_object_put(json);
	entries[0].times[0].sum_ns = MS;
	json = parsed();
	ASSERT_JSON(json, "/bottlenecks/data/0/waits_for",
		    "{ \"reason\": \"disk\", \"target\": \"log\", \"holder\": null, "
		    "\"operation\": \"write\" }");
	json_object_put(json);
	not_sampled();
	json = parsed();
	ASSERT_JSON(json, "/bottlenecks/data/0/cpu_ns", "null");
	ASSERT_JSON(json, "/bottlenecks/data/0/lock_ns", "1000000");
	ASSERT_JSON(json, "/bottlenecks/data/0/disk_ns", "null");
	ASSERT_JSON(json, "/bottlenecks/data/0/unexplained_ns", "999000000");
	json_object_put(json);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(one_lock),
		TEST(locks),
		TEST(disk_and_network),
		TEST(idle),
		TEST(files_in_memory),
		TEST(too_short_to_tell),
		TEST(files_on_disk),
		TEST(queueing_inside_waits),
		TEST(queueing_without_samples),
		TEST(same_names),
		TEST(one_thread),
		TEST(several_threads),
		TEST(several_threads_that_read),
		TEST(waits_now),
		TEST(calls_that_wait),
		TEST(next_to_nothing),
		TEST(several_processes),
		TEST(without_samples),
		TEST(json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
