/* SPDX-License-Identifier: MIT */
/* A comparison fails for what the user wants it to fail for, and says why. */
#include "judge.h"
#include "made_rows.h"
#include "policy.h"

static struct hp_comparison comparison;

static void decide(enum hp_fail_on fail_on)
{
	comparison.options.fail_on = fail_on;
	assert_int_equal(hp_judge(&comparison), 0);
	assert_int_equal(hp_policy(&comparison), 0);
	assert_int_equal(hp_compare_fails(&comparison), comparison.failure_count > 0);
}

static void end(void)
{
	hp_comparison_clear(&comparison);
}

static struct hp_compared_row *add(const char *name)
{
	return made_row(&comparison, 1, name, 50);
}

static struct hp_compared_row *program(void)
{
	return &comparison.sections[0].rows[0];
}

/* Each begins so, and there is no other. */
static void assert_failures(const char *const *beginnings)
{
	size_t count = 0;

	for (; beginnings[count]; count++) {
		assert_in_range(count, 0, comparison.failure_count - 1);
		if (strncmp(comparison.failures[count], beginnings[count],
			    strlen(beginnings[count])) != 0)
			assert_string_equal(comparison.failures[count], beginnings[count]);
	}
	assert_int_equal(comparison.failure_count, count);
}

#define ASSERT_FAILURES(...) assert_failures((const char *const[]){ __VA_ARGS__ NULL })

/* One of everything that a user may want to fail for. */
static void make_all(void)
{
	comparison = made_comparison(10);
	made_time(&comparison, program(), MADE_ELAPSED, 1e9, 1.2e9, 0.001);
	made_stable(&comparison, program(), MADE_PROGRAM_COUNT, 1000, 2000);
	made_time(&comparison, add("small"), MADE_SELF, 1e4, 4e4, 0.001);
	made_time(&comparison, add("large"), MADE_SELF, 1.2e6, 1.4e6, 0.001);
	made_time(&comparison, add("fast"), MADE_SELF, 1e6, 5e5, 0.001);
	struct hp_compared_row *row = add("counted");
	made_time(&comparison, row, MADE_SELF, 1e6, 1e6, 0.001);
	made_stable(&comparison, row, MADE_CALLS, 10, 11);
	made_stable(&comparison, row, MADE_COUNT, 100, 101);
	made_stable(&comparison, add("less"), MADE_COUNT, 100, 99);
	row = made_row(&comparison, 1, "minor", 0.5);
	made_time(&comparison, row, MADE_SELF, 1e6, 5e6, 0.001);
	made_stable(&comparison, row, MADE_CALLS, 10, 11);
	made_stable(&comparison, row, MADE_COUNT, 100, 101);
	row = add("not deciding");
	made_time(&comparison, row, MADE_P95, 1e6, 5e6, 0.001);
	made_time(&comparison, row, MADE_PEAK, 1e6, 5e6, 0.001);
	made_stable(&comparison, row, MADE_GAUGE, 1, 5);
	made_stable(&comparison, made_row(&comparison, 2, "queue", -1), MADE_SENT, 10, 12);
}

#define SLOWER                                                                                     \
	"the whole program is slower: elapsed 1.00 s → 1.20 s (+",                                 \
		"large is slower: self 1.20 ms → 1.40 ms (+",                                      \
		"small is slower: self 10.00 µs → 40.00 µs (+",
#define ALLOC                                                                                      \
	"the whole program allocates more: allocations 1000 → 2000 (+",                            \
		"counted allocates more: count 100 → 101 (+",

static void slower(void **state)
{
	(void)state;
	make_all();
	decide(HP_FAIL_ON_SLOWER);
	ASSERT_FAILURES(SLOWER);
	end();
}

static void alloc(void **state)
{
	(void)state;
	make_all();
	decide(HP_FAIL_ON_ALLOC);
	ASSERT_FAILURES(ALLOC);
	end();
}

static void any(void **state)
{
	(void)state;
	make_all();
	decide(HP_FAIL_ON_ANY);
	ASSERT_FAILURES(SLOWER ALLOC "channel queue does more: sent 10 → 12 (+",
			"counted does more: calls 10 → 11 (+", );
	end();
}

