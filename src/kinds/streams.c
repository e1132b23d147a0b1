/* SPDX-License-Identifier: MIT */
/* Streams: items that come one after the other. */
#include "kind.h"

#include "atomic.h"
#include "data_flow.h"

enum {
	INSTANCES,
	CLOSED,
	STATE,
	YIELDED,
	YIELDED_BYTES,
};

enum state { ACTIVE, IS_CLOSED = 2 };

/* The numbers are those of channels. */
static const char *const states[] = {
	[ACTIVE] = "active", "full", [IS_CLOSED] = "closed", "notified"
};

/* clang-format off */
static const struct hp_field fields[] = {
	HP_FIELDS_BEGIN("name"),
	{ "instances", "Inst", HP_FIELD_COUNT, HP_WORD(INSTANCES), .merge = HP_MERGE_SUM, .is_level = true, .rank = 5,
	  .compare = { "stream_instances", .nth = 2, .rank = 2, .is_of_runs = true } },
	{ "closed_instances", NULL, HP_FIELD_COUNT, HP_WORD(CLOSED), .merge = HP_MERGE_SUM, .is_level = true },
	{ "state", "State", HP_FIELD_WORD, HP_WORD(STATE), .rank = 3, .words = states, .word_count = 4,
	  .wanted = "active, full, closed or notified" },
	{ "items_yielded", "Yielded", HP_FIELD_COUNT, HP_WORD(YIELDED), .merge = HP_MERGE_SUM, .rank = 1,
	  .counter = HP_FROM_COUNTER(HP_STREAM_ITEMS), .compare = { "items", .nth = 0, .per = HP_PER_SECOND } },
	{ "items_per_sec", "Items/s", HP_FIELD_RATE, 0, .rank = 2 },
	{ "yielded_bytes", "Bytes", HP_FIELD_BYTES, HP_WORD(YIELDED_BYTES), .merge = HP_MERGE_SUM, .rank = 4,
	  .counter = HP_FROM_COUNTER(HP_STREAM_BYTES),
	  .compare = { "item_bytes", .nth = 1, .rank = 1, .per = HP_WORD(YIELDED) } },
	HP_FIELDS_END,
};
/* clang-format on */

static bool take_shared(struct hp_entry *entry, const struct hp_shared *shared,
			const struct hp_source *source)
{
	(void)source;
	entry->words[INSTANCES] = load(&shared->instances, RELAXED);
	entry->words[CLOSED] = load(&shared->closed, RELAXED);
	return true;
}

static void settle(struct hp_entry *entry)
{
	if (entry->words[INSTANCES] && entry->words[CLOSED] >= entry->words[INSTANCES])
		entry->words[STATE] = IS_CLOSED;
}

/* All are closed if they are in both processes. */
static void merge(struct hp_entry *into, const struct hp_entry *from)
{
	if (into->words[STATE] != from->words[STATE])
		into->words[STATE] = ACTIVE;
}

static const char *const events[] = { "stream" };

static const struct hp_logged_field log_fields[] = {
	{ "message", "Message", HP_LOGGED_TEXT, 1, 0 },
	{ "bytes", "Bytes", HP_LOGGED_BYTES, 2, 4 },
	{ NULL, NULL, 0, 0, 0 },
};

const struct hp_kind hp_kind_streams = {
	.key = "streams",
	.noun = "stream",
	.header = "Stream",
	.hint = "HOTPATH_STREAM_NEW makes one",
	.limit = "rows of the section about streams",
	.first_site = HP_SITE_STREAM,
	.last_site = HP_SITE_STREAM,
	/* The time between items, which the console draws. */
	.times = 1,
	.rates = { HP_WORD(YIELDED) },
	.fields = fields,
	.tables = { { .name = "streams",
		      .sentence = "Items that streams yielded.",
		      .order = 70,
		      .tab = "Data flow",
		      .pane = "Streams",
		      .how = "No stream has been seen yet.\n\n"
			     "Tell of streams with HOTPATH_STREAM_NEW() and "
			     "HOTPATH_STREAM_YIELD() (hotpath.h)." } },
	.events = events,
	.log = log_fields,
	.no_log = "No item was logged; HOTPATH_STREAM_YIELD_LOG() logs them.",
	.read = take_shared,
	.settle = settle,
	.merge = merge,
};
