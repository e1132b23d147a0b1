/* SPDX-License-Identifier: MIT */
/* Threads that wait for each other in a circle are found, and only those. */
#include "process/deadlock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { MANY = 50000 };

static struct hp_blocked_list list;

static int end(void **state)
{
	(void)state;
	hp_blocked_clear(&list);
	return 0;
}

/* The threads 1, 2, 3 … wait for these locks. */
static void wait_for(const uint32_t *locks, uint32_t count, struct hp_hold *holds,
		     size_t hold_count)
{
	hp_blocked_clear(&list);
	for (uint32_t i = 0; i < count; i++)
		assert_true(hp_blocked_append(
			&list, (struct hp_blocked_thread){ .tid = i + 1, .pid = 7 }));
	hp_holds_sort(holds, hold_count);
	assert_true(hp_deadlocks_find(&list, locks, holds, hold_count));
}

/* Thread i is in a circle, and its lock is held by this one; 0 if it is in none. */
static void assert_holder(uint32_t tid, uint32_t holder)
{
	assert_int_equal(list.items[tid - 1].is_deadlocked, holder != 0);
	assert_int_equal(list.items[tid - 1].holder, holder);
}

static void nobody_waits(void **state)
{
	(void)state;
	wait_for(NULL, 0, NULL, 0);
	assert_int_equal(list.count, 0);
}

static void alone(void **state)
{
	(void)state;
	wait_for((uint32_t[]){ 5 }, 1, (struct hp_hold[]){ { 5, 1 } }, 1);
	assert_holder(1, 1);
}

/* 1 and 2 wait for each other, 3 waits for 1, 4 for somebody who does not wait, and 5 for nobody that is known. */
static void two_of_five(void **state)
{
	struct hp_hold holds[] = { { 20, 1 }, { 10, 2 }, { 30, 99 }, { 40, 3 } };

	(void)state;
	wait_for((uint32_t[]){ 10, 20, 20, 30, 50 }, 5, holds, 4);
	assert_holder(1, 2);
	assert_holder(2, 1);
	assert_holder(3, 0);
	assert_holder(4, 0);
	assert_holder(5, 0);
}

/* A chain that ends is none, and a lock with number 0 is not known. */
static void chain(void **state)
{
	struct hp_hold holds[] = { { 10, 2 }, { 20, 3 }, { 30, 1 } };

	(void)state;
	wait_for((uint32_t[]){ 10, 20, 0 }, 3, holds, 3);
	for (uint32_t i = 1; i <= 3; i++)
		assert_holder(i, 0);
}

/* Of three readers, the second one waits for the writer. */
static void one_of_the_readers(void **state)
{
	struct hp_hold holds[] = { { 10, 2 }, { 10, 3 }, { 10, 4 }, { 20, 1 }, { 30, 99 } };

	(void)state;
	wait_for((uint32_t[]){ 10, 30, 20, 30 }, 4, holds, 5);
	assert_holder(1, 3);
	assert_holder(3, 1);
	assert_holder(2, 0);
	assert_holder(4, 0);
}

static void two_circles(void **state)
{
	struct hp_hold holds[] = { { 10, 2 }, { 20, 1 }, { 30, 4 }, { 40, 5 }, { 50, 3 } };

	(void)state;
	wait_for((uint32_t[]){ 10, 20, 30, 40, 50 }, 5, holds, 5);
	assert_holder(1, 2);
	assert_holder(2, 1);
	assert_holder(3, 4);
	assert_holder(4, 5);
	assert_holder(5, 3);
}

/* A segment may claim any number of threads: the search takes no stack. */
static void many(void **state)
{
	uint32_t *locks = calloc(MANY, sizeof(*locks));
	struct hp_hold *holds = calloc(MANY, sizeof(*holds));

	(void)state;
	assert_true(locks && holds);
	for (uint32_t i = 0; i < MANY; i++) {
		locks[i] = i + 1;
		holds[i] = (struct hp_hold){ i + 1, i + 1 < MANY ? i + 2 : 1 };
	}
	wait_for(locks, MANY, holds, MANY);
	assert_holder(1, 2);
	assert_holder(MANY, 1);
	free(locks);
	free(holds);
}

/* One of a circle does not wait after all. */
static void broken(void **state)
{
	struct hp_hold holds[] = { { 10, 2 }, { 20, 1 }, { 30, 3 } };

	(void)state;
	wait_for((uint32_t[]){ 10, 20, 30 }, 3, holds, 3);
	hp_deadlocks_check(&list);
	assert_true(list.items[0].is_deadlocked);
	hp_blocked_remove(&list, 1);
	hp_deadlocks_check(&list);
	assert_int_equal(list.count, 2);
	assert_false(list.items[0].is_deadlocked);
	assert_true(list.items[1].is_deadlocked);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(nobody_waits, end),
		cmocka_unit_test_teardown(alone, end),
		cmocka_unit_test_teardown(two_of_five, end),
		cmocka_unit_test_teardown(chain, end),
		cmocka_unit_test_teardown(one_of_the_readers, end),
		cmocka_unit_test_teardown(two_circles, end),
		cmocka_unit_test_teardown(many, end),
		cmocka_unit_test_teardown(broken, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
