/* SPDX-License-Identifier: MIT */
/* A text that may come from anyone: it is read as far as it is a report, or refused with a reason. */
#include "saved/saved.h"
#include "text.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define REPORT "{\"type\":\"hotpath_report\",\"schema\":1,"
#define TREE REPORT "\"call_tree\":{\"data\":[{\"name\":\"f\","
#define ALLOC REPORT "\"functions_alloc\":{\"data\":[{\"name\":\"f\","
#define CPU REPORT "\"functions_cpu\":{"
#define STACKS CPU "\"source\":\"perf\"},\"stacks\":{"
#define ROW REPORT "\"functions_timing\":{\"percentiles\":[],\"data\":[{\"name\":\"f\","

struct bad {
	const char *text;
	int code;
	/* What the one line must say. */
	const char *says;
};

static const struct bad bad[] = {
	{ "", -EINVAL, "empty" },
	{ " \n\t", -EINVAL, "empty" },
	{ "hello", -EINVAL, "neither a segment nor a saved report" },
	{ "{", -EINVAL, "unexpected end" },
	{ "null", -EINVAL, "" },
	{ "17", -EINVAL, "" },
	{ "[]", -EINVAL, "not a hotpath report" },
	{ "{}", -EINVAL, "not a hotpath report" },
	{ "{\"type\":17}", -EINVAL, "not a hotpath report" },
	{ "{\"type\":\"hotpath_calls\",\"schema\":1}", -EINVAL, "not a hotpath report" },
	{ "{\"type\":\"hotpath_report\"}", -EINVAL, "no schema" },
	{ "{\"type\":\"hotpath_report\",\"schema\":\"1\"}", -EINVAL, "no schema" },
	{ "{\"type\":\"hotpath_report\",\"schema\":0}", -ENOTSUP, "schema 0" },
	{ "{\"type\":\"hotpath_report\",\"schema\":2,\"pid\":\"x\"}", -ENOTSUP,
	  "schema 2; this hotpath reads 1: damaged report: 'pid'" },
	{ REPORT "\"version\":1}", -EINVAL, "'version'" },
	{ REPORT "\"machine\":\"fast\"}", -EINVAL, "'machine'" },
	{ REPORT "\"machine\":{\"cpu\":7}}", -EINVAL, "'cpu'" },
	{ REPORT "\"machine\":{\"cores\":-2}}", -EINVAL, "'cores'" },
	{ REPORT "\"pid\":1}\n" REPORT "\"pid\":2}\n", -EINVAL, "several reports in one file" },
	{ REPORT "\"pid\":-1}", -EINVAL, "'pid'" },
	{ REPORT "\"pid\":4294967296}", -EINVAL, "'pid'" },
	{ REPORT "\"pid\":1.5}", -EINVAL, "'pid'" },
	{ REPORT "\"program\":[]}", -EINVAL, "'program'" },
	{ REPORT "\"elapsed_ns\":\"12\"}", -EINVAL, "'elapsed_ns'" },
	{ REPORT "\"exit\":true}", -EINVAL, "'exit'" },
	{ REPORT "\"exit\":{\"clean\":0}}", -EINVAL, "'clean'" },
	{ REPORT "\"exit\":{\"signal\":100000}}", -EINVAL, "'signal'" },
	{ REPORT "\"overhead\":{\"span_ns\":-1.5}}", -EINVAL, "'span_ns'" },
	{ REPORT "\"overhead\":{\"span_ns\":1e999}}", -EINVAL, "'span_ns'" },
	{ REPORT "\"dropped\":{\"threads\":[]}}", -EINVAL, "'threads'" },
	{ REPORT "\"notes\":{}}", -EINVAL, "'notes'" },
	{ REPORT "\"notes\":[\"one\",2]}", -EINVAL, "'notes'" },
	{ REPORT "\"notes\":[null]}", -EINVAL, "'notes'" },
	{ REPORT "\"functions_timing\":[]}", -EINVAL, "'functions_timing'" },
	{ REPORT "\"functions_timing\":{\"data\":{}}}", -EINVAL, "'data'" },
	{ REPORT "\"functions_timing\":{\"data\":[null]}}", -EINVAL, "no name" },
	{ REPORT "\"functions_timing\":{\"data\":[{}]}}", -EINVAL, "no name" },
	{ REPORT "\"functions_timing\":{\"percentiles\":[101]}}", -EINVAL, "'percentiles'" },
	{ REPORT "\"functions_timing\":{\"percentiles\":[5,5]}}", -EINVAL, "'percentiles'" },
	{ REPORT "\"functions_timing\":{\"percentiles\":[1,2,3,4,5,6,7,8,9,10,11]}}", -EINVAL,
	  "'percentiles'" },
	{ REPORT "\"functions_timing\":{\"percentiles\":[50],\"data\":[{\"name\":\"f\"}]}}",
	  -EINVAL, "'p50_ns'" },
	{ ROW "\"calls\":true}]}}", -EINVAL, "'calls'" },
	{ ROW "\"kind\":\"thing\"}]}}", -EINVAL, "'kind'" },
	{ ROW "\"kind\":7}]}}", -EINVAL, "'kind'" },
	{ ROW "\"location\":\"here\"}]}}", -EINVAL, "'location'" },
	{ ROW "\"location\":{\"line\":-5}}]}}", -EINVAL, "'line'" },
	{ ROW "\"histogram\":5}]}}", -EINVAL, "'histogram'" },
	{ ROW "\"histogram\":[5]}]}}", -EINVAL, "'histogram'" },
	{ ROW "\"histogram\":[[1,2,3]]}]}}", -EINVAL, "'histogram'" },
	{ ROW "\"histogram\":[[1,null]]}]}}", -EINVAL, "'histogram'" },
	{ ROW "\"histogram\":[[2,1],[1,1]]}]}}", -EINVAL, "'histogram'" },
	{ ROW "\"histogram\":[[1,18446744073709551615],[2,1]]}]}}", -EINVAL, "'histogram'" },
	{ REPORT "\"program\":\"\xff\"}", -EINVAL, "neither" },
	{ REPORT "\"call_tree\":[]}", -EINVAL, "'call_tree'" },
	{ REPORT "\"call_tree\":{\"data\":{}}}", -EINVAL, "'data'" },
	{ REPORT "\"call_tree\":{\"data\":[1]}}", -EINVAL, "no name" },
	{ TREE "\"children\":[{}]}]}}", -EINVAL, "no name" },
	{ TREE "\"children\":1}]}}", -EINVAL, "'children'" },
	{ TREE "\"calls\":-1}]}}", -EINVAL, "'calls'" },
	{ TREE "\"kind\":\"others\"}]}}", -EINVAL, "'kind'" },
	{ TREE "\"location\":{\"file\":5}}]}}", -EINVAL, "'file'" },
	{ REPORT "\"functions_alloc\":[]}", -EINVAL, "'functions_alloc'" },
	{ REPORT "\"functions_alloc\":{\"data\":5}}", -EINVAL, "'data'" },
	{ REPORT "\"functions_alloc\":{\"data\":[{}]}}", -EINVAL, "no name" },
	{ REPORT "\"functions_alloc\":{\"mode\":\"none\"}}", -EINVAL, "'mode'" },
	{ REPORT "\"functions_alloc\":{\"mode\":3}}", -EINVAL, "'mode'" },
	{ REPORT "\"functions_alloc\":{\"percentiles\":[-1]}}", -EINVAL, "'percentiles'" },
	{ ALLOC "\"bytes\":-1}]}}", -EINVAL, "'bytes'" },
	{ ALLOC "\"calls\":1}],\"percentiles\":[50]}}", -EINVAL, "'p50_bytes'" },
	{ ALLOC "\"histogram_bytes\":[[2,1],[1,1]]}]}}", -EINVAL, "'histogram_bytes'" },
	{ ALLOC "\"histogram_bytes\":[],\"histogram_count\":1}]}}", -EINVAL, "'histogram_count'" },
	{ REPORT "\"memory_live\":1}", -EINVAL, "'memory_live'" },
	{ REPORT "\"memory_live\":{\"data\":[null]}}", -EINVAL, "a place has no name" },
	{ REPORT "\"memory_live\":{\"data\":[{\"name\":\"f\",\"location\":{}}]}}", -EINVAL,
	  "'location'" },
	{ REPORT "\"threads\":1}", -EINVAL, "'threads'" },
	{ REPORT "\"threads\":{\"data\":[{}]}}", -EINVAL, "a thread has no name" },
	{ REPORT "\"threads\":{\"data\":[{\"name\":\"t\",\"state\":\"?\"}]}}", -EINVAL,
	  "'state' is not the state of a thread" },
	{ REPORT "\"threads\":{\"ended\":[]}}", -EINVAL, "'ended'" },
	{ REPORT "\"threads\":{\"data\":[{\"name\":\"t\",\"tid\":4294967296}]}}", -EINVAL,
	  "'tid'" },
	{ REPORT "\"functions_cpu\":[]}", -EINVAL, "'functions_cpu'" },
	{ CPU "\"source\":\"clock\"}}", -EINVAL, "'source'" },
	{ CPU "\"source\":1}}", -EINVAL, "'source'" },
	{ CPU "\"end\":\"now\"}}", -EINVAL, "'end'" },
	{ CPU "\"rate_hz\":4294967296}}", -EINVAL, "'rate_hz'" },
	{ CPU "\"total_samples\":1,\"attributed_samples\":2}}", -EINVAL, "'attributed_samples'" },
	{ CPU "\"total_samples\":1}}", -EINVAL, "'source'" },
	{ CPU "\"data\":[{}]}}", -EINVAL, "no name" },
	{ CPU "\"data\":[{\"name\":\"f\",\"kind\":\"function\",\"samples\":-1}]}}", -EINVAL,
	  "'samples'" },
	{ CPU "\"source\":\"perf\"},\"stacks\":[]}", -EINVAL, "'stacks'" },
	{ STACKS "\"modules\":{}}}", -EINVAL, "'modules'" },
	{ STACKS "\"modules\":[{}]}}", -EINVAL, "no path" },
	{ STACKS "\"modules\":[{\"path\":\"p\",\"build_id\":\"abc\"}]}}", -EINVAL, "'build_id'" },
	{ STACKS "\"modules\":[{\"path\":\"p\",\"build_id\":\"xy\"}]}}", -EINVAL, "'build_id'" },
	{ STACKS "\"threads\":[1]}}", -EINVAL, "'threads'" },
	{ STACKS "\"threads\":[{}]}}", -EINVAL, "no name" },
	{ STACKS "\"frames\":[{}]}}", -EINVAL, "no name" },
	{ STACKS "\"frames\":[{\"name\":\"f\",\"kind\":\"link\"}]}}", -EINVAL, "'kind'" },
	{ STACKS "\"frames\":[{\"name\":\"f\",\"kind\":\"code\"}]}}", -EINVAL, "module" },
	{ STACKS "\"frames\":[{\"name\":\"f\",\"kind\":\"code\",\"module\":0}]}}", -EINVAL,
	  "module" },
	{ STACKS "\"frames\":[{\"name\":\"f\",\"kind\":\"measured\"}]}}", -EINVAL, "function" },
	{ STACKS "\"stacks\":[{\"thread\":0}]}}", -EINVAL, "belongs to no thread" },
	{ STACKS "\"threads\":[{\"name\":\"t\"}],\"stacks\":[{\"frames\":[0]}]}}", -EINVAL,
	  "missing frame" },
	{ STACKS "\"threads\":[{\"name\":\"t\"}],\"stacks\":[{\"frames\":[null]}]}}", -EINVAL,
	  "missing frame" },
	{ REPORT "\"pid\":1} trailing", -EINVAL, "neither" },
};

