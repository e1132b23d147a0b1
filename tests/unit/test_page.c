/* SPDX-License-Identifier: MIT */
/* The page has the report in it, harmless whatever names it has, and flame graphs of a bounded size. */
#include "made_cpu.h"

#include "page_parts.h"
#include "report.h"

#include <json-c/json.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static struct made_cpu made;

static int begin(void **state)
{
	(void)state;
	made_cpu(&made);
	return 0;
}

/* ---- JSON ---- */

static struct json_object *parsed(const char *text)
{
	struct json_tokener *tokener = json_tokener_new_ex(1000);
	struct json_object *root = json_tokener_parse_ex(tokener, text, -1);

	assert_int_equal(json_tokener_get_error(tokener), json_tokener_success);
	json_tokener_free(tokener);
	return root;
}

static struct json_object *member(struct json_object *object, const char *key)
{
	struct json_object *value = NULL;

	assert_true(json_object_object_get_ex(object, key, &value));
	return value;
}

static int64_t number(struct json_object *object, const char *key)
{
	return json_object_get_int64(member(object, key));
}

static const char *string(struct json_object *object, const char *key)
{
	return json_object_get_string(member(object, key));
}

/* A graph; NULL if there is none. */
static struct json_object *flame(const char *what)
{
	struct hp_text text = HP_TEXT_INIT;
	struct hp_json json = hp_json_start(&text, false);
	bool has_some = hp_page_put_flame(&made.model, what, &json);

	assert_false(text.failed);
	assert_int_equal(has_some, text.length > 0);
	struct json_object *root = has_some ? parsed(text.bytes) : NULL;
	hp_text_free(&text);
	return root;
}

/* The frame at the end of a path of names, "made/main". */
static struct json_object *frame_at(struct json_object *frame, const char *path)
{
	struct json_object *children = member(frame, "children");
	size_t length = strcspn(path, "/");

	for (size_t i = 0; i < json_object_array_length(children); i++) {
		struct json_object *child = json_object_array_get_idx(children, i);
		const char *name = string(child, "name");
		if (strlen(name) != length || strncmp(name, path, length) != 0)
			continue;
		return path[length] ? frame_at(child, path + length + 1) : child;
	}
	fail_msg("no frame %s", path);
	return NULL;
}

static size_t count_frames(struct json_object *frame)
{
	struct json_object *children = member(frame, "children");
	size_t count = 1;

	for (size_t i = 0; i < json_object_array_length(children); i++)
		count += count_frames(json_object_array_get_idx(children, i));
	return count;
}

static size_t depth_of(struct json_object *frame)
{
	struct json_object *children = member(frame, "children");
	size_t most = 0;

	for (size_t i = 0; i < json_object_array_length(children); i++) {
		size_t depth = depth_of(json_object_array_get_idx(children, i));
		most = depth > most ? depth : most;
	}
	return most + 1;
}

/* ---- flame graphs ---- */

static void test_flame(void **state)
{
	struct json_object *graph = flame("cpu");
	struct json_object *root = member(graph, "root");

	(void)state;
	assert_string_equal(string(graph, "what"), "cpu");
	assert_string_equal(string(graph, "unit"), "ns");
	assert_int_equal(number(graph, "total"), MADE_TOTAL * INT64_C(1000000));
	assert_string_equal(string(root, "name"), "made");
	assert_int_equal(number(root, "value"), number(graph, "total"));
	assert_int_equal(number(frame_at(root, "made/main"), "value"), 950000000);
	struct json_object *parse = frame_at(root, "made/main/parse.constprop.0");
	assert_int_equal(number(parse, "value"), 700000000);
	assert_int_equal(number(parse, "self"), 300000000);
	assert_true(json_object_get_boolean(member(parse, "measured")));
	struct json_object *block = frame_at(parse, "read line");
	assert_string_equal(string(block, "file"), "parse.c");
	assert_int_equal(number(block, "line"), 42);
	assert_string_equal(string(frame_at(block, "memcpy"), "module"), "libc.so.6");
	assert_int_equal(number(frame_at(root, "worker;1"), "value"), 240000000);
	json_object_put(graph);
}

