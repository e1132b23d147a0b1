/* SPDX-License-Identifier: MIT */
/* The JSON writer sets commas, spaces and escapes, and writes numbers exactly. */
#include "json_writer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <json-c/json.h>

static void write_sample(struct hp_json *json)
{
	hp_json_begin_object(json);
	hp_json_key(json, "empty");
	hp_json_begin_array(json);
	hp_json_end_array(json);
	hp_json_key(json, "list");
	hp_json_begin_array(json);
	hp_json_u64(json, 1);
	hp_json_begin_object(json);
	hp_json_key(json, "a");
	hp_json_bool(json, true);
	hp_json_key(json, "b");
	hp_json_null(json);
	hp_json_end_object(json);
	hp_json_begin_object(json);
	hp_json_end_object(json);
	hp_json_end_array(json);
	hp_json_key(json, "last");
	hp_json_string(json, "x");
	hp_json_end_object(json);
}

static void compact(void **state)
{
	struct hp_text text = HP_TEXT_INIT;
	struct hp_json json = hp_json_start(&text, false);

	(void)state;
	write_sample(&json);
	assert_string_equal(
		text.bytes,
		"{\"empty\":[],\"list\":[1,{\"a\":true,\"b\":null},{}],\"last\":\"x\"}");
	hp_text_free(&text);
}

static void pretty(void **state)
{
	struct hp_text text = HP_TEXT_INIT;
	struct hp_json json = hp_json_start(&text, true);

	(void)state;
	write_sample(&json);
	assert_string_equal(text.bytes, "{\n"
					"  \"empty\": [],\n"
					"  \"list\": [\n"
					"    1,\n"
					"    {\n"
					"      \"a\": true,\n"
					"      \"b\": null\n"
					"    },\n"
					"    {}\n"
					"  ],\n"
					"  \"last\": \"x\"\n"
					"}");
	hp_text_free(&text);
}

static void assert_string_becomes(const char *string, const char *expected)
{
	struct hp_text text = HP_TEXT_INIT;
	struct hp_json json = hp_json_start(&text, false);

	hp_json_string(&json, string);
	assert_string_equal(text.bytes, expected);
	hp_text_free(&text);
}

static void strings(void **state)
{
	(void)state;
	assert_string_becomes(NULL, "null");
	assert_string_becomes("", "\"\"");
	assert_string_becomes("a \"b\" \\ /", "\"a \\\"b\\\" \\\\ /\"");
	assert_string_becomes("\n\t\x1b[0m\x7f", "\"\\u000a\\u0009\\u001b[0m\\u007f\"");
	assert_string_becomes("\xc2\x9b", "\"\\u009b\"");
	assert_string_becomes("µs … 😀", "\"µs … 😀\"");
}

#define REPLACED "\xef\xbf\xbd"

static void broken_utf8(void **state)
{
	(void)state;
	assert_string_becomes("a\xff"
			      "b",
			      "\"a" REPLACED "b\"");
	assert_string_becomes("\xe2\x82", "\"" REPLACED REPLACED "\"");
	assert_string_becomes("\xc0\x80", "\"" REPLACED REPLACED "\"");
	assert_string_becomes("\xed\xa0\x80", "\"" REPLACED REPLACED REPLACED "\"");
	assert_string_becomes("\xf4\x90\x80\x80", "\"" REPLACED REPLACED REPLACED REPLACED "\"");
}

static void numbers(void **state)
{
	struct hp_text text = HP_TEXT_INIT;
	struct hp_json json = hp_json_start(&text, false);

	(void)state;
	hp_json_begin_array(&json);
	hp_json_u64(&json, UINT64_MAX);
	hp_json_i64(&json, INT64_MIN);
	hp_json_double(&json, 12.3);
	hp_json_double(&json, 100);
	hp_json_double(&json, 1e300);
	hp_json_double(&json, 1.0 / 3);
	hp_json_double(&json, __builtin_nan(""));
	hp_json_double(&json, -__builtin_inf());
	hp_json_end_array(&json);
	assert_string_equal(text.bytes, "[18446744073709551615,-9223372036854775808,12.3,100.0,"
					"1e+300,0.3333333333333333,null,null]");
	hp_text_free(&text);
}

/* Every byte, alone and after the beginning of a character, leaves the text valid. */
static void any_bytes(void **state)
{
	(void)state;
	for (unsigned first = 1; first < 256; first++) {
		for (unsigned second = 1; second < 256; second++) {
			char string[] = { (char)first, (char)second, 'x', '\0' };
			struct hp_text text = HP_TEXT_INIT;
			struct hp_json json = hp_json_start(&text, false);

			hp_json_string(&json, string);
			struct json_tokener *parser = json_tokener_new();
			json_tokener_set_flags(parser,
					       JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
			struct json_object *object = json_tokener_parse_ex(parser, text.bytes,
									   (int)text.length + 1);
			assert_int_equal(json_tokener_get_error(parser), json_tokener_success);
			json_object_put(object);
			json_tokener_free(parser);
			hp_text_free(&text);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(compact), cmocka_unit_test(pretty),
		cmocka_unit_test(strings), cmocka_unit_test(broken_utf8),
		cmocka_unit_test(numbers), cmocka_unit_test(any_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
