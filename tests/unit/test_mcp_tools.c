/* SPDX-License-Identifier: MIT */
/* Tools for agents: what they answer, and that no answer is larger than promised, whatever a program has named its functions. */
#include "made_host.h"

#include <stdlib.h>

enum { FUNCTIONS = 5000 };

static const char *const tools[] = { "overview", "top",	      "function", "callers",	 "callees",
				     "lines",	 "locks",     "waits",	  "io",		 "channels",
				     "threads",	 "processes", "compare",  "recent_calls" };

/* ---- reports ---- */

static const char head[] =
	"{\"type\":\"hotpath_report\",\"schema\":1,\"version\":\"0.1.0\",\"program\":\"shop\","
	"\"pid\":42,\"elapsed_ns\":1000000,\"own_elapsed_ns\":1000000,\"exit\":{\"clean\":true,"
	"\"status\":0,\"signal\":null,\"running\":false}";

/* A report with rows of all kinds, by these names; of those that are no functions, with the first hundred. */
static void make_report(struct hp_text *text, const char *const *names, size_t count)
{
	size_t others = count < 100 ? count : 100;

	hp_text_free(text);
	hp_text_puts(text, head);
	made_section(
		text, "functions_timing", "name", names, count,
		",\"calls\":3,\"counted_calls\":4,\"measured\":\"partly\",\"total_ns\":3000,\"self_ns\":2000,\"min_ns\":1,\"max_ns\":2000,"
		"\"p95_ns\":2000,\"location\":{\"file\":\"shop.c\",\"line\":7}");
	made_section(text, "locks", "name", names, others,
		     ",\"lock_type\":\"mutex\",\"acquired_count\":9,\"contended_count\":8,"
		     "\"wait_sampled_count\":8,\"wait_sum_ns\":800,\"wait_p95_ns\":100,"
		     "\"hold_p95_ns\":9");
	made_section(text, "lock_waits", "name", names, others,
		     ",\"holder\":\"steal\",\"lock\":\"till\",\"wait_sampled_count\":8,"
		     "\"wait_sum_ns\":800,\"wait_p95_ns\":100");
	made_section(text, "waits", "name", names, others,
		     ",\"reason\":\"sleep\",\"wait_sampled_count\":8,\"wait_sum_ns\":800,"
		     "\"wait_p95_ns\":100");
	made_section(
		text, "io", "name", names, others,
		",\"target\":\"/tmp/x\",\"operation\":\"read\",\"medium\":\"disk\",\"calls\":5,"
		"\"bytes\":50,\"time_p95_ns\":5");
	made_section(text, "channels", "name", names, others,
		     ",\"channel_type\":\"bounded[16]\",\"sent_count\":5,\"received_count\":5,"
		     "\"delay_p95_ns\":7");
	hp_text_puts(text, "}");
}

static void make_numbered(struct hp_text *text, size_t count)
{
	const char **names = calloc(count, sizeof(*names));

	for (size_t i = 0; i < count; i++)
		assert_true(asprintf((char **)(void *)&names[i], "serve_customer_%04zu", i) > 0);
	make_report(text, names, count);
	for (size_t i = 0; i < count; i++)
		free((char *)(uintptr_t)names[i]);
	free(names);
}

/* ---- questions ---- */

/* Call a tool; its answer is in bounds. The arguments are the members of an object. */
static struct json_object *call(const char *tool, const char *arguments)
{
	struct hp_text request = HP_TEXT_INIT, answer = HP_TEXT_INIT;

	hp_text_printf(&request,
		       "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{"
		       "\"name\":\"%s\",\"arguments\":{%s}}}",
		       tool, arguments);
	assert_int_equal(hp_mcp_answer(&made_host, request.bytes, request.length, NULL, &answer),
			 200);
	assert_in_range(answer.length, 1, HP_MCP_ANSWER_MAX - 1);
	struct json_object *object = json_tokener_parse(answer.bytes);
	assert_non_null(object);
	hp_text_free(&request);
	hp_text_free(&answer);
	return object;
}

