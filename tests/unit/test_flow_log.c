/* SPDX-License-Identifier: MIT */
/* The newest messages, futures and values are told, whether they have come to an end or not. */
#include "../fuzz/made_flows.h"
#include "read_model.h"

#include "cache.h"

#include <errno.h>
#include <stdlib.h>

/* Sites: the functions of the segment are before them. */
enum { JOBS = MADE_SITES + 1, VAL = JOBS + 5 };

static int begin(void **state)
{
	(void)state;
	made_segment(&made);
	made_flows(&made);
	return 0;
}

static struct hp_flow_event *events;
static enum hp_site_kind events_kind;

static ssize_t find_events(const char *name)
{
	struct hp_error error = { "" };

	free(events);
	ssize_t count = hp_flow_events(made.bytes, made.size, name, &events_kind, &events, &error);
	assert_int_equal(count < 0, error.text[0] != '\0');
	return count;
}

static int end_events(void **state)
{
	free(events);
	events = NULL;
	return end(state);
}

/* The first seven were received, the others not yet. */
static void messages(void **state)
{
	(void)state;
	assert_int_equal(find_events("jobs"), 10);
	assert_int_equal(events_kind, HP_SITE_CHANNEL);
	for (unsigned i = 0; i < 10; i++) {
		assert_int_equal(events[i].number, 10 - i);
		assert_int_equal(events[i].tid, 100);
		assert_int_equal(events[i].bytes, 100);
		assert_int_equal(events[i].has_ended, i >= 3);
		assert_int_equal(events[i].took_ns, i >= 3 ? 1000 : 0);
		assert_int_equal(events[i].is_queued, i < 3);
	}
	assert_string_equal(events[0].text, "text 10");
	/* The segment was last heard of at 20508 ticks, when a loop turned, and the message was sent at 10009. */
	assert_int_equal(events[0].ago_ns, 9999);
}

static void a_message_that_says_when_it_ended(void **state)
{
	(void)state;
	made.logs[0]->items[9].end = made.logs[0]->items[9].time + 105;
	find_events("jobs");
	assert_true(events[0].has_ended);
	assert_int_equal(events[0].took_ns, 100);
}

/* What was sent before another that was received is not there any more, and nor is any where none is. */
static void a_message_that_nobody_remembers(void **state)
{
	(void)state;
	made.logs[0]->items[4].time -= 5000;
	find_events("jobs");
	assert_false(events[5].has_ended);
	assert_false(events[5].is_queued);
	assert_true(events[0].is_queued);
	made.queues[0]->received = made.queues[0]->sent;
	find_events("jobs");
	assert_false(events[0].has_ended);
	assert_false(events[0].is_queued);
}

/* Two were sent at one moment: one call received one of them. */
static void messages_of_one_moment(void **state)
{
	(void)state;
	made.logs[0]->items[9].time = 10000;
	find_events("jobs");
	assert_false(events[0].has_ended);
	assert_true(events[9].has_ended);
}

/* Durations have 48 bits, and so have the moments that are found with them. */
static void messages_of_a_long_time(void **state)
{
	struct hp_stat *stat = made_flow_stat(&made, 1, JOBS, 1, 1050);
	uint64_t late = UINT64_C(1) << 50;

	(void)state;
	made_header(&made)->latest.ticks = late + 5000;
	made.logs[0]->items[9].time = late;
	stat->ring[0].end = late + 1050;
	find_events("jobs");
	assert_true(events[0].has_ended);
	assert_int_equal(events[0].took_ns, 1000);
}

static void futures_of_a_log(void **state)
{
	(void)state;
	assert_int_equal(find_events("fetch"), 6);
	assert_int_equal(events_kind, HP_SITE_FUTURE);
	assert_int_equal(events[0].state, HP_FUTURE_READY);
	assert_int_equal(events[0].polls, 3);
	assert_int_equal(events[0].took_ns, 2000);
	assert_int_equal(events[0].value_kind, HP_VALUE_INT);
	assert_int_equal(events[0].value, 6);
	assert_int_equal(events[5].state, HP_FUTURE_SUSPENDED);
	assert_false(events[5].has_ended);
}

