/* SPDX-License-Identifier: MIT */
/* Options are set by name or by the environment; bad values are told and change nothing. */
#include "report_options.h"

#include "kind.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* In the order of kinds.def. */
enum {
	LIMIT_PROCESSES = HP_LIMIT_KINDS,
	LIMIT_TIMING,
	LIMIT_TREE,
	LIMIT_ALLOC,
	LIMIT_LIVE,
	LIMIT_THREADS,
	LIMIT_BLOCKED,
	LIMIT_CPU,
	LIMIT_CHANNELS,
	LIMIT_STREAMS,
	LIMIT_FUTURES,
	LIMIT_LOOPS
};

static struct hp_report_options options;
static char problem[HP_PROBLEM_SIZE];

static int set_up(void **state)
{
	(void)state;
	hp_report_options_init(&options);
	problem[0] = '\0';
	return 0;
}

static int set(const char *name, const char *value)
{
	return hp_report_option_set(&options, name, value, problem, sizeof(problem));
}

static void assert_rejected(const char *name, const char *value, const char *line)
{
	static struct hp_report_options before;

	before = options;
	assert_int_equal(set(name, value), -EINVAL);
	assert_string_equal(problem, line);
	assert_memory_equal(&options, &before, sizeof(before));
}

static void defaults(void **state)
{
	(void)state;
	assert_int_equal(options.percentile_count, 1);
	assert_true(options.percentiles[0] == 95);
	assert_int_equal(options.format, HP_FORMAT_TABLE);
	assert_int_equal(options.limits[HP_LIMIT_ALL], HP_LIMIT_UNSET);
	assert_int_equal(options.limits[LIMIT_TIMING], HP_LIMIT_UNSET);
	assert_string_equal(options.sections, "auto");
	assert_string_equal(options.focus, "");
	assert_false(options.time_exclusive);
}

static void formats(void **state)
{
	(void)state;
	assert_int_equal(set("format", "json"), 0);
	assert_int_equal(options.format, HP_FORMAT_JSON);
	assert_int_equal(set("output-format", "json-pretty"), 0);
	assert_int_equal(options.format, HP_FORMAT_JSON_PRETTY);
	assert_int_equal(set("format", "none"), 0);
	assert_int_equal(options.format, HP_FORMAT_NONE);
	assert_rejected("format", "yaml",
			"format: 'yaml' is not table, json, json-pretty, html or none");
	assert_rejected("output-format", "",
			"output-format: '' is not table, json, json-pretty, html or none");
	assert_rejected("format", NULL, "format: needs a value");
}

static void percentile_lists(void **state)
{
	(void)state;
	assert_int_equal(set("percentiles", "99.9, 50,95,50"), 0);
	assert_int_equal(options.percentile_count, 3);
	assert_true(options.percentiles[0] == 50);
	assert_true(options.percentiles[1] == 95);
	assert_true(options.percentiles[2] == 99.9);
	assert_int_equal(set("percentiles", "0,1,2,3,4,5,6,7,8,100"), 0);
	assert_int_equal(options.percentile_count, 10);
	assert_rejected("percentiles", "101",
			"percentiles: '101' is not a number between 0 and 100");
	assert_rejected("percentiles", "50,100.01",
			"percentiles: '100.01' is not a number between 0 and 100");
	assert_rejected("percentiles", "-1", "percentiles: '-1' is not a number between 0 and 100");
	assert_rejected("percentiles", "50,", "percentiles: '' is not a number between 0 and 100");
	assert_rejected("percentiles", "", "percentiles: '' is not a number between 0 and 100");
	assert_rejected("percentiles", "p95",
			"percentiles: 'p95' is not a number between 0 and 100");
	assert_rejected("percentiles", "0,1,2,3,4,5,6,7,8,9,10",
			"percentiles: more than 10 numbers");
}

static void limits(void **state)
{
	(void)state;
	assert_int_equal(set("limit", "0"), 0);
	assert_int_equal(options.limits[HP_LIMIT_ALL], 0);
	assert_int_equal(set("timing-limit", "20"), 0);
	assert_int_equal(options.limits[LIMIT_TIMING], 20);
	assert_rejected("limit", "-1", "limit: '-1' is not a number of rows (0 for all)");
	assert_rejected("limit", "10 ", "limit: '10 ' is not a number of rows (0 for all)");
	assert_rejected("timing-limit", "4294967297",
			"timing-limit: '4294967297' is not a number of rows (0 for all)");
}

