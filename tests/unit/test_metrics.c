/* SPDX-License-Identifier: MIT */
/* Metrics: whole texts in both formats, and what must hold of all: exact numbers, unique series, bounded series. */
#include "exposition.h"
#include "golden_text.h"
#include "histogram.h"
#include "hotpath/version.h"
#include "made_cpu.h"
#include "metrics.h"
#include "sample_entries.h"

#include <inttypes.h>
#include <math.h>

static struct hp_text text;
static struct hp_metrics_options options;

static int begin(void **state)
{
	(void)state;
	hp_metrics_options_init(&options);
	return 0;
}

static int end(void **state)
{
	(void)state;
	hp_text_free(&text);
	text = (struct hp_text)HP_TEXT_INIT;
	return 0;
}

static void write_all(const struct hp_metrics_program *programs, size_t count)
{
	text.length = 0;
	hp_metrics_write(programs, count, &options, &text);
	assert_false(text.failed);
}

static void write_one(const struct hp_model *model)
{
	write_all(&(struct hp_metrics_program){ model, NULL }, 1);
}

static void has(const char *line)
{
	char whole[1024];

	snprintf(whole, sizeof(whole), "\n%s\n", line);
	if (!strstr(text.bytes, whole))
		fail_msg("no line %s: %s", line, text.bytes);
}

static void has_no(const char *what)
{
	if (strstr(text.bytes, what))
		fail_msg("%s: %s", what, text.bytes);
}

/* ---- whole texts ---- */

/* What was written, with another version in place of ours. */
static void assert_golden(const char *name)
{
	static const char ours[] = "version=\"" HOTPATH_VERSION "\"";
	struct hp_text other = HP_TEXT_INIT;
	const char *rest = text.bytes;

	for (const char *at; (at = strstr(rest, ours)); rest = at + sizeof(ours) - 1) {
		hp_text_add(&other, rest, (size_t)(at - rest));
		hp_text_puts(&other, "version=\"1.2.3\"");
	}
	hp_text_puts(&other, rest);
	assert_is_golden(&other, name);
	hp_text_free(&other);
}

static struct hp_point made_times[] = { { 200, 2 }, { 996, 3 }, { 1004, 4 }, { 70000000000, 1 } };

static struct hp_function made_function(const char *name, const char *file, uint32_t line)
{
	return (struct hp_function){ .name = (char *)(uintptr_t)name,
				     .file = (char *)(uintptr_t)file,
				     .line = line,
				     .kind = HP_SITE_FUNCTION,
				     .calls = 10,
				     .counted = 5,
				     .open = 1,
				     .total_ns = UINT64_C(70000008004),
				     .self_ns = 8004,
				     .sum_ns = UINT64_C(70000007408),
				     .min_ns = 190,
				     .max_ns = UINT64_C(70000000001),
				     .times = { made_times, 4 } };
}

static struct hp_entry made_lock(enum hp_site_kind site, char *name)
{
	struct hp_entry entry = made_entry(site, name);

	PUT(&entry, { "instances", 1 }, { "acquired_count", 50 }, { "contended_count", 8 },
	    { "uncontended_count", 42 }, { "max_waiters", 2 });
	entry.times[0] = (struct hp_times){ 50, 11100, 300, 9000, { sample_turns, 2 } };
	entry.times[1] = (struct hp_times){ 8, 11100, 300, 9000, { sample_turns, 2 } };
	return entry;
}

static struct hp_entry made_edge(enum hp_site_kind site, char *name, char *one, char *other,
				 char *third)
{
	struct hp_entry entry = made_entry(site, name);

	entry.texts[0] = one;
	entry.texts[1] = other;
	entry.texts[2] = third;
	entry.times[0] = (struct hp_times){ 8, 11100, 300, 9000, { sample_turns, 2 } };
	return entry;
}

enum { MADE_ENTRIES = SAMPLE_ENTRIES + 6 };

