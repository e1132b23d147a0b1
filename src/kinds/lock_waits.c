/* SPDX-License-Identifier: MIT */
/* Who waits for whom: the function that had to wait for a lock, and the one that held it. */
#include "lock_waits.h"

#include "data_flow.h"
#include "edge.h"
#include "kind.h"

#include <stdlib.h>
#include <string.h>

enum { WAIT };

/* clang-format off */
static const struct hp_field fields[] = {
	{ .key = "name", .unit = HP_FIELD_NAME, .at = HP_AT(struct hp_entry, name) },
	{ "holder", "Held by", HP_FIELD_TEXT, HP_TEXT(HP_LOCK_WAIT_HOLDER), .rank = 1 },
	{ "lock", "Lock", HP_FIELD_TEXT, HP_TEXT(HP_LOCK_WAIT_LOCK), .rank = 1 },
	{ "wait_sampled_count", "Count", HP_FIELD_COUNT, HP_TIMES(WAIT, COUNT), .rank = 2,
	  .compare = { "lock_waits", .kind = HP_COMPARED_LEVEL, .nth = 1, .rank = 1, .is_neutral = true, .per = HP_PER_SECOND } },
	{ "wait_sum_ns", "Total", HP_FIELD_TIME, HP_TIMES(WAIT, SUM), .rank = 1,
	  .compare = { "lock_waits_total", .kind = HP_COMPARED_TIME, .nth = 0, .decides = true, .per = HP_TIMES(WAIT, COUNT) } },
	{ "wait_min_ns", NULL, HP_FIELD_TIME, HP_TIMES(WAIT, MIN), .known = HP_TIMES(WAIT, COUNT) },
	{ "wait_avg_ns", "Avg", HP_FIELD_TIME, HP_TIMES(WAIT, SUM), HP_TIMES(WAIT, COUNT), .rank = 3 },
	{ "wait", "P", HP_FIELD_PERCENTILE, HP_TIMES(WAIT, COUNT), .rank = 4 },
	{ "wait_max_ns", "Max", HP_FIELD_TIME, HP_TIMES(WAIT, MAX), .known = HP_TIMES(WAIT, COUNT), .rank = 3 },
	{ "refused_count", "Refused", HP_FIELD_COUNT, HP_WORD(HP_LOCK_WAIT_REFUSED), .merge = HP_MERGE_SUM, .rank = 5,
	  .when = HP_SHOWN_IF_ANY, .counter = HP_FROM_COUNTER(HP_LOCK_REFUSED) },
	{ "wait_histogram", NULL, HP_FIELD_HISTOGRAM, HP_TIMES(WAIT, COUNT) },
	HP_FIELDS_NONE,
};
/* clang-format on */

static bool take_names(struct hp_entry *entry, const struct hp_shared *shared,
		       const struct hp_source *source)
{
	uint32_t sites[3];

	(void)shared;
	hp_edge_numbers(entry->name, sites);
	free(entry->name);
	entry->name = hp_edge_name(source, sites[0]);
	entry->texts[HP_LOCK_WAIT_HOLDER] = hp_edge_name(source, sites[1]);
	entry->texts[HP_LOCK_WAIT_LOCK] = hp_edge_name(source, sites[2]);
	entry->is_labelled = false;
	return entry->name && entry->texts[HP_LOCK_WAIT_HOLDER] && entry->texts[HP_LOCK_WAIT_LOCK];
}

static const char *const events[] = { "lock wait" };

const struct hp_kind hp_kind_lock_waits = {
	.key = "lock_waits",
	.noun = "wait for a lock",
	.header = "Waiting",
	.hint = "hotpath run --waits sees them",
	.limit = "rows of the section about waits for locks",
	.first_site = HP_SITE_LOCK_WAIT,
	.last_site = HP_SITE_LOCK_WAIT,
	.times = 1,
	.first_reason = HP_REASON_LOCK,
	.last_reason = HP_REASON_LOCK,
	.rates = { HP_TIMES(WAIT, COUNT) },
	.fields = fields,
	.tables = { { .name = "lock-waits",
		      .sentence = "Who waits for a lock, and who holds it then.",
		      .order = 93,
		      .tab = "Data flow",
		      .pane = "Lock waits",
		      .how = "Nobody has waited for a lock yet.\n\n"
			     "Start the program with 'hotpath run --waits PROGRAM', or link it with\n"
			     "hotpath-waits." } },
	.events = events,
	.read = take_names,
	.order = hp_edges_by_total,
	.joins = true,
	.texts_tell = true,
};