#define SECTIONS                                                                                   \
	"; choose from auto, all, processes, timing, tree, alloc-bytes, alloc-count, live, "       \
	"channels, channels-latency, streams, futures, loops, locks, lock-waits, waits, io, "      \
	"threads, blocked, cpu, bottlenecks, debug, user-metadata"

static void sections(void **state)
{
	(void)state;
	assert_int_equal(set("report", "auto,-timing"), 0);
	assert_string_equal(options.sections, "auto,-timing");
	assert_int_equal(set("report", "all"), 0);
	assert_int_equal(set("report", "-functions-timing"), 0);
	assert_int_equal(set("report", "functions-timing"), 0);
	assert_int_equal(set("report", "alloc,functions-alloc,alloc-count,-live,threads"), 0);
	assert_rejected("report", "timing,foo", "report: unknown section 'foo'" SECTIONS);
	assert_rejected("report", "-bar", "report: unknown section '-bar'" SECTIONS);
	assert_rejected("report", "", "report: unknown section ''" SECTIONS);
}

static void focuses(void **state)
{
	struct hp_focus focus;

	(void)state;
	assert_int_equal(set("focus", "/^(parse|read)_[a-z]+$/"), 0);
	assert_int_equal(hp_focus_open(&focus, options.focus, problem), 0);
	assert_true(hp_focus_matches(&focus, "parse_line"));
	assert_false(hp_focus_matches(&focus, "parse_line2"));
	hp_focus_close(&focus);

	assert_int_equal(set("focus", "se_l"), 0);
	assert_int_equal(hp_focus_open(&focus, options.focus, problem), 0);
	assert_true(hp_focus_matches(&focus, "parse_line"));
	assert_false(hp_focus_matches(&focus, "parse"));
	hp_focus_close(&focus);

	assert_int_equal(set("focus", ""), 0);
	assert_int_equal(set("focus", "/half"), 0);
	assert_int_equal(set("focus", "/(/"), -EINVAL);
	assert_memory_equal(problem, "focus: '/(/' is not a valid regular expression: ", 48);
	assert_string_equal(options.focus, "/half");

	assert_int_equal(set("exclude", "/^x/"), 0);
	assert_string_equal(options.exclude, "/^x/");
	assert_int_equal(set("exclude", "/[/"), -EINVAL);
	assert_memory_equal(problem, "exclude: '/[/' is not a valid regular expression: ", 50);
	assert_string_equal(options.exclude, "/^x/");
}

static void sorting(void **state)
{
	static const char *const keys[] = { "calls", "avg", "p50",  "p99.9",	"total",    "self",
					    "min",   "max", "name", "function", "temporary" };

	(void)state;
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		assert_int_equal(set("sort", keys[i]), 0);
		assert_string_equal(options.sort, keys[i]);
	}
	assert_rejected("sort", "p101",
			"sort: unknown column 'p101'; choose from function, name, calls, avg, pNN, "
			"total, samples, cpu, percent, self, min, max, temporary");
	assert_rejected("sort", "pNN",
			"sort: unknown column 'pNN'; choose from function, name, calls, avg, pNN, "
			"total, samples, cpu, percent, self, min, max, temporary");
}

static void metrics(void **state)
{
	(void)state;
	assert_false(options.alloc_count);
	assert_int_equal(set("alloc-metric", "count"), 0);
	assert_true(options.alloc_count);
	assert_rejected("alloc-metric", "blocks", "alloc-metric: 'blocks' is not bytes or count");
	assert_true(options.alloc_count);
	assert_int_equal(set("alloc-metric", "bytes"), 0);
	assert_false(options.alloc_count);
}

