/* SPDX-License-Identifier: MIT */
/* Channels, streams, futures, loops and values of a segment become rows, whatever it says of them. */
#include "../fuzz/made_flows.h"
#include "made_entry.h"
#include "read_model.h"

#include "cache.h"

#include <math.h>
#include <stdlib.h>

/* Their sites: the functions of the segment are before them. */
enum { JOBS = MADE_SITES + 1, LINES, FETCH, POLLS, DBG, VAL, GAUGE, LOOP };

static int begin(void **state)
{
	(void)state;
	made_segment(&made);
	made_flows(&made);
	return 0;
}

static const struct hp_entry *entry(enum hp_site_kind kind)
{
	for (size_t i = 0; i < model->entries.count; i++)
		if (model->entries.items[i].site_kind == kind)
			return &model->entries.items[i];
	return NULL;
}

static const struct hp_entry *read_entry(enum hp_site_kind kind)
{
	read_model();
	assert_non_null(entry(kind));
	return entry(kind);
}

/* What a lane did with a site. */
static struct hp_stat *stat_of(unsigned lane, uint32_t id)
{
	struct hp_stat *stat = (void *)(made.bytes + made.lanes[lane]->stats);

	while (stat->site != id)
		stat = (void *)(made.bytes + stat->next);
	return stat;
}

/* But for locks, which the made segment does not have. */
static void each_kind_has_a_row(void **state)
{
	(void)state;
	read_model();
	assert_int_equal(model->entries.count, 7);
	for (unsigned kind = 0; kind < HP_SITE_MUTEX; kind++)
		assert_int_equal(entry(kind) != NULL, hp_kind_of_site(kind) != NULL);
	for (size_t i = 0; i < model->entries.count; i++) {
		assert_true(model->entries.items[i].is_labelled);
		assert_int_equal(model->entries.items[i].line, 20 + model->entries.items[i].id);
	}
}

static void a_channel(void **state)
{
	const struct hp_entry *jobs = read_entry(HP_SITE_CHANNEL);

	(void)state;
	assert_string_equal(jobs->name, "jobs");
	assert_int_equal(jobs->id, JOBS);
	assert_int_equal(figure_of(jobs, "instances"), 3);
	assert_int_equal(figure_of(jobs, "closed_instances"), 1);
	assert_int_equal(figure_of(jobs, "state"), MADE_ACTIVE);
	assert_int_equal(figure_of(jobs, "sent_count"), 10);
	assert_int_equal(figure_of(jobs, "received_count"), 7);
	assert_int_equal(figure_of(jobs, "sent_bytes"), 1000);
	/* The second queue was seen to receive before it was seen to send. */
	assert_int_equal(figure_of(jobs, "queue_size"), 3);
	assert_int_equal(figure_of(jobs, "capacity"), 4);
	assert_int_equal(figure_of(jobs, "waited_ns"), 2000);
	assert_int_equal(jobs->times[0].count, 7);
	assert_int_equal(jobs->times[0].sum_ns, 7000);
	assert_int_equal(jobs->times[0].min_ns, 1000);
	assert_int_equal(jobs->times[0].max_ns, 1000);
	assert_int_equal(hp_points_calls(&jobs->times[0].points), 7);
}

static void the_most_that_was_queued(void **state)
{
	(void)state;
	made.queues[1]->most = 0;
	assert_int_equal(figure_of(read_entry(HP_SITE_CHANNEL), "max_queue_size"), 3);
	made.shares[0]->most = 9;
	assert_int_equal(figure_of(read_entry(HP_SITE_CHANNEL), "max_queue_size"), 9);
}

static void a_full_channel(void **state)
{
	(void)state;
	made.queues[0]->sent++;
	assert_int_equal(figure_of(read_entry(HP_SITE_CHANNEL), "state"), MADE_FULL);
	made.queues[0]->capacity = 0;
	assert_int_equal(figure_of(read_entry(HP_SITE_CHANNEL), "state"), MADE_ACTIVE);
}

static void a_free_queue_is_nobodys(void **state)
{
	(void)state;
	made.queues[0]->site = 0;
	assert_int_equal(figure_of(read_entry(HP_SITE_CHANNEL), "queue_size"), 0);
	/* Nor is one that says it is of a stream, or of nothing there is. */
	const struct hp_entry *lines = entry(HP_SITE_STREAM);
	uint64_t words[HP_ENTRY_WORDS];
	memcpy(words, lines->words, sizeof(words));
	made.queues[0]->site = LINES;
	lines = read_entry(HP_SITE_STREAM);
	assert_memory_equal(lines->words, words, sizeof(words));
	made.queues[0]->site = UINT32_MAX;
	assert_int_equal(figure_of(read_entry(HP_SITE_CHANNEL), "queue_size"), 0);
}

