/* SPDX-License-Identifier: MIT */
/* Locks: how often each was acquired, how long threads waited for it, and how long they held it. */
#include "kind.h"

#include "arithmetic.h"
#include "atomic.h"
#include "data_flow.h"

#include <string.h>

enum {
	INSTANCES,
	GONE,
	ACQUIRED,
	CONTENDED,
	/* Acquired without a wait. */
	AT_ONCE,
	REFUSED,
	/* Waits that ended without the lock. */
	IN_VAIN,
	MOST_WAITERS,
};

/* By the part of the stat. */
enum { HOLD, WAIT };

/* By the kind of the site. */
static const char *const types[] = { "mutex", "rwlock read", "rwlock write", "spin", "own" };

enum { TYPES = sizeof(types) / sizeof(*types) };

static void put_type(const void *row, struct hp_text *text)
{
	const struct hp_entry *entry = row;

	hp_text_puts(text, types[(entry->site_kind - HP_SITE_MUTEX) % TYPES]);
}

static bool parse_type(void *row, const char *text)
{
	struct hp_entry *entry = row;

	for (unsigned i = 0; i < TYPES; i++) {
		if (strcmp(types[i], text) == 0) {
			entry->site_kind = (enum hp_site_kind)(HP_SITE_MUTEX + i);
			return true;
		}
	}
	return false;
}

static bool has_place(const void *row)
{
	return ((const struct hp_entry *)row)->file;
}

/* How often a lock is acquired, and is not free then, depends on when threads come. */
/* clang-format off */
static const struct hp_field fields[] = {
	HP_FIELDS_BEGIN("name"),
	{ "lock_type", "Kind", HP_FIELD_SPECIAL, HP_SLOT_NONE, .rank = 2,
	  .put = put_type, .parse = parse_type, .wanted = "mutex, rwlock read, rwlock write, spin or own" },
	{ "instances", "Inst", HP_FIELD_COUNT, HP_WORD(INSTANCES), .merge = HP_MERGE_SUM, .is_level = true, .rank = 7 },
	{ "destroyed_instances", NULL, HP_FIELD_COUNT, HP_WORD(GONE), .merge = HP_MERGE_SUM, .is_level = true },
	{ "acquired_count", "Acquired", HP_FIELD_COUNT, HP_WORD(ACQUIRED), .merge = HP_MERGE_SUM, .rank = 1,
	  .counter = HP_FROM_COUNTER(HP_LOCK_ACQUIRED),
	  .compare = { "lock_acquired", .kind = HP_COMPARED_LEVEL, .nth = 0, .rank = 2, .is_neutral = true,
		       .per = HP_PER_SECOND } },
	{ "contended_count", "Contended", HP_FIELD_COUNT, HP_WORD(CONTENDED), .merge = HP_MERGE_SUM, .rank = 3,
	  .counter = HP_FROM_COUNTER(HP_LOCK_CONTENDED),
	  .compare = { "lock_contended", .kind = HP_COMPARED_LEVEL, .nth = 1, .rank = 1, .per = HP_WORD(ACQUIRED) } },
	{ "uncontended_count", NULL, HP_FIELD_COUNT, HP_WORD(AT_ONCE) },
	{ "contended_percent", "%", HP_FIELD_SHARE, HP_WORD(CONTENDED), HP_WORD(AT_ONCE), .rank = 2, .sort = "percent" },
	{ "refused_count", "Refused", HP_FIELD_COUNT, HP_WORD(REFUSED), .merge = HP_MERGE_SUM, .rank = 7,
	  .when = HP_SHOWN_IF_ANY,
	  .counter = HP_FROM_COUNTER(HP_LOCK_REFUSED) },
	{ "timed_out_count", NULL, HP_FIELD_COUNT, HP_WORD(IN_VAIN), .merge = HP_MERGE_SUM,
	  .counter = HP_FROM_COUNTER(HP_LOCK_IN_VAIN) },
	{ "wait_sampled_count", NULL, HP_FIELD_COUNT, HP_TIMES(WAIT, COUNT) },
	{ "wait_min_ns", NULL, HP_FIELD_TIME, HP_TIMES(WAIT, MIN), .known = HP_TIMES(WAIT, COUNT) },
	{ "wait_avg_ns", "Wait avg", HP_FIELD_TIME, HP_TIMES(WAIT, SUM), HP_TIMES(WAIT, COUNT), .rank = 4,
	  .compare = { "lock_wait_avg", .kind = HP_COMPARED_TIME, .nth = 3, .rank = 4, .needs_row = true } },
	{ "wait", "Wait P", HP_FIELD_PERCENTILE, HP_TIMES(WAIT, COUNT), .rank = 6 },
	{ "wait_max_ns", "Wait max", HP_FIELD_TIME, HP_TIMES(WAIT, MAX), .known = HP_TIMES(WAIT, COUNT), .rank = 5,
	  .compare = { "lock_wait_max", .kind = HP_COMPARED_TIME, .nth = 4, .rank = 6, .needs_row = true } },
	{ "wait_sum_ns", "Wait total", HP_FIELD_TIME, HP_TIMES(WAIT, SUM), .rank = 1,
	  .compare = { "lock_wait_total", .kind = HP_COMPARED_TIME, .nth = 2, .decides = true, .per = HP_WORD(ACQUIRED) } },
	{ "wait_histogram", NULL, HP_FIELD_HISTOGRAM, HP_TIMES(WAIT, COUNT) },
	{ "hold_sampled_count", NULL, HP_FIELD_COUNT, HP_TIMES(HOLD, COUNT) },
	{ "hold_sum_ns", NULL, HP_FIELD_TIME, HP_TIMES(HOLD, SUM) },
	{ "hold_min_ns", NULL, HP_FIELD_TIME, HP_TIMES(HOLD, MIN), .known = HP_TIMES(HOLD, COUNT) },
	{ "hold_avg_ns", "Hold avg", HP_FIELD_TIME, HP_TIMES(HOLD, SUM), HP_TIMES(HOLD, COUNT), .rank = 3,
	  .when = HP_SHOWN_IF_ANY,
	  .compare = { "lock_hold_avg", .kind = HP_COMPARED_TIME, .nth = 5, .rank = 3, .needs_row = true } },
	{ "hold", "Hold P", HP_FIELD_PERCENTILE, HP_TIMES(HOLD, COUNT), .rank = 6, .when = HP_SHOWN_IF_ANY },
	{ "hold_max_ns", "Hold max", HP_FIELD_TIME, HP_TIMES(HOLD, MAX), .known = HP_TIMES(HOLD, COUNT), .rank = 5,
	  .when = HP_SHOWN_IF_ANY,
	  .compare = { "lock_hold_max", .kind = HP_COMPARED_TIME, .nth = 6, .rank = 7, .needs_row = true } },
	{ "hold_histogram", NULL, HP_FIELD_HISTOGRAM, HP_TIMES(HOLD, COUNT) },
	{ "max_waiters", "Max waiters", HP_FIELD_COUNT, HP_WORD(MOST_WAITERS), .merge = HP_MERGE_MOST, .rank = 6,
	  .compare = { "lock_max_waiters", .kind = HP_COMPARED_LEVEL, .nth = 7, .rank = 5 } },
	{ "location", "Where", HP_FIELD_PLACE, .rank = 8, .when = HP_SHOWN_IF_ANY, .is_worth = has_place },
	HP_FIELDS_NONE,
};
/* clang-format on */

