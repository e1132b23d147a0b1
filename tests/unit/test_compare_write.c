/* SPDX-License-Identifier: MIT */
/* A comparison becomes a table, markdown or JSON. */
#include "golden_text.h"
#include "made_comparison.h"

#include "cell_text.h"
#include "compare_write.h"
#include "markdown_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <json-c/json.h>

static struct hp_comparison made;
static struct hp_compare_style style;
static struct hp_text text;

static int set_up(void **state)
{
	(void)state;
	style = (struct hp_compare_style){ 0 };
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	made_free(&made);
	hp_text_free(&text);
	return 0;
}

/* Valid until the next. */
static const char *written(const char *format)
{
	text.length = 0;
	hp_compare_format_find(format)->write(&made, &style, &text);
	assert_false(text.failed);
	return text.bytes;
}

static bool has(const char *what)
{
	return strstr(text.bytes, what);
}

/* ---- whole texts ---- */

/* What was written last is the text of this name. */
static void assert_golden(const char *name)
{
	assert_is_golden(&text, name);
}

static void table_of_80_columns(void **state)
{
	(void)state;
	made_example(&made);
	style.width = 80;
	written("table");
	assert_golden("compare-80.txt");
}

static void table_of_200_columns(void **state)
{
	(void)state;
	made_example(&made);
	style.width = 200;
	written("table");
	assert_golden("compare-200.txt");
}

static void markdown(void **state)
{
	(void)state;
	made_example(&made);
	style.id = "parser";
	written("markdown");
	assert_golden("compare.md");
}

/* One of what is drawn in a line is wider than the rest; sentences are for the terminal to break. */
static void tables_fit(void **state)
{
	(void)state;
	made_example(&made);
	for (style.width = 80; style.width <= 240; style.width += 10) {
		written("table");
		for (char *line = strtok(text.bytes, "\n"); line; line = strtok(NULL, "\n"))
			if (line[0] == '|' || line[0] == '+')
				assert_true(hp_utf8_count(line) <= style.width);
	}
}

/* Where a column is too wide, one that matters less and is narrow has its place. */
static void narrow_columns_have_room(void **state)
{
	(void)state;
	made_start(&made, 10, 10);
	made_section(&made, &made_program);
	struct hp_compared_section *section = made_section(&made, &made_timing);
	struct hp_compared_row *row = made_row(&made, section, "function_of_a_name",
					       HP_JUDGED_SLOWER, true);
	made_cell(&made, section, row, 2, 1e9, 2e9, HP_JUDGED_SLOWER);
	made_cell(&made, section, row, 3, 1e9, 2e9, HP_JUDGED_UNCLEAR);
	made_cell(&made, section, row, 1, 1e9, 1e9, HP_JUDGED_SAME);
	style.width = 96;
	written("table");
	assert_true(has(" Total |"));
	assert_false(has(" Avg |"));
}

static void formats(void **state)
{
	(void)state;
	assert_ptr_equal(hp_compare_formats[0], &hp_compare_table);
	assert_ptr_equal(hp_compare_format_find("markdown"), &hp_compare_markdown);
	assert_ptr_equal(hp_compare_format_find("json"), &hp_compare_json);
	assert_ptr_equal(hp_compare_format_find("json-pretty"), &hp_compare_json_pretty);
	assert_null(hp_compare_format_find("html"));
}

/* ---- cells ---- */

static const char *value(double number, enum hp_metric_unit unit)
{
	text.length = 0;
	hp_compare_put_value(number, unit, &text);
	return text.bytes;
}

static void values(void **state)
{
	(void)state;
	assert_string_equal(value(1.2e9, HP_UNIT_NS), "1.20 s");
	assert_string_equal(value(12.5, HP_UNIT_NS), "13 ns");
	assert_string_equal(value(-1, HP_UNIT_NS), "0 ns");
	assert_string_equal(value(1e30, HP_UNIT_NS), "18446744073.71 s");
	assert_string_equal(value(INFINITY, HP_UNIT_NS), "18446744073.71 s");
	assert_string_equal(value(1536, HP_UNIT_BYTES), "1.5 KB");
	assert_string_equal(value(-64, HP_UNIT_BYTES), "-64 B");
	assert_string_equal(value(1e30, HP_UNIT_BYTES), "16384.0 PB");
	assert_string_equal(value(-1e30, HP_UNIT_BYTES), "-8192.0 PB");
	assert_string_equal(value(100.5, HP_UNIT_COUNT), "100.5");
	assert_string_equal(value(12345678, HP_UNIT_COUNT), "12345678");
	assert_string_equal(value(-0.25, HP_UNIT_NUMBER), "-0.25");
	assert_string_equal(value(INFINITY, HP_UNIT_NUMBER), "inf");
	for (int unit = HP_UNIT_COUNT; unit <= HP_UNIT_NUMBER; unit++)
		assert_string_equal(value(NAN, (enum hp_metric_unit)unit), "-");
}

