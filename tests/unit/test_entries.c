/* SPDX-License-Identifier: MIT */
/* Rows of channels, futures and the like are sorted, and those of several processes become one. */
#include "made_entry.h"
#include "model.h"

#include <math.h>
#include <stdlib.h>

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

static void merge(struct hp_entry *rows, size_t count)
{
	struct hp_model from = { .processes = 1, .entries = { rows, count } };

	assert_int_equal(hp_model_merge(merged, &from), 0);
}

static void kinds(void **state)
{
	(void)state;
	assert_ptr_equal(hp_kind_of_site(HP_SITE_CHANNEL), &hp_kind_channels);
	assert_ptr_equal(hp_kind_of_site(HP_SITE_LOOP), &hp_kind_loops);
	assert_null(hp_kind_of_site(HP_SITE_POLL));
	assert_null(hp_kind_of_site(HP_SITE_CALL));
	assert_ptr_equal(hp_kind_of_site(HP_SITE_MUTEX), &hp_kind_locks);
	assert_ptr_equal(hp_kind_of_site(HP_SITE_OWN_LOCK), &hp_kind_locks);
	assert_ptr_equal(hp_kind_of_site(HP_SITE_LOCK_WAIT), &hp_kind_lock_waits);
	assert_ptr_equal(hp_kind_of_site(HP_SITE_WAIT), &hp_kind_waits);
	assert_null(hp_kind_of_site(HP_SITE_TARGET));
}

static void labelled_rows_come_first(void **state)
{
	struct hp_entry rows[] = {
		{ .name = "a", .line = 7 },
		{ .name = "b", .is_labelled = true, .file = "b.c", .line = 2 },
		{ .name = "b", .is_labelled = true, .file = "b.c", .line = 1 },
		{ .name = "b", .is_labelled = true, .line = 9 },
		{ .name = "b", .is_labelled = true, .file = "a.c", .line = 3 },
	};
	static const uint32_t lines[] = { 9, 3, 1, 2, 7 };
	struct hp_entries entries = { rows, 5 };

	(void)state;
	hp_entries_sort(&entries);
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(rows[i].line, lines[i]);
}

static struct hp_entry made_channel(void)
{
	struct hp_entry entry = made_entry(HP_SITE_CHANNEL, "jobs");

	entry.is_labelled = true;
	entry.file = "a.c";
	entry.line = 3;
	entry.id = 7;
	PUT(&entry, { "instances", 2 }, { "closed_instances", 2 }, { "state", MADE_CLOSED },
	    { "sent_count", 10 }, { "received_count", 9 }, { "sent_bytes", 100 },
	    { "queue_size", 1 }, { "max_queue_size", 5 }, { "capacity", 8 }, { "waited_ns", 30 });
	return entry;
}

static void figures_are_added(void **state)
{
	struct hp_point here[] = { { 10, 2 } }, there[] = { { 4, 1 }, { 10, 1 } };
	struct hp_entry one = made_channel(), two = made_channel();

	one.times[0] = (struct hp_times){ 2, 20, 10, 10, { here, 1 } };
	PUT(&two, { "state", MADE_ACTIVE }, { "closed_instances", 1 }, { "max_queue_size", 3 });
	two.times[0] = (struct hp_times){ 2, 14, 4, 10, { there, 2 } };
	(void)state;
	merge(&one, 1);
	merge(&two, 1);
	assert_int_equal(merged->entries.count, 1);
	const struct hp_entry *row = merged->entries.items;
	assert_string_equal(row->name, "jobs");
	assert_string_equal(row->file, "a.c");
	assert_int_equal(row->id, 0);
	assert_int_equal(figure_of(row, "instances"), 4);
	assert_int_equal(figure_of(row, "closed_instances"), 3);
	assert_int_equal(figure_of(row, "state"), MADE_ACTIVE);
	assert_int_equal(figure_of(row, "sent_count"), 20);
	assert_int_equal(figure_of(row, "received_count"), 18);
	assert_int_equal(figure_of(row, "sent_bytes"), 200);
	assert_int_equal(figure_of(row, "queue_size"), 2);
	assert_int_equal(figure_of(row, "max_queue_size"), 5);
	assert_int_equal(figure_of(row, "capacity"), 8);
	assert_int_equal(figure_of(row, "waited_ns"), 60);
	assert_int_equal(row->times[0].count, 4);
	assert_int_equal(row->times[0].sum_ns, 34);
	assert_int_equal(row->times[0].min_ns, 4);
	assert_int_equal(row->times[0].max_ns, 10);
	assert_int_equal(row->times[0].points.count, 2);
	assert_int_equal(row->times[0].points.items[1].count, 3);
}