static void test_hostile(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct hp_error error = { "" };
		struct hp_saved saved;
		int code = hp_saved_read(bad[i].text, strlen(bad[i].text), &saved, &error);
		if (code != bad[i].code || !strstr(error.text, bad[i].says) || !*error.text)
			fail_msg("%s: %d, %s", bad[i].text, code, error.text);
		assert_null(saved.model);
		assert_null(strchr(error.text, '\n'));
	}
}

/* Nested so deep that whoever follows it needs a stack without end. */
static void test_deep(void **state)
{
	struct hp_text text = HP_TEXT_INIT;
	struct hp_error error = { "" };
	struct hp_saved saved;

	(void)state;
	hp_text_puts(&text, REPORT "\"call_tree\":{\"data\":");
	for (unsigned i = 0; i < 100000; i++)
		hp_text_puts(&text, "[{\"name\":\"f\",\"children\":");
	assert_int_equal(hp_saved_read(text.bytes, text.length, &saved, &error), -EINVAL);
	assert_non_null(strstr(error.text, "neither"));
	hp_text_free(&text);
}

/* A NUL ends no text. */
static void test_nul(void **state)
{
	static const char text[] = REPORT "\"pid\":1}\0more";
	struct hp_error error = { "" };
	struct hp_saved saved;

	(void)state;
	assert_int_equal(hp_saved_read(text, sizeof(text), &saved, &error), -EINVAL);
	assert_non_null(strstr(error.text, "neither"));
}

