/* SPDX-License-Identifier: MIT */
/* A segment that is looked at again and again, and has changed meanwhile. */
#include "read_model.h"

#include "cache.h"
#include "calls/stat_index.h"

#include <stdlib.h>

static struct hp_cache *cache;
static struct hp_model *seen;
static unsigned pauses;
static unsigned reads;
/* Reads that began with a stat. */
static unsigned stat_reads;

/* The duration of a call, by a clock of 1.05 GHz. */
enum { CALL_TICKS = 21000, CALL_NS = 20000 };

static void pause(void *context)
{
	(void)context;
	pauses++;
}

static bool is_stat(uint64_t at)
{
	for (unsigned i = 0; i < MADE_STATS; i++)
		if (made_offset(&made, made.stats[i]) == at)
			return true;
	return false;
}

static ssize_t read_made(void *context, void *into, size_t size, uint64_t at)
{
	(void)context;
	reads++;
	stat_reads += is_stat(at);
	if (at > made.size || size > made.size - at)
		return 0;
	memcpy(into, made.bytes + at, size);
	return (ssize_t)size;
}

/* As if the file ended in between. */
static ssize_t read_little(void *context, void *into, size_t size, uint64_t at)
{
	bool is_cut = is_stat(at) && size > sizeof(struct hp_stat);

	return read_made(context, into, is_cut ? sizeof(struct hp_stat) : size, at);
}

/* The program goes on: a call of each function ends after every read. */
static ssize_t read_and_go_on(void *context, void *into, size_t size, uint64_t at)
{
	ssize_t done = read_made(context, into, size, at);

	for (unsigned i = 0; i < MADE_STATS; i++) {
		made.stats[i]->calls++;
		made.stats[i]->flushed++;
		made.stats[i]->total += CALL_TICKS;
	}
	return done;
}

static ssize_t read_nothing(void *context, void *into, size_t size, uint64_t at)
{
	(void)context;
	(void)into;
	(void)size;
	(void)at;
	return 0;
}

static int begin(void **state)
{
	(void)state;
	made_segment(&made);
	made_allocations(&made);
	made_samples(&made);
	cache = hp_cache_new();
	pauses = reads = stat_reads = 0;
	return cache ? 0 : -1;
}

static int finish(void **state)
{
	hp_model_free(seen);
	seen = NULL;
	hp_cache_free(cache);
	return end(state);
}

static void read_with(struct hp_glance glance)
{
	struct hp_error error = { "" };

	hp_model_free(seen);
	seen = hp_cache_read(cache, made.bytes, made.size, NULL, &glance, &error);
	assert_non_null(seen);
}

/* See these functions, and one other. */
static void read_visible(const uint32_t *visible, size_t count)
{
	read_with((struct hp_glance){
		.visible = visible, .visible_count = count, .quota = 1, .pause = pause });
}

static void read_again(void)
{
	read_with((struct hp_glance){ .quota = 0 });
}

static const struct hp_function *seen_row(const char *name)
{
	for (size_t i = 0; i < seen->function_count; i++)
		if (strcmp(seen->functions[i].name, name) == 0)
			return &seen->functions[i];
	return NULL;
}

static void assert_same_points(const struct hp_points *one, const struct hp_points *other)
{
	assert_int_equal(one->count, other->count);
	if (one->count)
		assert_memory_equal(one->items, other->items, one->count * sizeof(*one->items));
}

static void assert_same_row(const struct hp_function *one, const struct hp_function *other)
{
	struct hp_alloc_figures alloc = one->alloc, other_alloc = other->alloc;

	assert_string_equal(one->name, other->name);
	assert_int_equal(one->id, other->id);
	assert_int_equal(one->is_caller, other->is_caller);
	assert_int_equal(one->calls, other->calls);
	assert_int_equal(one->open, other->open);
	assert_int_equal(one->total_ns, other->total_ns);
	assert_int_equal(one->self_ns, other->self_ns);
	assert_int_equal(one->sum_ns, other->sum_ns);
	assert_int_equal(one->min_ns, other->min_ns);
	assert_int_equal(one->max_ns, other->max_ns);
	assert_memory_equal(&one->cpu, &other->cpu, sizeof(one->cpu));
	assert_same_points(&one->times, &other->times);
	for (unsigned i = 0; i < HP_ALLOC_HISTOGRAMS; i++) {
		assert_same_points(&alloc.calls[i], &other_alloc.calls[i]);
		alloc.calls[i] = other_alloc.calls[i] = (struct hp_points){ NULL, 0 };
	}
	assert_memory_equal(&alloc, &other_alloc, sizeof(alloc));
}