static void test_subjects(void **state)
{
	struct json_object *graph = flame("alloc");

	(void)state;
	assert_string_equal(string(graph, "unit"), "bytes");
	assert_int_equal(number(graph, "total"), MADE_ALLOCATED);
	json_object_put(graph);
	graph = flame("live");
	assert_int_equal(number(graph, "total"), MADE_LIVE);
	json_object_put(graph);
	graph = flame("tree");
	assert_int_equal(number(frame_at(member(graph, "root"), "parse/read line"), "value"),
			 5000000);
	json_object_put(graph);
	assert_null(flame("wait"));
	assert_null(flame("disk"));
	assert_null(flame(""));
}

/* A frame of less than 0.05 % is left out, and one of a little more is not. */
static void test_pruned(void **state)
{
	uint32_t rare = made_code(&made, 0, "rare"), seen = made_code(&made, 0, "seen");

	(void)state;
	made.model.cpu.stack_count = 0;
	MADE_STACK(&made, 0, 4, true, rare);
	MADE_STACK(&made, 0, 6, true, seen);
	made.threads[0].samples = 10000;
	made.threads[1].samples = 0;
	struct json_object *graph = flame("cpu");
	struct json_object *children = member(member(graph, "root"), "children");
	assert_int_equal(json_object_array_length(children), 2);
	assert_int_equal(number(frame_at(member(graph, "root"), "seen"), "value"), 6000000);
	json_object_put(graph);
}

/* A call tree of a thousand levels, each of which has one more call. */
static void make_deep(struct hp_branch *branches, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		bool is_side = i % 2;
		int32_t parent = i < 2 ? HP_NO_BRANCH : (int32_t)i - (is_side ? 3 : 2);
		branches[i] = (struct hp_branch){
			.parent = parent, .function = is_side, .depth = i / 2, .calls = 1
		};
		branches[i].total_ns = is_side ? 1000000 : (count - i) * UINT64_C(500000);
		branches[i].self_ns = is_side ? 1000000 : 0;
	}
	made.model.branches = branches;
	made.model.branch_count = count;
}

static void test_bounded(void **state)
{
	enum { COUNT = 2000 };
	struct hp_branch *branches = calloc(COUNT, sizeof(*branches));

	(void)state;
	assert_non_null(branches);
	make_deep(branches, COUNT);
	struct json_object *graph = flame("tree");
	assert_in_range(depth_of(member(graph, "root")), 100, 202);
	assert_in_range(count_frames(member(graph, "root")), 100, 3002);
	json_object_put(graph);
	free(branches);
}

/* Each frame of a damaged call tree is as wide as the whole: there is an end nevertheless. */
static void test_damaged(void **state)
{
	enum { COUNT = 4095 };
	struct hp_branch *branches = calloc(COUNT, sizeof(*branches));

	(void)state;
	assert_non_null(branches);
	for (int32_t i = 0; i < COUNT; i++) {
		branches[i] = (struct hp_branch){ .parent = i ? (i - 1) / 2 : HP_NO_BRANCH,
						  .function = i % 2,
						  .calls = 1 };
		branches[i].total_ns = branches[i].self_ns = UINT64_MAX;
	}
	made.model.branches = branches;
	made.model.branch_count = COUNT;
	struct json_object *graph = flame("tree");
	assert_in_range(count_frames(member(graph, "root")), 100, COUNT + 2);
	json_object_put(graph);
	free(branches);
}

/* ---- data in an element ---- */

static char *element_of(const char *json)
{
	struct hp_text text = HP_TEXT_INIT, data = HP_TEXT_INIT;

	hp_text_puts(&data, json);
	hp_page_put_data("data", &data, &text);
	hp_text_free(&data);
	assert_false(text.failed);
	return text.bytes;
}

static void test_escaped(void **state)
{
	char *element = element_of("[\"</script><!--\",\"a > b\"]");

	(void)state;
	assert_string_equal(element, "<script type=\"application/json\" id=\"data\">"
				     "[\"\\u003c/script>\\u003c!--\",\"a > b\"]</script>\n");
	free(element);
}

