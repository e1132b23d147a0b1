/* SPDX-License-Identifier: MIT */
/* Futures: operations that go on in steps, which are polls, from creation to end. */
#include "kind.h"

#include "atomic.h"
#include "data_flow.h"

enum {
	MADE,
	/* Ready or cancelled. */
	ENDED,
	CANCELLED,
	POLLS,
	POLL_TIME,
	LONGEST_POLL,
	/* Allocated in polls; 0 if allocations are not recorded. */
	POLL_BYTES,
	POLL_BLOCKS,
	/* Work in a thread pool: how long it waited for a thread, and ran there. */
	QUEUED,
	SERVED,
};

enum { LIFETIME };

/* clang-format off */
static const struct hp_field fields[] = {
	HP_FIELDS_BEGIN("name"),
	{ "call_count", "Calls", HP_FIELD_COUNT, HP_WORD(MADE), .merge = HP_MERGE_SUM, .rank = 1,
	  .counter = HP_FROM_COUNTER(HP_FUTURE_MADE), .compare = { "futures", .nth = 0, .rank = 1, .per = HP_PER_SECOND } },
	{ "ended_count", NULL, HP_FIELD_COUNT, HP_WORD(ENDED), .merge = HP_MERGE_SUM },
	{ "total_polls", "Polls", HP_FIELD_COUNT, HP_WORD(POLLS), .merge = HP_MERGE_SUM, .rank = 3,
	  .compare = { "polls", .nth = 1, .rank = 2, .per = HP_WORD(MADE) } },
	{ NULL, "Avg Poll", HP_FIELD_TIME, HP_WORD(POLL_TIME), HP_WORD(POLLS), .rank = 4,
	  .compare = { "poll_avg", .kind = HP_COMPARED_TIME, .nth = 3, .rank = 4, .needs_row = true } },
	{ "total_poll_duration_ns", "Total Poll", HP_FIELD_TIME, HP_WORD(POLL_TIME), .merge = HP_MERGE_SUM, .rank = 2,
	  .compare = { "poll_total", .kind = HP_COMPARED_TIME, .nth = 2, .decides = true, .per = HP_WORD(MADE) } },
	{ "max_poll_duration_ns", NULL, HP_FIELD_TIME, HP_WORD(LONGEST_POLL), .merge = HP_MERGE_MOST },
	{ "lifetime_sampled_count", NULL, HP_FIELD_COUNT, HP_TIMES(LIFETIME, COUNT) },
	{ "lifetime_sum_ns", NULL, HP_FIELD_TIME, HP_TIMES(LIFETIME, SUM) },
	{ "lifetime_min_ns", NULL, HP_FIELD_TIME, HP_TIMES(LIFETIME, MIN), .known = HP_TIMES(LIFETIME, COUNT) },
	{ "lifetime_avg_ns", "Avg", HP_FIELD_TIME, HP_TIMES(LIFETIME, SUM), HP_TIMES(LIFETIME, COUNT), .rank = 1,
	  .compare = { "lifetime_avg", .kind = HP_COMPARED_TIME, .nth = 4, .rank = 3, .needs_row = true } },
	{ "lifetime", "P", HP_FIELD_PERCENTILE, HP_TIMES(LIFETIME, COUNT), .rank = 5,
	  .compare = { "lifetime_", "", HP_COMPARED_TIME, .nth = 5, .rank = 5, .needs_row = true } },
	{ "lifetime_max_ns", NULL, HP_FIELD_TIME, HP_TIMES(LIFETIME, MAX), .known = HP_TIMES(LIFETIME, COUNT),
	  .compare = { "lifetime_max", "Max", HP_COMPARED_TIME, .nth = 6, .rank = 8, .needs_row = true } },
	{ "lifetime_histogram", NULL, HP_FIELD_HISTOGRAM, HP_TIMES(LIFETIME, COUNT) },
	{ "cancelled_count", "Cancelled", HP_FIELD_COUNT, HP_WORD(CANCELLED), .merge = HP_MERGE_SUM, .rank = 4,
	  .counter = HP_FROM_COUNTER(HP_FUTURE_CANCELLED),
	  .compare = { "cancelled", .nth = 7, .rank = 4, .per = HP_PER_SECOND } },
	{ NULL, "Avg Alloc", HP_FIELD_BYTES, HP_WORD(POLL_BYTES), HP_WORD(MADE), .rank = 6,
	  .when = HP_SHOWN_WITH_MEMORY },
	{ "total_poll_alloc_bytes", "Total Alloc", HP_FIELD_BYTES, HP_WORD(POLL_BYTES), .merge = HP_MERGE_SUM, .rank = 6,
	  .when = HP_SHOWN_WITH_MEMORY,
	  .compare = { "poll_alloc_bytes", .nth = 9, .rank = 6, .is_alloc = true, .per = HP_WORD(MADE) } },
	{ "total_poll_alloc_count", NULL, HP_FIELD_COUNT, HP_WORD(POLL_BLOCKS), .merge = HP_MERGE_SUM,
	  .when = HP_SHOWN_WITH_MEMORY,
	  .compare = { "poll_alloc_blocks", "Allocs", .nth = 8, .rank = 6, .is_alloc = true, .per = HP_WORD(MADE) } },
	{ NULL, "Avg Queue", HP_FIELD_TIME, HP_WORD(QUEUED), HP_TIMES(LIFETIME, COUNT), .rank = 5,
	  .when = HP_SHOWN_IF_ANY,
	  .compare = { "queue_avg", .kind = HP_COMPARED_TIME, .nth = 10, .rank = 7, .needs_row = true, .is_seen = true } },
	{ NULL, "Avg Service", HP_FIELD_TIME, HP_WORD(SERVED), HP_TIMES(LIFETIME, COUNT), .rank = 5,
	  .when = HP_SHOWN_IF_ANY,
	  .compare = { "service_avg", .kind = HP_COMPARED_TIME, .nth = 11, .rank = 7, .needs_row = true, .is_seen = true } },
	{ "total_queue_ns", NULL, HP_FIELD_TIME, HP_WORD(QUEUED), .merge = HP_MERGE_SUM,
	  .counter = HP_FROM_COUNTER(HP_FUTURE_QUEUED) },
	{ "total_service_ns", NULL, HP_FIELD_TIME, HP_WORD(SERVED), .merge = HP_MERGE_SUM,
	  .counter = HP_FROM_COUNTER(HP_FUTURE_SERVED) },
	HP_FIELDS_END,
};
/* clang-format on */

