/* SPDX-License-Identifier: MIT */
/* Channels, futures and the like of a saved report are what they were, and nothing else becomes some. */
#include "report.h"
#include "sample_entries.h"
#include "saved/saved.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define REPORT "{\"type\":\"hotpath_report\",\"schema\":1,"
#define CHANNEL REPORT "\"channels\":{\"percentiles\":[95],\"data\":[{\"name\":\"c\","
#define VALUE REPORT "\"debug\":{\"data\":[{\"expression\":\"x\","

static struct hp_model model = {
	.program = (char[]){ "./program" },
	.processes = 1,
	.elapsed_ns = UINT64_C(3000000001),
	.exit = { .clean = true },
	.memory = { .mode = HP_ALLOC_COUNT },
	.entries = { sample_entries, SAMPLE_ENTRIES },
};

static struct hp_text write_report(const struct hp_model *of, bool complete)
{
	struct hp_text text = HP_TEXT_INIT;
	struct hp_report_options options;

	hp_report_options_init(&options);
	options.format = HP_FORMAT_JSON;
	options.complete = complete;
	strcpy(options.sections, "all");
	hp_report_write(of, &options, &text);
	assert_false(text.failed);
	return text;
}

static struct hp_saved load(const char *text)
{
	struct hp_error error = { "" };
	struct hp_saved saved;

	if (hp_saved_read(text, strlen(text), &saved, &error))
		fail_msg("%s", error.text);
	return saved;
}

static void assert_same_again(bool complete)
{
	struct hp_text first = write_report(&model, complete);
	struct hp_saved saved = load(first.bytes);
	struct hp_text second = write_report(saved.model, complete);

	assert_int_equal(saved.complete, complete);
	assert_string_equal(first.bytes, second.bytes);
	hp_model_free(saved.model);
	hp_text_free(&first);
	hp_text_free(&second);
}

static void round_trip(void **state)
{
	(void)state;
	assert_same_again(true);
	assert_same_again(false);
}

static void assert_same(const struct hp_entry *a, const struct hp_entry *b)
{
	assert_ptr_equal(a->kind, b->kind);
	assert_int_equal(a->site_kind, b->site_kind);
	assert_string_equal(a->name, b->name);
	assert_int_equal(a->is_labelled, b->is_labelled);
	assert_string_equal(a->file ? a->file : "-", b->file ? b->file : "-");
	assert_int_equal(a->line, b->line);
	assert_memory_equal(a->words, b->words, sizeof(a->words));
	for (size_t i = 0; i < HP_ENTRY_TIMES; i++) {
		assert_memory_equal(&a->times[i], &b->times[i], offsetof(struct hp_times, points));
		assert_int_equal(a->times[i].points.count, b->times[i].points.count);
	}
	for (size_t i = 0; i < HP_ENTRY_TEXTS; i++)
		assert_string_equal(a->texts[i] ? a->texts[i] : "-",
				    b->texts[i] ? b->texts[i] : "-");
}

static void every_figure(void **state)
{
	struct hp_text text = write_report(&model, true);
	struct hp_saved saved = load(text.bytes);

	(void)state;
	assert_int_equal(saved.model->entries.count, SAMPLE_ENTRIES);
	for (size_t i = 0; i < SAMPLE_ENTRIES; i++)
		assert_same(&saved.model->entries.items[i], &sample_entries[i]);
	hp_model_free(saved.model);
	hp_text_free(&text);
}

static void every_kind_of_value(void **state)
{
	static const struct {
		enum hp_value kind;
		uint64_t value;
	} values[] = {
		{ HP_VALUE_NONE, 0 },
		{ HP_VALUE_INT, (uint64_t)INT64_MIN },
		{ HP_VALUE_UINT, UINT64_MAX },
		{ HP_VALUE_DOUBLE, UINT64_C(0x7fefffffffffffff) },
		{ HP_VALUE_DOUBLE, UINT64_C(0x7ff8000000000000) },
		{ HP_VALUE_BOOL, 1 },
		{ HP_VALUE_POINTER, UINT64_MAX },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
		struct hp_entry entry = made_entry(HP_SITE_VAL, "key");
		const struct hp_model one = { .entries = { &entry, 1 } };
		PUT(&entry, { "log_count", 1 });
		put_value(&entry, values[i].kind, values[i].value);
		struct hp_text text = write_report(&one, true);
		struct hp_saved saved = load(text.bytes);
		assert_int_equal(figure_of(&saved.model->entries.items[0], "value_kind"),
				 values[i].kind);
		assert_true(value_bits(&saved.model->entries.items[0]) == values[i].value);
		hp_model_free(saved.model);
		hp_text_free(&text);
	}
}

