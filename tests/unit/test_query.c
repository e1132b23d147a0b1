/* SPDX-License-Identifier: MIT */
/* The target of a request is taken apart. */
#include "query.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

static struct hp_query query;

static void parse(const char *target)
{
	const char *problem = NULL;

	assert_int_equal(hp_query_parse(&query, target, &problem), 0);
}

static void refuse(const char *target)
{
	const char *problem = NULL;

	assert_int_equal(hp_query_parse(&query, target, &problem), -EINVAL);
	assert_non_null(problem);
}

static void a_path_may_be_alone(void **state)
{
	(void)state;
	parse("/api/programs");
	assert_string_equal(query.path, "/api/programs");
	assert_int_equal(query.count, 0);
	assert_null(hp_query_value(&query, "program"));
	parse("/?");
	assert_string_equal(query.path, "/");
	assert_int_equal(query.count, 0);
}

static void values_follow_their_names(void **state)
{
	(void)state;
	parse("/api/report?program=4711&section=timing,cpu");
	assert_string_equal(query.path, "/api/report");
	assert_string_equal(hp_query_value(&query, "program"), "4711");
	assert_string_equal(hp_query_value(&query, "section"), "timing,cpu");
	assert_null(hp_query_value(&query, "sect"));
	parse("/a?x&y=&&z==1?&");
	assert_string_equal(hp_query_value(&query, "x"), "");
	assert_string_equal(hp_query_value(&query, "y"), "");
	assert_string_equal(hp_query_value(&query, "z"), "=1?");
	assert_int_equal(query.count, 3);
}

static void escapes_are_decoded(void **state)
{
	(void)state;
	parse("/a?program=%2Ftmp%2fa+b%25.json&%61=b");
	assert_string_equal(hp_query_value(&query, "program"), "/tmp/a b%.json");
	assert_string_equal(hp_query_value(&query, "a"), "b");
	parse("/a%2Fb?x=%3D%26");
	assert_string_equal(query.path, "/a%2Fb");
	assert_string_equal(hp_query_value(&query, "x"), "=&");
}

static void wrong_escapes_are_refused(void **state)
{
	(void)state;
	refuse("/a?x=%");
	refuse("/a?x=%4");
	refuse("/a?x=%4g");
	refuse("/a?x=%g4");
	refuse("/a?x=a%00b");
	refuse("/a?%00=b");
	refuse("/a?%zz");
}

static void other_targets_are_refused(void **state)
{
	char target[HP_QUERY_SIZE + 8] = "/";

	(void)state;
	refuse("");
	refuse("*");
	refuse("http://localhost:6770/api/programs");
	refuse("/a?x=1&x=2");
	refuse("/a?x=1&%78=2");
	memset(target + 1, 'a', HP_QUERY_SIZE);
	refuse(target);
	target[HP_QUERY_SIZE - 1] = '\0';
	parse(target);
}

static void there_may_be_sixteen_values(void **state)
{
	char target[256] = "/a?";

	(void)state;
	for (int i = 0; i < HP_QUERY_VALUES; i++) {
		char item[] = { (char)('a' + i), '=', '1', '&', '\0' };
		strcat(target, item);
	}
	parse(target);
	assert_int_equal(query.count, HP_QUERY_VALUES);
	strcat(target, "z=1");
	refuse(target);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_path_may_be_alone),
		cmocka_unit_test(values_follow_their_names),
		cmocka_unit_test(escapes_are_decoded),
		cmocka_unit_test(wrong_escapes_are_refused),
		cmocka_unit_test(other_targets_are_refused),
		cmocka_unit_test(there_may_be_sixteen_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