static void a_closed_channel(void **state)
{
	(void)state;
	made.shares[0]->closed = 3;
	assert_int_equal(figure_of(read_entry(HP_SITE_CHANNEL), "state"), MADE_CLOSED);
	made.shares[0]->instances = made.shares[0]->closed = 0;
	assert_int_equal(figure_of(read_entry(HP_SITE_CHANNEL), "state"), MADE_ACTIVE);
}

static void a_stream(void **state)
{
	const struct hp_entry *lines = read_entry(HP_SITE_STREAM);

	(void)state;
	assert_int_equal(figure_of(lines, "instances"), 2);
	assert_int_equal(figure_of(lines, "state"), MADE_CLOSED);
	assert_int_equal(figure_of(lines, "items_yielded"), 20);
	assert_int_equal(figure_of(lines, "yielded_bytes"), 200);
	assert_int_equal(lines->times[0].count, 0);
	assert_int_equal(lines->times[0].min_ns, 0);
}

static void futures(void **state)
{
	const struct hp_entry *fetch = read_entry(HP_SITE_FUTURE);

	(void)state;
	assert_int_equal(figure_of(fetch, "call_count"), 6);
	assert_int_equal(figure_of(fetch, "cancelled_count"), 1);
	assert_int_equal(figure_of(fetch, "ended_count"), 5);
	assert_null(find_field(fetch->kind, "state"));
	assert_int_equal(fetch->times[0].count, 4);
	assert_int_equal(fetch->times[0].sum_ns, 8000);
	assert_int_equal(figure_of(fetch, "total_queue_ns"), 1000);
	assert_int_equal(figure_of(fetch, "total_service_ns"), 4000);
	assert_int_equal(figure_of(fetch, "total_polls"), 18);
	assert_int_equal(figure_of(fetch, "total_poll_duration_ns"), 2400);
	assert_int_equal(figure_of(fetch, "max_poll_duration_ns"), 200);
	assert_int_equal(figure_of(fetch, "total_poll_alloc_bytes"), 0);
}

static void what_polls_allocate(void **state)
{
	struct hp_stat *polls = made_flow_stat(&made, 1, POLLS, 1, 105);

	(void)state;
	polls->alloc = made_offset(&made, made_alloc(&made, 10));
	made_header(&made)->alloc_mode = HP_ALLOC_COUNT;
	const struct hp_entry *fetch = read_entry(HP_SITE_FUTURE);
	assert_int_equal(figure_of(fetch, "total_poll_alloc_bytes"), 1000);
	assert_int_equal(figure_of(fetch, "total_poll_alloc_count"), 10);
}

/* They cost what a call costs; what is sent or awaited is no call. */
static void polls_are_functions(void **state)
{
	uint64_t calls = 0;

	(void)state;
	read_model();
	assert_int_equal(row("fetch")->kind, HP_SITE_POLL);
	assert_int_equal(row("fetch")->calls, 18);
	assert_int_equal(model->function_count, MADE_SITES + 1);
	for (size_t i = 0; i < model->function_count; i++)
		calls += model->functions[i].calls;
	assert_int_equal(calls, MADE_STATS * MADE_CALLS + 18);
}

static void polls_of_something_else(void **state)
{
	(void)state;
	made.shares[2]->other = 2;
	assert_int_equal(figure_of(read_entry(HP_SITE_FUTURE), "total_polls"), 0);
	made.shares[2]->other = UINT32_MAX;
	assert_int_equal(figure_of(read_entry(HP_SITE_FUTURE), "total_polls"), 0);
}

static void a_loop(void **state)
{
	const struct hp_entry *loop = read_entry(HP_SITE_LOOP);

	(void)state;
	assert_int_equal(loop->times[0].count, 9);
	assert_int_equal(loop->times[0].max_ns, 10000);
	assert_int_equal(figure_of(loop, "idle_ns"), 1000);
	assert_int_equal(figure_of(loop, "callback_ns"), 2000);
	assert_int_equal(figure_of(loop, "callback_count"), 30);
	assert_int_equal(figure_of(loop, "slowest_callback_ns"), 500);
	assert_string_equal(loop->texts[0], "work");
	made.shares[6]->other = 0;
	assert_null(read_entry(HP_SITE_LOOP)->texts[0]);
}