static void no_more_than_asked_for(void **state)
{
	(void)state;
	assert_int_equal(find_events("key"), 50);
	assert_string_equal(events[49].text, "text 21");
	made_header(&made)->logs_limit = 1000;
	assert_int_equal(find_events("key"), HP_LOG);
	made_header(&made)->logs_limit = 2;
	assert_int_equal(find_events("key"), 2);
	made_header(&made)->logs_limit = 0;
	assert_int_equal(find_events("key"), 0);
}

static void events_that_are_being_written(void **state)
{
	(void)state;
	made.logs[0]->items[9].number = 0;
	made.logs[0]->items[5].number = UINT64_MAX;
	made.logs[0]->items[4].value_kind = UINT32_MAX;
	memset(made.logs[0]->items[3].text, 'x', HP_MESSAGE_SIZE);
	assert_int_equal(find_events("jobs"), 8);
	assert_int_equal(events[0].number, 9);
	assert_int_equal(events[3].number, 5);
	assert_int_equal(events[3].value_kind, HP_VALUE_NONE);
	assert_int_equal(strlen(events[4].text), HP_MESSAGE_SIZE - 1);
	made.logs[0]->count = UINT64_MAX;
	assert_int_equal(find_events("jobs"), 0);
}

static void names_without_events(void **state)
{
	(void)state;
	assert_int_equal(find_events("depth"), 0);
	assert_int_equal(find_events("work"), -ENOENT);
	assert_int_equal(find_events("none"), -ENOENT);
	assert_null(events);
	made_header(&made)->state = HP_STATE_NEW;
	assert_int_equal(find_events("jobs"), -EINVAL);
}

/* Two channels by one name are asked for together; a value by that name is something else. */
static void two_of_one_name(void **state)
{
	struct hp_shared *shared;

	(void)state;
	made_flow(&made, HP_SITE_CHANNEL, "jobs", &shared);
	struct hp_log *log = made_log(&made, shared, 2, HP_VALUE_NONE);
	log->items[0].time = 10004;
	log->items[1].time = 15000;
	made.sites[VAL].name = made.sites[JOBS].name;
	assert_int_equal(find_events("jobs"), 12);
	assert_int_equal(events_kind, HP_SITE_CHANNEL);
	assert_int_equal(events[0].number, 2);
	assert_int_equal(events[1].number, 10);
	for (unsigned i = 0; i + 1 < 12; i++)
		assert_true(events[i].ago_ns <= events[i + 1].ago_ns);
	made_header(&made)->logs_limit = 5;
	assert_int_equal(find_events("jobs"), 5);
}

/* The calls of a function are its polls, if that is its name. */
static void calls_are_of_functions(void **state)
{
	struct hp_recent *calls = NULL;
	struct hp_error error;

	(void)state;
	assert_int_equal(hp_recent_calls(made.bytes, made.size, "fetch", &calls, &error), 18);
	free(calls);
	assert_int_equal(hp_recent_calls(made.bytes, made.size, "jobs", &calls, &error), -ENOENT);
	assert_null(calls);
}

/* By its site, of a segment that was looked at before. */
static void by_site(void **state)
{
	struct hp_glance glance = { .quota = 1 };
	struct hp_cache *cache = hp_cache_new();
	struct hp_error error = { "" };

	(void)state;
	model = hp_cache_read(cache, made.bytes, made.size, NULL, &glance, &error);
	assert_int_equal(hp_cache_events(cache, made.bytes, made.size, false, JOBS, &events), 10);
	assert_int_equal(events[0].number, 10);
	free(events);
	assert_int_equal(hp_cache_events(cache, made.bytes, made.size, false, 2, &events), -ENOENT);
	assert_int_equal(hp_cache_events(cache, made.bytes, made.size, false, UINT32_MAX, &events),
			 -ENOENT);
	assert_null(events);
	hp_cache_free(cache);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end_events)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(messages),
		TEST(a_message_that_says_when_it_ended),
		TEST(a_message_that_nobody_remembers),
		TEST(messages_of_one_moment),
		TEST(messages_of_a_long_time),
		TEST(futures_of_a_log),
		TEST(no_more_than_asked_for),
		TEST(events_that_are_being_written),
		TEST(names_without_events),
		TEST(two_of_one_name),
		TEST(calls_are_of_functions),
		TEST(by_site),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