/* Large data is compressed: letters of base64, and few of them. */
static void test_compressed(void **state)
{
	enum { SIZE = 300000 };
	char *json = malloc(SIZE + 1);

	(void)state;
	assert_non_null(json);
	memset(json, '<', SIZE);
	json[SIZE] = '\0';
	char *element = element_of(json);
	const char *data = strchr(element, '>') + 1;
	assert_non_null(strstr(element, "type=\"application/gzip\""));
	assert_memory_equal(data, "H4sI", 4);
	size_t letters = strspn(
		data, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=");
	assert_string_equal(data + letters, "</script>\n");
	assert_int_equal(letters % 4, 0);
	assert_in_range(letters, 100, 2000);
	free(element);
	free(json);
}

/* ---- pages ---- */

static size_t count_of(const char *text, const char *word)
{
	size_t count = 0;

	while ((text = strstr(text, word))) {
		count++;
		text += strlen(word);
	}
	return count;
}

/* The text of an element, parsed. */
static struct json_object *data_in(const char *page, const char *id)
{
	char begin[80];

	snprintf(begin, sizeof(begin), "<script type=\"application/json\" id=\"%s\">", id);
	const char *at = strstr(page, begin);
	assert_non_null(at);
	at += strlen(begin);
	char *text = strndup(at, (size_t)(strstr(at, "</script>") - at));
	struct json_object *root = parsed(text);
	free(text);
	return root;
}

static void test_file(void **state)
{
	struct hp_report_options options;
	struct hp_text text = HP_TEXT_INIT;

	(void)state;
	hp_report_options_init(&options);
	hp_page_write(&made.model, &options, &text);
	assert_false(text.failed);
	assert_null(strstr(text.bytes, "{{"));
	assert_int_equal(count_of(text.bytes, "</script>"), 3);
	assert_null(strstr(text.bytes, "unsafe-inline"));
	assert_non_null(strstr(text.bytes, "script-src 'sha256-"));
	struct json_object *report = data_in(text.bytes, "data");
	assert_string_equal(string(report, "type"), "hotpath_report");
	assert_int_equal(json_object_array_length(member(report, "flames")), 4);
	assert_false(json_object_object_get_ex(report, "stacks", NULL));
	assert_false(json_object_object_get_ex(report, "alloc_stacks", NULL));
	json_object_put(report);
	hp_text_free(&text);
}

/* What a server hands out has neither the report nor anything inline, and knows the sections. */
static void test_live(void **state)
{
	struct hp_text text = HP_TEXT_INIT;

	(void)state;
	hp_page_write_live(&text);
	assert_false(text.failed);
	assert_null(strstr(text.bytes, "id=\"data\""));
	assert_null(strstr(text.bytes, "<style"));
	assert_non_null(strstr(text.bytes, "<script type=\"module\" src=\"page.js\"></script>"));
	struct json_object *sections = data_in(text.bytes, "sections");
	bool has_locks = false;
	for (size_t i = 0; i < json_object_array_length(sections); i++)
		has_locks |= strcmp(string(json_object_array_get_idx(sections, i), "key"),
				    "locks") == 0;
	assert_true(has_locks);
	json_object_put(sections);
	hp_text_free(&text);
	assert_non_null(strstr(hp_page_script, "flameGraph"));
	assert_non_null(strstr(hp_page_style, "prefers-color-scheme"));
}

/* The histograms of a page have a point for each quarter of an octave. */
static void test_coarse(void **state)
{
	struct hp_point items[] = { { 0, 1 },	 { 3, 1 },    { 1000, 5 }, { 1010, 7 },
				    { 1030, 2 }, { 1279, 1 }, { 1280, 3 } };
	struct hp_points times = { items, sizeof(items) / sizeof(*items) };
	struct hp_report_options options;
	struct hp_text text = HP_TEXT_INIT;

	(void)state;
	made.functions[0].times = times;
	made.functions[0].calls = 20;
	hp_report_options_init(&options);
	hp_page_write(&made.model, &options, &text);
	assert_non_null(
		strstr(text.bytes, "\"histogram\":[[0,1],[3,1],[1000,12],[1030,3],[1280,3]]"));
	hp_text_free(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_flame, begin),
		cmocka_unit_test_setup(test_subjects, begin),
		cmocka_unit_test_setup(test_pruned, begin),
		cmocka_unit_test_setup(test_bounded, begin),
		cmocka_unit_test_setup(test_damaged, begin),
		cmocka_unit_test_setup(test_escaped, begin),
		cmocka_unit_test_setup(test_compressed, begin),
		cmocka_unit_test_setup(test_file, begin),
		cmocka_unit_test_setup(test_live, begin),
		cmocka_unit_test_setup(test_coarse, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