static struct hp_entry made_future(void)
{
	struct hp_entry entry = made_entry(HP_SITE_FUTURE, "f");

	PUT(&entry, { "cancelled_count", 1 }, { "total_polls", 4 },
	    { "total_poll_duration_ns", 40 }, { "max_poll_duration_ns", 20 },
	    { "total_poll_alloc_bytes", 64 }, { "total_poll_alloc_count", 2 },
	    { "total_queue_ns", 5 }, { "total_service_ns", 6 });
	return entry;
}

static struct hp_entry made_loop(void)
{
	struct hp_entry entry = made_entry(HP_SITE_LOOP, "f");

	PUT(&entry, { "idle_ns", 1 }, { "callback_ns", 2 }, { "callback_count", 3 },
	    { "slowest_callback_ns", 9 });
	entry.texts[0] = "on_read";
	return entry;
}

static void futures_and_loops_are_added(void **state)
{
	struct hp_entry rows[] = { made_future(), made_loop() };

	(void)state;
	merge(rows, 2);
	put_figure(&rows[0], "max_poll_duration_ns", 30);
	put_figure(&rows[1], "slowest_callback_ns", 10);
	rows[1].texts[0] = "on_write";
	merge(rows, 2);
	put_figure(&rows[1], "slowest_callback_ns", 8);
	rows[1].texts[0] = "on_nothing";
	merge(rows, 2);
	assert_int_equal(merged->entries.count, 2);
	const struct hp_entry *future = &merged->entries.items[0];
	const struct hp_entry *loop = &merged->entries.items[1];
	assert_int_equal(figure_of(future, "cancelled_count"), 3);
	assert_int_equal(figure_of(future, "total_polls"), 12);
	assert_int_equal(figure_of(future, "total_poll_duration_ns"), 120);
	assert_int_equal(figure_of(future, "max_poll_duration_ns"), 30);
	assert_int_equal(figure_of(future, "total_poll_alloc_bytes"), 192);
	assert_int_equal(figure_of(future, "total_poll_alloc_count"), 6);
	assert_int_equal(figure_of(future, "total_queue_ns"), 15);
	assert_int_equal(figure_of(future, "total_service_ns"), 18);
	assert_int_equal(figure_of(loop, "callback_count"), 9);
	assert_int_equal(figure_of(loop, "slowest_callback_ns"), 10);
	assert_string_equal(loop->texts[0], "on_write");
}

static void one_is_full(void **state)
{
	struct hp_entry row = made_entry(HP_SITE_CHANNEL, "c");

	(void)state;
	put_figure(&row, "state", MADE_CLOSED);
	merge(&row, 1);
	assert_int_equal(figure_of(merged->entries.items, "state"), MADE_CLOSED);
	put_figure(&row, "state", MADE_FULL);
	merge(&row, 1);
	assert_int_equal(figure_of(merged->entries.items, "state"), MADE_FULL);
	put_figure(&row, "state", MADE_ACTIVE);
	merge(&row, 1);
	assert_int_equal(figure_of(merged->entries.items, "state"), MADE_FULL);
}

