/* SPDX-License-Identifier: MIT */
/* Input and output: which function reads and writes what, how much and how fast. */
#include "io.h"

#include "edge.h"

#include <stdlib.h>
#include <string.h>

enum {
	CALLS,
	BYTES,
	ERRORS,
	SHORT,
	SMALL,
	/* Calls that are not small; none if no bytes were moved. */
	LARGE,
	UNTIMED,
};

uint64_t hp_io_counted_bytes(const struct hp_entry *entry)
{
	const char *operation = entry->texts[HP_IO_OPERATION];
	uint64_t bytes = entry->words[BYTES];

	if (!operation || strcmp(operation, "copy") == 0)
		return 2 * bytes;
	bool is_counted = strcmp(operation, "send") != 0 && strcmp(operation, "receive") != 0 &&
			  strcmp(operation, "splice") != 0;
	return is_counted ? bytes : 0;
}

/* Bytes per second of the time that the calls took; 0 when that is not known. */
static uint64_t rate(const void *row)
{
	const struct hp_entry *entry = row;
	double seconds = (double)entry->times[HP_IO_TIME].sum_ns / 1e9;

	return seconds > 0 ? (uint64_t)((double)entry->words[BYTES] / seconds) : 0;
}

static bool has_rate(const void *row)
{
	const struct hp_entry *entry = row;

	return entry->words[BYTES] && entry->times[HP_IO_TIME].sum_ns;
}

/* The same work has the same calls and bytes, unless it depends on when peers answer: fewer bytes in more calls. */
/* clang-format off */
static const struct hp_field fields[] = {
	{ .key = "name", .unit = HP_FIELD_NAME, .at = HP_AT(struct hp_entry, name) },
	{ "target", "Target", HP_FIELD_TEXT, HP_TEXT(HP_IO_TARGET), .rank = 1 },
	{ "operation", "Op", HP_FIELD_TEXT, HP_TEXT(HP_IO_OPERATION), .rank = 1 },
	{ "medium", NULL, HP_FIELD_TEXT, HP_TEXT(HP_IO_MEDIUM) },
	{ "calls", "Calls", HP_FIELD_COUNT, HP_WORD(CALLS), .merge = HP_MERGE_SUM, .rank = 1,
	  .compare = { "io_calls", .nth = 0, .rank = 1, .per = HP_PER_SECOND } },
	{ "bytes", "Bytes", HP_FIELD_BYTES, HP_WORD(BYTES), .merge = HP_MERGE_SUM, .rank = 2,
	  .counter = HP_FROM_COUNTER(HP_IO_BYTES),
	  .compare = { "io_bytes", .nth = 1, .rank = 2, .per = HP_WORD(CALLS) } },
	{ "bytes_per_sec", "Bytes/s", HP_FIELD_BYTES, .number = rate, .is_known = has_rate, .rank = 5 },
	{ "sampled_count", NULL, HP_FIELD_COUNT, HP_TIMES(HP_IO_TIME, COUNT) },
	{ "min_ns", NULL, HP_FIELD_TIME, HP_TIMES(HP_IO_TIME, MIN), .known = HP_TIMES(HP_IO_TIME, COUNT) },
	{ "avg_ns", "Avg", HP_FIELD_TIME, HP_TIMES(HP_IO_TIME, SUM), HP_TIMES(HP_IO_TIME, COUNT), .rank = 3,
	  .known = HP_TIMES(HP_IO_TIME, COUNT),
	  .compare = { "io_avg", .kind = HP_COMPARED_TIME, .nth = 3, .rank = 4, .needs_row = true } },
	{ "time", "P", HP_FIELD_PERCENTILE, HP_TIMES(HP_IO_TIME, COUNT), .rank = 4 },
	{ "max_ns", "Max", HP_FIELD_TIME, HP_TIMES(HP_IO_TIME, MAX), .known = HP_TIMES(HP_IO_TIME, COUNT), .rank = 3,
	  .compare = { "io_max", .kind = HP_COMPARED_TIME, .nth = 4, .rank = 6, .needs_row = true } },
	{ "sum_ns", "Total", HP_FIELD_TIME, HP_TIMES(HP_IO_TIME, SUM), .rank = 1,
	  .compare = { "io_total", .kind = HP_COMPARED_TIME, .nth = 2, .decides = true, .per = HP_WORD(CALLS) } },
	{ "histogram", NULL, HP_FIELD_HISTOGRAM, HP_TIMES(HP_IO_TIME, COUNT) },
	{ "errors", "Errors", HP_FIELD_COUNT, HP_WORD(ERRORS), .merge = HP_MERGE_SUM, .rank = 4,
	  .counter = HP_FROM_COUNTER(HP_IO_ERRORS),
	  .compare = { "io_errors", .nth = 5, .rank = 5, .per = HP_WORD(CALLS) } },
	{ "short_count", "Short", HP_FIELD_COUNT, HP_WORD(SHORT), .merge = HP_MERGE_SUM, .rank = 6,
	  .counter = HP_FROM_COUNTER(HP_IO_SHORT) },
	{ "small_count", NULL, HP_FIELD_COUNT, HP_WORD(SMALL), .merge = HP_MERGE_SUM,
	  .counter = HP_FROM_COUNTER(HP_IO_SMALL) },
	{ "large_count", NULL, HP_FIELD_COUNT, HP_WORD(LARGE), .merge = HP_MERGE_SUM },
	{ "small_percent", "<4K %", HP_FIELD_SHARE, HP_WORD(SMALL), HP_WORD(LARGE), .rank = 5,
	  .sort = "small" },
	{ "untimed_count", NULL, HP_FIELD_COUNT, HP_WORD(UNTIMED), .merge = HP_MERGE_SUM,
	  .counter = HP_FROM_COUNTER(HP_IO_UNTIMED) },
	HP_FIELDS_NONE,
};
/* clang-format on */