static const char *change(double before, double after, double ratio, bool is_stable)
{
	struct hp_compared_cell cell = { .before_median = before,
					 .after_median = after,
					 .ratio = { ratio, ratio, ratio, false },
					 .is_stable = is_stable };

	text.length = 0;
	hp_compare_put_change(&cell, HP_UNIT_COUNT, &text);
	return text.bytes;
}

static void changes(void **state)
{
	(void)state;
	assert_string_equal(change(100, 112, 1.12, true), "100 → 112 (+12.0 %)");
	assert_string_equal(change(100, 97, 0.97, false), "100 → 97 (-3.0 %)");
	assert_string_equal(change(100, 100, 1, true), "100");
	/* Of what varies, the ratio may be another than that of the medians, which are what is shown. */
	assert_string_equal(change(100, 100, 1.02, false), "100");
	assert_string_equal(change(100, 110, 1.02, false), "100 → 110 (+10.0 %)");
	assert_string_equal(change(0, 0, 1, true), "0");
	assert_string_equal(change(0, 0, 1, false), "0");
	assert_string_equal(change(0, 5, INFINITY, true), "0 → 5");
	assert_string_equal(change(5, 0, 0, true), "5 → 0 (-100 %)");
	assert_string_equal(change(1000000, 1000001, 1.000001, true), "1000000 → 1000001 (+1)");
	assert_string_equal(change(1000001, 1000000, 0.999999, true), "1000001 → 1000000 (-1)");
	assert_string_equal(change(1000000, 1000001, 1.000001, false), "1000000 → 1000001 (0.0 %)");
	assert_string_equal(change(NAN, NAN, NAN, false), "-");
	assert_string_equal(change(NAN, 5, NAN, false), "- → 5");
	assert_string_equal(change(5, NAN, NAN, true), "5 → -");
	assert_string_equal(change(-5, 5, -1, true), "-5 → 5");
}

static const char *interval(double low, double high, bool is_guess)
{
	text.length = 0;
	hp_compare_put_interval(&(struct hp_ratio){ 1, low, high, is_guess }, &text);
	return text.bytes;
}

static void intervals(void **state)
{
	(void)state;
	assert_string_equal(interval(1.098, 1.149, false), "+9.8 … +14.9 %");
	assert_string_equal(interval(0.9, 1, false), "-10.0 … 0.0 %");
	assert_string_equal(interval(0.9, INFINITY, false), "-10.0 … +∞ %");
	assert_string_equal(interval(0.9, 1.1, true), "-");
	assert_string_equal(interval(NAN, NAN, false), "-");
}

/* ---- what comparisons there are ---- */

static void every_format(void)
{
	for (size_t i = 0; hp_compare_formats[i]; i++)
		written(hp_compare_formats[i]->name);
}

static void nothing(void **state)
{
	(void)state;
	made_start(&made, 0, 0);
	every_format();
	assert_string_equal(written("table"), "hotpath compare: nothing to compare\n"
					      "0 runs each; times within ±5 % count as the same\n"
					      "\n"
					      "no regression: nothing is known to be slower\n");
	written("markdown");
	assert_true(has("✅ **nothing to compare**"));
}