static void none(void **state)
{
	(void)state;
	make_all();
	decide(HP_FAIL_ON_NONE);
	ASSERT_FAILURES();
	end();
}

/* What is better, new or gone is no failure; what a new function allocates, the whole program does. */
static void new_functions(void **state)
{
	(void)state;
	comparison = made_comparison(10);
	made_stable(&comparison, program(), MADE_PROGRAM_COUNT, 1000, 1001);
	struct hp_compared_row *row = add("new");
	row->presence = HP_NEW;
	made_stable(&comparison, row, MADE_SELF, 0, 1e6);
	made_stable(&comparison, row, MADE_COUNT, 0, 1);
	decide(HP_FAIL_ON_ANY);
	ASSERT_FAILURES("the whole program allocates more: allocations 1000 → 1001", );
	end();
}

/* All figures of a row that are bad in the same way make one sentence; names may be anything. */
static void one_sentence(void **state)
{
	(void)state;
	comparison = made_comparison(1);
	struct hp_compared_row *row = made_row(&comparison, 2, "a\x1b[31m", -1);
	made_stable(&comparison, row, MADE_SENT, 0, 5);
	row = add("f");
	made_stable(&comparison, row, MADE_CALLS, 1, 2);
	made_stable(&comparison, row, MADE_COUNT, 3, 4);
	decide(HP_FAIL_ON_ANY);
	ASSERT_FAILURES("f allocates more: count 3 → 4 (+", "channel a?[31m does more: sent 0 → 5",
			"f does more: calls 1 → 2 (+", );
	end();
}

static void budget(const char *name, const char *metric, double limit, bool is_relative)
{
	struct hp_budgets *budgets = &comparison.budgets;

	budgets->items = reallocarray(budgets->items, budgets->count + 1, sizeof(*budgets->items));
	assert_non_null(budgets->items);
	budgets->items[budgets->count++] = (struct hp_budget){
		.name = name ? strdup(name) : NULL,
		.metric = strdup(metric),
		.limit = limit,
		.is_relative = is_relative,
	};
}

static void assert_budget(size_t at, bool is_known, bool is_broken, double value)
{
	const struct hp_budget *item = &comparison.budgets.items[at];

	assert_int_equal(item->is_known, is_known);
	assert_int_equal(item->is_broken, is_broken);
	if (is_known)
		assert_float_equal(item->value, value, 1e-6);
}

static void budgets(void **state)
{
	(void)state;
	comparison = made_comparison(1);
	made_stable(&comparison, program(), MADE_ELAPSED, 1e9, 2e9);
	struct hp_compared_row *row = made_row(&comparison, 1, "work", 0.1);
	made_stable(&comparison, row, MADE_SELF, 5e4, 6e4);
	made_stable(&comparison, row, MADE_COUNT, 0, 1);
	made_stable(&comparison, made_row(&comparison, 2, "queue", -1), MADE_SENT, 10, 10);
	budget("work", "self", 5e4, false);
	budget("work", "self", 6e4, false);
	budget("work", "self", 0.1, true);
	budget("work", "self", 0.2, true);
	budget("work", "alloc_count", 0.05, true);
	budget(NULL, "elapsed", 1.5e9, false);
	budget("queue", "sent", 9, false);
	decide(HP_FAIL_ON_NONE);

	assert_budget(0, true, true, 6e4);
	assert_budget(1, true, false, 6e4);
	/* One run does not tell that a time is a fifth more. */
	assert_budget(2, true, false, 0.2);
	assert_true(comparison.budgets.items[2].is_unclear);
	assert_budget(3, true, false, 0.2);
	assert_false(comparison.budgets.items[3].is_unclear);
	assert_true(comparison.budgets.items[4].is_broken);
	assert_true(isinf(comparison.budgets.items[4].value));
	assert_budget(5, true, true, 2e9);
	assert_budget(6, true, true, 10);
	assert_int_equal(comparison.budgets.items[0].unit, HP_UNIT_NS);
	ASSERT_FAILURES("budget of the whole program: elapsed is 2.00 s, the limit is 1.50 s",
			"budget of work: alloc_count was 0 before, the limit is 5.00% more",
			"budget of work: self is 60.00 µs, the limit is 50.00 µs",
			"budget of queue: sent is 10, the limit is 9", );
	end();
}