/* What was seen is what a reader sees who reads all of it, for the first time. */
static void assert_exact(void)
{
	read_model();
	assert_int_equal(seen->function_count, model->function_count);
	for (size_t i = 0; i < model->function_count; i++)
		assert_same_row(&seen->functions[i], &model->functions[i]);
	assert_int_equal(seen->elapsed_ns, model->elapsed_ns);
	assert_int_equal(seen->estimated_ns, model->estimated_ns);
	assert_memory_equal(seen->dropped, model->dropped, sizeof(seen->dropped));
	assert_int_equal(seen->memory.bytes, model->memory.bytes);
	assert_int_equal(seen->memory.live_bytes, model->memory.live_bytes);
	assert_int_equal(seen->cpu.total_samples, model->cpu.total_samples);
	assert_int_equal(seen->note_count, model->note_count);
	for (size_t i = 0; i < model->note_count; i++)
		assert_string_equal(seen->notes[i], model->notes[i]);
}

static void first_look_sees_everything(void **state)
{
	(void)state;
	read_visible(NULL, 0);
	assert_exact();
	assert_false(seen->has_tree);
	assert_int_equal(seen->cpu.stack_count, 0);
}

static void visible_functions_are_as_of_now(void **state)
{
	const uint32_t visible[] = { 0, 2, 12345 };

	(void)state;
	read_again();
	for (unsigned i = 0; i < MADE_STATS; i++)
		made.stats[i]->calls++;
	read_visible(visible, 3);
	read_model();
	assert_same_row(seen_row("work"), row("work"));
	assert_true(hp_cache_was_read(cache, 2));
	/* 100 %, and so much is everything else compared with. */
	assert_same_row(seen_row("main"), row("main"));
	/* Of the other two, one had its turn. */
	assert_int_equal(hp_cache_was_read(cache, 3) + hp_cache_was_read(cache, 4), 1);
	assert_int_equal(seen_row("a \"block\"")->calls + seen_row("\xc2\xb5-op")->calls,
			 2 * MADE_CALLS + 1);
}

static void everybody_has_a_turn(void **state)
{
	const uint32_t visible[] = { 2 };

	(void)state;
	read_again();
	for (unsigned i = 0; i < MADE_STATS; i++)
		made.stats[i]->calls++;
	read_visible(visible, 1);
	read_visible(visible, 1);
	assert_exact();
}

static void what_is_gathered_is_the_same(void **state)
{
	const uint32_t visible[] = { 1, 2, 3, 4 };

	(void)state;
	/* The lane knows better than the first alloc what that has. */
	made.lanes[0]->owner = made_offset(&made, made.allocs[0]);
	made.allocs[0]->base_bytes = 100;
	made.allocs[0]->is_open = 1;
	read_with((struct hp_glance){ visible, 4, 0, 1, 0, read_made, pause, NULL });
	assert_exact();
	assert_true(reads >= MADE_STATS);
}

static void move(uint64_t *link, const void *from, const void *to)
{
	if (*link == made_offset(&made, from))
		*link = made_offset(&made, to);
}

/* Stats that a program makes one after the other are close together. */
static void bring_together(void)
{
	for (unsigned i = 0; i < MADE_STATS; i++) {
		struct hp_stat *from = made.stats[i], *to = made_take(&made, sizeof(*to));
		*to = *from;
		made.stats[i] = to;
		for (unsigned j = 0; j < MADE_LANES; j++)
			move(&made.lanes[j]->stats, from, to);
		for (unsigned j = 0; j < MADE_STATS; j++)
			move(&made.stats[j]->next, from, to);
	}
	made_header(&made)->used = made.size;
}

static void neighbours_are_read_at_once(void **state)
{
	const uint32_t visible[] = { 4, 2, 1, 3 };

	(void)state;
	bring_together();
	read_again();
	for (unsigned i = 0; i < MADE_STATS; i++)
		made.stats[i]->calls++;
	read_with((struct hp_glance){ visible, 4, 4, 1, 0, read_made, pause, NULL });
	assert_exact();
	assert_int_equal(stat_reads, 1);
}

/* The calls of each function and their time are of one moment, though the program goes on while they are read. */
static void assert_one_moment(void)
{
	static const char *const names[] = { "work", "a \"block\"", "\xc2\xb5-op" };
	const uint32_t visible[] = { 1, 2, 3, 4 };

	for (unsigned i = 0; i < MADE_STATS; i++)
		made.stats[i]->flushed = made.stats[i]->calls;
	read_model();
	read_with((struct hp_glance){ visible, 4, 4, 1, 0, read_and_go_on, pause, NULL });
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(seen_row(names[i])->total_ns - row(names[i])->total_ns,
				 (seen_row(names[i])->calls - row(names[i])->calls) * CALL_NS);
	read_again();
	assert_exact();
}

