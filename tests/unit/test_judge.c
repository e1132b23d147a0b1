/* SPDX-License-Identifier: MIT */
/* What is exact is judged by one run, times by how they vary, and rows by what decides. */
#include "judge.h"
#include "made_noise.h"
#include "made_rows.h"

static struct hp_comparison comparison;

static void judge(void)
{
	assert_int_equal(hp_judge(&comparison), 0);
}

static void end(void)
{
	hp_comparison_clear(&comparison);
}

static struct hp_compared_row *add(const char *name)
{
	return made_row(&comparison, 1, name, 50);
}

static void assert_judged(const char *name, enum hp_judged judged, bool has_changed)
{
	const struct hp_compared_row *row = made_find(&comparison, name);

	assert_string_equal(hp_judged_name(row->judged), hp_judged_name(judged));
	assert_int_equal(row->has_changed, has_changed);
}

static void assert_cell(const char *name, size_t column, enum hp_judged judged)
{
	const struct hp_compared_row *row = made_find(&comparison, name);

	assert_string_equal(hp_judged_name(row->cells[column].judged), hp_judged_name(judged));
}

static void times(void **state)
{
	(void)state;
	comparison = made_comparison(10);
	made_time(&comparison, add("slower"), MADE_SELF, 1000, 1100, 0.02);
	made_time(&comparison, add("faster"), MADE_SELF, 1000, 900, 0.02);
	made_time(&comparison, add("same"), MADE_SELF, 1000, 1000, 0.02);
	/* Certainly more, and too little to matter. */
	made_time(&comparison, add("little"), MADE_SELF, 1000, 1040, 0.005);
	/* Perhaps much more. */
	made_time(&comparison, add("noisy"), MADE_SELF, 1000, 1100, 0.4);
	made_time(&comparison, add("equal and noisy"), MADE_SELF, 1000, 1000, 0.4);
	made_stable(&comparison, add("nothing"), MADE_SELF, 0, 0);
	made_stable(&comparison, add("from nothing"), MADE_SELF, 0, 10);
	judge();

	assert_judged("slower", HP_JUDGED_SLOWER, true);
	assert_judged("faster", HP_JUDGED_FASTER, true);
	assert_judged("same", HP_JUDGED_SAME, false);
	assert_judged("little", HP_JUDGED_SAME, false);
	assert_judged("noisy", HP_JUDGED_UNCLEAR, false);
	assert_judged("equal and noisy", HP_JUDGED_UNCLEAR, false);
	assert_judged("nothing", HP_JUDGED_SAME, false);
	assert_judged("from nothing", HP_JUDGED_SLOWER, true);
	assert_judged("program", HP_JUDGED_SAME, false);

	const struct hp_compared_cell *cell = &made_find(&comparison, "slower")->cells[MADE_SELF];
	assert_float_equal(cell->before_median, 1000, 1e-6);
	assert_float_equal(cell->after_median, 1100, 1e-6);
	assert_float_equal(cell->ratio.estimate, 1.1, 0.01);
	assert_true(cell->ratio.low > 1.05 && cell->ratio.high < 1.15);
	assert_false(cell->is_stable);
	end();
}

static void threshold_is_the_users(void **state)
{
	(void)state;
	comparison = made_comparison(10);
	comparison.options.threshold = 0.2;
	made_time(&comparison, add("slower"), MADE_SELF, 1000, 1100, 0.02);
	made_stable(&comparison, made_row(&comparison, 2, "queue", -1), MADE_SENT, 1000, 1001);
	judge();
	assert_judged("slower", HP_JUDGED_SAME, false);
	assert_judged("queue", HP_JUDGED_MORE, true);
	end();
}