/* A gauge that was set to no number at all has no least and most either. */
static void no_numbers(void **state)
{
	struct hp_entry entry = made_entry(HP_SITE_GAUGE, "key");
	const struct hp_model one = { .entries = { &entry, 1 } };

	(void)state;
	PUT(&entry, { "log_count", 1 });
	put_value(&entry, HP_VALUE_DOUBLE, 0);
	put_real(&entry, "min", INFINITY);
	put_real(&entry, "max", -INFINITY);
	struct hp_text text = write_report(&one, true);
	struct hp_saved saved = load(text.bytes);
	assert_true(isnan(real_of(&saved.model->entries.items[0], "min")));
	assert_true(isnan(real_of(&saved.model->entries.items[0], "max")));
	hp_model_free(saved.model);
	hp_text_free(&text);
}

/* What is missing has its default; what a later version adds is passed over. */
static void sparse(void **state)
{
	struct hp_saved saved = load(REPORT "\"streams\":{\"data\":[{\"name\":\"s\",\"new\":1}]},"
					    "\"debug\":{\"data\":[{\"expression\":\"x\"},"
					    "{\"expression\":\"y\",\"value_kind\":\"string\"}]}}");

	(void)state;
	assert_int_equal(saved.model->entries.count, 3);
	assert_int_equal(figure_of(&saved.model->entries.items[2], "value_kind"), HP_VALUE_NONE);
	assert_int_equal(saved.model->entries.items[0].site_kind, HP_SITE_STREAM);
	assert_int_equal(saved.model->entries.items[1].site_kind, HP_SITE_DBG);
	hp_model_free(saved.model);
}

static const struct {
	const char *text;
	const char *says;
} bad[] = {
	{ REPORT "\"channels\":7}", "'channels' is not an object" },
	{ REPORT "\"futures\":{\"data\":{}}}", "'data' is not an array" },
	{ REPORT "\"loops\":{\"data\":[null]}}", "a row of 'loops' is not an object" },
	{ REPORT "\"streams\":{\"data\":[{}]}}", "a row of 'streams' has no name" },
	{ REPORT "\"streams\":{\"data\":[{\"name\":[]}]}}", "'name' is not a string" },
	{ REPORT "\"streams\":{\"percentiles\":[2,1]}}", "'percentiles' is not a rising list" },
	{ CHANNEL "\"state\":\"open\"}]}}", "'state' is not active, full, closed or notified" },
	{ CHANNEL "\"channel_type\":7}]}}", "'channel_type' is not a type of channel" },
	{ CHANNEL "\"state\":7}]}}", "'state' is not active, full, closed or notified" },
	{ CHANNEL "\"capacity\":-1}]}}", "'capacity' is not a whole number" },
	{ CHANNEL "\"location\":7}]}}", "'location' is not an object" },
	{ CHANNEL "\"delay_sampled_count\":\"7\"}]}}", "'delay_sampled_count' is not a whole" },
	{ CHANNEL "\"delay_histogram\":[[2,1],[1,1]]}]}}", "'delay_histogram' is not" },
	{ CHANNEL "\"delay_sampled_count\":7}]}}", "'delay_p95_ns' is not a percentile" },
	{ VALUE "\"entry_type\":\"var\"}]}}", "'entry_type' is not dbg, val or gauge" },
	{ VALUE "\"value_kind\":\"float\"}]}}", "'value_kind' is not a kind of value" },
	{ VALUE "\"last_value\":1}]}}", "'last_value' is not of its kind" },
	{ VALUE "\"value_kind\":\"int\",\"last_value\":1.5}]}}", "'last_value' is not" },
	{ VALUE "\"value_kind\":\"uint\",\"last_value\":-1}]}}", "'last_value' is not" },
	{ VALUE "\"value_kind\":\"bool\",\"last_value\":1}]}}", "'last_value' is not" },
	{ VALUE "\"value_kind\":\"string\",\"last_value\":1}]}}", "'last_value' is not" },
	{ VALUE "\"value_kind\":\"double\",\"last_value\":\"1\"}]}}", "'last_value' is not" },
	{ VALUE "\"value_kind\":\"pointer\",\"last_value\":\"0x\"}]}}", "'last_value' is not" },
	{ VALUE "\"value_kind\":\"pointer\",\"last_value\":\"7\"}]}}", "'last_value' is not" },
	{ VALUE "\"value_kind\":\"pointer\",\"last_value\":\"0x11112222333344445\"}]}}",
	  "'last_value' is not" },
	{ VALUE "\"min\":\"low\"}]}}", "'min' is not a number" },
};

static void hostile(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct hp_error error = { "" };
		struct hp_saved saved;
		int code = hp_saved_read(bad[i].text, strlen(bad[i].text), &saved, &error);
		if (code != -EINVAL || !strstr(error.text, bad[i].says))
			fail_msg("%s: %d, %s", bad[i].text, code, error.text);
		assert_null(saved.model);
		assert_null(strchr(error.text, '\n'));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(round_trip),
		cmocka_unit_test(every_figure),
		cmocka_unit_test(every_kind_of_value),
		cmocka_unit_test(no_numbers),
		cmocka_unit_test(sparse),
		cmocka_unit_test(hostile),
	};

	make_sample_entries();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