/* One of everything. */
static struct hp_model made_server(struct hp_function *function, struct hp_entry *entries,
				   struct hp_thread *thread)
{
	*function = made_function("serve", "src/serve.c", 12);
	make_sample_entries();
	memcpy(entries, sample_entries, sizeof(sample_entries));
	struct hp_entry *more = entries + SAMPLE_ENTRIES;
	more[0] = made_lock(HP_SITE_MUTEX, "queue_lock");
	more[1] = made_lock(HP_SITE_READ_LOCK, "prices");
	more[2] = made_lock(HP_SITE_WRITE_LOCK, "prices");
	more[3] = made_edge(HP_SITE_LOCK_WAIT, "serve", "refill", "queue_lock", NULL);
	more[4] = made_edge(HP_SITE_WAIT, "serve", "condition", "ready", NULL);
	more[5] = made_edge(HP_SITE_IO, "serve", "/tmp/a \"b\"", "write", "disk");
	PUT(&more[5], { "calls", 9 }, { "bytes", 4096 }, { "untimed_count", 1 });
	*thread = hp_thread_new(99, 100);
	thread->name = (char *)(uintptr_t) "worker";
	thread->allocated_bytes = 64;
	function->alloc.bytes = 640;
	function->alloc.count = 10;
	hp_thread_set_times(thread, 1500000000, 250, 1000);
	return (struct hp_model){ .program = (char *)(uintptr_t) "server",
				  .pid = 99,
				  .processes = 1,
				  .start_unix_ns = UINT64_C(1700000000123456789),
				  .elapsed_ns = UINT64_C(90000000000),
				  .estimated_ns = 1000,
				  .exit = { .running = true },
				  .functions = function,
				  .function_count = 1,
				  .entries = { entries, MADE_ENTRIES },
				  .threads = { .items = thread, .count = 1 },
				  .memory = { .mode = HP_ALLOC_LIVE,
					      .bytes = 640,
					      .count = 10,
					      .allocated_bytes = 640,
					      .rss_bytes = 4096,
					      .peak_rss_bytes = 8192 } };
}

static void whole_texts(void **state)
{
	static struct made_cpu cpu;
	static struct hp_entry entries[MADE_ENTRIES];
	struct hp_function function;
	struct hp_thread thread;
	struct hp_model server = made_server(&function, entries, &thread);
	const struct hp_metrics_program programs[] = { { &server, NULL },
						       { made_cpu(&cpu), "saved.json" } };

	(void)state;
	write_all(programs, 2);
	assert_golden("metrics.txt");
	options.format = HP_METRICS_OPEN;
	write_all(programs, 2);
	assert_golden("metrics-open.txt");
}

/* ---- numbers ---- */

/* What took less than a boundary is below it, exactly: 996 ns stands for 992 to 999 ns. */
static void buckets(void **state)
{
	struct hp_function function = made_function("f", NULL, 0);
	struct hp_model model = { .program = (char *)(uintptr_t) "p",
				  .pid = 1,
				  .functions = &function,
				  .function_count = 1 };

	(void)state;
#define BUCKET(le, count)                                                                              \
	has("hotpath_function_duration_seconds_bucket{program=\"p\",pid=\"1\",function=\"f\",le=\"" le \
	    "\"} " count)
	write_one(&model);
	BUCKET("0.00000025", "2");
	BUCKET("0.000001", "5");
	BUCKET("0.000004", "9");
	BUCKET("67.108864", "9");
	BUCKET("+Inf", "10");
	has("hotpath_function_duration_seconds_sum{program=\"p\",pid=\"1\",function=\"f\"} "
	    "70.000007408");
	has("hotpath_function_duration_seconds_count{program=\"p\",pid=\"1\",function=\"f\"} 10");
	/* A snapshot may have more in its buckets than it has calls. */
	function.calls = 7;
	write_one(&model);
	BUCKET("0.000004", "7");
	BUCKET("+Inf", "7");
}

static void times_are_exact(void **state)
{
	struct hp_model model = { .program = (char *)(uintptr_t) "p",
				  .pid = 1,
				  .elapsed_ns = UINT64_MAX,
				  .estimated_ns = 1 };

	(void)state;
	write_one(&model);
	has("hotpath_uptime_seconds{program=\"p\",pid=\"1\"} 18446744073.709551615");
	has("hotpath_profiler_seconds_total{program=\"p\",pid=\"1\"} 0.000000001");
	model.elapsed_ns = UINT64_C(3000000000);
	write_one(&model);
	has("hotpath_uptime_seconds{program=\"p\",pid=\"1\"} 3");
}

/* ---- native histograms ---- */