/* The whole program alone, of sides with different runs. */
static void program_alone(void **state)
{
	(void)state;
	made_start(&made, 8, 1);
	struct hp_compared_section *section = made_section(&made, &made_program);
	struct hp_compared_row *row = made_row(&made, section, "program", HP_JUDGED_SAME, false);
	made_cell(&made, section, row, 0, 1e9, 1.01e9, HP_JUDGED_SAME);
	assert_string_equal(written("table"),
			    "hotpath compare: nothing changed\n"
			    "8 runs of base, 1 of head; times within ±5 % count as the same\n"
			    "\n"
			    "whole program  1.00 s → 1.01 s (+1.0 %), between -1.0 … +3.0 %: same\n"
			    "\n"
			    "no regression: nothing is known to be slower\n");
	row->judged = HP_JUDGED_SLOWER;
	written("markdown");
	assert_true(has("⚠️ **whole program slower (+1.0 %)**"));
	row->judged = HP_JUDGED_UNCLEAR;
	written("table");
	assert_true(has("compare: nothing is known to have changed\n"));
}

/* What a single run cannot tell is said, and its guess is no interval. */
static void one_run(void **state)
{
	(void)state;
	made_start(&made, 1, 1);
	made_section(&made, &made_program);
	struct hp_compared_section *section = made_section(&made, &made_timing);
	struct hp_compared_row *row = made_function(&made, section, "f", HP_JUDGED_UNCLEAR, false,
						    10, 10, 100, 120);
	for (size_t i = 0; i < section->column_count; i++)
		row->cells[i].ratio.is_guess = true;
	written("table");
	assert_true(has("compare: nothing is known to have changed, 1 unclear\n1 run each;"));
	assert_true(has("\ntimes need 6 runs of each side to be judged (there is 1)\n"));
	assert_true(has("timing - functions: none of 1 is known to have changed\n"));
	assert_false(has("nterval"));
	written("markdown");
	assert_true(has("- times need 6 runs of each side"));
	assert_false(has("| Interval |"));
}

/* How many runs would do is a matter of who runs them. */
static void more_runs(void **state)
{
	(void)state;
	made_example(&made);
	made.base.command = "./old | x";
	made.head.command = "./new";
	written("table");
	assert_true(has(
		"unclear: the runs differ too much to tell; more runs would help (--runs 20)\n"));
	/* Not more than can be asked for. */
	made.base.count = made.head.count = 501;
	written("table");
	assert_true(has("more runs would help\n"));
	made.base.count = made.head.count = 10;
	written("markdown");
	assert_true(has("- base: <code>&#46;&#47;old &#124; x</code>, 10 runs"));
	assert_true(has("- head: `./new`, 10 runs"));
}

static void figures_that_are_no_numbers(void **state)
{
	(void)state;
	made_start(&made, 2, 2);
	made_section(&made, &made_program);
	struct hp_compared_section *section = made_section(&made, &made_timing);
	made_row(&made, section, "nothing known", HP_JUDGED_NOT, true);
	struct hp_compared_row *row = made_row(&made, section, "grown from 0", HP_JUDGED_SLOWER,
					       true);
	made_cell(&made, section, row, 2, 0, 5, HP_JUDGED_SLOWER);
	made_row(&made, section, "", HP_JUDGED_NOT, false);
	every_format();
	assert_string_equal(strchr(written("table"), '+'),
			    "+---------------+---------+-------------+\n"
			    "| Function      | Verdict |        Self |\n"
			    "+---------------+---------+-------------+\n"
			    "| nothing known |         |           - |\n"
			    "| grown from 0  | slower  | 0 ns → 5 ns |\n"
			    "|               |         |           - |\n"
			    "+---------------+---------+-------------+\n"
			    "\n"
			    "no regression: nothing is known to be slower\n");
}

static void results(void **state)
{
	(void)state;
	made_start(&made, 1, 1);
	made.options.fail_on = HP_FAIL_ON_NONE;
	written("table");
	assert_true(has("\nregressions were not checked (--fail-on none)\n"));
	made.options.fail_on = HP_FAIL_ON_ALLOC;
	made_budget(&made, "f", "calls", (struct hp_budget){ .limit = 1 });
	written("table");
	assert_true(has("\nbudgets in use: 1 not measured\n  not measured: f calls\n"));
	assert_true(has("\nno regression: nothing allocates more; no budget is broken\n"));
}

/* ---- colours ---- */