static void figures_are_of_one_moment(void **state)
{
	(void)state;
	assert_one_moment();
}

static void figures_of_neighbours_are_of_one_moment(void **state)
{
	(void)state;
	bring_together();
	assert_one_moment();
}

static void neighbours_are_read_one_by_one_otherwise(void **state)
{
	const uint32_t visible[] = { 1, 2, 3, 4 };

	(void)state;
	bring_together();
	read_with((struct hp_glance){ visible, 4, 4, 1, 0, read_little, pause, NULL });
	assert_exact();
	assert_true(stat_reads > MADE_STATS);
}

/* A system call for each part of each stat would take most of the time. */
static void everything_is_read_in_place(void **state)
{
	(void)state;
	read_with((struct hp_glance){ NULL, 0, 0, 0, 0, read_made, pause, NULL });
	assert_exact();
	assert_int_equal(reads, 0);
}

/* The ring holds 128: calls 100 to 139 are on both sides of its end. */
static void what_is_gathered_may_wrap(void **state)
{
	const uint32_t visible[] = { 1, 2, 3, 4 };

	(void)state;
	made.stats[1]->calls = 140;
	made.stats[1]->flushed = 100;
	read_with((struct hp_glance){ visible, 4, 0, 1, 0, read_made, pause, NULL });
	assert_exact();
	made.stats[1]->calls = UINT64_MAX;
	made.stats[1]->flushed = 1;
	read_with((struct hp_glance){ visible, 4, 0, 1, 0, read_made, pause, NULL });
	assert_exact();
}

/* 30 of 6430 calls wait, and are longer than the others. */
static void newest_calls_are_average_until_they_rest(void **state)
{
	const struct hp_glance glance = { NULL, 0, 0, 1, 0, read_made, pause, NULL };
	struct hp_stat *stat = made.stats[0];

	(void)state;
	read_with(glance);
	stat->calls = 6430;
	stat->flushed = 6400;
	stat->total = stat->self = 6400000;
	for (unsigned i = 0; i < HP_RING; i++)
		stat->ring[i].duration = stat->places[i % HP_FLUSH] = 100000;
	const uint32_t visible[] = { stat->site };
	read_with((struct hp_glance){ visible, 1, 0, 1, 0, read_made, pause, NULL });
	read_model();
	assert_int_equal(seen_row("work")->calls, row("work")->calls);
	assert_true(seen_row("work")->total_ns < row("work")->total_ns);
	read_with((struct hp_glance){ visible, 1, 0, 1, 0, read_made, pause, NULL });
	assert_same_row(seen_row("work"), row("work"));
}

/* 30 of 6430 calls wait, and are slower: who looks at a function closely sees them at once, and is told that he does. */
static void newest_calls_are_there_if_they_are_wanted(void **state)
{
	const uint32_t visible[] = { made.stats[0]->site, 12345 };
	struct hp_stat *stat = made.stats[0];

	(void)state;
	read_with((struct hp_glance){ visible, 1, 0, 1, 0, read_made, pause, NULL });
	stat->calls = 6430;
	stat->flushed = 6400;
	stat->total = stat->self = 6400000;
	for (unsigned i = 0; i < HP_RING; i++)
		stat->ring[i].duration = stat->places[i % HP_FLUSH] = 100000;
	uint64_t before = hp_cache_histogram(cache, stat->site);
	read_with((struct hp_glance){ visible, 2, 2, 1, 0, read_made, pause, NULL });
	read_model();
	assert_same_row(seen_row("work"), row("work"));
	assert_true(hp_cache_histogram(cache, stat->site) > before);
	assert_int_equal(hp_cache_histogram(cache, 12345), 0);
}

static void what_cannot_be_gathered_is_nothing(void **state)
{
	const uint32_t visible[] = { 1, 2, 3, 4 };

	(void)state;
	read_with((struct hp_glance){ visible, 4, 0, 1, 0, read_nothing, pause, NULL });
	assert_null(seen_row("work"));
}

static void new_functions_are_found(void **state)
{
	(void)state;
	read_again();
	made.sites[5] = (struct hp_site){ .kind = HP_SITE_FUNCTION, .line = 1 };
	made.sites[5].name = made_string(&made, "late");
	made_header(&made)->site_count = 5;
	made_stat(&made, 3, made.lanes[1], 5);
	made_header(&made)->used = made.size;
	read_visible(NULL, 0);
	assert_non_null(seen_row("late"));
	assert_exact();
}