const char *hp_io_word(uint32_t operation)
{
	static const char *const words[] = {
		"<unknown>",
#define OPERATION(name, word) word,
#include "operations.def"
#undef OPERATION
	};

	return words[operation < HP_OPERATIONS ? operation : HP_OPERATION_NONE];
}

static const char *medium_word(uint32_t medium)
{
	if (medium == HP_REASON_NETWORK)
		return HP_IO_NETWORK;
	return medium == HP_REASON_DISK ? HP_IO_DISK : HP_IO_PIPE;
}

static bool take_names(struct hp_entry *entry, const struct hp_shared *shared,
		       const struct hp_source *source)
{
	uint32_t numbers[3];

	(void)shared;
	hp_edge_numbers(entry->name, numbers);
	free(entry->name);
	entry->name = hp_edge_name(source, numbers[1]);
	entry->texts[HP_IO_TARGET] = hp_edge_name(source, numbers[2]);
	entry->texts[HP_IO_OPERATION] = strdup(hp_io_word(numbers[0]));
	entry->texts[HP_IO_MEDIUM] = strdup(medium_word(source->line(source, numbers[2])));
	entry->is_labelled = false;
	return entry->name && entry->texts[HP_IO_TARGET] && entry->texts[HP_IO_OPERATION] &&
	       entry->texts[HP_IO_MEDIUM];
}

static void settle(struct hp_entry *entry)
{
	uint64_t *words = entry->words;

	words[CALLS] = entry->times[HP_IO_TIME].count + words[UNTIMED];
	words[LARGE] = words[BYTES] && words[CALLS] > words[SMALL] ? words[CALLS] - words[SMALL]
								   : 0;
}

static const char *const events[] = { "io" };

const struct hp_kind hp_kind_io = {
	.key = "io",
	.noun = "input or output",
	.header = "Function",
	.hint = "hotpath run --waits sees it",
	.limit = "rows of the section about input and output",
	.default_limit = HP_KIND_ROWS,
	.first_site = HP_SITE_IO,
	.last_site = HP_SITE_IO,
	.times = 1,
	.first_reason = HP_REASON_DISK,
	.last_reason = HP_REASON_PIPE,
	.rates = { HP_WORD(CALLS), HP_WORD(BYTES) },
	.fields = fields,
	.tables = { { .name = "io",
		      .sentence = "Input and output, by function, target and operation.",
		      .order = 95,
		      .tab = "Data flow",
		      .pane = "I/O",
		      .how = "No input or output has been seen yet.\n\n"
			     "Start the program with 'hotpath run --waits PROGRAM', or link it with\n"
			     "hotpath-waits." } },
	.events = events,
	.read = take_names,
	.settle = settle,
	.order = hp_edges_by_total,
	.joins = true,
	.texts_tell = true,
};