/* A time of one run is judged beyond a factor of two alone, and never the same. */
static void single_runs(void **state)
{
	(void)state;
	comparison = made_comparison(1);
	made_stable(&comparison, add("equal"), MADE_SELF, 1000, 1000);
	made_stable(&comparison, add("much slower"), MADE_SELF, 3e8, 5.7e8);
	made_stable(&comparison, add("thrice"), MADE_SELF, 2e8, 6e8);
	made_stable(&comparison, add("third"), MADE_SELF, 6e8, 2e8);
	/* The program takes 1e9: less than a quarter of it may be anything. */
	made_stable(&comparison, add("thrice of little"), MADE_SELF, 1.2e8, 3.6e8);
	struct hp_compared_row *row = add("counted");
	made_stable(&comparison, row, MADE_CALLS, 7, 7);
	made_stable(&comparison, row, MADE_COUNT, 1000, 1001);
	judge();

	assert_judged("equal", HP_JUDGED_UNCLEAR, false);
	assert_judged("much slower", HP_JUDGED_UNCLEAR, false);
	assert_judged("thrice", HP_JUDGED_SLOWER, true);
	assert_judged("third", HP_JUDGED_FASTER, true);
	assert_judged("thrice of little", HP_JUDGED_UNCLEAR, false);
	assert_judged("counted", HP_JUDGED_MORE, true);
	assert_cell("counted", MADE_CALLS, HP_JUDGED_SAME);
	assert_cell("counted", MADE_COUNT, HP_JUDGED_MORE);
	row = made_find(&comparison, "counted");
	assert_true(row->cells[MADE_COUNT].is_stable);
	assert_true(row->cells[MADE_COUNT].ratio.low == 1.001);
	assert_true(made_find(&comparison, "equal")->cells[MADE_SELF].ratio.is_guess);
	end();

	/* However much the user does not care for. */
	comparison = made_comparison(1);
	comparison.options.threshold = 4;
	made_stable(&comparison, add("equal"), MADE_SELF, 1000, 1000);
	judge();
	assert_judged("equal", HP_JUDGED_UNCLEAR, false);
	end();
}

static void exact_figures(void **state)
{
	static const double unstable[] = { 100, 101, 100, 102, 100, 100, 101, 100, 103, 100 };

	(void)state;
	comparison = made_comparison(10);
	made_stable(&comparison, add("equal"), MADE_CALLS, 5, 5);
	made_stable(&comparison, add("one more"), MADE_CALLS, 1e9, 1e9 + 1);
	made_stable(&comparison, add("one less"), MADE_CALLS, 1e9, 1e9 - 1);
	made_stable(&comparison, add("first"), MADE_CALLS, 0, 1);
	made_stable(&comparison, add("last"), MADE_CALLS, 1, 0);
	struct hp_compared_row *row = add("unstable");
	memcpy(row->cells[MADE_CALLS].before, unstable, sizeof(unstable));
	memcpy(row->cells[MADE_CALLS].after, unstable, sizeof(unstable));
	row = add("unstable and more");
	made_stable(&comparison, row, MADE_CALLS, 0, 104);
	memcpy(row->cells[MADE_CALLS].before, unstable, sizeof(unstable));
	row = add("wild");
	made_time(&comparison, row, MADE_CALLS, 1000, 1000, 0.5);
	judge();

	assert_cell("equal", MADE_CALLS, HP_JUDGED_SAME);
	assert_cell("one more", MADE_CALLS, HP_JUDGED_MORE);
	assert_cell("one less", MADE_CALLS, HP_JUDGED_LESS);
	assert_cell("first", MADE_CALLS, HP_JUDGED_MORE);
	assert_cell("last", MADE_CALLS, HP_JUDGED_LESS);
	assert_cell("unstable", MADE_CALLS, HP_JUDGED_SAME);
	assert_cell("unstable and more", MADE_CALLS, HP_JUDGED_MORE);
	assert_cell("wild", MADE_CALLS, HP_JUDGED_UNCLEAR);
	assert_true(made_find(&comparison, "one more")->cells[MADE_CALLS].is_stable);
	assert_false(made_find(&comparison, "unstable")->cells[MADE_CALLS].is_stable);
	assert_false(made_find(&comparison, "unstable and more")->cells[MADE_CALLS].is_stable);
	assert_true(isinf(made_find(&comparison, "first")->cells[MADE_CALLS].ratio.estimate));
	end();
}

