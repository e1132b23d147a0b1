/* SPDX-License-Identifier: MIT */
/* What a comparison says of what else differs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "comparison_by_hand.h"
#include "match.h"
#include "notes.h"

enum { RUNS = 3 };

static struct hp_comparison comparison;
static struct hp_model *base[RUNS], *head[RUNS];

/* Two sides that have nothing to be said of. */
static int set_up(void **state)
{
	(void)state;
	comparison = new_comparison();
	for (size_t i = 0; i < RUNS; i++) {
		base[i] = ADD(&comparison.base, CALLED("main", "a.c", 1, 1));
		head[i] = ADD(&comparison.head, CALLED("main", "a.c", 1, 1));
	}
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	hp_comparison_clear(&comparison);
	return 0;
}

static void find(void)
{
	assert_int_equal(hp_match(&comparison), 0);
	assert_int_equal(hp_notes_collect(&comparison), 0);
}

/* There are these notes, and no others. */
static void assert_notes(const char *const *expected)
{
	size_t count = 0;

	for (; expected[count]; count++) {
		if (count == comparison.note_count)
			fail_msg("missing: %s", expected[count]);
		assert_string_equal(comparison.notes[count], expected[count]);
	}
	if (count < comparison.note_count)
		fail_msg("not expected: %s", comparison.notes[count]);
}

#define NOTES(...) assert_notes((const char *const[]){ __VA_ARGS__, NULL })

static void replace(char **string, const char *by)
{
	free(*string);
	*string = strdup(by);
}

static void nothing_to_say(void **state)
{
	(void)state;
	find();
	assert_int_equal(comparison.note_count, 0);
}

static void a_note_is_there_once(void **state)
{
	(void)state;
	assert_int_equal(hp_notes_add(&comparison, "%s is %d", "one", 1), 0);
	assert_int_equal(hp_notes_add(&comparison, "one is 1"), 0);
	assert_int_equal(hp_notes_add(&comparison, "%s", ""), 0);
	NOTES("one is 1", "");
}

/* What comes from a file does not command a terminal. */
static void notes_are_printable(void **state)
{
	(void)state;
	assert_int_equal(hp_notes_add(&comparison, "%s", "a\x1b[31mb\nc \xc2\xb5"), 0);
	NOTES("a?[31mb?c \xc2\xb5");
}

/* ---- what runs are ---- */

static void other_arguments(void **state)
{
	(void)state;
	for (size_t i = 0; i < RUNS; i++) {
		replace(&base[i]->arguments, "x");
		replace(&head[i]->arguments, "y");
	}
	find();
	NOTES("base ran with arguments 'x', head with 'y': they may have done different work");
}

/* Whoever gives command lines knows that they differ. */
static void other_commands_of_our_own(void **state)
{
	(void)state;
	comparison.base.command = "./old x";
	comparison.head.command = "./new y";
	for (size_t i = 0; i < RUNS; i++) {
		replace(&base[i]->program, "old");
		replace(&base[i]->arguments, "x");
	}
	find();
	assert_int_equal(comparison.note_count, 0);
}

static void other_machines(void **state)
{
	(void)state;
	for (size_t i = 0; i < RUNS; i++) {
		base[i]->machine = (struct hp_machine){ "aarch64", "Neoverse-N1", "6.1", 2 };
		head[i]->machine = (struct hp_machine){ "aarch64", "Neoverse-V1", "6.5", 4 };
	}
	find();
	NOTES("base ran on Neoverse-N1 with 2 cores, head on Neoverse-V1 with 4 cores: times "
	      "cannot be compared",
	      "base ran under Linux 6.1, head under Linux 6.5: that alone may change times");
}

static void a_machine_that_is_not_known(void **state)
{
	(void)state;
	base[0]->machine = (struct hp_machine){ "x86_64", "", "", 1 };
	find();
	assert_int_equal(comparison.note_count, 0);
}