/* Every time is above the lower border of its bucket, and not above the upper one. */
static void exponential_buckets(void **state)
{
	(void)state;
	assert_int_equal(hp_exponential_bucket(1), HP_EXPONENTIAL_FIRST);
	assert_int_equal(hp_exponential_bucket(UINT64_MAX), HP_EXPONENTIAL_LAST);
	/* Borders belong to the bucket below them. */
	assert_int_equal(hp_exponential_bucket(UINT64_C(1000000000)), 0);
	assert_int_equal(hp_exponential_bucket(UINT64_C(1000000001)), 1);
	assert_int_equal(hp_exponential_bucket(UINT64_C(500000000)), -32);
	assert_int_equal(hp_exponential_bucket(UINT64_C(4000000000)), 64);
	for (uint64_t ns = 1; ns < UINT64_MAX / 3; ns += ns / 7 + 1) {
		int bucket = hp_exponential_bucket(ns);
		double seconds = (double)ns / 1e9;
		assert_true(seconds <= exp2(bucket / 32.0) * (1 + 1e-12));
		assert_true(seconds > exp2((bucket - 1) / 32.0) * (1 - 1e-12));
	}
}

/* Our own are nowhere wider than these, so that two have what one of ours has. */
static void buckets_are_wide_enough(void **state)
{
	(void)state;
	for (unsigned bucket = HP_OCTAVE_BUCKETS; bucket + 1 < HP_BUCKETS; bucket++) {
		int first = hp_exponential_bucket(hp_bucket_low(bucket));
		int last = hp_exponential_bucket(hp_bucket_low(bucket + 1) - 1);
		assert_true(last - first <= 1);
	}
}

/* What is read of labels is what was written. */
static void labels_are_read_again(void **state)
{
	static const char *const values[] = { "", "a", "a\"b\\c\n,=\"", "\\", "\\n", "\xc3\xa9" };
	enum { COUNT = sizeof(values) / sizeof(*values) };
	struct hp_text labels = HP_TEXT_INIT, name = HP_TEXT_INIT, value = HP_TEXT_INIT;

	(void)state;
	for (size_t i = 0; i < COUNT; i++)
		hp_label_put(&labels, i % 2 ? "odd" : "even", values[i]);
	const char *rest = labels.bytes;
	for (size_t i = 0; i < COUNT; i++) {
		rest = hp_label_read(rest, &name, &value);
		assert_string_equal(name.bytes, i % 2 ? "odd" : "even");
		assert_string_equal(value.length ? value.bytes : "", values[i]);
		name.length = value.length = 0;
	}
	assert_string_equal(rest, "");
	hp_text_free(&labels);
	hp_text_free(&name);
	hp_text_free(&value);
}

/* Spans, deltas and the bucket for zeros, byte by byte. */
static void native_bytes(void **state)
{
	static struct hp_point times[] = { { 0, 1 },
					   { UINT64_C(1000000000), 3 },
					   { UINT64_C(1050000000), 1 },
					   { UINT64_C(8000000000), 2 } };
	static const char wanted[] =
		"\x28\x0a" /* schema: 5 */
		"\x31\0\0\0\0\0\0\xf0\x37" /* threshold: 2^-128 */
		"\x38\x01" /* zeros: 1 */
		"\x62\x02\x10\x04" /* buckets 0 to 3 … */
		"\x62\x05\x08\xb8\x01\x10\x01" /* … and 92 further ones later, 96 */
		"\x6a\x05\x06\x05\x00\x02\x02"; /* 3, 0, 0, 1, 2 */
	struct hp_function function = made_function("f", NULL, 0);
	struct hp_model model = { .program = (char *)(uintptr_t) "p",
				  .pid = 1,
				  .functions = &function,
				  .function_count = 1 };

	(void)state;
	function.times = (struct hp_points){ times, 4 };
	options.format = HP_METRICS_PROTOBUF;
	write_one(&model);
	assert_non_null(memmem(text.bytes, text.length, wanted, sizeof(wanted) - 1));
}

/* ---- labels ---- */

