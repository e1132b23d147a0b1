/* SPDX-License-Identifier: MIT */
/* Waits for something but a lock: a condition, a time, a descriptor, a child. */
#include "waits.h"

#include "edge.h"
#include "kind.h"

#include <stdlib.h>
#include <string.h>

const char *const hp_wait_reasons[HP_REASONS] = {
	NULL,
#define REASON(name, word) word,
#include "reasons.def"
#undef REASON
};

/* clang-format off */
static const struct hp_field fields[] = {
	{ .key = "name", .unit = HP_FIELD_NAME, .at = HP_AT(struct hp_entry, name) },
	{ "reason", "For", HP_FIELD_TEXT, HP_TEXT(HP_WAIT_REASON), .rank = 1 },
	{ "target", "Target", HP_FIELD_TEXT, HP_TEXT(HP_WAIT_TARGET), .rank = 2 },
	{ "wait_sampled_count", "Count", HP_FIELD_COUNT, HP_TIMES(HP_WAIT_TIME, COUNT), .rank = 2,
	  .compare = { "wait_count", .kind = HP_COMPARED_LEVEL, .nth = 1, .rank = 1, .is_neutral = true, .per = HP_PER_SECOND } },
	{ "wait_sum_ns", "Total", HP_FIELD_TIME, HP_TIMES(HP_WAIT_TIME, SUM), .rank = 1,
	  .compare = { "wait_total", .kind = HP_COMPARED_TIME, .nth = 0, .decides = true, .per = HP_PER_SECOND } },
	{ "wait_min_ns", NULL, HP_FIELD_TIME, HP_TIMES(HP_WAIT_TIME, MIN), .known = HP_TIMES(HP_WAIT_TIME, COUNT) },
	{ "wait_avg_ns", "Avg", HP_FIELD_TIME, HP_TIMES(HP_WAIT_TIME, SUM), HP_TIMES(HP_WAIT_TIME, COUNT), .rank = 3,
	  .compare = { "wait_avg", .kind = HP_COMPARED_TIME, .nth = 2, .rank = 2, .needs_row = true } },
	{ "wait", "P", HP_FIELD_PERCENTILE, HP_TIMES(HP_WAIT_TIME, COUNT), .rank = 4 },
	{ "wait_max_ns", "Max", HP_FIELD_TIME, HP_TIMES(HP_WAIT_TIME, MAX), .known = HP_TIMES(HP_WAIT_TIME, COUNT), .rank = 3,
	  .compare = { "wait_max", .kind = HP_COMPARED_TIME, .nth = 3, .rank = 3, .needs_row = true } },
	{ "wait_histogram", NULL, HP_FIELD_HISTOGRAM, HP_TIMES(HP_WAIT_TIME, COUNT) },
	HP_FIELDS_NONE,
};
/* clang-format on */

static char *reason_of(uint32_t reason)
{
	const char *word = reason < HP_REASONS ? hp_wait_reasons[reason] : NULL;

	return strdup(word ? word : "<unknown>");
}

static bool take_names(struct hp_entry *entry, const struct hp_shared *shared,
		       const struct hp_source *source)
{
	uint32_t numbers[3];

	(void)shared;
	hp_edge_numbers(entry->name, numbers);
	free(entry->name);
	entry->name = hp_edge_name(source, numbers[1]);
	entry->texts[HP_WAIT_REASON] = reason_of(numbers[0]);
	if (numbers[2])
		entry->texts[HP_WAIT_TARGET] = hp_edge_name(source, numbers[2]);
	entry->is_labelled = false;
	return entry->name && entry->texts[HP_WAIT_REASON] &&
	       (!numbers[2] || entry->texts[HP_WAIT_TARGET]);
}

static const char *const events[] = { "wait" };

const struct hp_kind hp_kind_waits = {
	.key = "waits",
	.noun = "wait",
	.header = "Waiting",
	.hint = "hotpath run --waits sees them",
	.limit = "rows of the section about other waits",
	.first_site = HP_SITE_WAIT,
	.last_site = HP_SITE_WAIT,
	.times = 1,
	.first_reason = HP_REASON_CONDITION,
	.last_reason = HP_REASON_FUTEX,
	.rates = { HP_TIMES(HP_WAIT_TIME, COUNT) },
	.fields = fields,
	.tables = { { .name = "waits",
		      .sentence = "What functions wait for, other than locks.",
		      .order = 94,
		      .tab = "Data flow",
		      .pane = "Waits",
		      .how = "Nothing was waited for yet.\n\n"
			     "Start the program with 'hotpath run --waits PROGRAM', or link it with\n"
			     "hotpath-waits." } },
	.events = events,
	.read = take_names,
	.order = hp_edges_by_total,
	.joins = true,
	.texts_tell = true,
};