static void colours(void **state)
{
	(void)state;
	made_example(&made);
	written("table");
	assert_null(strchr(text.bytes, '\x1b'));
	style.colour = true;
	written("table");
	assert_true(has("| \x1b[31mslower\x1b[0m "));
	assert_true(has("| \x1b[32mfaster\x1b[0m "));
	assert_true(has("| \x1b[33munclear\x1b[0m "));
	assert_true(has("| \x1b[33mnew\x1b[0m "));
	assert_true(has("| \x1b[31msame, more calls\x1b[0m "));
	assert_true(has("\x1b[31mFAILED\x1b[0m: "));
	written("markdown");
	assert_null(strchr(text.bytes, '\x1b'));
}

/* More of what is neither good nor bad is only to be seen. */
static void neutral(void **state)
{
	(void)state;
	made_start(&made, 3, 3);
	made_section(&made, &made_program);
	struct hp_compared_section *section = made_section(&made, &made_gauges);
	struct hp_compared_row *row = made_row(&made, section, "depth", HP_JUDGED_SAME, true);
	made_cell(&made, section, row, 0, 2, 3, HP_JUDGED_MORE);
	made_cell(&made, section, row, 1, 4, 5, HP_JUDGED_MORE);
	style.colour = true;
	written("table");
	assert_true(has("same, more updates"));
	made_cell(&made, section, row, 1, 4, 4, HP_JUDGED_SAME);
	made_cell(&made, section, row, 2, 4, 5, HP_JUDGED_MORE);
	written("table");
	assert_true(has("| same    |"));
	assert_true(has("\x1b[1m4 → 5 (+25.0 %)\x1b[0m"));
	assert_true(has("\x1b[1m2 → 3 (+50.0 %)\x1b[0m"));
}

/* ---- hostile strings ---- */

static const char *code(const char *string)
{
	text.length = 0;
	hp_markdown_put_code(string, &text);
	return text.bytes;
}

static const char *words(const char *string)
{
	text.length = 0;
	hp_markdown_put_words(string, &text);
	return text.bytes;
}

static const char *hidden(const char *string)
{
	text.length = 0;
	hp_markdown_put_hidden(string, &text);
	return text.bytes;
}

static void escapes(void **state)
{
	(void)state;
	assert_string_equal(code("std::vector<T>::~vector() @me"),
			    "`std::vector<T>::~vector() @me`");
	assert_string_equal(code("a\nb\x1b\xff"), "`a?b??`");
	assert_string_equal(code(""), "`?`");
	assert_string_equal(code("operator|"), "<code>operator&#124;</code>");
	assert_string_equal(code("a`b\\"), "<code>a&#96;b&#92;</code>");
	assert_string_equal(words("a_b *c* <d> [e](f) |&"),
			    "a&#95;b &#42;c&#42; &#60;d&#62; &#91;e&#93;(f) &#124;&#38;");
	assert_string_equal(words("@me #1 http://x www.y"),
			    "@\u200bme #\u200b1 http:\u200b//x w\u200bww.y");
	assert_string_equal(hidden("a-b c/d.1"), "a-b c/d.1");
	assert_string_equal(hidden("--> <script>"), "_-_ _script_");
	assert_string_equal(hidden("a---b--"), "a-_-b-_");
	assert_string_equal(hidden("é\n"), "é?");
}

static void assert_limited(const char *(*put)(const char *), size_t most)
{
	char name[10241];

	memset(name, 'x', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	const char *got = put(name);
	assert_true(hp_utf8_count(got) <= most && hp_utf8_count(got) > most / 2);
	assert_non_null(strstr(got, "x…x"));
}

static void long_strings(void **state)
{
	(void)state;
	assert_limited(code, 122);
	assert_limited(words, 600);
	assert_limited(hidden, 100);
}

/* Cells of a line, by the rule of GitHub: a backslash takes away the meaning of what follows. */
static size_t count_cells(const char *line)
{
	size_t count = 0;

	for (; *line && *line != '\n'; line++) {
		if (*line == '\\' && line[1] && line[1] != '\n')
			line++;
		else if (*line == '|')
			count++;
	}
	return count;
}

static void names_stay_in_their_cells(void **state)
{
	static const char *const names[] = { MADE_EVIL, "|",   "\\", "\\|",  "\\\\|",
					     "`",	"``|", " ",  "a\nb", "</details>" };
	(void)state;
	made_start(&made, 1, 1);
	made_section(&made, &made_program);
	struct hp_compared_section *section = made_section(&made, &made_timing);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct hp_compared_row *row = made_function(&made, section, names[i],
							    HP_JUDGED_SLOWER, true, 1, 1, 1, 2);
		row->old_name = made_string(names[i]);
		row->presence = HP_RENAMED;
	}
	written("markdown");
	size_t rows = 0;
	for (char *line = strstr(text.bytes, "\n| Function") + 1; *line == '|'; rows++) {
		assert_int_equal(count_cells(line), 7);
		line = strchr(line, '\n') + 1;
	}
	assert_int_equal(rows, 2 + sizeof(names) / sizeof(names[0]));
}

