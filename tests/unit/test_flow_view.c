/* SPDX-License-Identifier: MIT */
/* The sections about async work and data flow, of a model made by hand. */
#include "sample_entries.h"
#include "written_report.h"

#include "section.h"

#include <json-c/json.h>

static int set_up(void **state)
{
	static char program[] = "./program", arguments[] = "";

	(void)state;
	make_sample_entries();
	hp_report_options_init(&options);
	model = (struct hp_model){ .program = program,
				   .arguments = arguments,
				   .pid = 41,
				   .processes = 1,
				   .elapsed_ns = UINT64_C(2000000000),
				   .exit = { .clean = true },
				   .entries = { sample_entries, SAMPLE_ENTRIES } };
	return 0;
}

/* ---- tables ---- */

static void channels(void **state)
{
	(void)state;
	assert_string_equal(
		section("channels,-channels-latency"),
		"channels - Messages through channels.\n"
		"+--------------------+-------------+------+--------+------+----------+--------+--------+--------+-----------+----------+---------+\n"
		"| Channel            | Type        | Inst | State  | Sent | Received | Sent/s | Recv/s | Queued | Max queue |    Bytes |  Waited |\n"
		"+--------------------+-------------+------+--------+------+----------+--------+--------+--------+-----------+----------+---------+\n"
		"| jobs (first.c:7)   | bounded[64] |    3 | full   |  200 |      136 |    100 |     68 |     64 |        64 | 200.0 KB | 5.00 ms |\n"
		"| jobs (second.c:70) | unbounded   |    1 | active |    0 |        0 |      0 |      0 |      0 |         0 |      0 B |    0 ns |\n"
		"+--------------------+-------------+------+--------+------+----------+--------+--------+--------+-----------+----------+---------+\n");
}

/* What is not timed has no figures; what nobody waited for, no column. */
static void latency(void **state)
{
	(void)state;
	set("percentiles", "50,99");
	assert_string_equal(
		section("channels-latency"),
		"channels-latency - Time of messages from send to receive.\n"
		"+--------------------+------+-----------+---------+---------+---------+\n"
		"| Channel            | Msgs |       Avg |     P50 |     P99 |     Max |\n"
		"+--------------------+------+-----------+---------+---------+---------+\n"
		"| jobs (first.c:7)   |  100 | 202.10 µs | 1.00 µs | 2.00 ms | 2.00 ms |\n"
		"| jobs (second.c:70) |    0 |         - |       - |       - |       - |\n"
		"+--------------------+------+-----------+---------+---------+---------+\n");
	model.entries = (struct hp_entries){ &sample_entries[3], 1 };
	section("channels");
	assert_false(has("Waited"));
}

static void streams(void **state)
{
	(void)state;
	assert_string_equal(section("streams"),
			    "streams - Items that streams yielded.\n"
			    "+--------+------+--------+---------+---------+--------+\n"
			    "| Stream | Inst | State  | Yielded | Items/s |  Bytes |\n"
			    "+--------+------+--------+---------+---------+--------+\n"
			    "| jobs   |    1 | closed |      50 |      25 | 4.9 KB |\n"
			    "+--------+------+--------+---------+---------+--------+\n");
}

static void futures(void **state)
{
	(void)state;
	assert_string_equal(
		section("futures"),
		"futures - Polls and lifetimes of futures.\n"
		"+----------+-------+-------+----------+------------+----------+---------+-----------+-----------+-------------+\n"
		"| Future   | Calls | Polls | Avg Poll | Total Poll |      Avg |     P95 | Cancelled | Avg Queue | Avg Service |\n"
		"+----------+-------+-------+----------+------------+----------+---------+-----------+-----------+-------------+\n"
		"| download |    10 |    40 |   200 ns |    8.00 µs | 10.00 µs | 9.00 µs |         2 |    200 ns |     1.00 µs |\n"
		"+----------+-------+-------+----------+------------+----------+---------+-----------+-----------+-------------+\n");
	model.memory.mode = HP_ALLOC_COUNT;
	section("futures");
	assert_true(has("| Avg Alloc | Total Alloc |"));
	assert_true(has("|     410 B |      4.0 KB |"));
}

static void loops(void **state)
{
	(void)state;
	assert_string_equal(
		section("loops"),
		"loops - Turns of event loops; while one is busy, events wait.\n"
		"+-------------+-------+----------+---------+---------+--------+-----------+--------------+-----------------+\n"
		"| Loop        | Turns | Busy Avg |     P95 |     Max | Idle % | Callbacks | In callbacks | Slowest         |\n"
		"+-------------+-------+----------+---------+---------+--------+-----------+--------------+-----------------+\n"
		"| uv_run main |     8 |  1.39 µs | 9.00 µs | 9.00 µs | 90.00% |        12 |     10.00 µs | on_read 8.80 µs |\n"
		"+-------------+-------+----------+---------+---------+--------+-----------+--------------+-----------------+\n");
}

