/* SPDX-License-Identifier: MIT */
/* Budgets are read as they were meant, or refused with a reason. */
#include "comparison.h"
#include "limit.h"
#include "metric.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void assert_refused(const char *text, const char *expected)
{
	struct hp_budgets budgets = { .path = "x.json" };
	struct hp_error error = { "" };

	assert_int_equal(hp_budgets_read(text, strlen(text), &budgets, &error), -EINVAL);
	if (!strstr(error.text, expected))
		assert_string_equal(error.text, expected);
	assert_null(strchr(error.text, '\n'));
	assert_null(strchr(error.text, '\033'));
	assert_int_equal(budgets.count, 0);
	assert_null(budgets.items);
	assert_string_equal(budgets.path, "x.json");
}

#define ENTRY(text) "{\"budgets\": [" text "]}"
#define SELF(limit) ENTRY("{\"function\": \"f\", \"metric\": \"self\", \"limit\": " limit "}")

static void all_forms(void **state)
{
	static const char text[] = ENTRY(
		"{\"function\": \"parse_line\", \"metric\": \"avg\", \"limit\": \"50 us\"},"
		"{\"metric\": \"elapsed\", \"limit\": \"2 s\"},"
		"{\"limit\": 1000, \"metric\": \"calls\", \"function\": \"render\"},"
		"{\"function\": \"x\", \"metric\": \"self\", \"limit\": \"+5 %\"},"
		"{\"function\": \"x\", \"metric\": \"p99.9\", \"limit\": 7},"
		"{\"function\": \"x\", \"metric\": \"alloc_bytes\", \"limit\": \"1.5 KB\"}");
	static const struct {
		const char *name, *metric;
		double limit;
		bool is_relative;
		enum hp_metric_unit unit;
	} expected[] = {
		{ "parse_line", "avg", 50000, false, HP_UNIT_NS },
		{ NULL, "elapsed", 2e9, false, HP_UNIT_NS },
		{ "render", "calls", 1000, false, HP_UNIT_COUNT },
		{ "x", "self", 0.05, true, HP_UNIT_NS },
		{ "x", "p99.9", 7, false, HP_UNIT_NS },
		{ "x", "alloc_bytes", 1536, false, HP_UNIT_BYTES },
	};
	struct hp_budgets budgets = { .path = "x.json" };
	struct hp_error error;

	(void)state;
	assert_int_equal(hp_budgets_read(text, strlen(text), &budgets, &error), 0);
	assert_string_equal(budgets.path, "x.json");
	assert_int_equal(budgets.count, sizeof(expected) / sizeof(*expected));
	for (size_t i = 0; i < budgets.count; i++) {
		if (expected[i].name)
			assert_string_equal(budgets.items[i].name, expected[i].name);
		else
			assert_null(budgets.items[i].name);
		assert_string_equal(budgets.items[i].metric, expected[i].metric);
		assert_true(budgets.items[i].limit == expected[i].limit);
		assert_int_equal(budgets.items[i].is_relative, expected[i].is_relative);
		assert_int_equal(budgets.items[i].unit, expected[i].unit);
		assert_false(budgets.items[i].is_known || budgets.items[i].is_broken);
	}
	hp_budgets_clear(&budgets);
	assert_int_equal(hp_budgets_read("{\"budgets\":[]}\n", 15, &budgets, &error), 0);
	assert_int_equal(budgets.count, 0);
	hp_budgets_clear(&budgets);
}

static void not_json(void **state)
{
	(void)state;
	assert_refused("", "an empty file");
	assert_refused(" \n\t ", "an empty file");
	assert_refused("{\"budgets\": [", "not JSON (unexpected end)");
	assert_refused("budgets", "not JSON (");
	assert_refused("{\"budgets\": []} {}", "not JSON (");
	assert_refused("{\"budgets\": [],}", "not JSON (");
	assert_refused("{\"budgets\": [\"\xff\"]}", "not JSON (");
	assert_refused("{\"budgets\": [[[[[[[[[[[[]]]]]]]]]]]]}", "not JSON (nesting too deep)");
}

