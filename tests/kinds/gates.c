/* SPDX-License-Identifier: MIT */
/*
 * A kind that exists in tests only: gates, which somebody waits at, passes and holds, or is refused at.
 *
 * It has a counter in each of its two parts, two histograms, a text and a ratio. This file and a line in kinds.def are
 * all that a kind needs.
 */
#include "kind.h"

#include "atomic.h"
#include "data_flow.h"

enum {
	PASSED,
	REFUSED,
	LONGEST,
};

enum { WAIT, HOLD };

/* The name of who held it longest. */
enum { KEEPER };

/* clang-format off */
static const struct hp_field fields[] = {
	HP_FIELDS_BEGIN("name"),
	{ "passed_count", "Passed", HP_FIELD_COUNT, HP_WORD(PASSED), .merge = HP_MERGE_SUM, .rank = 1,
	  .counter = HP_FROM_COUNTER(0), .compare = { "gate_passed", .nth = 0 } },
	{ "refused_count", NULL, HP_FIELD_COUNT, HP_WORD(REFUSED), .merge = HP_MERGE_SUM,
	  .counter = HP_FROM_COUNTER(5) },
	{ "refused_percent", "Refused %", HP_FIELD_SHARE, HP_WORD(REFUSED), HP_WORD(PASSED), .rank = 2 },
	{ "wait_sampled_count", NULL, HP_FIELD_COUNT, HP_TIMES(WAIT, COUNT) },
	{ "wait_sum_ns", NULL, HP_FIELD_TIME, HP_TIMES(WAIT, SUM) },
	{ "wait_min_ns", NULL, HP_FIELD_TIME, HP_TIMES(WAIT, MIN), .known = HP_TIMES(WAIT, COUNT) },
	{ "wait_avg_ns", "Wait Avg", HP_FIELD_TIME, HP_TIMES(WAIT, SUM), HP_TIMES(WAIT, COUNT), .rank = 3 },
	{ "wait", "Wait P", HP_FIELD_PERCENTILE, HP_TIMES(WAIT, COUNT), .rank = 5 },
	{ "wait_max_ns", NULL, HP_FIELD_TIME, HP_TIMES(WAIT, MAX), .known = HP_TIMES(WAIT, COUNT) },
	{ "wait_histogram", NULL, HP_FIELD_HISTOGRAM, HP_TIMES(WAIT, COUNT) },
	{ "hold_sampled_count", NULL, HP_FIELD_COUNT, HP_TIMES(HOLD, COUNT) },
	{ "hold_sum_ns", NULL, HP_FIELD_TIME, HP_TIMES(HOLD, SUM) },
	{ "hold_min_ns", NULL, HP_FIELD_TIME, HP_TIMES(HOLD, MIN), .known = HP_TIMES(HOLD, COUNT) },
	{ "hold_avg_ns", "Hold Avg", HP_FIELD_TIME, HP_TIMES(HOLD, SUM), HP_TIMES(HOLD, COUNT), .rank = 1,
	  .compare = { "gate_hold_avg", .kind = HP_COMPARED_TIME, .nth = 1, .decides = true, .needs_row = true } },
	{ "hold", "Hold P", HP_FIELD_PERCENTILE, HP_TIMES(HOLD, COUNT), .rank = 5 },
	{ "hold_max_ns", NULL, HP_FIELD_TIME, HP_TIMES(HOLD, MAX), .known = HP_TIMES(HOLD, COUNT) },
	{ "hold_histogram", NULL, HP_FIELD_HISTOGRAM, HP_TIMES(HOLD, COUNT) },
	{ "keeper", "Keeper", HP_FIELD_TEXT, HP_TEXT(KEEPER), HP_WORD(LONGEST), .rank = 4, .merge = HP_MERGE_WITH_MOST },
	{ "longest_ns", NULL, HP_FIELD_TIME, HP_WORD(LONGEST), .merge = HP_MERGE_MOST },
	HP_FIELDS_END,
};
/* clang-format on */

static bool take_shared(struct hp_entry *entry, const struct hp_shared *shared,
			const struct hp_source *source)
{
	bool failed = false;

	entry->words[LONGEST] = source->ns(source, load(&shared->most, RELAXED));
	entry->texts[KEEPER] = source->label(source, load(&shared->other, RELAXED), &failed);
	return !failed;
}

static const char *const events[] = { "gate" };

const struct hp_kind hp_kind_gates = {
	.key = "gates",
	.noun = "gate",
	.header = "Gate",
	.hint = "a test makes them",
	.limit = "rows of the section about gates",
	.first_site = 30,
	.last_site = 30,
	.times = 2,
	.rates = { HP_WORD(PASSED) },
	.fields = fields,
	.tables = { { .name = "gates",
		      .sentence = "Waiting at gates, and holding them.",
		      .order = 95,
		      .tab = "Data flow",
		      .pane = "Gates",
		      .how = "No gate has been seen yet." } },
	.events = events,
	.read = take_shared,
};