/* The arguments that a tool needs. */
static const char *arguments_of(const char *tool)
{
	static const char *const named[] = { "function", "callers", "callees", "recent_calls" };

	if (strcmp(tool, "compare") == 0)
		return "\"a\":\"a.json\",\"b\":\"b.json\",\"limit\":50";
	for (size_t i = 0; i < sizeof(named) / sizeof(*named); i++)
		if (strcmp(tool, named[i]) == 0)
			return "\"name\":\"serve_customer_0001\",\"limit\":20";
	return strcmp(tool, "overview") == 0 ? "\"limit\":20" : "\"limit\":50";
}

static void assert_refused(const char *tool, const char *arguments, const char *why)
{
	struct json_object *answer = call(tool, arguments);

	assert_true(json_object_get_boolean(at(answer, "result.isError")));
	assert_null(at(answer, "result.structuredContent"));
	if (!strstr(text_at(answer, "result.content.0.text"), why))
		fail_msg("%s, not %s", text_at(answer, "result.content.0.text"), why);
	json_object_put(answer);
}

/* ---- tests ---- */

static void list(void **state)
{
	struct json_object *answer = ask("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}",
					 NULL, 200);
	struct json_object *all = at(answer, "result.tools");

	(void)state;
	assert_int_equal(json_object_array_length(all), sizeof(tools) / sizeof(*tools));
	for (size_t i = 0; i < sizeof(tools) / sizeof(*tools); i++) {
		struct json_object *tool = json_object_array_get_idx(all, i);
		assert_string_equal(text_at(tool, "name"), tools[i]);
		assert_true(*text_at(tool, "title") && *text_at(tool, "description"));
		assert_string_equal(text_at(tool, "inputSchema.type"), "object");
		assert_string_equal(text_at(tool, "outputSchema.type"), "object");
		assert_false(json_object_get_boolean(at(tool, "inputSchema.additionalProperties")));
		assert_true(json_object_get_boolean(at(tool, "annotations.readOnlyHint")));
	}
	json_object_put(answer);
}

/* Every member of a result is in its schema, with its type; the text is the same. */
static void assert_described(const char *tool, struct json_object *answer)
{
	struct json_object *listed = ask("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}",
					 NULL, 200);
	struct json_object *content = at(answer, "result.structuredContent");
	struct json_object *properties = NULL;
	struct json_object *again = json_tokener_parse(text_at(answer, "result.content.0.text"));

	for (size_t i = 0; i < sizeof(tools) / sizeof(*tools); i++)
		if (strcmp(tools[i], tool) == 0)
			properties = at(json_object_array_get_idx(at(listed, "result.tools"), i),
					"outputSchema.properties");
	assert_true(json_object_equal(content, again));
	json_object_object_foreach(content, key, value)
	{
		const char *type = json_type_to_name(json_object_get_type(value));
		if (strcmp(type, "int") == 0)
			type = "integer";
		struct json_object *property = at(properties, key);
		if (!property || strcmp(text_at(property, "type"), type) != 0)
			fail_msg("%s: the member %s is no %s in the schema", tool, key, type);
	}
	json_object_put(again);
	json_object_put(listed);
}

static void every_tool(void **state)
{
	(void)state;
	make_numbered(&made_reports[0], 3);
	make_numbered(&made_reports[1], 2);
	for (size_t i = 0; i < sizeof(tools) / sizeof(*tools); i++) {
		struct json_object *answer = call(tools[i], arguments_of(tools[i]));
		if (!json_object_get_boolean(at(answer, "result.isError")))
			assert_described(tools[i], answer);
		else if (strcmp(tools[i], "lines") != 0 && strcmp(tools[i], "recent_calls") != 0)
			fail_msg("%s: %s", tools[i], json_object_to_json_string(answer));
		assert_null(strstr(json_object_to_json_string(answer), "(null)"));
		json_object_put(answer);
	}
}