static void a_oneshot_is_notified(void **state)
{
	struct hp_entry row = made_entry(HP_SITE_CHANNEL, "c");

	(void)state;
	put_oneshot(&row);
	PUT(&row, { "instances", 2 }, { "sent_count", 2 }, { "state", MADE_NOTIFIED });
	merge(&row, 1);
	assert_true(is_oneshot(merged->entries.items));
	assert_int_equal(figure_of(merged->entries.items, "state"), MADE_NOTIFIED);
	/* One of these waits for its message. */
	put_figure(&row, "sent_count", 1);
	merge(&row, 1);
	assert_int_equal(figure_of(merged->entries.items, "state"), MADE_ACTIVE);
	/* Those that are closed will get none. */
	PUT(&row, { "sent_count", 0 }, { "closed_instances", 6 });
	merge(&row, 1);
	assert_int_equal(figure_of(merged->entries.items, "state"), MADE_CLOSED);
}

static void put_extremes(struct hp_entry *gauge, double min, double max)
{
	put_real(gauge, "min", min);
	put_real(gauge, "max", max);
}

/* No number is neither less nor more than any. */
static void gauges_keep_their_extremes(void **state)
{
	struct hp_entry row = made_entry(HP_SITE_GAUGE, "g");

	(void)state;
	PUT(&row, { "log_count", 1 });
	put_value(&row, HP_VALUE_DOUBLE, 1);
	put_extremes(&row, NAN, NAN);
	merge(&row, 1);
	put_value(&row, HP_VALUE_DOUBLE, 2);
	put_extremes(&row, -3, 3);
	merge(&row, 1);
	put_extremes(&row, NAN, NAN);
	merge(&row, 1);
	PUT(&row, { "log_count", 0 });
	put_extremes(&row, -10, NAN);
	merge(&row, 1);
	assert_int_equal(merged->entries.count, 1);
	assert_int_equal(figure_of(merged->entries.items, "log_count"), 3);
	assert_int_equal(value_bits(merged->entries.items), 1);
	assert_true(real_of(merged->entries.items, "min") == -3);
	assert_true(real_of(merged->entries.items, "max") == 3);
}

static void a_value_that_is_there_stays(void **state)
{
	struct hp_entry row = made_entry(HP_SITE_VAL, "v");

	(void)state;
	merge(&row, 1);
	assert_int_equal(figure_of(merged->entries.items, "value_kind"), HP_VALUE_NONE);
	put_value(&row, HP_VALUE_STRING, 0);
	row.texts[0] = "first";
	merge(&row, 1);
	row.texts[0] = "second";
	merge(&row, 1);
	assert_string_equal(merged->entries.items->texts[0], "first");
}

/* What is sent or yielded. */
static unsigned events_slot(const struct hp_entry *entry)
{
	return entry->kind->rates[0];
}

/* What differs in any of these is another row. */
static void other_places_are_other_rows(void **state)
{
	static const struct {
		enum hp_site_kind site;
		char *name;
		char *file;
		uint32_t line;
	} places[] = {
		{ HP_SITE_STREAM, "s", "a.c", 1 }, { HP_SITE_STREAM, "s", "a.c", 2 },
		{ HP_SITE_STREAM, "s", "b.c", 1 }, { HP_SITE_STREAM, "s", NULL, 1 },
		{ HP_SITE_STREAM, "t", "a.c", 1 }, { HP_SITE_CHANNEL, "s", "a.c", 1 },
	};
	struct hp_entry rows[6];

	(void)state;
	for (size_t i = 0; i < 6; i++) {
		rows[i] = made_entry(places[i].site, places[i].name);
		rows[i].file = places[i].file;
		rows[i].line = places[i].line;
		hp_row_set(&rows[i], events_slot(&rows[i]), 1);
	}
	merge(rows, 6);
	merge(rows, 6);
	assert_int_equal(merged->entries.count, 6);
	for (size_t i = 0; i < 6; i++) {
		const struct hp_entry *row = &merged->entries.items[i];
		assert_int_equal(hp_row_number(row, events_slot(row)), 2);
	}
}