/* A program may register a function while it is looked at: it is there the next time. */
static void functions_that_come_meanwhile_are_not_lost(void **state)
{
	(void)state;
	made.sites[5] = (struct hp_site){ .kind = HP_SITE_FUNCTION, .line = 1 };
	made.sites[5].name = made_string(&made, "late");
	made_stat(&made, 3, made.lanes[1], 5);
	made_header(&made)->used = made.size;
	struct hp_snapshot snapshot;
	struct hp_stat_index index = { .sites = NULL };
	assert_null(hp_snapshot_open(&snapshot, made.bytes, made.size, false));
	made_header(&made)->site_count = 5;
	assert_true(hp_stat_index_update(&index, &snapshot));
	assert_int_equal(hp_stat_index_site(&index, 5).count, 1);
	hp_stat_index_free(&index);
}

static void new_threads_are_found(void **state)
{
	(void)state;
	read_again();
	struct hp_lane *lane = made_lane(&made, 1);
	made_stat(&made, 3, lane, 2);
	made_header(&made)->used = made.size;
	read_again();
	assert_int_equal(seen_row("work")->calls, 3 * MADE_CALLS);
	assert_exact();
}

static void figures_are_of_one_session(void **state)
{
	(void)state;
	read_again();
	/* Nobody has begun yet; then the first lane has, and then the second. */
	made_header(&made)->session = 7;
	read_visible(NULL, 0);
	assert_null(seen_row("work"));
	assert_int_equal(hp_cache_session(cache), 7);
	made.lanes[0]->session = 7;
	made.stats[0]->calls = made.stats[0]->flushed = 1;
	read_again();
	assert_int_equal(seen_row("work")->calls, 1);
	assert_exact();
	made.lanes[1]->session = 7;
	read_again();
	assert_int_equal(seen_row("work")->calls, 1 + MADE_CALLS);
	assert_exact();
}

/* Sites do not go away: it is another segment. */
static void another_segment_is_begun_with(void **state)
{
	(void)state;
	read_again();
	made_header(&made)->site_count = 2;
	read_again();
	assert_null(seen_row("a \"block\""));
	assert_exact();
}

static void one_function_can_be_asked_for(void **state)
{
	struct hp_error error = { "" };
	struct hp_calling *calling;
	struct hp_recent *recent;

	(void)state;
	read_again();
	assert_int_equal(hp_cache_calling(cache, made.bytes, made.size, false, 2, &calling, &error),
			 2);
	assert_int_equal(calling[0].tid, 100);
	assert_int_equal(calling[1].tid, 101);
	assert_string_equal(calling[0].name, "thread");
	assert_int_equal(calling[0].calls, MADE_CALLS);
	uint64_t total = calling[0].total_ns + calling[1].total_ns;
	assert_in_range(total, seen_row("work")->total_ns - 1, seen_row("work")->total_ns + 1);
	free(calling);
	assert_int_equal(
		hp_cache_calling(cache, made.bytes, made.size, false, 99, &calling, &error), 0);
	assert_null(calling);
	assert_true(hp_cache_recent(cache, made.bytes, made.size, false, "work", &recent, &error) >
		    0);
	free(recent);
	assert_true(hp_cache_recent(cache, made.bytes, made.size, false, "x", &recent, &error) < 0);
	assert_string_equal(error.text, "no function is named 'x'");
}

/* Whoever reads again and again converts times by one rate, although that in the segment is corrected. */
static void times_do_not_fall(void **state)
{
	struct hp_glance glance = { .ticks_per_second = made_header(&made)->ticks_per_second };

	(void)state;
	read_with(glance);
	uint64_t before = seen_row("work")->total_ns;
	made_header(&made)->ticks_per_second += made_header(&made)->ticks_per_second / 1000;
	read_with(glance);
	assert_int_equal(seen_row("work")->total_ns, before);
	glance.ticks_per_second = 0;
	read_with(glance);
	assert_true(seen_row("work")->total_ns < before);
	assert_exact();
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, finish)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(first_look_sees_everything),
		TEST(visible_functions_are_as_of_now),
		TEST(everybody_has_a_turn),
		TEST(what_is_gathered_is_the_same),
		TEST(neighbours_are_read_at_once),
		TEST(figures_are_of_one_moment),
		TEST(figures_of_neighbours_are_of_one_moment),
		TEST(neighbours_are_read_one_by_one_otherwise),
		TEST(everything_is_read_in_place),
		TEST(what_is_gathered_may_wrap),
		TEST(newest_calls_are_average_until_they_rest),
		TEST(newest_calls_are_there_if_they_are_wanted),
		TEST(what_cannot_be_gathered_is_nothing),
		TEST(new_functions_are_found),
		TEST(functions_that_come_meanwhile_are_not_lost),
		TEST(new_threads_are_found),
		TEST(figures_are_of_one_session),
		TEST(another_segment_is_begun_with),
		TEST(one_function_can_be_asked_for),
		TEST(times_do_not_fall),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
