/* SPDX-License-Identifier: MIT */
/* Event loops: how long each turn was busy, and which callback took longest. */
#include "kind.h"

#include "atomic.h"
#include "data_flow.h"

enum {
	IDLE,
	CALLBACK_TIME,
	CALLBACKS,
	SLOWEST_TIME,
};

enum { BUSY };

/* The name of the slowest callback. */
enum { SLOWEST };

/* How often a loop turns, and how many callbacks it finds in a turn, depends on when events come. */
/* clang-format off */
static const struct hp_field fields[] = {
	HP_FIELDS_BEGIN("name"),
	{ "busy_sampled_count", "Turns", HP_FIELD_COUNT, HP_TIMES(BUSY, COUNT), .rank = 3,
	  .compare = { "turns", .kind = HP_COMPARED_LEVEL, .nth = 0, .rank = 4, .is_neutral = true, .per = HP_PER_SECOND } },
	{ "busy_sum_ns", NULL, HP_FIELD_TIME, HP_TIMES(BUSY, SUM) },
	{ "busy_min_ns", NULL, HP_FIELD_TIME, HP_TIMES(BUSY, MIN), .known = HP_TIMES(BUSY, COUNT) },
	{ "busy_avg_ns", "Busy Avg", HP_FIELD_TIME, HP_TIMES(BUSY, SUM), HP_TIMES(BUSY, COUNT), .rank = 2,
	  .compare = { "busy_avg", .kind = HP_COMPARED_TIME, .nth = 1, .rank = 1, .needs_row = true } },
	{ "busy", "P", HP_FIELD_PERCENTILE, HP_TIMES(BUSY, COUNT), .rank = 5,
	  .compare = { "busy_", "", HP_COMPARED_TIME, .nth = 2, .rank = 5, .needs_row = true } },
	{ "busy_max_ns", "Max", HP_FIELD_TIME, HP_TIMES(BUSY, MAX), .known = HP_TIMES(BUSY, COUNT), .rank = 1,
	  .compare = { "busy_max", .kind = HP_COMPARED_TIME, .nth = 3, .rank = 2, .needs_row = true } },
	{ "busy_histogram", NULL, HP_FIELD_HISTOGRAM, HP_TIMES(BUSY, COUNT) },
	{ NULL, "Idle %", HP_FIELD_SHARE, HP_WORD(IDLE), HP_TIMES(BUSY, SUM), .rank = 1 },
	{ "idle_ns", NULL, HP_FIELD_TIME, HP_WORD(IDLE), .merge = HP_MERGE_SUM,
	  .counter = HP_FROM_COUNTER(HP_LOOP_IDLE),
	  .compare = { "idle", "Idle", HP_COMPARED_TIME, .nth = 4, .rank = 6, .is_neutral = true, .per = HP_PER_SECOND } },
	{ "callback_count", "Callbacks", HP_FIELD_COUNT, HP_WORD(CALLBACKS), .merge = HP_MERGE_SUM, .rank = 4,
	  .counter = HP_FROM_COUNTER(HP_LOOP_CALLBACKS),
	  .compare = { "callbacks", .kind = HP_COMPARED_LEVEL, .nth = 5, .rank = 3, .per = HP_PER_SECOND } },
	{ "callback_ns", "In callbacks", HP_FIELD_TIME, HP_WORD(CALLBACK_TIME), .merge = HP_MERGE_SUM, .rank = 4,
	  .counter = HP_FROM_COUNTER(HP_LOOP_CALLBACK),
	  .compare = { "callback_time", .kind = HP_COMPARED_TIME, .nth = 6, .decides = true, .per = HP_WORD(CALLBACKS) } },
	{ "slowest_callback", "Slowest", HP_FIELD_TEXT, HP_TEXT(SLOWEST), HP_WORD(SLOWEST_TIME), .rank = 3,
	  .merge = HP_MERGE_WITH_MOST },
	{ "slowest_callback_ns", NULL, HP_FIELD_TIME, HP_WORD(SLOWEST_TIME), .merge = HP_MERGE_MOST,
	  .compare = { "slowest", "Slowest", HP_COMPARED_TIME, .nth = 7, .rank = 7, .needs_row = true, .is_seen = true } },
	HP_FIELDS_END,
};
/* clang-format on */

static bool take_shared(struct hp_entry *entry, const struct hp_shared *shared,
			const struct hp_source *source)
{
	bool failed = false;

	entry->words[SLOWEST_TIME] = source->ns(source, load(&shared->most, RELAXED));
	entry->texts[SLOWEST] = source->label(source, load(&shared->other, RELAXED), &failed);
	return !failed;
}

static const char *const events[] = { "loop" };

const struct hp_kind hp_kind_loops = {
	.key = "loops",
	.noun = "event loop",
	.header = "Loop",
	.hint = "hotpath run --probes=glib or uv sees them",
	.limit = "rows of the section about event loops",
	.first_site = HP_SITE_LOOP,
	.last_site = HP_SITE_LOOP,
	.times = 1,
	.rates = { HP_TIMES(BUSY, COUNT) },
	.fields = fields,
	.tables = { { .name = "loops",
		      .sentence = "Turns of event loops; while one is busy, events wait.",
		      .compared = "event loops",
		      .order = 90,
		      .tab = "Data flow",
		      .pane = "Loops",
		      .how = "No event loop has been seen yet.\n\n"
			     "Start a program that uses libuv or GLib with\n"
			     "'hotpath run --probes=uv,glib PROGRAM'." } },
	.events = events,
	.read = take_shared,
};