static void levels_and_gauges(void **state)
{
	(void)state;
	comparison = made_comparison(10);
	struct hp_compared_row *row = add("high");
	made_time(&comparison, row, MADE_PEAK, 1000, 1300, 0.02);
	made_time(&comparison, row, MADE_GAUGE, 1000, 1300, 0.02);
	row = add("below 0");
	made_time(&comparison, row, MADE_PEAK, 1000, 1020, 0.002);
	made_time(&comparison, row, MADE_GAUGE, -1000, 1300, 0.02);
	row = add("still");
	made_time(&comparison, row, MADE_PEAK, 1000, 700, 0.02);
	made_stable(&comparison, row, MADE_GAUGE, -2.5, -2.5);
	judge();

	assert_cell("high", MADE_PEAK, HP_JUDGED_MORE);
	assert_cell("high", MADE_GAUGE, HP_JUDGED_NOT);
	assert_judged("high", HP_JUDGED_NOT, false);
	assert_cell("below 0", MADE_PEAK, HP_JUDGED_SAME);
	assert_cell("below 0", MADE_GAUGE, HP_JUDGED_NOT);
	row = made_find(&comparison, "below 0");
	assert_true(isnan(row->cells[MADE_GAUGE].ratio.estimate));
	assert_float_equal(row->cells[MADE_GAUGE].before_median, -1000, 1e-6);
	assert_cell("still", MADE_PEAK, HP_JUDGED_LESS);
	assert_cell("still", MADE_GAUGE, HP_JUDGED_SAME);
	end();
}

/* Where the time that decides is not known, equal counts do not say that nothing has changed. */
static void deciding_is_unknown(void **state)
{
	(void)state;
	comparison = made_comparison(10);
	struct hp_compared_row *row = add("other time");
	made_stable(&comparison, row, MADE_CALLS, 5, 5);
	made_time(&comparison, row, MADE_P95, 1000, 3000, 0.02);
	row = add("all the same");
	made_stable(&comparison, row, MADE_CALLS, 5, 5);
	made_time(&comparison, row, MADE_P95, 1000, 1000, 0.02);
	add("nothing known");
	judge();

	assert_judged("other time", HP_JUDGED_UNCLEAR, false);
	assert_judged("all the same", HP_JUDGED_SAME, false);
	assert_judged("nothing known", HP_JUDGED_NOT, false);
	assert_int_equal(hp_compare_count(&comparison).not_compared, 1);
	end();
}

/* Runs in which a figure is not known are left out of it. */
static void unknown_values(void **state)
{
	(void)state;
	comparison = made_comparison(10);
	struct hp_compared_row *row = add("partly");
	made_time(&comparison, row, MADE_SELF, 1000, 1100, 0.02);
	made_stable(&comparison, row, MADE_CALLS, 5, 6);
	row->cells[MADE_SELF].before[3] = NAN;
	row->cells[MADE_SELF].after[0] = NAN;
	row->cells[MADE_CALLS].after[9] = NAN;
	row = add("one side");
	made_stable(&comparison, row, MADE_SELF, NAN, 1000);
	made_stable(&comparison, row, MADE_CALLS, 5, NAN);
	judge();

	assert_judged("partly", HP_JUDGED_SLOWER, true);
	assert_cell("partly", MADE_CALLS, HP_JUDGED_MORE);
	assert_cell("partly", MADE_P95, HP_JUDGED_NOT);
	assert_judged("one side", HP_JUDGED_NOT, false);
	row = made_find(&comparison, "one side");
	assert_true(isnan(row->cells[MADE_SELF].before_median));
	assert_true(row->cells[MADE_SELF].after_median == 1000);
	assert_true(isnan(row->cells[MADE_SELF].ratio.estimate));
	assert_cell("one side", MADE_CALLS, HP_JUDGED_NOT);
	/* The program's, and the one that is known. */
	assert_int_equal(comparison.judged_count, 2);
	end();
}

static void rows_that_nothing_decides(void **state)
{
	(void)state;
	comparison = made_comparison(10);
	struct hp_compared_row *row = made_row(&comparison, 2, "more", -1);
	made_stable(&comparison, row, MADE_SENT, 5, 6);
	made_time(&comparison, row, MADE_LONGEST, 100, 50, 0.01);
	row = made_row(&comparison, 2, "longer", -1);
	made_stable(&comparison, row, MADE_SENT, 5, 5);
	made_time(&comparison, row, MADE_LONGEST, 100, 200, 0.01);
	row = made_row(&comparison, 2, "less", -1);
	made_stable(&comparison, row, MADE_SENT, 6, 5);
	row = made_row(&comparison, 2, "unclear", -1);
	made_time(&comparison, row, MADE_SENT, 100, 110, 0.5);
	made_row(&comparison, 2, "unknown", -1);
	judge();

	assert_judged("more", HP_JUDGED_MORE, true);
	assert_judged("longer", HP_JUDGED_SAME, false);
	assert_cell("longer", MADE_LONGEST, HP_JUDGED_MORE);
	assert_judged("less", HP_JUDGED_LESS, true);
	assert_judged("unclear", HP_JUDGED_UNCLEAR, false);
	assert_judged("unknown", HP_JUDGED_NOT, false);
	end();
}

