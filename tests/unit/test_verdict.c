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
static struct hp_split split_ms(uint64_t wall, uint64_t cpu, uint64_t queue, uint64_t alloc)
{
	const struct hp_spent spent = { .wall_ns = wall * MS,
					.cpu_ns = cpu * MS,
					.queue_ns = queue * MS,
					.alloc_ns = alloc * MS,
					.look_ns = MS };
	struct hp_split split = hp_split(&spent);

	assert_int_equal(split.cpu_ns + split.queue_ns + split.wait_ns, split.wall_ns);
	assert_true(split.alloc_ns <= split.cpu_ns);
	return split;
}

static void assert_name(struct hp_split split, const char *expected)
{
	const char *name = hp_verdict_name(split.verdict);

	assert_string_equal(name ? name : "-", expected);
}

static void assert_verdict(uint64_t wall_ms, uint64_t cpu_ms, uint64_t alloc_ms,
			   const char *expected)
{
	assert_name(split_ms(wall_ms, cpu_ms, 0, alloc_ms), expected);
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
	struct hp_split split = split_ms(100, 130, 50, 0);
	assert_int_equal(split.cpu_ns, 100 * MS);
	assert_int_equal(split.queue_ns, 0);
	assert_int_equal(split.wait_ns, 0);
	split = split_ms(100, 30, 500, 0);
	assert_int_equal(split.queue_ns, 70 * MS);
	/* What allocating took is CPU time. */
	split = split_ms(100, 20, 0, 70);
	assert_int_equal(split.cpu_ns, 70 * MS);
	assert_name(split, "alloc");
	split = split_ms(100, 0, 0, 700);
	assert_int_equal(split.alloc_ns, 100 * MS);
	split = split_ms(0, 0, 0, 0);
	assert_int_equal(split.wait_ns, 0);
	split = hp_split(&(struct hp_spent){
		.wall_ns = 100 * MS, .cpu_ns = 60 * MS, .system_ns = 90 * MS, .look_ns = MS });
	assert_int_equal(split.system_ns, 60 * MS);
}

/* Who computes and has no processor does not wait, however little it computes. */
static void without_a_processor(void **state)
{
	(void)state;
	assert_name(split_ms(1000, 70, 930, 0), "starved");
	assert_name(split_ms(1000, 250, 750, 0), "starved");
	assert_name(split_ms(1000, 500, 500, 0), "starved");
	assert_name(split_ms(1000, 670, 330, 0), "cpu");
	assert_name(split_ms(1000, 550, 350, 0), "cpu");
	assert_name(split_ms(1000, 300, 390, 0), "starved");
	assert_name(split_ms(1000, 350, 330, 0), "cpu");
	/* Neither is the largest part. */
	assert_name(split_ms(1000, 330, 300, 0), "mixed");
	assert_name(split_ms(1000, 220, 389, 0), "mixed");
	/* And who waits may queue when it is woken. */
	assert_name(split_ms(1000, 10, 200, 0), "wait");
	assert_name(split_ms(1000, 100, 400, 0), "starved");
	assert_name(split_ms(1000, 100, 300, 0), "wait");
	assert_name(split_ms(1000, 300, 250, 0), "mixed");
}

/* CPU time that nobody saw may be anybody's. */
static void what_may_not_be_waiting(void **state)
{
	struct hp_spent spent = { .wall_ns = 100 * MS, .cpu_ns = 5 * MS, .look_ns = MS };

	(void)state;
	assert_name(hp_split(&spent), "wait");
	spent.unknown_ns = 30 * MS;
	assert_name(hp_split(&spent), "wait");
	spent.unknown_ns = 50 * MS;
	assert_name(hp_split(&spent), "-");
	spent.cpu_ns = 70 * MS;
	assert_name(hp_split(&spent), "cpu");
}

static void in_the_kernel(void **state)
{
	struct hp_spent spent = { .wall_ns = 100 * MS, .cpu_ns = 90 * MS, .look_ns = MS };

	(void)state;
	assert_false(hp_split_is_system(&(struct hp_split){ 0 }));
	struct hp_split split = hp_split(&spent);
	assert_false(hp_split_is_system(&split));
	spent.system_ns = 44 * MS;
	split = hp_split(&spent);
	assert_false(hp_split_is_system(&split));
	spent.system_ns = 80 * MS;
	split = hp_split(&spent);
	assert_true(hp_split_is_system(&split));
	assert_name(split, "cpu");
}