static void figures(void **state)
{
	(void)state;
	make_numbered(&made_reports[0], 3);
	struct json_object *answer = call("overview", "");
	struct json_object *content = at(answer, "result.structuredContent");
	assert_string_equal(text_at(content, "program"), "shop");
	assert_int_equal(number_at(content, "elapsed_ns"), 1000000);
	assert_int_equal(number_at(content, "functions_timing.0.total_ns"), 3000);
	assert_string_equal(text_at(content, "lock_waits.0.holder"), "steal");
	assert_string_equal(text_at(content, "next.0.tool"), "locks");
	assert_string_equal(text_at(content, "next.1.name"), "steal");
	assert_string_equal(text_at(content, "programs.1.program"), "b.json");
	assert_false(json_object_get_boolean(at(content, "truncated")));
	json_object_put(answer);

	answer = call("top", "\"metric\":\"time\",\"limit\":2");
	content = at(answer, "result.structuredContent");
	assert_int_equal(json_object_array_length(at(content, "functions_timing")), 2);
	assert_true(json_object_get_boolean(at(content, "truncated")));
	assert_int_equal(number_at(content, "functions_timing.0.location.line"), 7);
	assert_int_equal(number_at(content, "functions_timing.0.counted_calls"), 4);
	assert_string_equal(text_at(content, "functions_timing.0.measured"), "partly");
	json_object_put(answer);

	answer = call("function", "\"name\":\"serve_customer_0002\"");
	content = at(answer, "result.structuredContent");
	assert_string_equal(text_at(content, "functions_timing.name"), "serve_customer_0002");
	assert_string_equal(text_at(content, "lock_waits.0.lock"), "till");
	json_object_put(answer);
}

static void no_data(void **state)
{
	(void)state;
	make_report(&made_reports[0], NULL, 0);
	struct json_object *answer = call("locks", "");
	assert_non_null(strstr(text_at(answer, "result.structuredContent.missing.locks"),
			       "hotpath run --waits"));
	json_object_put(answer);
	assert_refused("lines", "", "no stack was sampled");
	assert_refused("recent_calls", "\"name\":\"x\"", "not of a saved report");
}

static void arguments(void **state)
{
	(void)state;
	make_numbered(&made_reports[0], 3);
	assert_refused("function", "", "needs the argument 'name'");
	assert_refused("function", "\"name\":5", "'name' must be a string");
	assert_refused("function", "\"name\":\"\"", "must not be empty");
	assert_refused("function", "\"name\":\"x\",\"colour\":1", "no argument 'colour'");
	assert_refused("function", "\"name\":\"serve_customr_0001\"",
		       "did you mean 'serve_customer_0001'?");
	assert_refused("top", "\"metric\":\"speed\"", "'metric' must be one of cpu");
	assert_refused("top", "\"limit\":0", "from 1 to 50");
	assert_refused("top", "\"limit\":51", "from 1 to 50");
	assert_refused("top", "\"limit\":1.5", "from 1 to 50");
	assert_refused("overview", "\"limit\":21", "from 1 to 20");
	assert_refused("top", "\"limit\":1e300", "from 1 to 50");
	assert_refused("top", "\"limit\":\"5\"", "from 1 to 50");
	assert_refused("top", "\"limit\":null", "from 1 to 50");
	assert_refused("overview", "\"program\":\"none\"", "no program \\u001b 'none'");
	assert_refused("overview", "\"window\":2,\"program\":\"x\"", "2 s");
	assert_refused("overview", "\"window\":31", "from 0 to 30");
	json_object_put(call("top", "\"limit\":2.0"));

	struct json_object *answer = ask(
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{}}", NULL,
		200);
	assert_int_equal(number_at(answer, "error.code"), -32602);
	json_object_put(answer);
	answer = ask("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":"
		     "\"top\",\"arguments\":[]}}",
		     NULL, 200);
	assert_int_equal(number_at(answer, "error.code"), -32602);
	json_object_put(answer);
}