static void assert_printable(const char *format)
{
	for (const char *at = written(format); *at; at++)
		if ((unsigned char)*at < ' ' && *at != '\n')
			fail_msg("%s has a byte %d", format, *at);
}

/* Whatever a file may say, in every place. */
static void hostile_everywhere(void **state)
{
	(void)state;
	made_example(&made);
	for (size_t i = 0; i < 200; i++) {
		made_note(&made.notes, &made.note_count, MADE_EVIL);
		made_note(&made.failures, &made.failure_count, MADE_EVIL);
		made_budget(&made, MADE_EVIL, MADE_EVIL, (struct hp_budget){ .limit = NAN });
	}
	made.base.command = made.head.command = made.budgets.path = style.id = MADE_EVIL;
	for (size_t i = 0; hp_compare_formats[i]; i++)
		assert_printable(hp_compare_formats[i]->name);
	written("table");
	assert_true(has("\n… and 182 more\n"));
	written("markdown");
	assert_int_equal(strncmp(text.bytes, "<!-- hotpath-compare: a|b`c\\|_img src=x_", 40), 0);
	assert_true(has("\n- … and "));
	assert_null(strstr(text.bytes, "<img"));
	assert_true(text.length < 60000);
}

/* ---- many rows ---- */

enum { MANY = 5000 };

static void make_many(bool has_changed)
{
	char name[64];

	made_start(&made, 3, 3);
	made_section(&made, &made_program);
	struct hp_compared_section *section = made_section(&made, &made_timing);
	for (int i = 0; i < MANY; i++) {
		snprintf(name, sizeof(name), "function_with_a_name_%d", i);
		made_function(&made, section, name, i ? HP_JUDGED_SAME : HP_JUDGED_SLOWER,
			      i == 0 || has_changed, 1, 1, 1e6, i ? 1e6 : 2e6);
	}
	section = made_section(&made, &made_alloc);
	struct hp_compared_row *row = made_row(&made, section, "last", HP_JUDGED_MORE, true);
	made_cell(&made, section, row, 0, 1, 2, HP_JUDGED_MORE);
	made_row(&made, section, "unchanged", HP_JUDGED_SAME, false);
}

static unsigned count_of(const char *what)
{
	unsigned count = 0;

	for (const char *at = text.bytes; (at = strstr(at, what)); at++)
		count++;
	return count;
}

/* The sentence says how many; with the rows that are there, these are all. */
static void assert_counted(const char *sentence, unsigned rows)
{
	const char *at = strstr(text.bytes, sentence);

	assert_non_null(at);
	while (at[-1] != '\n')
		at--;
	assert_int_equal(strtoul(at, NULL, 10) + count_of("\n| `"), rows);
}

static void many_unchanged(void **state)
{
	(void)state;
	make_many(false);
	written("table");
	assert_int_equal(count_of("\n| function_with"), 15);
	assert_true(has("\n… and 4985 more that did not change\n"));
	written("markdown");
	assert_true(text.length < 60000 && text.length > 50000);
	assert_true(has("| `last` | **more** |"));
	assert_counted(" rows that are not known to have changed are left out", MANY + 2);
	assert_true(has("How this was judged"));
	assert_int_equal(count_of("<details>"), count_of("</details>"));
}

/* What was not compared is not said to be as before. */
static void many_not_compared(void **state)
{
	(void)state;
	make_many(false);
	struct hp_compared_section *section = &made.sections[1];
	for (size_t i = 0; i < 10; i++)
		section->rows[section->row_count - 1 - i].judged = HP_JUDGED_NOT;
	written("table");
	assert_true(has("\n… and 4975 more that did not change\n"
			"… and 10 more that were not compared\n"));
	/* If nothing changed, that is not known of all. */
	section->rows[0].judged = HP_JUDGED_SAME;
	section->rows[0].has_changed = false;
	made.section_count = 2;
	written("table");
	assert_true(has("nothing is known to have changed"));
	assert_true(has("4990 same, 10 not compared"));
}