/* What is missing has its default; what a later version adds is passed over. */
static void test_sparse(void **state)
{
	static const char sparse[] = ROW "\"calls\":4,\"avg_ns\":5,\"new\":[{}]}]},\"later\":{}}\n";
	struct hp_error error = { "" };
	struct hp_saved saved;

	(void)state;
	assert_int_equal(hp_saved_read(sparse, strlen(sparse), &saved, &error), 0);
	assert_int_equal(saved.model->exit.status, -1);
	assert_int_equal(saved.model->processes, 1);
	assert_int_equal(hp_function_average(&saved.model->functions[0]), 5);
	assert_null(saved.model->program);
	assert_int_equal(saved.model->note_count, 0);
	assert_false(saved.model->has_tree);
	hp_model_free(saved.model);
}

static void test_cut(void **state)
{
	static const struct {
		const char *text;
		bool is_cut;
	} cases[] = {
		{ REPORT "\"pid\":1}", false },
		{ ROW "\"calls\":1}]}}", false },
		{ ROW "\"calls\":1}],\"total_count\":1,\"included_count\":1}}", false },
		{ ROW "\"calls\":1}],\"total_count\":2,\"included_count\":1}}", true },
		{ ROW "\"calls\":1}],\"total_count\":\"two\"}}", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct hp_error error = { "" };
		struct hp_saved saved;
		assert_int_equal(
			hp_saved_read(cases[i].text, strlen(cases[i].text), &saved, &error), 0);
		assert_int_equal(saved.is_cut, cases[i].is_cut);
		hp_model_free(saved.model);
	}
}

/* What would take too much memory is refused before it does. */
static void test_many_values(void **state)
{
	static const char *const many[] = { "{},", "[],", "1,", "{\"a\":1}," };

	(void)state;
	for (size_t i = 0; i < sizeof(many) / sizeof(*many); i++) {
		struct hp_error error = { "" };
		struct hp_text text = HP_TEXT_INIT;
		struct hp_saved saved;
		hp_text_puts(&text, REPORT "\"x\":[");
		while (text.length < 50000000)
			hp_text_puts(&text, many[i]);
		hp_text_puts(&text, "1]}");
		assert_int_equal(hp_saved_read(text.bytes, text.length, &saved, &error), -EFBIG);
		assert_non_null(strstr(error.text, "too large"));
		hp_text_free(&text);
	}
}

/* What stands in a string is no value, wherever the string ends. */
static void test_values_in_strings(void **state)
{
	struct hp_error error = { "" };
	struct hp_text text = HP_TEXT_INIT;
	struct hp_saved saved;

	(void)state;
	hp_text_puts(&text, REPORT "\"caller\":\"\\\\\",\"program\":\"");
	for (unsigned i = 0; i < 2000000; i++)
		hp_text_puts(&text, "\\\"{{{");
	hp_text_puts(&text, "\"}");
	assert_int_equal(hp_saved_read(text.bytes, text.length, &saved, &error), 0);
	assert_int_equal(strlen(saved.model->program), 8000000);
	assert_string_equal(saved.model->caller, "\\");
	hp_model_free(saved.model);
	hp_text_free(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_deep),
		cmocka_unit_test(test_nul),
		cmocka_unit_test(test_sparse),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_many_values),
		cmocka_unit_test(test_values_in_strings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