/* In so short a time nobody looked, or by chance. */
static void too_short_to_sample(void **state)
{
	(void)state;
	assert_name(hp_split(&(struct hp_spent){ .wall_ns = MS / 10, .look_ns = MS }), "-");
	assert_name(hp_split(&(struct hp_spent){ .wall_ns = MS / 10, .cpu_ns = MS, .look_ns = MS }),
		    "cpu");
	assert_verdict(5, 0, 0, "wait");
	assert_verdict(2, 0, 0, "-");
	assert_verdict(9, 7, 0, "cpu");
}

/* What the kernel tells of a thread needs no looks. */
static void exact(void **state)
{
	const struct hp_spent spent = { .wall_ns = MS / 10, .cpu_ns = MS / 12 };
	struct hp_split split = hp_split(&spent);

	(void)state;
	assert_name(split, "cpu");
	assert_string_equal(hp_confidence_name(split.confidence), "high");
}

static void assert_confidence(uint64_t wall_ms, uint64_t look_ns, const char *expected)
{
	const struct hp_spent spent = { .wall_ns = wall_ms * MS, .look_ns = look_ns };
	struct hp_split split = hp_split(&spent);

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
	/* Slower looks tell less. */
	assert_confidence(400, 4 * MS, "medium");
}

/* ---- measured waits ---- */

/* In milliseconds; looks come every millisecond. */
struct known {
	uint64_t wall, cpu, queue, lock, idle, disk, network, pipe;
};

static struct hp_split split_known(struct known known)
{
	const struct hp_spent spent = { .wall_ns = known.wall * MS,
					.cpu_ns = known.cpu * MS,
					.queue_ns = known.queue * MS,
					.waits = { [HP_WAITING_LOCK] = known.lock * MS,
						   [HP_WAITING_IDLE] = known.idle * MS,
						   [HP_WAITING_DISK] = known.disk * MS,
						   [HP_WAITING_NETWORK] = known.network * MS,
						   [HP_WAITING_PIPE] = known.pipe * MS },
					.look_ns = MS };
	struct hp_split split = hp_split(&spent);
	uint64_t sum = split.unexplained_ns;

	for (enum hp_waiting i = 0; i < HP_WAITINGS; i++)
		sum += split.waits[i];
	assert_int_equal(sum, split.wait_ns);
	assert_int_equal(split.cpu_ns + split.queue_ns + split.wait_ns, split.wall_ns);
	return split;
}

#define ASSERT_KNOWN(expected, ...)                                                                \
	assert_name(split_known((struct known){ __VA_ARGS__ }), expected)

static void the_largest_wait(void **state)
{
	(void)state;
	ASSERT_KNOWN("lock", .wall = 1000, .lock = 810, .cpu = 100);
	ASSERT_KNOWN("disk", .wall = 1000, .disk = 730, .cpu = 200);
	ASSERT_KNOWN("network", .wall = 1000, .network = 600, .lock = 300);
	ASSERT_KNOWN("idle", .wall = 1000, .idle = 970);
	ASSERT_KNOWN("pipe", .wall = 1000, .pipe = 900);
	/* Many reasons: that of the longest. */
	ASSERT_KNOWN("disk", .wall = 1000, .lock = 200, .idle = 200, .disk = 250, .network = 150);
	/* More is unexplained than explained. */
	ASSERT_KNOWN("wait", .wall = 1000, .lock = 300);
	/* Not most of the time, but more than anything else. */
	ASSERT_KNOWN("lock", .wall = 1000, .lock = 450, .cpu = 300, .queue = 200);
	ASSERT_KNOWN("lock", .wall = 1000, .lock = 500, .queue = 450);
	/* No single reason is more than computing. */
	ASSERT_KNOWN("mixed", .wall = 1000, .cpu = 390, .lock = 210, .idle = 200, .disk = 200);
	ASSERT_KNOWN("mixed", .wall = 1000, .cpu = 500, .lock = 400, .disk = 100);
}

/* A wait changes nothing about what computes or queues for the most part. */
static void waits_of_who_computes(void **state)
{
	(void)state;
	ASSERT_KNOWN("cpu", .wall = 1000, .cpu = 700, .lock = 300);
	ASSERT_KNOWN("cpu", .wall = 1000, .cpu = 600, .disk = 400);
	ASSERT_KNOWN("starved", .wall = 1000, .cpu = 160, .queue = 640, .lock = 200);
}