static void switches(void **state)
{
	(void)state;
	assert_int_equal(set("exclude-wrapper", NULL), 0);
	assert_true(options.exclude_wrapper);
	assert_int_equal(set("time-exclusive", NULL), 0);
	assert_true(options.time_exclusive);
	assert_int_equal(set("time-exclusive", "off"), 0);
	assert_false(options.time_exclusive);
	assert_int_equal(set("time-exclusive", "yes"), 0);
	assert_true(options.time_exclusive);
	assert_int_equal(set("tree", "0"), 0);
	assert_string_equal(options.sections, "auto");
	assert_int_equal(set("tree", NULL), 0);
	assert_string_equal(options.sections, "auto,tree");
	assert_rejected("tree", "x", "tree: 'x' is not 1, 0, true, false, yes, no, on or off");
	assert_rejected("time-exclusive", "2",
			"time-exclusive: '2' is not 1, 0, true, false, yes, no, on or off");
}

static void long_and_strange_values(void **state)
{
	char value[2 * HP_OPTION_TEXT];

	(void)state;
	memset(value, 'x', sizeof(value) - 1);
	value[sizeof(value) - 1] = '\0';
	assert_rejected("output-path", value, "output-path: longer than 1023 bytes");
	assert_rejected("focus", value, "focus: longer than 1023 bytes");
	assert_int_equal(set("sort", value), -EINVAL);
	assert_non_null(strstr(problem, "choose from function, name"));
	assert_rejected("limit", "1\n\x1b[2J",
			"limit: '1??[2J' is not a number of rows (0 for all)");
	value[HP_OPTION_TEXT - 1] = '\0';
	assert_int_equal(set("output-path", value), 0);
	assert_string_equal(options.output_path, value);
}

static void unknown_options(void **state)
{
	(void)state;
	assert_int_equal(set("colour", "1"), -ENOENT);
	assert_string_equal(problem, "colour: no such option");
}

static char warnings[1024];

static void warn(const char *line)
{
	strcat(warnings, line);
	strcat(warnings, "\n");
}

static void read_environment(void)
{
	warnings[0] = '\0';
	hp_report_options_environment(&options, warn);
}

static void environment(void **state)
{
	(void)state;
	setenv("HOTPATH_OUTPUT_FORMAT", "json", 1);
	setenv("HOTPATH_OUTPUT_PATH", "-", 1);
	setenv("HOTPATH_REPORT", "timing", 1);
	setenv("HOTPATH_LIMIT", "3", 1);
	setenv("HOTPATH_FUNCTIONS_LIMIT", "4", 1);
	setenv("HOTPATH_PERCENTILES", "50", 1);
	setenv("HOTPATH_FOCUS", "main", 1);
	setenv("HOTPATH_EXCLUDE", "log", 1);
	setenv("HOTPATH_TREE_LIMIT", "6", 1);
	/* That is the recorder's. */
	setenv("HOTPATH_TREE", "1", 1);
	setenv("HOTPATH_TIME_EXCLUSIVE", "true", 1);
	setenv("HOTPATH_ALLOC_METRIC", "count", 1);
	setenv("HOTPATH_ALLOC_CUMULATIVE", "1", 1);
	setenv("HOTPATH_ALLOC_LIMIT", "7", 1);
	setenv("HOTPATH_LIVE_LIMIT", "8", 1);
	setenv("HOTPATH_THREADS_LIMIT", "9", 1);
	setenv("HOTPATH_CPU_LIMIT", "10", 1);
	setenv("HOTPATH_CHANNELS_LIMIT", "11", 1);
	setenv("HOTPATH_STREAMS_LIMIT", "12", 1);
	setenv("HOTPATH_FUTURES_LIMIT", "13", 1);
	setenv("HOTPATH_LOOPS_LIMIT", "14", 1);
	setenv("HOTPATH_CPU_INCLUSIVE", "1", 1);
	read_environment();
	assert_string_equal(warnings, "");
	assert_int_equal(options.format, HP_FORMAT_JSON);
	assert_string_equal(options.output_path, "-");
	assert_string_equal(options.sections, "timing");
	assert_int_equal(options.limits[HP_LIMIT_ALL], 3);
	assert_int_equal(options.limits[LIMIT_TIMING], 4);
	assert_true(options.percentiles[0] == 50);
	assert_string_equal(options.focus, "main");
	assert_string_equal(options.exclude, "log");
	assert_int_equal(options.limits[LIMIT_TREE], 6);
	assert_true(options.time_exclusive);
	assert_true(options.alloc_count);
	assert_true(options.alloc_cumulative);
	assert_int_equal(options.limits[LIMIT_ALLOC], 7);
	assert_int_equal(options.limits[LIMIT_LIVE], 8);
	assert_int_equal(options.limits[LIMIT_THREADS], 9);
	assert_int_equal(options.limits[LIMIT_CPU], 10);
	assert_int_equal(options.limits[LIMIT_CHANNELS], 11);
	assert_int_equal(options.limits[LIMIT_STREAMS], 12);
	assert_int_equal(options.limits[LIMIT_FUTURES], 13);
	assert_int_equal(options.limits[LIMIT_LOOPS], 14);
	assert_true(options.cpu_inclusive);
	setenv("HOTPATH_TIMING_LIMIT", "5", 1);
	read_environment();
	assert_int_equal(options.limits[LIMIT_TIMING], 5);
}