static void presence(void **state)
{
	(void)state;
	comparison = made_comparison(10);
	struct hp_compared_row *row = add("new");
	row->presence = HP_NEW;
	made_stable(&comparison, row, MADE_SELF, 0, 1000);
	made_stable(&comparison, row, MADE_CALLS, 0, 10);
	row = add("removed");
	row->presence = HP_REMOVED;
	made_stable(&comparison, row, MADE_SELF, 1000, 0);
	row = add("renamed");
	row->presence = HP_RENAMED;
	row->old_name = strdup("old");
	made_time(&comparison, row, MADE_SELF, 1000, 1000, 0.01);
	judge();

	assert_judged("new", HP_JUDGED_NOT, true);
	assert_cell("new", MADE_CALLS, HP_JUDGED_NOT);
	row = made_find(&comparison, "new");
	assert_true(row->cells[MADE_CALLS].after_median == 10);
	assert_true(isnan(row->cells[MADE_CALLS].ratio.estimate));
	assert_judged("removed", HP_JUDGED_NOT, true);
	assert_judged("renamed", HP_JUDGED_SAME, true);
	assert_int_equal(comparison.judged_count, 2);
	end();
}

static void minor_rows_are_left_out(void **state)
{
	(void)state;
	comparison = made_comparison(10);
	struct hp_compared_row *row = made_row(&comparison, 1, "minor", 0.99);
	made_time(&comparison, row, MADE_SELF, 1000, 2000, 0.01);
	made_stable(&comparison, row, MADE_CALLS, 1, 2);
	row = made_row(&comparison, 1, "new and minor", 0);
	row->presence = HP_NEW;
	row = made_row(&comparison, 1, "not minor", 1);
	made_time(&comparison, row, MADE_SELF, 1000, 2000, 0.01);
	row = made_row(&comparison, 1, "without a share", -1);
	made_time(&comparison, row, MADE_SELF, 1000, 2000, 0.01);
	judge();

	assert_judged("minor", HP_JUDGED_NOT, false);
	assert_cell("minor", MADE_CALLS, HP_JUDGED_MORE);
	assert_judged("new and minor", HP_JUDGED_NOT, false);
	assert_judged("not minor", HP_JUDGED_SLOWER, true);
	assert_judged("without a share", HP_JUDGED_SLOWER, true);
	assert_int_equal(comparison.judged_count, 3);
	end();
}

/* Each of many intervals must be more certain, so that all are right together. */
static void confidence_depends_on_rows(void **state)
{
	(void)state;
	comparison = made_comparison(10);
	judge();
	assert_int_equal(comparison.judged_count, 1);
	assert_float_equal(comparison.row_confidence, 0.95, 1e-12);
	assert_int_equal(comparison.runs_needed, 4);
	double alone = comparison.sections[0].rows[0].cells[MADE_ELAPSED].ratio.high;
	end();

	comparison = made_comparison(10);
	for (int i = 0; i < 99; i++)
		made_time(&comparison, add("some"), MADE_SELF, 1000, 1000, 0.02);
	judge();
	assert_int_equal(comparison.judged_count, 100);
	assert_float_equal(comparison.row_confidence, 0.9995, 1e-12);
	assert_int_equal(comparison.runs_needed, 8);
	assert_true(comparison.sections[0].rows[0].cells[MADE_ELAPSED].ratio.high > alone);
	end();
}

/* What is exact and yet differs from run to run is judged by an interval too, which may be wrong as any other. */
static void unstable_counts_are_intervals(void **state)
{
	static const double unstable[] = { 7, 8, 7, 9, 7, 7, 8, 7, 10, 7 };

	(void)state;
	comparison = made_comparison(10);
	for (int i = 0; i < 49; i++) {
		struct hp_compared_row *row = add("racy");
		made_time(&comparison, row, MADE_SELF, 1000, 1000, 0.02);
		made_stable(&comparison, row, MADE_CALLS, 7, 7);
		memcpy(row->cells[MADE_CALLS].before, unstable, sizeof(unstable));
		made_stable(&comparison, row, MADE_COUNT, 5, 5);
	}
	struct hp_compared_row *row = made_row(&comparison, 2, "queue", -1);
	memcpy(row->cells[MADE_SENT].after, unstable, sizeof(unstable));
	memcpy(row->cells[MADE_SENT].before, unstable, sizeof(unstable));
	/* No verdict depends on these. */
	made_time(&comparison, row, MADE_LONGEST, 100, 100, 0.1);
	row = made_row(&comparison, 1, "minor", 0.5);
	memcpy(row->cells[MADE_CALLS].before, unstable, sizeof(unstable));
	memcpy(row->cells[MADE_CALLS].after, unstable, sizeof(unstable));
	judge();
	assert_int_equal(comparison.judged_count, 1 + 49 * 2 + 1);
	end();
}