static void a_value(void **state)
{
	const struct hp_entry *key = read_entry(HP_SITE_VAL);

	(void)state;
	assert_int_equal(figure_of(key, "log_count"), 70);
	assert_int_equal(figure_of(key, "value_kind"), HP_VALUE_STRING);
	assert_string_equal(key->texts[0], "text 70");
	assert_int_equal(figure_of(entry(HP_SITE_DBG), "log_count"), 1);
	assert_int_equal(figure_of(entry(HP_SITE_DBG), "value_kind"), HP_VALUE_NONE);
}

/* The newest that is complete; a string has an end. */
static void a_value_that_is_being_written(void **state)
{
	struct hp_logged *items = made.logs[2]->items;

	(void)state;
	items[69 % HP_LOG].number = 0;
	assert_string_equal(read_entry(HP_SITE_VAL)->texts[0], "text 69");
	items[68 % HP_LOG].number = 4;
	assert_string_equal(read_entry(HP_SITE_VAL)->texts[0], "text 68");
	memset(items[67 % HP_LOG].text, 'x', HP_MESSAGE_SIZE);
	assert_int_equal(strlen(read_entry(HP_SITE_VAL)->texts[0]), HP_MESSAGE_SIZE - 1);
	items[67 % HP_LOG].value_kind = 77;
	assert_int_equal(figure_of(read_entry(HP_SITE_VAL), "value_kind"), HP_VALUE_NONE);
	memset(made.logs[2], 0, sizeof(*made.logs[2]));
	assert_int_equal(figure_of(read_entry(HP_SITE_VAL), "value_kind"), HP_VALUE_NONE);
}

static void a_gauge(void **state)
{
	const struct hp_entry *depth = read_entry(HP_SITE_GAUGE);

	(void)state;
	assert_int_equal(figure_of(depth, "log_count"), 5);
	assert_int_equal(figure_of(depth, "value_kind"), HP_VALUE_DOUBLE);
	assert_int_equal(value_bits(depth), made_double(1.5));
	assert_true(real_of(depth, "min") == -2);
	assert_true(real_of(depth, "max") == 3);
	made.shares[5]->current = made.shares[5]->min = made_double(NAN);
	assert_true(isnan(real_of(read_entry(HP_SITE_GAUGE), "min")));
	/* Of a session before: nobody has set it since. */
	stat_of(0, GAUGE)->flow[HP_VALUE_UPDATES] = 0;
	read_model();
	assert_null(entry(HP_SITE_GAUGE));
}

/* ---- what a probe found ---- */

/* Where a function begins whose file is not there; the name tells what was found, and where. */
static void found_by_a_probe(void **state)
{
	struct hp_module *module = made_module(&made, "/none/program", NULL);

	(void)state;
	made.sites[FETCH].module = made.sites[POLLS].module = made_offset(&made, module);
	made.sites[FETCH].offset = made.sites[POLLS].offset = 0x1234;
	const struct hp_entry *fetch = read_entry(HP_SITE_FUTURE);
	assert_string_equal(fetch->name, "fetch program+0x1234");
	assert_false(fetch->is_labelled);
	assert_string_equal(model->entries.items[6].name, fetch->name);
	assert_int_equal(row(fetch->name)->kind, HP_SITE_POLL);
	assert_int_equal(figure_of(fetch, "total_polls"), 18);
	/* Nobody misses the symbols of what was not compiled to be measured. */
	assert_int_equal(model->note_count, 0);
}

/* ---- hostile segments ---- */

static void lists_that_are_circles(void **state)
{
	(void)state;
	made.shares[0]->next = made_header(&made)->shares;
	made.queues[0]->next = made_header(&made)->queues;
	read_model();
	assert_int_equal(model->entries.count, 7);
	assert_true(figure_of(entry(HP_SITE_CHANNEL), "queue_size") >= 3);
}

static void offsets_outside(void **state)
{
	(void)state;
	made.shares[3]->log = made.size - 8;
	made.shares[2]->log = UINT64_MAX;
	made_header(&made)->queues = made.size;
	read_model();
	assert_int_equal(model->entries.count, 7);
	made_header(&made)->shares = UINT64_MAX & ~UINT64_C(7);
	read_model();
	/* Threads did something with all of them. */
	assert_int_equal(model->entries.count, 7);
	assert_int_equal(figure_of(entry(HP_SITE_CHANNEL), "instances"), 0);
	made_header(&made)->shares = 0;
	read_model();
	assert_int_equal(model->entries.count, 0);
}