static void not_budgets(void **state)
{
	(void)state;
	assert_refused("[]", "not a budget file");
	assert_refused("null", "not ");
	assert_refused("{}", "not a budget file");
	assert_refused("{\"budgets\": {}}", "not a budget file");
	assert_refused("{\"budgets\": null}", "not a budget file");
	assert_refused("{\"budgets\": [], \"budget\": []}",
		       "unknown key 'budget'; the only key is 'budgets'");
	assert_refused(ENTRY("1"), "budget 1: it must be an object");
	assert_refused(ENTRY("null"), "budget 1: it must be an object");
}

static void wrong_keys(void **state)
{
	(void)state;
	assert_refused(
		ENTRY("{\"metric\": \"elapsed\", \"limit\": 1},"
		      "{\"name\": \"f\", \"metric\": \"self\", \"limit\": 1}"),
		"budget 2: unknown key 'name'; the keys are 'function', 'metric' and 'limit'");
	assert_refused(ENTRY("{\"\\u001b[31m\": 1}"), "unknown key '?[31m'");
	assert_refused(ENTRY("{\"function\": \"f\", \"limit\": 1}"), "'metric' must be a name");
	assert_refused(ENTRY("{\"function\": 1, \"metric\": \"self\", \"limit\": 1}"),
		       "'function' must be a name");
	assert_refused(ENTRY("{\"function\": \"\", \"metric\": \"self\", \"limit\": 1}"),
		       "'function' must be a name");
	assert_refused(ENTRY("{\"function\": \"\\u0000f\", \"metric\": \"self\", \"limit\": 1}"),
		       "'function' must be a name");
	assert_refused(ENTRY("{\"function\": \"f\", \"metric\": \"self\"}"),
		       "budget 1: 'limit' is missing");
}

static void wrong_metrics(void **state)
{
	(void)state;
	assert_refused(
		ENTRY("{\"function\": \"f\", \"metric\": \"slef\", \"limit\": 1}"),
		"budget 1: unknown metric 'slef'; 'hotpath compare --help' lists those of rows");
	assert_refused(
		ENTRY("{\"metric\": \"elapse\", \"limit\": 1}"),
		"budget 1: unknown metric 'elapse'; 'hotpath compare --help' lists those of the program");
	assert_refused(ENTRY("{\"metric\": \"self\", \"limit\": 1}"),
		       "budget 1: 'self' is not a metric of the whole program: add a 'function'");
	assert_refused(ENTRY("{\"function\": \"f\", \"metric\": \"elapsed\", \"limit\": 1}"),
		       "budget 1: 'elapsed' is a metric of the whole program: remove 'function'");
	assert_refused(
		ENTRY("{\"function\": \"f\", \"metric\": \"\\n\\u202exxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
		      "xxxxxxxxxxxxxxxxxxxxxxxxxxx\", \"limit\": 1}"),
		"unknown metric '??xxx");
}

static void percentiles(void **state)
{
	static const char *const wrong[] = { "p",    "p101", "p95x", "p095",	"p95.0",
					     "p-1",  "P95",  "95",   "p1e1",	"pp95",
					     "p95 ", "px",   "p.5",  "p100.01", "self_p95" };
	double percent = -1;

	(void)state;
	const struct hp_metric *metric = hp_metric_find("p95", false, &percent);
	assert_true(metric && metric->is_percentile && percent == 95);
	assert_non_null(hp_metric_find("p0", false, &percent));
	assert_non_null(hp_metric_find("p99.99", false, &percent));
	assert_true(percent == 99.99);
	assert_non_null(hp_metric_find("p100", false, &percent));
	assert_null(hp_metric_find("p95", true, &percent));
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		assert_null(hp_metric_find(wrong[i], false, &percent));
}