/* A call that reads what is in memory computes. */
static void computing_in_calls_of_io(void **state)
{
	(void)state;
	struct hp_split split = split_known(
		(struct known){ .wall = 1000, .cpu = 950, .disk = 990 });
	assert_name(split, "cpu");
	assert_int_equal(split.waits[HP_WAITING_DISK], 50 * MS);
	assert_int_equal(split.unexplained_ns, 0);
	/* All calls lose the same share; queueing is no waiting either. */
	split = split_known((struct known){
		.wall = 1000, .cpu = 400, .queue = 300, .disk = 400, .network = 200 });
	assert_int_equal(split.waits[HP_WAITING_DISK], 200 * MS);
	assert_int_equal(split.waits[HP_WAITING_NETWORK], 100 * MS);
}

/* Samples give way to a wait for a lock. */
static void samples_that_are_too_many(void **state)
{
	(void)state;
	struct hp_split split = split_known(
		(struct known){ .wall = 1000, .cpu = 400, .lock = 800 });
	assert_int_equal(split.waits[HP_WAITING_LOCK], 800 * MS);
	assert_int_equal(split.cpu_ns, 200 * MS);
	assert_name(split, "lock");
	split = split_known((struct known){ .wall = 1000, .cpu = 400, .lock = 800, .idle = 700 });
	assert_int_equal(split.waits[HP_WAITING_LOCK], 800 * MS);
	assert_int_equal(split.waits[HP_WAITING_IDLE], 200 * MS);
	assert_int_equal(split.cpu_ns, 0);
	split = split_known((struct known){ .wall = 100, .lock = 5000 });
	assert_int_equal(split.waits[HP_WAITING_LOCK], 100 * MS);
}

/* What the clock has measured needs no samples, unless it may have been computing. */
static void waits_without_samples(void **state)
{
	(void)state;
	struct hp_split split = split_known((struct known){ .wall = 2, .lock = 2 });
	assert_name(split, "lock");
	assert_string_equal(hp_confidence_name(split.confidence), "high");
	ASSERT_KNOWN("-", .wall = 2, .disk = 2);
	/* Nobody has seen the rest. */
	struct hp_spent spent = { .wall_ns = 100 * MS,
				  .waits = { [HP_WAITING_LOCK] = 70 * MS },
				  .look_ns = MS,
				  .unknown_ns = 1000 * MS };
	assert_name(hp_split(&spent), "lock");
	spent.waits[HP_WAITING_LOCK] = 30 * MS;
	assert_name(hp_split(&spent), "-");
}

static void nothing_sampled(void **state)
{
	struct hp_spent spent = { .wall_ns = 100 * MS,
				  .cpu_ns = 20 * MS,
				  .waits = { [HP_WAITING_LOCK] = 60 * MS },
				  .is_unsampled = true };
	struct hp_split split = hp_split(&spent);

	(void)state;
	assert_name(split, "lock");
	assert_int_equal(split.cpu_ns, 0);
	assert_int_equal(split.wait_ns, 60 * MS);
	assert_int_equal(split.unexplained_ns, 40 * MS);
	/* The rest may have been computing. */
	spent.waits[HP_WAITING_LOCK] = 45 * MS;
	assert_name(hp_split(&spent), "-");
	spent.waits[HP_WAITING_LOCK] = 0;
	assert_name(hp_split(&spent), "-");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_is_most),
		cmocka_unit_test(none_is_most),
		cmocka_unit_test(waiting_comes_first),
		cmocka_unit_test(parts_are_not_more_than_the_whole),
		cmocka_unit_test(without_a_processor),
		cmocka_unit_test(what_may_not_be_waiting),
		cmocka_unit_test(in_the_kernel),
		cmocka_unit_test(too_short_to_sample),
		cmocka_unit_test(exact),
		cmocka_unit_test(confidence),
		cmocka_unit_test(the_largest_wait),
		cmocka_unit_test(waits_of_who_computes),
		cmocka_unit_test(computing_in_calls_of_io),
		cmocka_unit_test(samples_that_are_too_many),
		cmocka_unit_test(waits_without_samples),
		cmocka_unit_test(nothing_sampled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