static void many_changed(void **state)
{
	(void)state;
	make_many(true);
	written("table");
	assert_int_equal(count_of("\n| function_with"), 40);
	assert_true(has("\n… and 4960 more that changed\n"));
	written("markdown");
	assert_true(text.length < 60000 && text.length > 50000);
	assert_counted(" rows that changed are left out", MANY + 1);
	assert_true(has("\n1 row that is not known to have changed is left out"));
	assert_true(has("How this was judged"));
}

/* ---- JSON ---- */

static struct json_object *member(struct json_object *object, const char *key)
{
	struct json_object *found;

	if (!json_object_object_get_ex(object, key, &found))
		fail_msg("no member %s", key);
	return found;
}

static struct json_object *parsed(const char *format)
{
	struct json_object *root = json_tokener_parse(written(format));

	assert_non_null(root);
	assert_string_equal(json_object_get_string(member(root, "type")), "hotpath_comparison");
	assert_int_equal(json_object_get_int(member(root, "schema")), 1);
	return root;
}

static void assert_json(struct json_object *object, const char *expected)
{
	assert_string_equal(json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN),
			    expected);
}

static struct json_object *row_of(struct json_object *root, size_t section, size_t row)
{
	struct json_object *sections = member(root, "sections");

	return json_object_array_get_idx(
		member(json_object_array_get_idx(sections, section), "rows"), row);
}

static void json_members(void **state)
{
	(void)state;
	made_example(&made);
	struct json_object *root = parsed("json");
	assert_json(member(root, "failed"), "true");
	assert_json(member(root, "id"), "null");
	assert_json(member(root, "failures"),
		    "[\"parse_expression is slower\",\"the whole program is over its budget\"]");
	assert_json(member(root, "options"),
		    "{\"threshold\":0.05,\"min_share_percent\":1.0,\"confidence\":0.95,"
		    "\"fail_on\":\"slower\",\"percentiles\":[]}");
	assert_json(member(root, "judged_figures"), "10");
	assert_json(member(root, "runs_needed"), "6");
	assert_json(member(root, "row_confidence"), "0.995");
	assert_json(member(member(root, "program"), "verdict"), "\"slower\"");
	assert_int_equal(json_object_array_length(member(root, "sections")), 3);
	assert_json(member(json_object_array_get_idx(member(root, "sections"), 0), "title"),
		    "\"functions\"");
	json_object_put(root);
}

static void json_rows(void **state)
{
	(void)state;
	made_example(&made);
	made.base.count = made.head.count = 2;
	struct json_object *root = parsed("json-pretty");
	assert_json(member(member(row_of(root, 0, 2), "metrics"), "calls"),
		    "{\"kind\":\"exact\",\"unit\":\"count\",\"base\":[1000,1000],"
		    "\"head\":[1200,1200],\"before\":1000,\"after\":1200,\"ratio\":1.2,\"low\":1.2,"
		    "\"high\":1.2,\"guess\":false,\"stable\":true,\"verdict\":\"more\"}");
	struct json_object *renamed = row_of(root, 0, 3), *evil = row_of(root, 1, 1);
	assert_json(member(renamed, "old_name"), "\"slurp\"");
	assert_json(member(renamed, "presence"), "\"renamed\"");
	assert_json(member(renamed, "changed"), "true");
	assert_json(member(row_of(root, 0, 4), "verdict"), "null");
	assert_json(member(member(member(row_of(root, 0, 4), "metrics"), "self"), "ratio"), "null");
	assert_json(member(row_of(root, 0, 7), "location"),
		    "{\"file\":\"src\\/table.c\",\"line\":12}");
	assert_string_equal(json_object_get_string(member(evil, "name")), MADE_EVIL);
	assert_json(member(evil, "location"), "null");
	assert_json(member(row_of(root, 0, 9), "minor"), "true");
	assert_json(member(row_of(root, 2, 0), "share_percent"), "null");
	assert_json(member(member(member(row_of(root, 2, 0), "metrics"), "last"), "after"),
		    "-7.25");
	json_object_put(root);
}