/* Whatever the limit. */
static void debug(void **state)
{
	(void)state;
	set("limit", "1");
	assert_string_equal(
		section("debug"),
		"debug - The last values of expressions, keys and gauges.\n"
		"+-------+----------+------------------+-------+-----+---------+------------+\n"
		"| Type  | Key/Expr | Value            |   Min | Max | Updates | Source     |\n"
		"+-------+----------+------------------+-------+-----+---------+------------+\n"
		"| dbg   | a + b    | -42              |     - |   - |       4 | first.c:30 |\n"
		"| gauge | load     | -0.5             | -7.25 |   3 |       9 |            |\n"
		"| val   | name     | \"café \"au lait\"\" |     - |   - |       1 |            |\n"
		"+-------+----------+------------------+-------+-----+---------+------------+\n");
}

/* ---- which are shown ---- */

static void chosen_by_themselves(void **state)
{
	(void)state;
	report();
	assert_true(strncmp(text.bytes,
			    "[hotpath] 2.00 s | channels, channels-latency, streams, futures, "
			    "loops, debug\n",
			    strlen("[hotpath] 2.00 s | channels, channels-latency, streams, "
				   "futures, loops, debug\n")) == 0);
	assert_false(has("No measurements"));
	model.entries.count = 1;
	report();
	assert_true(has("| futures\n"));
	model.entries.count = 0;
	report();
	assert_true(has("No measurements recorded"));
}

static void asked_for(void **state)
{
	(void)state;
	section("channels");
	assert_true(has("\nchannels - ") && has("\nchannels-latency - "));
	section("auto,-channels");
	assert_false(has("channels"));
	model.entries.count = 1;
	section("streams,loops,threads,debug");
	assert_true(
		has("No stream was measured: HOTPATH_STREAM_NEW makes one.\n") &&
		has("No event loop was measured: hotpath run --probes=glib or uv sees them.\n"));
	assert_true(has("No thread was seen: none has measured, allocated or been sampled.\n") &&
		    has("No value was measured: HOTPATH_DBG, HOTPATH_VAL and HOTPATH_GAUGE_SET "
			"show them.\n"));
	section("all");
	assert_false(has("streams"));
}

static void limits_and_filters(void **state)
{
	(void)state;
	set("channels-limit", "1");
	section("channels");
	assert_true(has("(1/2)") && !has("second.c"));
	set("focus", "load");
	section("debug");
	assert_true(has("load") && !has("a + b"));
	section("streams");
	assert_true(has("No stream matches 'load'.\n"));
	set("focus", "");
	set("exclude", "jobs");
	section("streams");
	assert_true(has("Every stream is excluded: it matches 'jobs'.\n"));
}

/* ---- order, and what the console needs ---- */

static struct hp_grid grid;

static const char *cell(size_t row, size_t column)
{
	hp_text_free(&text);
	grid.kind->cell(&grid, row, column, &text);
	return text.length ? text.bytes : "";
}

static void open_sorted(const char *name, const char *key)
{
	strcpy(options.sort, key);
	assert_true(hp_section_open_grid(hp_section_find(name), &grid, &model, &options));
}

static void sorted(void **state)
{
	(void)state;
	open_sorted("debug", "updates");
	assert_int_equal(grid.sorted, 5);
	assert_int_equal(grid.name, 1);
	assert_string_equal(cell(0, 1), "load");
	assert_string_equal(cell(2, 1), "name");
	hp_grid_close(&grid);
	open_sorted("debug", "Key/Expr");
	assert_string_equal(cell(0, 1), "a + b");
	hp_grid_close(&grid);
	open_sorted("debug", "min");
	assert_string_equal(cell(0, 1), "load");
	hp_grid_close(&grid);
	open_sorted("channels", "no such");
	assert_int_equal(grid.sorted, -1);
	assert_ptr_equal(grid.kind->entry(&grid, 1), &sample_entries[3]);
	assert_true(grid.kind->identity(&grid, 0) != grid.kind->identity(&grid, 1));
	hp_grid_close(&grid);
}

static void rates_of_late(void **state)
{
	struct hp_entry watched = sample_entries[1];
	const struct hp_trend trend = { .rate = 7 };

	(void)state;
	watched.trends[0] = &trend;
	model.entries = (struct hp_entries){ &watched, 1 };
	model.watched = true;
	section("channels");
	assert_true(has("|   7.00 |"));
	assert_false(has("Recv/s"));
}

static void numbers_that_are_none(void **state)
{
	static const double none[] = { 0. / 0., 1. / 0., -1. / 0. };
	struct hp_entry gauge = sample_entries[5];
	uint64_t bits;

	(void)state;
	memcpy(&bits, &none[0], sizeof(bits));
	put_value(&gauge, HP_VALUE_DOUBLE, bits);
	put_real(&gauge, "max", none[1]);
	put_real(&gauge, "min", none[2]);
	model.entries = (struct hp_entries){ &gauge, 1 };
	section("debug");
	assert_true(has("| nan   | -inf | inf |"));
	open_sorted("debug", "value");
	hp_grid_close(&grid);
}