static void bad_environment(void **state)
{
	(void)state;
	clearenv();
	setenv("HOTPATH_LIMIT", "many", 1);
	setenv("HOTPATH_PERCENTILES", "50,200", 1);
	setenv("HOTPATH_REPORT", "", 1);
	read_environment();
	assert_string_equal(warnings,
			    "HOTPATH_LIMIT: 'many' is not a number of rows (0 for all)\n"
			    "HOTPATH_PERCENTILES: '200' is not a number between 0 and 100\n");
	assert_int_equal(options.limits[HP_LIMIT_ALL], HP_LIMIT_UNSET);
	assert_true(options.percentiles[0] == 95);
	assert_string_equal(options.sections, "auto");
}

/* But another name of the next, which sets the same. */
static void every_option_has_help(void **state)
{
	const struct hp_report_option *options_of = hp_report_option_table;

	(void)state;
	for (size_t i = 0; options_of[i].name[0]; i++) {
		const struct hp_report_option *option = &options_of[i];
		assert_true(option->set || option->limit < HP_LIMITS);
		assert_true(option->is_switch == !option->value[0]);
		if (option->help[0])
			continue;
		assert_true(option[1].help[0]);
		assert_ptr_equal(option[0].set, option[1].set);
		assert_int_equal(option[0].limit, option[1].limit);
	}
}

/* The field of the same column in the same table, if a kind has it twice. */
static bool is_same_column(const struct hp_field *a, const struct hp_field *b)
{
	bool in_one_table = a->table == b->table || a->table == HP_ANY_TABLE ||
			    b->table == HP_ANY_TABLE;
	bool of_one_depth = a->depth == b->depth || !a->depth || !b->depth;

	return in_one_table && of_one_depth && b->sort && strcmp(a->sort, b->sort) == 0;
}

/* Columns of functions have a place, and a key of that place, which --sort takes; no table has two with one key. */
static void columns_have_keys(void **state)
{
	const char *keys[UINT8_MAX + 1] = { NULL };

	(void)state;
	for (size_t i = 0; hp_kinds[i]; i++) {
		const struct hp_field *field = hp_kinds[i]->fields;
		for (; hp_kinds[i]->is_of_functions && !hp_field_is_end(field); field++) {
			if (!field->header && !field->sort)
				continue;
			assert_non_null(field->sort);
			assert_int_not_equal(field->nth, 0);
			if (keys[field->nth])
				assert_string_equal(keys[field->nth], field->sort);
			keys[field->nth] = field->sort;
			assert_int_equal(
				set("sort", hp_field_is_percentile(field) ? "p9" : field->sort), 0);
			for (const struct hp_field *other = field + 1; !hp_field_is_end(other);
			     other++)
				assert_false(is_same_column(field, other));
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(defaults, set_up),
		cmocka_unit_test_setup(formats, set_up),
		cmocka_unit_test_setup(percentile_lists, set_up),
		cmocka_unit_test_setup(limits, set_up),
		cmocka_unit_test_setup(sections, set_up),
		cmocka_unit_test_setup(focuses, set_up),
		cmocka_unit_test_setup(sorting, set_up),
		cmocka_unit_test_setup(metrics, set_up),
		cmocka_unit_test_setup(switches, set_up),
		cmocka_unit_test_setup(long_and_strange_values, set_up),
		cmocka_unit_test_setup(unknown_options, set_up),
		cmocka_unit_test_setup(environment, set_up),
		cmocka_unit_test_setup(bad_environment, set_up),
		cmocka_unit_test_setup(every_option_has_help, set_up),
		cmocka_unit_test_setup(columns_have_keys, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