static void labels_are_escaped(void **state)
{
	struct hp_function function = made_function("a\"b\\c\n*\xff\xc3\xa9", NULL, 0);
	struct hp_model model = { .program = (char *)(uintptr_t) "a{b}=,",
				  .pid = 1,
				  .functions = &function,
				  .function_count = 1 };

	(void)state;
	write_one(&model);
	has("hotpath_function_calls_total{program=\"a{b}=,\",pid=\"1\","
	    "function=\"a\\\"b\\\\c\\n*\xef\xbf\xbd\xc3\xa9\"} 15");
}

/* Static functions of one name are told apart by their files; what nothing tells apart is one series. */
static void series_are_unique(void **state)
{
	struct hp_function functions[] = { made_function("f", "a.c", 1),
					   made_function("f", "b.c", 1),
					   made_function("g", NULL, 0),
					   made_function("g", NULL, 0) };
	struct hp_model model = { .program = (char *)(uintptr_t) "p",
				  .pid = 1,
				  .functions = functions,
				  .function_count = 4 };
	const struct hp_metrics_program twice[] = { { &model, NULL }, { &model, NULL } };

	(void)state;
	functions[3].kind = HP_SITE_BLOCK;
	functions[3].max_ns = 1;
	write_all(twice, 2);
#define CALLS "hotpath_function_calls_total{program=\"p\",pid=\"1\","
	has(CALLS "function=\"f\",source=\"a.c:1\"} 15\n" CALLS
		  "function=\"f\",source=\"b.c:1\"} 15\n" CALLS "function=\"g\"} 30\n"
		  "# HELP hotpath_function_open_calls Calls in progress.");
	has("hotpath_function_max_duration_seconds{program=\"p\",pid=\"1\",function=\"g\"} "
	    "70.000000001");
	has("hotpath_function_duration_seconds_count{program=\"p\",pid=\"1\",function=\"g\"} 20");
}

/* ---- limits ---- */

static void the_rest_is_one(void **state)
{
	enum { COUNT = 5 };
	static char names[COUNT][8];
	struct hp_function functions[COUNT];
	struct hp_model model = { .program = (char *)(uintptr_t) "p",
				  .pid = 1,
				  .functions = functions,
				  .function_count = COUNT };

	(void)state;
	for (size_t i = 0; i < COUNT; i++) {
		snprintf(names[i], sizeof(names[i]), "f%zu", i);
		functions[i] = made_function(names[i], "a.c", 1);
		functions[i].total_ns += i * 7 % COUNT;
	}
	options.limit = 2;
	write_one(&model);
	/* By total time: 0, 2, 4, 1, 3. */
	has(CALLS "function=\"f2\",source=\"a.c:1\"} 15");
	has(CALLS "function=\"f4\",source=\"a.c:1\"} 15");
	has(CALLS "function=\"other\"} 45");
	has("hotpath_function_duration_seconds_count{program=\"p\",pid=\"1\",function=\"other\"} 30");
	has_no("function=\"f1\"");
	options.limit = 0;
	write_one(&model);
	has_no("function=\"other\"");
}

/* A value of several is none. */
static void values_have_no_sum(void **state)
{
	struct hp_entry rows[] = { sample_gauge(), sample_gauge() };
	struct hp_model model = { .program = (char *)(uintptr_t) "p",
				  .pid = 1,
				  .entries = { rows, 2 } };

	(void)state;
	rows[1].name = (char *)(uintptr_t) "more";
	rows[1].line = 1;
	options.limit = 1;
	write_one(&model);
	has("hotpath_value{program=\"p\",pid=\"1\",label=\"load\",type=\"gauge\"} -0.5");
	has_no("hotpath_value{program=\"p\",pid=\"1\",label=\"other\"");
	has("hotpath_value_updates_total{program=\"p\",pid=\"1\",label=\"other\",type=\"gauge\"} 9");
}

/* ---- what is not known ---- */

static void what_was_not_recorded(void **state)
{
	struct hp_function function = made_function("f", NULL, 0);
	struct hp_model model = { .program = (char *)(uintptr_t) "p",
				  .pid = 1,
				  .functions = &function,
				  .function_count = 1 };

	(void)state;
	write_one(&model);
	has_no("_alloc_");
	has_no("hotpath_live_bytes");
	has_no("hotpath_function_cpu");
	has_no("hotpath_rss_bytes");
	model.memory = (struct hp_memory){
		.mode = HP_ALLOC_COUNT, .bytes = 3, .count = 2, .allocated_bytes = 4
	};
	function.alloc.bytes = 3;
	write_one(&model);
	has("hotpath_function_alloc_bytes_total{program=\"p\",pid=\"1\",function=\"f\"} 3");
	has("hotpath_alloc_bytes_total{program=\"p\",pid=\"1\"} 4");
	has_no("hotpath_function_alloc_freed");
	has_no("hotpath_dealloc_bytes");
}