/* Once for the side, not for every run. */
static void another_machine_among_the_runs(void **state)
{
	(void)state;
	for (size_t i = 0; i < RUNS; i++) {
		base[i]->machine.cores = i ? 2 : 1;
		head[i]->machine.cores = 1;
	}
	find();
	NOTES("of base, run 1 ran on 1 core, run 2 on 2 cores: times cannot be compared");
}

static void other_versions(void **state)
{
	(void)state;
	for (size_t i = 0; i < RUNS; i++) {
		struct hp_saved *old = &comparison.base.runs[i].report;
		struct hp_saved *new = &comparison.head.runs[i].report;
		old->schema = 1;
		new->schema = 2;
		strcpy(old->version, "0.1.0");
		strcpy(new->version, "0.2.0");
	}
	find();
	NOTES("base was written by hotpath 0.1.0 in schema 1, head by hotpath 0.2.0 in schema 2: "
	      "what only one version knows is left out");
}

static void other_ways_to_measure(void **state)
{
	(void)state;
	for (size_t i = 0; i < RUNS; i++) {
		base[i]->memory.mode = HP_ALLOC_COUNT;
		head[i]->memory.mode = HP_ALLOC_FREED;
		base[i]->cpu = (struct hp_cpu){ .source = HP_CPU_PERF, .rate_hz = 999 };
		head[i]->cpu = (struct hp_cpu){ .source = HP_CPU_TIMER, .rate_hz = 99 };
		head[i]->processes = 3;
	}
	find();
	NOTES("base holds 1 process, head 3 processes: counts are sums over processes, and "
	      "elapsed is the longest",
	      "base ran with --alloc=count, head with --alloc=freed: the cost of measuring "
	      "differs",
	      "base has CPU time from perf events at 999 Hz, head from CPU timers at 99 Hz: one "
	      "is more exact than the other");
}

/* ---- how they went ---- */

static void runs_that_did_not_end_well(void **state)
{
	(void)state;
	head[2]->exit = (struct hp_exit){ .status = -1, .signal = 9 };
	for (size_t i = 0; i < RUNS; i++)
		base[i]->exit = (struct hp_exit){ .clean = true, .status = i ? 1 : 0 };
	find();
	NOTES("2 of 3 runs of base ended with status 1", "run 3 of head ended by signal 9");
}

static void programs_that_always_fail(void **state)
{
	(void)state;
	for (size_t i = 0; i < RUNS; i++)
		base[i]->exit.status = 1;
	head[0]->exit = (struct hp_exit){ .running = true };
	head[1]->exit = (struct hp_exit){ .status = -1 };
	head[1]->pid = 5;
	/* Nothing is known of it. */
	head[2]->exit = (struct hp_exit){ .status = -1 };
	find();
	NOTES("every run of base ended with status 1", "run 1 of head had not ended",
	      "run 2 of head ended without exit");
}

/* A program that leaves by _exit is no news, unless only one side does, or only sometimes. */
static void programs_that_leave_by_themselves(void **state)
{
	(void)state;
	for (size_t i = 0; i < RUNS; i++) {
		base[i]->exit = head[i]->exit = (struct hp_exit){ .status = -1 };
		base[i]->pid = 5;
		head[i]->pid = 6;
	}
	find();
	assert_int_equal(comparison.note_count, 0);
	head[1]->exit = (struct hp_exit){ .clean = true };
	assert_int_equal(hp_notes_collect(&comparison), 0);
	NOTES("every run of base ended without exit", "2 of 3 runs of head ended without exit");
}

static void the_same_run_twice(void **state)
{
	(void)state;
	for (size_t i = 0; i < RUNS; i++) {
		base[i]->pid = head[i]->pid = 7;
		base[i]->start_unix_ns = 100 + i;
		head[i]->start_unix_ns = 200 + i;
	}
	head[1]->start_unix_ns = 101;
	replace(&comparison.base.runs[1].label, "a.json");
	replace(&comparison.head.runs[1].label, "b.json");
	find();
	assert_int_equal(comparison.note_count, 1);
	assert_true(strstr(comparison.notes[0], "are the same run, which counts more than once"));
	assert_non_null(strstr(comparison.notes[0], "a.json"));
	assert_non_null(strstr(comparison.notes[0], "b.json"));
}