/* Runs that do not say how long the program took do not say what a quarter of that is. */
static void unknown_whole(void **state)
{
	(void)state;
	comparison = made_comparison(3);
	struct hp_compared_cell *elapsed = &comparison.sections[0].rows[0].cells[MADE_ELAPSED];
	elapsed->before[0] = elapsed->before[1] = NAN;
	made_time(&comparison, add("thrice"), MADE_SELF, 2e8, 6e8, 0.01);
	judge();
	assert_judged("thrice", HP_JUDGED_SLOWER, true);
	end();
}

static void assert_order(size_t section, const char *const *names, size_t count)
{
	assert_int_equal(comparison.sections[section].row_count, count);
	for (size_t i = 0; i < count; i++)
		assert_string_equal(comparison.sections[section].rows[i].name, names[i]);
}

static void rows_are_in_order(void **state)
{
	static const char *const expected[] = {
		"slower 9", "slower 8", "more",	      "faster",	   "less",    "new",
		"removed",  "renamed",	"same 30 at", "same 30 b", "same 20", "same of none",
	};
	static const struct {
		const char *name;
		double share, after, calls;
		enum hp_presence presence;
	} rows[] = {
		{ "same of none", -1, 1000, 10, HP_PRESENT },
		{ "same 20", 20, 1000, 10, HP_PRESENT },
		{ "same 30 b", 30, 1000, 10, HP_PRESENT },
		{ "same 30 at", 30, 1000, 10, HP_PRESENT },
		{ "renamed", 99, 1000, 10, HP_RENAMED },
		{ "removed", 99, 1000, 10, HP_REMOVED },
		{ "new", 99, 1000, 10, HP_NEW },
		{ "less", 99, 1000, 9, HP_PRESENT },
		{ "faster", 99, 500, 10, HP_PRESENT },
		{ "more", 50, 500, 11, HP_PRESENT },
		{ "slower 8", 8, 2000, 10, HP_PRESENT },
		{ "slower 9", 9, 2000, 11, HP_PRESENT },
	};

	(void)state;
	comparison = made_comparison(10);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct hp_compared_row *row = made_row(&comparison, 1, rows[i].name, rows[i].share);
		row->presence = rows[i].presence;
		made_time(&comparison, row, MADE_SELF, 1000, rows[i].after, 0.01);
		made_stable(&comparison, row, MADE_CALLS, 10, rows[i].calls);
	}
	judge();
	assert_order(1, expected, sizeof(expected) / sizeof(*expected));
	end();
}

/* Rows of the same name are told apart by where they are; those that nothing tells apart stay in order. */
static void equal_rows_have_an_order(void **state)
{
	static const char *const files[] = { "z.c", NULL, "a.c", "a.c", "a.c" };
	static const uint32_t lines[] = { 1, 5, 9, 2, 2 };

	(void)state;
	comparison = made_comparison(1);
	for (size_t i = 0; i < 5; i++) {
		struct hp_compared_row *row = made_row(&comparison, 2, "x", -1);
		row->file = files[i] ? strdup(files[i]) : NULL;
		row->line = lines[i];
		made_stable(&comparison, row, MADE_SENT, (double)i, (double)i);
	}
	judge();
	static const double order[] = { 1, 3, 4, 2, 0 };
	for (size_t i = 0; i < 5; i++)
		assert_true(comparison.sections[2].rows[i].cells[MADE_SENT].before_median ==
			    order[i]);
	end();
}