static void no_programs(void **state)
{
	(void)state;
	options.format = HP_METRICS_OPEN;
	write_all(NULL, 0);
	has("# EOF");
}

/* ---- formats ---- */

static void accepted_formats(void **state)
{
	(void)state;
	assert_int_equal(hp_metrics_accepted(NULL), HP_METRICS_TEXT);
	assert_int_equal(hp_metrics_accepted("*/*"), HP_METRICS_TEXT);
	assert_int_equal(hp_metrics_accepted("text/plain;version=0.0.4;q=0.5,*/*;q=0.1"),
			 HP_METRICS_TEXT);
	assert_int_equal(hp_metrics_accepted("application/openmetrics-text;version=1.0.0,"
					     "application/openmetrics-text;version=0.0.1;q=0.75,"
					     "text/plain;version=0.0.4;q=0.5,*/*;q=0.1"),
			 HP_METRICS_OPEN);
	assert_int_equal(hp_metrics_accepted("application/openmetrics-text;version=0.0.1"),
			 HP_METRICS_TEXT);
	assert_int_equal(hp_metrics_accepted("application/openmetrics-text; version=1.0.0; q=0"),
			 HP_METRICS_TEXT);
	assert_int_equal(hp_metrics_accepted("application/openmetrics-text;version=1.0.0;q=0.0,"
					     "text/plain;q=0.5"),
			 HP_METRICS_TEXT);
	assert_int_equal(hp_metrics_accepted("application/openmetrics-text;version=1.0.0;q=0.001"),
			 HP_METRICS_OPEN);
	assert_int_equal(hp_metrics_accepted("text/plain,application/openmetrics-text; "
					     "version=1.0.0;q=0.9"),
			 HP_METRICS_OPEN);
#define PROTOBUF "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding="
#define OPEN_METRICS "application/openmetrics-text;version=1.0.0"
	assert_int_equal(hp_metrics_accepted(PROTOBUF "delimited," OPEN_METRICS
						      ",text/plain;q=0.5,*/*;q=0.1"),
			 HP_METRICS_PROTOBUF);
	assert_int_equal(hp_metrics_accepted(PROTOBUF "delimited;q=0.6," OPEN_METRICS
						      ";q=0.5,text/plain;version=0.0.4;q=0.2"),
			 HP_METRICS_PROTOBUF);
	assert_int_equal(hp_metrics_accepted(OPEN_METRICS ";q=0.6," PROTOBUF "delimited;q=0.59"),
			 HP_METRICS_OPEN);
	assert_int_equal(hp_metrics_accepted("text/plain," PROTOBUF "delimited;q=0.9"),
			 HP_METRICS_TEXT);
	assert_int_equal(hp_metrics_accepted(PROTOBUF "delimited;q=0.000"), HP_METRICS_TEXT);
	assert_int_equal(hp_metrics_accepted(PROTOBUF "text"), HP_METRICS_TEXT);
	assert_int_equal(hp_metrics_accepted("application/vnd.google.protobuf"), HP_METRICS_TEXT);
	assert_non_null(strstr(hp_metrics_content_type(HP_METRICS_PROTOBUF), "protobuf"));
	assert_non_null(strstr(hp_metrics_content_type(HP_METRICS_OPEN), "openmetrics"));
	assert_non_null(strstr(hp_metrics_content_type(HP_METRICS_TEXT), "0.0.4"));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
	const struct CMUnitTest tests[] = {
		TEST(whole_texts),	     TEST(buckets),
		TEST(times_are_exact),	     TEST(labels_are_escaped),
		TEST(series_are_unique),     TEST(the_rest_is_one),
		TEST(values_have_no_sum),    TEST(what_was_not_recorded),
		TEST(no_programs),	     TEST(accepted_formats),
		TEST(exponential_buckets),   TEST(buckets_are_wide_enough),
		TEST(labels_are_read_again), TEST(native_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