static void assert_limit(const char *text, enum hp_metric_unit unit, double value)
{
	struct hp_limit limit;

	assert_true(hp_limit_read(text, unit, &limit));
	assert_true(limit.value == value);
	assert_int_equal(limit.is_relative, *text == '+');
}

static void limits(void **state)
{
	(void)state;
	assert_limit("0 ns", HP_UNIT_NS, 0);
	assert_limit("50us", HP_UNIT_NS, 50000);
	assert_limit("50 us", HP_UNIT_NS, 50000);
	assert_limit("50 \xc2\xb5s", HP_UNIT_NS, 50000);
	assert_limit("50 \xce\xbcs", HP_UNIT_NS, 50000);
	assert_limit("1.5 ms", HP_UNIT_NS, 1500000);
	assert_limit("0.25s", HP_UNIT_NS, 250000000);
	assert_limit("7 B", HP_UNIT_BYTES, 7);
	assert_limit("2KB", HP_UNIT_BYTES, 2048);
	assert_limit("1.5 MB", HP_UNIT_BYTES, 1572864);
	assert_limit("3 GB", HP_UNIT_BYTES, 3221225472.0);
	assert_limit("1000", HP_UNIT_COUNT, 1000);
	assert_limit("2.5", HP_UNIT_NUMBER, 2.5);
	assert_limit("+5 %", HP_UNIT_NS, 0.05);
	assert_limit("+5%", HP_UNIT_BYTES, 0.05);
	assert_limit("+ 0.5 %", HP_UNIT_COUNT, 0.005);
	assert_limit("+0 %", HP_UNIT_COUNT, 0);
}

static void wrong_limits(void **state)
{
	static const char *const wrong[] = {
		"",
		"ns",
		"50",
		"50 kg",
		"50 MB",
		"50 us x",
		"-5 us",
		"+5 us",
		"+5",
		"5 %",
		"-5 %",
		"+-5 %",
		"1e3 s",
		"1,5 s",
		"1.2.3 s",
		"5. s",
		"inf s",
		"nan s",
		"0x10 ns",
		"50 US",
		"50  ",
		"\t5 s",
		"1234567890123456 ns",
		"00000000000000000000000000000000000000001 ns",
	};
	struct hp_limit limit;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		assert_false(hp_limit_read(wrong[i], HP_UNIT_NS, &limit));
	assert_false(hp_limit_read("5 ms", HP_UNIT_BYTES, &limit));
	assert_false(hp_limit_read("5", HP_UNIT_BYTES, &limit));
	assert_false(hp_limit_read("5 KB", HP_UNIT_COUNT, &limit));

	assert_refused(SELF("\"50 MB\""),
		       "budget 1: the limit of 'self' must be a time, such as \"50 us\" "
		       "(ns, us, ms, s), or \"+5 %\", not \"50 MB\"");
	assert_refused(
		ENTRY("{\"function\": \"f\", \"metric\": \"alloc_bytes\", \"limit\": \"5 ms\"}"),
		"the limit of 'alloc_bytes' must be bytes");
	assert_refused(ENTRY("{\"function\": \"f\", \"metric\": \"calls\", \"limit\": \"5 s\"}"),
		       "the limit of 'calls' must be a count");
	assert_refused(SELF("-1"), "not -1");
	assert_refused(SELF("1.5"), "not 1.5");
	assert_refused(SELF("[1]"), "the limit of 'self' must be");
	assert_refused(SELF("true"), "not true");
	assert_refused(SELF("\"\\u001b\\n\""), "the limit of 'self' must be");
	assert_refused(SELF("null"), "'limit' is missing");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_forms),	 cmocka_unit_test(not_json),
		cmocka_unit_test(not_budgets),	 cmocka_unit_test(wrong_keys),
		cmocka_unit_test(wrong_metrics), cmocka_unit_test(percentiles),
		cmocka_unit_test(limits),	 cmocka_unit_test(wrong_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