/* A slot knows how wide its member is, and leaves what is beside it alone. */
static void slots(void **state)
{
	struct row {
		uint64_t whole;
		uint32_t half, other;
		bool flag, other_flag;
		char *text;
	} row = { 1, 2, 3, false, true, NULL };

	(void)state;
	hp_row_set(&row, HP_AT(struct row, whole), UINT64_MAX);
	hp_row_set(&row, HP_AT(struct row, half), 7);
	hp_row_set(&row, HP_AT(struct row, flag), 256);
	assert_true(row.whole == UINT64_MAX && row.half == 7 && row.other == 3);
	assert_true(row.flag && row.other_flag);
	assert_true(hp_row_number(&row, HP_AT(struct row, whole)) == UINT64_MAX);
	assert_int_equal(hp_row_number(&row, HP_AT(struct row, half)), 7);
	assert_int_equal(hp_row_number(&row, HP_AT(struct row, flag)), 1);
	assert_int_equal(hp_row_number(&row, HP_SLOT_NONE), 0);
	assert_int_equal(hp_row_number(&row, HP_AT(struct row, text)), 0);
	*hp_row_text_of(&row, HP_AT(struct row, text)) = "text";
	assert_string_equal(hp_row_text(&row, HP_AT(struct row, text)), "text");
	assert_true(hp_row_number(&row, HP_AT(struct row, text)) != 0);
}

static struct hp_entry made_lock(const char *name, uint64_t acquired)
{
	struct hp_entry entry = made_entry(HP_SITE_MUTEX, strdup(name));

	PUT(&entry, { "instances", 1 }, { "acquired_count", acquired }, { "contended_count", 1 },
	    { "max_waiters", acquired });
	return entry;
}

/* An array of locks has a site for each of them. */
static void locks_of_one_name_are_joined(void **state)
{
	struct hp_entry rows[] = { made_lock("shards", 10), made_lock("other", 5),
				   made_lock("shards", 30), made_lock("shards", 2) };
	struct hp_entries entries = { rows, 4 };

	(void)state;
	assert_int_equal(hp_entries_join(&entries), 0);
	assert_int_equal(entries.count, 2);
	assert_string_equal(rows[0].name, "other");
	assert_int_equal(figure_of(&rows[1], "instances"), 3);
	assert_int_equal(figure_of(&rows[1], "acquired_count"), 42);
	assert_int_equal(figure_of(&rows[1], "uncontended_count"), 39);
	assert_int_equal(figure_of(&rows[1], "max_waiters"), 30);
	hp_entry_clear(&rows[0]);
	hp_entry_clear(&rows[1]);
}

/* Who waits is the name of a row; for whom, a text. */
static void waits_are_told_apart_by_texts(void **state)
{
	static const char *const holders[] = { "keep", "hold", "keep" };
	struct hp_entry rows[3];
	struct hp_entries entries = { rows, 3 };

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		rows[i] = made_entry(HP_SITE_LOCK_WAIT, strdup("wait"));
		rows[i].texts[0] = strdup(holders[i]);
		rows[i].texts[1] = strdup("lock");
		rows[i].times[0] = (struct hp_times){ .count = 1, .sum_ns = 10 };
	}
	assert_int_equal(hp_entries_join(&entries), 0);
	assert_int_equal(entries.count, 2);
	assert_string_equal(rows[0].texts[0], "hold");
	assert_int_equal(rows[1].times[0].sum_ns, 20);
	hp_entry_clear(&rows[0]);
	hp_entry_clear(&rows[1]);
}

static void times_of_slots(void **state)
{
	struct hp_entry entry = { .kind = NULL };

	(void)state;
	assert_ptr_equal(hp_entry_times(&entry, HP_TIMES(0, COUNT)), &entry.times[0]);
	assert_ptr_equal(hp_entry_times(&entry, HP_TIMES(3, MAX)), &entry.times[3]);
	assert_null(hp_entry_times(&entry, HP_WORD(HP_ENTRY_WORDS - 1)));
	assert_null(hp_entry_times(&entry, HP_TEXT(0)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slots),
		cmocka_unit_test(times_of_slots),
		cmocka_unit_test(kinds),
		cmocka_unit_test(labelled_rows_come_first),
		cmocka_unit_test(locks_of_one_name_are_joined),
		cmocka_unit_test(waits_are_told_apart_by_texts),
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
