/* SPDX-License-Identifier: MIT */
/* Segments of one run, and the process that it began with. */
#include "process/found_run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define COUNT(items) (sizeof(items) / sizeof(*(items)))

static struct hp_found segment(const char *run, uint32_t pid, uint32_t parent, uint64_t start)
{
	struct hp_found found = { .pid = pid, .parent_pid = parent, .process_unix_ns = start };

	for (size_t i = 0; run[i]; i++)
		found.run[i] = run[i];
	return found;
}

static void a_child_may_seem_older(void **state)
{
	struct hp_found items[] = { segment("1-1", 12, 11, 90), segment("1-1", 11, 10, 95),
				    segment("1-1", 10, 1, 100), segment("2-2", 9, 1, 10) };
	const struct hp_found_list list = { items, COUNT(items) };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		assert_ptr_equal(hp_found_root(&list, &items[i]), &items[2]);
		assert_int_equal(hp_found_is_root(&list, &items[i]), i == 2);
		assert_int_equal(hp_found_newest(&list, i), 0);
		assert_int_equal(hp_found_processes(&list, &items[i]), 3);
	}
	assert_false(hp_found_has_others(&list, &items[3]));
}

static void of_siblings_the_oldest_is_first(void **state)
{
	struct hp_found items[] = { segment("1-1", 12, 10, 102), segment("1-1", 11, 10, 101) };
	const struct hp_found_list list = { items, COUNT(items) };

	(void)state;
	assert_ptr_equal(hp_found_root(&list, &items[0]), &items[1]);
	assert_false(hp_found_is_root(&list, &items[0]));
}

/* Two are started within one tick of the kernel. */
static void of_equal_starts_the_first_segment_is_older(void **state)
{
	struct hp_found items[] = { segment("1-1", 12, 10, 100), segment("1-1", 11, 10, 100) };
	const struct hp_found_list list = { items, COUNT(items) };

	(void)state;
	items[0].start_unix_ns = 1002;
	items[1].start_unix_ns = 1001;
	assert_ptr_equal(hp_found_root(&list, &items[0]), &items[1]);
	assert_false(hp_found_is_root(&list, &items[0]));
	assert_true(hp_found_is_root(&list, &items[1]));
}

static void one_process_may_have_several(void **state)
{
	struct hp_found items[] = { segment("1-1", 11, 10, 100), segment("1-1", 11, 10, 100) };
	const struct hp_found_list list = { items, COUNT(items) };

	(void)state;
	assert_int_equal(hp_found_processes(&list, &items[0]), 1);
	assert_true(hp_found_has_others(&list, &items[0]));
	assert_true(hp_found_is_root(&list, &items[0]) && hp_found_is_root(&list, &items[1]));
}

/* The second and the third are one process; the clock by which its start is told was read twice. */
static void a_number_may_be_used_again(void **state)
{
	const uint64_t second = 1000000000;
	struct hp_found items[] = { segment("1-1", 11, 10, 9 * second),
				    segment("1-1", 11, 10, 5 * second + 300),
				    segment("1-1", 11, 10, 5 * second),
				    segment("2-2", 11, 10, 5 * second) };
	const struct hp_found_list list = { items, COUNT(items) };

	(void)state;
	assert_int_equal(hp_found_processes(&list, &items[0]), 2);
	assert_false(hp_found_is_replaced(&list, 0) || hp_found_has_replaced(&list, 0));
	assert_true(!hp_found_is_replaced(&list, 1) && hp_found_has_replaced(&list, 1));
	assert_true(hp_found_is_replaced(&list, 2) && !hp_found_has_replaced(&list, 2));
	assert_false(hp_found_is_replaced(&list, 3));
	/* A segment that cannot tell when its process began is matched by the number of the process alone. */
	items[0].start_unix_ns = items[0].process_unix_ns;
	assert_true(hp_found_has_replaced(&list, 0));
}

static void parents_may_be_lies(void **state)
{
	struct hp_found items[] = { segment("1-1", 11, 12, 100), segment("1-1", 12, 11, 100),
				    segment("1-1", 13, 13, 200) };
	const struct hp_found_list list = { items, COUNT(items) };

	(void)state;
	assert_in_range(hp_found_root(&list, &items[2])->pid, 11, 12);
}

static void without_a_run_all_are_alone(void **state)
{
	struct hp_found items[] = { segment("", 11, 10, 100), segment("", 10, 1, 90) };
	const struct hp_found_list list = { items, COUNT(items) };

	(void)state;
	assert_ptr_equal(hp_found_root(&list, &items[0]), &items[0]);
	assert_int_equal(hp_found_newest(&list, 1), 1);
	assert_null(hp_found_run(&list, ""));
	assert_false(hp_found_run_is_live(&list, &items[0]));
}

static void a_run_has_a_name(void **state)
{
	struct hp_found items[] = { segment("2-2", 11, 10, 100), segment("1-1", 10, 1, 90) };
	const struct hp_found_list list = { items, COUNT(items) };

	(void)state;
	items[1].live = true;
	assert_ptr_equal(hp_found_run(&list, "1-1"), &items[1]);
	assert_null(hp_found_run(&list, "1-"));
	assert_true(hp_found_run_is_live(&list, &items[1]));
	assert_false(hp_found_run_is_live(&list, &items[0]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_child_may_seem_older),
		cmocka_unit_test(of_siblings_the_oldest_is_first),
		cmocka_unit_test(of_equal_starts_the_first_segment_is_older),
		cmocka_unit_test(one_process_may_have_several),
		cmocka_unit_test(a_number_may_be_used_again),
		cmocka_unit_test(parents_may_be_lies),
		cmocka_unit_test(without_a_run_all_are_alone),
		cmocka_unit_test(a_run_has_a_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