/* Whoever gives the same files twice is told once. */
static void the_same_runs_twice(void **state)
{
	(void)state;
	for (size_t i = 0; i < RUNS; i++) {
		base[i]->pid = head[i]->pid = 7;
		base[i]->start_unix_ns = head[i]->start_unix_ns = 100 + i;
	}
	find();
	NOTES("3 runs were given more than once, such as run 1 and run 1: each copy counts");
}

static void what_measuring_costs(void **state)
{
	(void)state;
	for (size_t i = 0; i < RUNS; i++) {
		base[i]->estimated_ns = base[i]->elapsed_ns / 4;
		head[i]->estimated_ns = head[i]->elapsed_ns / 100;
	}
	/* Who looks for the least difference is not told of the least cost. */
	comparison.options.threshold = 0;
	find();
	NOTES("measuring cost 25.00% of the time of base: times of small functions are mostly "
	      "that cost");
}

static void what_was_lost(void **state)
{
	(void)state;
	base[1]->dropped[HP_COUNTER_depth] = 12;
	base[2]->dropped[HP_COUNTER_depth] = 7;
	base[0]->dropped[HP_COUNTER_abandoned] = 3;
	head[0]->dropped[HP_COUNTER_abandoned] = 4;
	head[0]->dropped[HP_COUNTER_detached] = 2;
	find();
	NOTES("in head, up to 2 calls ended on another thread or stack than the one they began on",
	      "in base, up to 12 calls were not measured: nested too deep");
}

static void what_only_one_side_did_not_find_out(void **state)
{
	(void)state;
	assert_true(hp_model_note(base[0], "libx.so has no symbols"));
	assert_true(hp_model_note(head[2], "libx.so has no symbols"));
	assert_true(hp_model_note(head[0], "liby.so has no symbols"));
	find();
	NOTES("only in head: liby.so has no symbols");
}

/* ---- what is not there ---- */

static void sections_that_a_side_lacks(void **state)
{
	(void)state;
	for (size_t i = 0; i < RUNS; i++) {
		base[i]->memory = (struct hp_memory){ .mode = HP_ALLOC_LIVE, .count = 1 };
		base[i]->cpu = (struct hp_cpu){ .source = HP_CPU_PERF };
	}
	find();
	/* That there are no live blocks then need not be said. */
	NOTES("head has no allocations: run it with --alloc",
	      "head has no CPU time: run it with --cpu");
}

static void sections_that_some_runs_lack(void **state)
{
	(void)state;
	for (size_t i = 0; i < RUNS; i++) {
		base[i]->memory = (struct hp_memory){ .mode = i ? HP_ALLOC_COUNT : HP_ALLOC_NONE };
		head[i]->memory = (struct hp_memory){ .mode = HP_ALLOC_COUNT };
	}
	find();
	NOTES("1 of 3 runs of base have no allocations: only the others are compared");
}

static void sections_that_were_asked_for(void **state)
{
	(void)state;
	for (size_t i = 0; hp_subjects[i]; i++)
		if (hp_subjects[i] == &hp_subject_tree || hp_subjects[i] == subject_of("live"))
			comparison.options.subjects |= UINT32_C(1) << i;
	for (size_t i = 0; i < RUNS; i++)
		head[i]->memory = (struct hp_memory){ .mode = HP_ALLOC_LIVE };
	find();
	NOTES("neither side has call trees: run it with --tree",
	      "base has no live blocks: run it with --alloc=live");
}

/* Nobody misses channels who asks for all that there is. */
static void all_sections_were_asked_for(void **state)
{
	(void)state;
	comparison.options.subjects = UINT32_MAX;
	find();
	assert_int_equal(comparison.note_count, 0);
	comparison.options.subjects = 0;
	for (size_t i = 0; hp_subjects[i]; i++)
		comparison.options.subjects |= UINT32_C(1) << i;
	assert_int_equal(hp_notes_collect(&comparison), 0);
	assert_int_equal(comparison.note_count, 0);
}

