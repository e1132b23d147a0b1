/* SPDX-License-Identifier: MIT */
/* Rows of channels, futures and the like are sorted, and those of several processes become one. */
#include "model.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct hp_model *merged;

static int begin(void **state)
{
	(void)state;
	merged = calloc(1, sizeof(*merged));
	return merged ? 0 : -1;
}

static int end(void **state)
{
	(void)state;
	hp_model_free(merged);
	return 0;
}

static void merge(struct hp_flow *rows, size_t count)
{
	struct hp_model from = { .processes = 1, .flows = { rows, count } };

	assert_int_equal(hp_model_merge(merged, &from), 0);
}

static void kinds(void **state)
{
	(void)state;
	assert_true(hp_flow_is_kind(HP_SITE_CHANNEL));
	assert_true(hp_flow_is_kind(HP_SITE_LOOP));
	assert_false(hp_flow_is_kind(HP_SITE_POLL));
	assert_false(hp_flow_is_kind(HP_SITE_CALL));
	assert_false(hp_flow_is_kind(HP_SITE_LOOP + 1));
}

static void labelled_rows_come_first(void **state)
{
	struct hp_flow rows[] = {
		{ .name = "a", .line = 7 },
		{ .name = "b", .is_labelled = true, .file = "b.c", .line = 2 },
		{ .name = "b", .is_labelled = true, .file = "b.c", .line = 1 },
		{ .name = "b", .is_labelled = true, .line = 9 },
		{ .name = "b", .is_labelled = true, .file = "a.c", .line = 3 },
	};
	static const uint32_t lines[] = { 9, 3, 1, 2, 7 };
	struct hp_flows flows = { rows, 5 };

	(void)state;
	hp_flows_sort(&flows);
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(rows[i].line, lines[i]);
}

static void figures_are_added(void **state)
{
	struct hp_point here[] = { { 10, 2 } }, there[] = { { 4, 1 }, { 10, 1 } };
	struct hp_flow one = { .kind = HP_SITE_CHANNEL,
			       .name = "jobs",
			       .is_labelled = true,
			       .file = "a.c",
			       .line = 3,
			       .id = 7,
			       .instances = 2,
			       .closed = 2,
			       .state = HP_FLOW_CLOSED,
			       .sent = 10,
			       .received = 9,
			       .bytes = 100,
			       .queued = 1,
			       .most_queued = 5,
			       .capacity = 8,
			       .waited_ns = 30,
			       .times = { 2, 20, 10, 10, { here, 1 } } };
	struct hp_flow two = one;

	two.state = HP_FLOW_ACTIVE;
	two.closed = 1;
	two.most_queued = 3;
	two.times = (struct hp_flow_times){ 2, 14, 4, 10, { there, 2 } };
	(void)state;
	merge(&one, 1);
	merge(&two, 1);
	assert_int_equal(merged->flows.count, 1);
	const struct hp_flow *row = merged->flows.items;
	assert_string_equal(row->name, "jobs");
	assert_string_equal(row->file, "a.c");
	assert_int_equal(row->id, 0);
	assert_int_equal(row->instances, 4);
	assert_int_equal(row->closed, 3);
	assert_int_equal(row->state, HP_FLOW_ACTIVE);
	assert_int_equal(row->sent, 20);
	assert_int_equal(row->received, 18);
	assert_int_equal(row->bytes, 200);
	assert_int_equal(row->queued, 2);
	assert_int_equal(row->most_queued, 5);
	assert_int_equal(row->capacity, 8);
	assert_int_equal(row->waited_ns, 60);
	assert_int_equal(row->times.count, 4);
	assert_int_equal(row->times.sum_ns, 34);
	assert_int_equal(row->times.min_ns, 4);
	assert_int_equal(row->times.max_ns, 10);
	assert_int_equal(row->times.points.count, 2);
	assert_int_equal(row->times.points.items[1].count, 3);
}

static void futures_and_loops_are_added(void **state)
{
	struct hp_flow rows[] = {
		{ .kind = HP_SITE_FUTURE,
		  .name = "f",
		  .cancelled = 1,
		  .polls = { 4, 40, 20, 64, 2 },
		  .queued_ns = 5,
		  .served_ns = 6 },
		{ .kind = HP_SITE_LOOP,
		  .name = "f",
		  .idle_ns = 1,
		  .callback_ns = 2,
		  .callbacks = 3,
		  .slowest_ns = 9,
		  .slowest = "on_read" },
	};

	(void)state;
	merge(rows, 2);
	rows[0].polls.max_ns = 30;
	rows[1].slowest_ns = 10;
	rows[1].slowest = "on_write";
	merge(rows, 2);
	rows[1].slowest_ns = 8;
	rows[1].slowest = "on_nothing";
	merge(rows, 2);
	assert_int_equal(merged->flows.count, 2);
	const struct hp_flow *future = &merged->flows.items[0], *loop = &merged->flows.items[1];
	assert_int_equal(future->cancelled, 3);
	assert_int_equal(future->polls.count, 12);
	assert_int_equal(future->polls.total_ns, 120);
	assert_int_equal(future->polls.max_ns, 30);
	assert_int_equal(future->polls.bytes, 192);
	assert_int_equal(future->polls.blocks, 6);
	assert_int_equal(future->queued_ns, 15);
	assert_int_equal(future->served_ns, 18);
	assert_int_equal(loop->callbacks, 9);
	assert_int_equal(loop->slowest_ns, 10);
	assert_string_equal(loop->slowest, "on_write");
}