/* The newest is the one that counts. */
static void a_site_with_two_shares(void **state)
{
	(void)state;
	made.shares[0]->site = LINES;
	read_model();
	assert_int_equal(figure_of(entry(HP_SITE_CHANNEL), "instances"), 0);
	assert_int_equal(figure_of(entry(HP_SITE_STREAM), "instances"), 2);
}

static void a_shared_of_a_function(void **state)
{
	(void)state;
	made.shares[5]->site = 2;
	made.shares[4]->site = UINT32_MAX;
	made.shares[3]->site = 0;
	stat_of(0, DBG)->flow[HP_VALUE_UPDATES] = 0;
	read_model();
	assert_int_equal(model->entries.count, 6);
	assert_int_equal(figure_of(entry(HP_SITE_VAL), "log_count"), 70);
	assert_int_equal(figure_of(entry(HP_SITE_VAL), "value_kind"), HP_VALUE_NONE);
	assert_int_equal(figure_of(entry(HP_SITE_GAUGE), "value_kind"), HP_VALUE_NONE);
}

static void counts_beyond_measure(void **state)
{
	(void)state;
	made.queues[0]->sent = UINT64_MAX;
	made.queues[1]->received = UINT64_MAX;
	made.shares[0]->closed = made.shares[0]->most = UINT64_MAX;
	made.shares[6]->most = UINT64_MAX;
	read_model();
	assert_int_equal(figure_of(entry(HP_SITE_CHANNEL), "state"), MADE_CLOSED);
	assert_int_equal(figure_of(entry(HP_SITE_CHANNEL), "max_queue_size"), UINT64_MAX);
	assert_true(figure_of(entry(HP_SITE_LOOP), "slowest_callback_ns") > UINT64_MAX / 2);
}

/* ---- read again ---- */

/* What is not seen by anybody is read in turns; what flows is not. */
static void flows_are_as_of_now(void **state)
{
	struct hp_glance glance = { .quota = 1 };
	struct hp_cache *cache = hp_cache_new();
	struct hp_error error = { "" };

	(void)state;
	for (unsigned nth = 0; nth < 3; nth++) {
		hp_model_free(model);
		model = hp_cache_read(cache, made.bytes, made.size, NULL, &glance, &error);
		assert_non_null(model);
		assert_int_equal(model->entries.count, 7);
		assert_int_equal(figure_of(entry(HP_SITE_CHANNEL), "received_count"), 7 + nth);
		assert_int_equal(figure_of(entry(HP_SITE_FUTURE), "total_polls"), 18 + nth);
		stat_of(1, POLLS)->calls++;
		stat_of(1, JOBS)->flow[HP_CHANNEL_RECEIVED]++;
	}
	hp_cache_free(cache);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

/* However full it is: it has had its message. */
static void a_oneshot(void **state)
{
	struct hp_shared *shared = made.shares[0];

	(void)state;
	shared->channel_kind = HP_CHANNEL_ONESHOT;
	assert_true(is_oneshot(read_entry(HP_SITE_CHANNEL)));
	assert_int_equal(figure_of(entry(HP_SITE_CHANNEL), "state"), MADE_NOTIFIED);
	shared->instances = 11;
	assert_int_equal(figure_of(read_entry(HP_SITE_CHANNEL), "state"), MADE_ACTIVE);
	shared->closed = 11;
	assert_int_equal(figure_of(read_entry(HP_SITE_CHANNEL), "state"), MADE_CLOSED);
	shared->channel_kind = 7;
	assert_false(is_oneshot(read_entry(HP_SITE_CHANNEL)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(each_kind_has_a_row),
		TEST(a_channel),
		TEST(the_most_that_was_queued),
		TEST(a_full_channel),
		TEST(a_free_queue_is_nobodys),
		TEST(a_closed_channel),
		TEST(a_oneshot),
		TEST(a_stream),
		TEST(futures),
		TEST(what_polls_allocate),
		TEST(polls_are_functions),
		TEST(polls_of_something_else),
		TEST(a_loop),
		TEST(a_value),
		TEST(a_value_that_is_being_written),
		TEST(a_gauge),
		TEST(found_by_a_probe),
		TEST(lists_that_are_circles),
		TEST(offsets_outside),
		TEST(a_site_with_two_shares),
		TEST(a_shared_of_a_function),
		TEST(counts_beyond_measure),
		TEST(flows_are_as_of_now),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