/* How much more it may be than before is exceeded when the runs leave no doubt that it is more. */
static void relative_budgets(void **state)
{
	(void)state;
	comparison = made_comparison(10);
	struct hp_compared_row *row = add("slower");
	made_time(&comparison, row, MADE_SELF, 1000, 1200, 0.02);
	made_stable(&comparison, row, MADE_COUNT, 100, 120);
	made_time(&comparison, add("noisy"), MADE_SELF, 1000, 1200, 0.9);
	budget("slower", "self", 0.1, true);
	budget("slower", "self", 0.3, true);
	budget("slower", "alloc_count", 0.1, true);
	budget("noisy", "self", 0.02, true);
	decide(HP_FAIL_ON_NONE);
	assert_true(comparison.budgets.items[0].is_broken);
	assert_false(comparison.budgets.items[1].is_broken);
	assert_false(comparison.budgets.items[1].is_unclear);
	assert_true(comparison.budgets.items[2].is_broken);
	assert_false(comparison.budgets.items[3].is_broken);
	assert_true(comparison.budgets.items[3].is_unclear);
	assert_true(comparison.budgets.items[3].value > 0.02);
	assert_int_equal(comparison.failure_count, 2);
	assert_string_equal(
		comparison.failures[0],
		"budget of slower: self is 20.00% more than before, the limit is 10.00% "
		"more");
	end();
}

/* What is not measured breaks no budget, and is not known to keep it. */
static void unknown_budgets(void **state)
{
	(void)state;
	comparison = made_comparison(1);
	made_stable(&comparison, add("work"), MADE_SELF, 1, 1);
	struct hp_compared_row *row = add("new");
	row->presence = HP_NEW;
	made_stable(&comparison, row, MADE_SELF, 0, 100);
	row = add("removed");
	row->presence = HP_REMOVED;
	made_stable(&comparison, row, MADE_SELF, 100, 0);
	budget("other", "self", 0, false);
	budget("work", "total", 0, false);
	budget("work", "alloc_count", 0, false);
	budget("new", "self", 50, false);
	budget("new", "self", 0.1, true);
	budget("removed", "self", 0, false);
	/* The program is not one of the functions. */
	budget("program", "elapsed", 0, false);
	decide(HP_FAIL_ON_NONE);
	assert_budget(0, false, false, 0);
	assert_budget(1, false, false, 0);
	assert_budget(2, false, false, 0);
	assert_budget(3, true, true, 100);
	assert_budget(4, false, false, 0);
	assert_budget(5, false, false, 0);
	assert_budget(6, false, false, 0);
	assert_int_equal(comparison.failure_count, 1);
	end();
}

/* Of functions with the same name, the one that breaks it counts; of runs, the one in the middle. */
static void budgets_of_several(void **state)
{
	static const double values[] = { 1, 90, 2, 80, 70 };

	(void)state;
	comparison = made_comparison(5);
	made_stable(&comparison, add("twin"), MADE_SELF, 10, 10);
	memcpy(add("twin")->cells[MADE_SELF].after, values, sizeof(values));
	made_stable(&comparison, add("twin"), MADE_SELF, 30, 30);
	budget("twin", "self", 69, false);
	decide(HP_FAIL_ON_NONE);
	assert_budget(0, true, true, 70);
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slower),
		cmocka_unit_test(alloc),
		cmocka_unit_test(any),
		cmocka_unit_test(none),
		cmocka_unit_test(new_functions),
		cmocka_unit_test(one_sentence),
		cmocka_unit_test(budgets),
		cmocka_unit_test(relative_budgets),
		cmocka_unit_test(unknown_budgets),
		cmocka_unit_test(budgets_of_several),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