static void reports_that_are_cut(void **state)
{
	(void)state;
	comparison.base.runs[0].report.is_cut = true;
	comparison.base.runs[2].report.is_cut = true;
	find();
	NOTES("base holds only its largest functions (--limit): others are missing rather than new");
}

static void percentiles_that_are_not_there(void **state)
{
	(void)state;
	for (size_t i = 0; i < RUNS; i++)
		comparison.base.runs[i].report.complete = false;
	comparison.head.runs[1].report.complete = false;
	comparison.head.runs[2].report.complete = false;
	comparison.head.runs[2].report.known = (struct hp_percentiles){ { 95 }, 1 };
	find();
	NOTES("base has no P95: save it with --percentiles 95",
	      "run 2 of head has no P95: save it with --percentiles 95");
}

/* ---- what was renamed ---- */

static void renamed_functions_are_said(void **state)
{
	(void)state;
	hp_comparison_clear(&comparison);
	comparison = new_comparison();
	ADD(&comparison.base, CALLED("parse_line", "a.c", 1, 1000), CALLED("open", "a.c", 2, 1));
	ADD(&comparison.head, CALLED("parse_row", "a.c", 1, 1000), CALLED("enter", "a.c", 2, 1));
	find();
	NOTES("parse_line is gone and parse_row is new, with the same 1000 calls: taken as renamed",
	      "open is gone and enter is new, with the same 1 call: taken as renamed");
}

static void many_renamed_functions_are_counted(void **state)
{
	struct hp_function functions[2][25];
	char names[2][25][16];

	(void)state;
	hp_comparison_clear(&comparison);
	comparison = new_comparison();
	for (unsigned side = 0; side < 2; side++) {
		for (uint32_t i = 0; i < 25; i++) {
			snprintf(names[side][i], 16, "%c%u", "fg"[side], i);
			functions[side][i] = (struct hp_function)CALLED(names[side][i], "a.c", i,
									i + 2);
		}
		add_model(side ? &comparison.head : &comparison.base,
			  model_of(functions[side], 25));
	}
	find();
	assert_int_equal(comparison.note_count, 11);
	assert_string_equal(comparison.notes[10], "15 more functions are taken as renamed");
}

/* A name may be as long as a file, and hold anything. */
static void hostile_names_stay_short(void **state)
{
	static char long_name[10000];

	(void)state;
	memset(long_name, '\x1b', sizeof(long_name) - 1);
	hp_comparison_clear(&comparison);
	comparison = new_comparison();
	ADD(&comparison.base, CALLED(long_name, "a.c", 1, 1000));
	ADD(&comparison.head, CALLED("f", "a.c", 1, 1000));
	replace(&comparison.head.runs[0].report.model->arguments, long_name);
	find();
	assert_int_equal(comparison.note_count, 2);
	for (size_t i = 0; i < 2; i++) {
		assert_true(strlen(comparison.notes[i]) < 300);
		assert_null(strchr(comparison.notes[i], '\x1b'));
	}
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(nothing_to_say),
		TEST(a_note_is_there_once),
		TEST(notes_are_printable),
		TEST(other_arguments),
		TEST(other_commands_of_our_own),
		TEST(other_machines),
		TEST(a_machine_that_is_not_known),
		TEST(another_machine_among_the_runs),
		TEST(other_versions),
		TEST(other_ways_to_measure),
		TEST(runs_that_did_not_end_well),
		TEST(programs_that_always_fail),
		TEST(programs_that_leave_by_themselves),
		TEST(the_same_run_twice),
		TEST(the_same_runs_twice),
		TEST(what_measuring_costs),
		TEST(what_was_lost),
		TEST(what_only_one_side_did_not_find_out),
		TEST(sections_that_a_side_lacks),
		TEST(sections_that_some_runs_lack),
		TEST(sections_that_were_asked_for),
		TEST(all_sections_were_asked_for),
		TEST(reports_that_are_cut),
		TEST(percentiles_that_are_not_there),
		TEST(renamed_functions_are_said),
		TEST(many_renamed_functions_are_counted),
		TEST(hostile_names_stay_short),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