/* Call every tool, with the most rows. */
static void ask_everything(void)
{
	static const char *const metrics[] = { "cpu",	      "time",  "self",	    "calls",
					       "alloc_bytes", "waits", "lock_waits" };
	char text[64];

	for (size_t i = 0; i < sizeof(tools) / sizeof(*tools); i++)
		json_object_put(call(tools[i], arguments_of(tools[i])));
	for (size_t i = 0; i < sizeof(metrics) / sizeof(*metrics); i++) {
		snprintf(text, sizeof(text), "\"limit\":50,\"metric\":\"%s\"", metrics[i]);
		json_object_put(call("top", text));
	}
}

static void many_functions(void **state)
{
	(void)state;
	make_numbered(&made_reports[0], FUNCTIONS);
	make_numbered(&made_reports[1], FUNCTIONS - 100);
	ask_everything();
	struct json_object *answer = call("top", "\"metric\":\"time\",\"limit\":50");
	assert_true(json_object_get_boolean(at(answer, "result.structuredContent.truncated")));
	assert_true(json_object_array_length(
			    at(answer, "result.structuredContent.functions_timing")) >= 10);
	json_object_put(answer);
}

static char *repeat(const char *text, size_t times)
{
	size_t length = strlen(text);
	char *all = calloc(length * times + 1, 1);

	assert_non_null(all);
	for (size_t i = 0; i < times; i++)
		memcpy(all + i * length, text, length);
	return all;
}

/* What a name becomes in an answer. */
static void assert_named(const char *name, const char *expected)
{
	make_report(&made_reports[0], &name, 1);
	struct json_object *answer = call("top", "\"metric\":\"time\"");
	assert_string_equal(text_at(answer, "result.structuredContent.functions_timing.0.name"),
			    expected);
	json_object_put(answer);
}

static void hostile_names(void **state)
{
	static const char *const parts[] = { "x", "\"",	  "\\",		  "\033",     "\n",
					     "ü", "\xff", "\342\200\256", "</script>" };

	(void)state;
	assert_named("a\033[2Jb", "a\\u001b[2Jb");
	assert_named("a\342\200\256b", "a\\u202eb");
	assert_named("line\nbreak", "line\\u000abreak");
	assert_named("<b>\"\\", "<b>\"\\");
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		char *name = repeat(parts[i], 10000);
		const char *names[] = { name, "steal", name, name };
		make_report(&made_reports[0], names, 4);
		make_report(&made_reports[1], names, 2);
		ask_everything();
		free(name);
	}
}

/* A name that was cut finds its function again. */
static void cut_names(void **state)
{
	char *name = repeat("long_name_", 100);
	const char *names[] = { "other", name };

	(void)state;
	make_report(&made_reports[0], names, 2);
	struct json_object *answer = call("top", "\"metric\":\"time\"");
	struct json_object *rows = at(answer, "result.structuredContent.functions_timing");
	const char *cut = text_at(rows, "0.name");
	if (strcmp(cut, "other") == 0)
		cut = text_at(rows, "1.name");
	assert_string_equal(cut + strlen(cut) - strlen("…"), "…");
	struct hp_text arguments_text = HP_TEXT_INIT;
	hp_text_printf(&arguments_text, "\"name\":\"%s\"", cut);
	struct json_object *found = call("function", arguments_text.bytes);
	assert_non_null(at(found, "result.structuredContent.functions_timing"));
	json_object_put(found);
	json_object_put(answer);
	hp_text_free(&arguments_text);
	free(name);
}

static int tear_down(void **state)
{
	(void)state;
	hp_text_free(&made_reports[0]);
	hp_text_free(&made_reports[1]);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests_of_tools[] = {
		cmocka_unit_test(list),		 cmocka_unit_test(every_tool),
		cmocka_unit_test(figures),	 cmocka_unit_test(no_data),
		cmocka_unit_test(arguments),	 cmocka_unit_test(many_functions),
		cmocka_unit_test(hostile_names), cmocka_unit_test(cut_names),
	};

	return cmocka_run_group_tests(tests_of_tools, NULL, tear_down);
}