/* ---- JSON ---- */

static struct json_object *row_of(struct json_object *all, const char *key, size_t nth)
{
	struct json_object *list = json_object_object_get(all, key);

	return json_object_array_get_idx(json_object_object_get(list, "data"), nth);
}

static void assert_row(struct json_object *row, const char *expected)
{
	assert_string_equal(json_object_to_json_string_ext(
				    row, JSON_C_TO_STRING_SPACED | JSON_C_TO_STRING_NOSLASHESCAPE),
			    expected);
}

static void as_json(void **state)
{
	(void)state;
	set("format", "json");
	set("report", "all");
	struct json_object *all = json_tokener_parse(report());
	assert_non_null(all);
	assert_row(
		row_of(all, "channels", 0),
		"{ \"name\": \"jobs\", \"has_custom_label\": true, \"channel_type\": \"bounded[64]\", "
		"\"capacity\": 64, \"instances\": 3, \"closed_instances\": 1, \"state\": \"full\", "
		"\"sent_count\": 200, \"received_count\": 136, \"sent_per_sec\": 100.0, "
		"\"received_per_sec\": 68.0, \"queue_size\": 64, \"max_queue_size\": 64, "
		"\"sent_bytes\": 204800, \"waited_ns\": 5000000, \"send_waited_ns\": 0, "
		"\"open_ns\": 0, \"full_ns\": 0, \"full_percent\": null, \"delay_sampled_count\": 100, "
		"\"delay_sum_ns\": 20210000, \"delay_min_ns\": 990, \"delay_avg_ns\": 202100, "
		"\"delay_p95_ns\": 2000000, \"delay_max_ns\": 2000001, "
		"\"location\": { \"file\": \"src/first.c\", \"line\": 7 } }");
	assert_row(row_of(all, "streams", 0),
		   "{ \"name\": \"jobs\", \"has_custom_label\": true, \"instances\": 1, "
		   "\"closed_instances\": 1, \"state\": \"closed\", \"items_yielded\": 50, "
		   "\"items_per_sec\": 25.0, \"yielded_bytes\": 5000, "
		   "\"location\": { \"file\": \"src/first.c\", \"line\": 9 } }");
	assert_row(
		row_of(all, "futures", 0),
		"{ \"name\": \"download\", \"has_custom_label\": true, \"call_count\": 10, "
		"\"ended_count\": 8, \"total_polls\": 40, \"total_poll_duration_ns\": 8000, "
		"\"max_poll_duration_ns\": 700, \"lifetime_sampled_count\": 6, "
		"\"lifetime_sum_ns\": 60000, \"lifetime_min_ns\": 900, \"lifetime_avg_ns\": 10000, "
		"\"lifetime_p95_ns\": 9000, \"lifetime_max_ns\": 30000, \"cancelled_count\": 2, "
		"\"total_queue_ns\": 1200, \"total_service_ns\": 6000, "
		"\"location\": { \"file\": \"src/net.c\", \"line\": 12 } }");
	assert_row(row_of(all, "loops", 0),
		   "{ \"name\": \"uv_run main\", \"has_custom_label\": false, "
		   "\"busy_sampled_count\": 8, \"busy_sum_ns\": 11100, \"busy_min_ns\": 300, "
		   "\"busy_avg_ns\": 1388, \"busy_p95_ns\": 9000, \"busy_max_ns\": 9000, "
		   "\"idle_ns\": 99900, \"callback_count\": 12, \"callback_ns\": 10000, "
		   "\"slowest_callback\": \"on_read\", \"slowest_callback_ns\": 8800, "
		   "\"location\": null }");
	assert_row(
		row_of(all, "debug", 1),
		"{ \"entry_type\": \"gauge\", \"expression\": \"load\", \"has_custom_label\": false, "
		"\"last_value\": -0.5, \"value_kind\": \"double\", \"min\": -7.25, \"max\": 3.0, "
		"\"log_count\": 9, \"location\": null }");
	json_object_put(all);
}

static void json_of_latency_alone(void **state)
{
	(void)state;
	set("format", "json");
	set("report", "channels-latency");
	report();
	assert_true(
		has("\"channels\":{\"percentiles\":[95],\"total_count\":2,\"included_count\":2,"));
	assert_true(has("\"sent_count\":200"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(channels),
		TEST(latency),
		TEST(streams),
		TEST(futures),
		TEST(loops),
		TEST(debug),
		TEST(chosen_by_themselves),
		TEST(asked_for),
		TEST(limits_and_filters),
		TEST(sorted),
		TEST(rates_of_late),
		TEST(numbers_that_are_none),
		TEST(as_json),
		TEST(json_of_latency_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