/* Polls are calls of a site of their own. */
static bool take_shared(struct hp_entry *entry, const struct hp_shared *shared,
			const struct hp_source *source)
{
	struct hp_site_calls polls = source->calls(source, load(&shared->other, RELAXED));

	entry->words[POLLS] = polls.count;
	entry->words[POLL_TIME] = polls.total_ns;
	entry->words[LONGEST_POLL] = polls.max_ns;
	entry->words[POLL_BYTES] = polls.bytes;
	entry->words[POLL_BLOCKS] = polls.blocks;
	return true;
}

static void settle(struct hp_entry *entry)
{
	entry->words[ENDED] = entry->times[LIFETIME].count + entry->words[CANCELLED];
}

static const char *const events[] = { "future" };

static const struct hp_logged_field log_fields[] = {
	{ "state", "State", HP_LOGGED_STATE, 1, 0 },
	{ "polls", "Polls", HP_LOGGED_POLLS, 3, 4 },
	{ "took_ns", "Took", HP_LOGGED_TOOK, 4, 2 },
	{ "result", "Result", HP_LOGGED_VALUE, 2, 1 },
	{ NULL, NULL, 0, 0, 0 },
};

const struct hp_kind hp_kind_futures = {
	.key = "futures",
	.noun = "future",
	.header = "Future",
	.hint = "HOTPATH_FUTURE_NEW makes one, --probes=glib and uv see others",
	.limit = "rows of the section about futures",
	.first_site = HP_SITE_FUTURE,
	.last_site = HP_SITE_FUTURE,
	.times = 1,
	.rates = { HP_WORD(MADE) },
	.fields = fields,
	.tables = { { .name = "futures",
		      .sentence = "Polls and lifetimes of futures.",
		      .order = 80,
		      .tab = "Data flow",
		      .pane = "Futures",
		      .how = "No future has been seen yet.\n\n"
			     "Tell of async work with HOTPATH_FUTURE_NEW() and HOTPATH_FUTURE_POLL()\n"
			     "(hotpath.h), or start a program that uses libuv or GLib with\n"
			     "'hotpath run --probes=uv,glib PROGRAM'." } },
	.events = events,
	.log = log_fields,
	.no_log = "No future was logged; HOTPATH_FUTURE_READY_LOG() logs them.",
	.read = take_shared,
	.settle = settle,
};