static void one_is_full(void **state)
{
	struct hp_flow row = { .kind = HP_SITE_CHANNEL, .name = "c", .state = HP_FLOW_CLOSED };

	(void)state;
	merge(&row, 1);
	assert_int_equal(merged->flows.items->state, HP_FLOW_CLOSED);
	row.state = HP_FLOW_FULL;
	merge(&row, 1);
	assert_int_equal(merged->flows.items->state, HP_FLOW_FULL);
	row.state = HP_FLOW_ACTIVE;
	merge(&row, 1);
	assert_int_equal(merged->flows.items->state, HP_FLOW_FULL);
}

static void a_oneshot_is_notified(void **state)
{
	struct hp_flow row = { .kind = HP_SITE_CHANNEL,
			       .name = "c",
			       .is_oneshot = true,
			       .instances = 2,
			       .sent = 2,
			       .state = HP_FLOW_NOTIFIED };

	(void)state;
	merge(&row, 1);
	assert_true(merged->flows.items->is_oneshot);
	assert_int_equal(merged->flows.items->state, HP_FLOW_NOTIFIED);
	/* One of these waits for its message. */
	row.sent = 1;
	merge(&row, 1);
	assert_int_equal(merged->flows.items->state, HP_FLOW_ACTIVE);
	/* Those that are closed will get none. */
	row.sent = 0;
	row.closed = 6;
	merge(&row, 1);
	assert_int_equal(merged->flows.items->state, HP_FLOW_CLOSED);
}

/* No number is neither less nor more than any. */
static void gauges_keep_their_extremes(void **state)
{
	struct hp_flow row = { .kind = HP_SITE_GAUGE,
			       .name = "g",
			       .updates = 1,
			       .value_kind = HP_VALUE_DOUBLE,
			       .value = 1,
			       .min = NAN,
			       .max = NAN };

	(void)state;
	merge(&row, 1);
	row.value = 2;
	row.min = -3;
	row.max = 3;
	merge(&row, 1);
	row.min = row.max = NAN;
	merge(&row, 1);
	row.updates = 0;
	row.min = -10;
	merge(&row, 1);
	assert_int_equal(merged->flows.count, 1);
	assert_int_equal(merged->flows.items->updates, 3);
	assert_int_equal(merged->flows.items->value, 1);
	assert_true(merged->flows.items->min == -3);
	assert_true(merged->flows.items->max == 3);
}

static void a_value_that_is_there_stays(void **state)
{
	struct hp_flow row = { .kind = HP_SITE_VAL, .name = "v" };

	(void)state;
	merge(&row, 1);
	assert_int_equal(merged->flows.items->value_kind, HP_VALUE_NONE);
	row.value_kind = HP_VALUE_STRING;
	row.text = "first";
	merge(&row, 1);
	row.text = "second";
	merge(&row, 1);
	assert_string_equal(merged->flows.items->text, "first");
}

/* What differs in any of these is another row. */
static void other_places_are_other_rows(void **state)
{
	struct hp_flow rows[] = {
		{ .kind = HP_SITE_STREAM, .name = "s", .file = "a.c", .line = 1, .sent = 1 },
		{ .kind = HP_SITE_STREAM, .name = "s", .file = "a.c", .line = 2, .sent = 1 },
		{ .kind = HP_SITE_STREAM, .name = "s", .file = "b.c", .line = 1, .sent = 1 },
		{ .kind = HP_SITE_STREAM, .name = "s", .line = 1, .sent = 1 },
		{ .kind = HP_SITE_STREAM, .name = "t", .file = "a.c", .line = 1, .sent = 1 },
		{ .kind = HP_SITE_CHANNEL, .name = "s", .file = "a.c", .line = 1, .sent = 1 },
	};

	(void)state;
	merge(rows, 6);
	merge(rows, 6);
	assert_int_equal(merged->flows.count, 6);
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(merged->flows.items[i].sent, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kinds),
		cmocka_unit_test(labelled_rows_come_first),
		cmocka_unit_test_setup_teardown(figures_are_added, begin, end),
		cmocka_unit_test_setup_teardown(futures_and_loops_are_added, begin, end),
		cmocka_unit_test_setup_teardown(a_oneshot_is_notified, begin, end),
		cmocka_unit_test_setup_teardown(one_is_full, begin, end),
		cmocka_unit_test_setup_teardown(gauges_keep_their_extremes, begin, end),
		cmocka_unit_test_setup_teardown(a_value_that_is_there_stays, begin, end),
		cmocka_unit_test_setup_teardown(other_places_are_other_rows, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