static void json_budgets(void **state)
{
	(void)state;
	made_example(&made);
	struct json_object *root = parsed("json");
	assert_json(
		member(member(root, "budgets"), "items"),
		"[{\"name\":\"render\",\"metric\":\"self\",\"relative\":false,\"limit\":100000000,"
		"\"known\":true,\"value\":61000000,\"unit\":\"ns\",\"broken\":false,\"unclear\":false},"
		"{\"name\":null,\"metric\":\"elapsed\",\"relative\":true,\"limit\":0.1,"
		"\"known\":true,\"value\":0.125,\"unit\":\"ns\",\"broken\":true,\"unclear\":false},"
		"{\"name\":\"nobody\",\"metric\":\"bytes\",\"relative\":false,\"limit\":1.0,"
		"\"known\":false,\"value\":null,\"unit\":null,\"broken\":false,\"unclear\":false}]");
	json_object_put(root);
}

static void json_values(void **state)
{
	(void)state;
	made_start(&made, 1, 1);
	made_section(&made, &made_program);
	struct hp_compared_section *section = made_section(&made, &made_timing);
	struct hp_compared_row *row = made_row(&made, section, "f", HP_JUDGED_NOT, false);
	made_cell(&made, section, row, 0, 100.5, 1e30, HP_JUDGED_NOT);
	made_cell(&made, section, row, 1, 100.5, -3, HP_JUDGED_NOT);
	made_cell(&made, section, row, 2, 0, INFINITY, HP_JUDGED_SLOWER);
	struct json_object *root = parsed("json"), *metrics = member(row_of(root, 0, 0), "metrics");
	assert_json(member(member(metrics, "calls"), "base"), "[100.5]");
	assert_json(member(member(metrics, "calls"), "after"), "1e+30");
	assert_json(member(member(metrics, "total"), "before"), "101");
	assert_json(member(member(metrics, "total"), "head"), "[-3]");
	assert_json(member(member(metrics, "self"), "after"), "null");
	assert_json(member(member(metrics, "self"), "ratio"), "null");
	assert_json(member(member(metrics, "self"), "verdict"), "\"slower\"");
	assert_json(member(member(metrics, "avg"), "before"), "null");
	assert_json(member(root, "program"), "null");
	assert_json(member(root, "budgets"), "null");
	json_object_put(root);
}

/* Reports are there: what they say of the machine is told. */
static void machines(void **state)
{
	static char program[] = "./program", label[] = "base-1.json";
	struct hp_model model = { .program = program, .machine = { "x86_64", "A | B", "6.1", 4 } };

	(void)state;
	made_start(&made, 1, 1);
	made.base.runs[0] = (struct hp_run){ .label = label, .report = { .model = &model } };
	struct json_object *root = parsed("json");
	assert_json(
		member(root, "base"),
		"{\"runs\":1,\"labels\":[\"base-1.json\"],\"command\":null,"
		"\"program\":\".\\/program\",\"machine\":{\"arch\":\"x86_64\",\"cpu\":\"A | B\","
		"\"kernel\":\"6.1\",\"cores\":4}}");
	assert_json(member(root, "head"),
		    "{\"runs\":1,\"labels\":[null],\"command\":null,\"program\":null,"
		    "\"machine\":null}");
	json_object_put(root);
	written("markdown");
	assert_true(has(
		"- base: `./program`, 1 run; machine: <code>A &#124; B</code>, 4 cores, `6.1`\n"));
	assert_true(has("- head: 1 run; machine: not known\n"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(table_of_80_columns),
		TEST(table_of_200_columns),
		TEST(markdown),
		TEST(tables_fit),
		TEST(narrow_columns_have_room),
		TEST(formats),
		TEST(values),
		TEST(changes),
		TEST(intervals),
		TEST(nothing),
		TEST(program_alone),
		TEST(one_run),
		TEST(more_runs),
		TEST(figures_that_are_no_numbers),
		TEST(results),
		TEST(colours),
		TEST(neutral),
		TEST(escapes),
		TEST(long_strings),
		TEST(names_stay_in_their_cells),
		TEST(hostile_everywhere),
		TEST(many_unchanged),
		TEST(many_not_compared),
		TEST(many_changed),
		TEST(json_members),
		TEST(json_rows),
		TEST(json_budgets),
		TEST(json_values),
		TEST(machines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