static void counts(void **state)
{
	(void)state;
	comparison = made_comparison(10);
	made_time(&comparison, add("slower"), MADE_SELF, 1000, 2000, 0.01);
	made_time(&comparison, add("faster"), MADE_SELF, 2000, 1000, 0.01);
	made_time(&comparison, add("same"), MADE_SELF, 1000, 1000, 0.01);
	struct hp_compared_row *row = add("unclear");
	made_time(&comparison, row, MADE_SELF, 1000, 1100, 0.5);
	made_stable(&comparison, row, MADE_CALLS, 1, 2);
	made_stable(&comparison, row, MADE_COUNT, 2, 1);
	made_stable(&comparison, made_row(&comparison, 2, "queue", -1), MADE_SENT, 1, 2);
	add("new")->presence = HP_NEW;
	add("removed")->presence = HP_REMOVED;
	add("renamed")->presence = HP_RENAMED;
	made_row(&comparison, 1, "minor", 0.5)->presence = HP_NEW;
	judge();

	struct hp_compare_counts counts = hp_compare_count(&comparison);
	assert_int_equal(counts.slower, 1);
	assert_int_equal(counts.faster, 1);
	assert_int_equal(counts.same, 1);
	assert_int_equal(counts.unclear, 1);
	assert_int_equal(counts.more, 2);
	assert_int_equal(counts.less, 1);
	assert_int_equal(counts.created, 1);
	assert_int_equal(counts.removed, 1);
	assert_int_equal(counts.renamed, 1);
	assert_int_equal(counts.minor, 1);
	end();
}

/* Whether any row is slower or faster, in a comparison of a program with itself. */
static bool finds_a_difference(made_draw_fn draw)
{
	comparison = made_comparison(10);
	for (int i = 0; i < 19; i++) {
		struct hp_compared_cell *cell = &add("row")->cells[MADE_SELF];
		made_draw(draw, 1000, cell->before, 10);
		made_draw(draw, 1000, cell->after, 10);
	}
	judge();
	struct hp_compare_counts counts = hp_compare_count(&comparison);
	end();
	return counts.slower + counts.faster > 0;
}

/* Of all comparisons, and not of all rows, at most one in twenty says what is not so. */
static void nothing_differs_from_itself(void **state)
{
	enum { TRIES = 200 };

	(void)state;
	made_seed = 5;
	for (size_t i = 0; i < MADE_DRAWS; i++) {
		size_t wrong = 0;
		for (int j = 0; j < TRIES; j++)
			wrong += finds_a_difference(made_draws[i]);
		/* With three standard deviations. */
		assert_in_range(wrong, 0, TRIES / 20 + 9);
	}
}

/* Of what is sampled, a few samples tell nothing, though all runs agree. */
static void seldom_seen(void **state)
{
	(void)state;
	comparison = made_comparison(10);
	struct hp_compared_row *row = add("seldom");
	made_time(&comparison, row, MADE_SELF, 1e6, 2e6, 0.01);
	row->cells[MADE_SELF].least = 3e6;
	row = add("often");
	made_time(&comparison, row, MADE_SELF, 2e6, 4e6, 0.01);
	row->cells[MADE_SELF].least = 3e6;
	judge();
	assert_judged("seldom", HP_JUDGED_UNCLEAR, false);
	assert_judged("often", HP_JUDGED_SLOWER, true);
	end();
}

static void nothing_to_judge(void **state)
{
	(void)state;
	comparison = (struct hp_comparison){ 0 };
	hp_compare_options_init(&comparison.options);
	judge();
	assert_int_equal(comparison.judged_count, 0);
	assert_float_equal(comparison.row_confidence, 0.95, 1e-12);
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times),
		cmocka_unit_test(threshold_is_the_users),
		cmocka_unit_test(single_runs),
		cmocka_unit_test(exact_figures),
		cmocka_unit_test(levels_and_gauges),
		cmocka_unit_test(unknown_values),
		cmocka_unit_test(deciding_is_unknown),
		cmocka_unit_test(rows_that_nothing_decides),
		cmocka_unit_test(presence),
		cmocka_unit_test(minor_rows_are_left_out),
		cmocka_unit_test(confidence_depends_on_rows),
		cmocka_unit_test(unstable_counts_are_intervals),
		cmocka_unit_test(unknown_whole),
		cmocka_unit_test(rows_are_in_order),
		cmocka_unit_test(equal_rows_have_an_order),
		cmocka_unit_test(counts),
		cmocka_unit_test(nothing_differs_from_itself),
		cmocka_unit_test(seldom_seen),
		cmocka_unit_test(nothing_to_judge),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