static bool take_shared(struct hp_entry *entry, const struct hp_shared *shared,
			const struct hp_source *source)
{
	(void)source;
	entry->words[INSTANCES] = load(&shared->instances, RELAXED);
	entry->words[GONE] = load(&shared->closed, RELAXED);
	entry->words[MOST_WAITERS] = load(&shared->most, RELAXED);
	/* In a forked child, a lock of its parent was made before the child was. */
	if (!entry->words[INSTANCES])
		entry->words[INSTANCES] = 1;
	return true;
}

static void settle(struct hp_entry *entry)
{
	uint64_t *words = entry->words;
	uint64_t waited_for = hp_minus(words[CONTENDED], words[IN_VAIN]);

	words[AT_ONCE] = hp_minus(words[ACQUIRED], waited_for);
}

/* The most waited for first, then those that are acquired most often. */
static int by_waits(const void *left, const void *right)
{
	const struct hp_entry *a = *(const struct hp_entry *const *)left;
	const struct hp_entry *b = *(const struct hp_entry *const *)right;
	uint64_t ours = a->times[WAIT].sum_ns, theirs = b->times[WAIT].sum_ns;
	int order = (ours < theirs) - (ours > theirs);

	if (!order)
		order = (a->words[ACQUIRED] < b->words[ACQUIRED]) -
			(a->words[ACQUIRED] > b->words[ACQUIRED]);
	return order ? order : strcmp(a->name, b->name);
}

#define HOW                                                                                        \
	"No lock has been seen yet.\n\n"                                                           \
	"Start the program with 'hotpath run --waits PROGRAM', or link it with\n"                  \
	"hotpath-waits. Tell of locks of your own with HOTPATH_LOCK_NEW() (hotpath.h)."

const struct hp_kind hp_kind_locks = {
	.key = "locks",
	.noun = "lock",
	.header = "Lock",
	.hint = "hotpath run --waits sees them, HOTPATH_LOCK_NEW makes one",
	.limit = "rows of the section about locks",
	.first_site = HP_SITE_MUTEX,
	.last_site = HP_SITE_OWN_LOCK,
	.times = 2,
	.rates = { HP_WORD(ACQUIRED), HP_WORD(CONTENDED) },
	.fields = fields,
	.tables = { { .name = "locks",
		      .sentence = "Waiting for locks, and holding them.",
		      .order = 92,
		      .tab = "Data flow",
		      .pane = "Locks",
		      .how = HOW } },
	.events = types,
	.read = take_shared,
	.settle = settle,
	.order = by_waits,
	.joins = true,
};
