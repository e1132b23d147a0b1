/* SPDX-License-Identifier: MIT */
/*
 * A kind of measurement: channels, futures, event loops, threads and the like.
 *
 * A kind is one file that ends with a `const struct hp_kind`, and a line in kinds.def. The description says how its
 * rows are read from a segment, merged, shown in tables and in the console, written to JSON, loaded from it, and
 * compared. What is special about a kind is a function in its file. If it has sites in the segment, its rows are entries
 * (entry.h).
 *
 *	segment ──counter──► slot ──key──► JSON ──key──► slot
 *	                      │  └─header─► column
 *	                      └────compare► figure of a comparison
 */
#ifndef HP_KIND_H
#define HP_KIND_H

#include "entry.h"
#include "text.h"

struct hp_queue;
struct hp_shared;
struct hp_totals;

/* ---- where a number is in a row ---- */

/**
 * A slot is the place of a member in the row's struct: its offset in bytes plus 1, and bits for its width. 0 is none. The
 * member is a number, a bool or a char pointer; a pointer can be read as a number to see whether it is NULL.
 */
enum {
	HP_SLOT_NONE = 0,
	HP_SLOT_PLACE = 0x3fff,
	HP_SLOT_FLAG = 0x4000,
	HP_SLOT_HALF = 0x8000,
};

#define HP_SLOT_WIDTH(size) ((size) == 1 ? HP_SLOT_FLAG : (size) == 4 ? HP_SLOT_HALF : 0)
#define HP_AT(type, member)                                                                        \
	(1 + offsetof(type, member) + HP_SLOT_WIDTH(sizeof(((type *)NULL)->member)))

/** A word, a text, and a part of some times of an entry: HP_TIMES(DELAY, SUM). */
#define HP_WORD(number) HP_AT(struct hp_entry, words[number])
#define HP_TEXT(number) HP_AT(struct hp_entry, texts[number])
#define HP_TIMES(number, part) HP_AT(struct hp_entry, times[number].HP_TIMES_##part)
#define HP_TIMES_COUNT count
#define HP_TIMES_SUM sum_ns
#define HP_TIMES_MIN min_ns
#define HP_TIMES_MAX max_ns

/** The slot of the word after a word. */
#define HP_SLOT_NEXT(slot) ((unsigned)(slot) + (unsigned)sizeof(uint64_t))

/** The number in a slot; 0 for none. A row is a struct hp_entry, or what else the rows of a kind are. */
uint64_t hp_row_number(const void *row, unsigned slot);

/** Change the number in a slot, which must not be none. */
void hp_row_set(void *row, unsigned slot, uint64_t number);

/** The string in a slot, which belongs to the row; and where its pointer is. */
const char *hp_row_text(const void *row, unsigned slot);
char **hp_row_text_of(void *row, unsigned slot);

/** The points in a slot. */
const struct hp_points *hp_row_points(const void *row, unsigned slot);
struct hp_points *hp_row_points_of(void *row, unsigned slot);

/** The times of an entry that a slot belongs to; NULL for a word. */
const struct hp_times *hp_entry_times(const struct hp_entry *entry, unsigned slot);
struct hp_times *hp_entry_times_of(struct hp_entry *entry, unsigned slot);

/* ---- fields ---- */

/** How a field is written; those before HP_FIELD_TEXT are numbers. */
enum hp_field_unit {
	HP_FIELD_COUNT,
	/** Calls of a function; tables have those in progress beside them. */
	HP_FIELD_CALLS,
	HP_FIELD_BYTES,
	/** Nanoseconds; counters in a segment are in ticks. */
	HP_FIELD_TIME,
	/** A number of samples, as the CPU time that they stand for. */
	HP_FIELD_SAMPLES,
	/** Bytes, which may be less than 0: an int64_t that follows from other fields. */
	HP_FIELD_DIFFERENCE,
	/** One column for each percentile of the times that the slot belongs to. */
	HP_FIELD_PERCENTILE,
	/** Events per second: recently while the program is watched, else on average. `at` is a number in hp_kind.rates. */
	HP_FIELD_RATE,
	/** Events per second by a pointer to a struct hp_trend; and its last minute, as a line of bars. */
	HP_FIELD_TREND,
	HP_FIELD_MINUTE,
	/** The share of `at` in the sum of `at` and `over`, in percent. */
	HP_FIELD_SHARE,
	/** The share of `at` in `over`, or in the total `whole`, in percent. Rows are sorted by `at`. */
	HP_FIELD_PART,
	/** A double in percent; negative if it is not known. */
	HP_FIELD_PERCENT,
	HP_FIELD_DOUBLE,
	/** A string; and a time in `over`, which is written after it. */
	HP_FIELD_TEXT,
	/** One of the field's words, by number. One that is NULL is not known. */
	HP_FIELD_WORD,
	/** Text that put() writes and parse() reads. */
	HP_FIELD_SPECIAL,
	/** A value of the program: its enum hp_value in the slot, its bits in the slot after it, a string in text 0. */
	HP_FIELD_VALUE,
	/** In JSON only: the enum hp_value of an HP_FIELD_VALUE, by name. */
	HP_FIELD_VALUE_KIND,
	/** In JSON only: the histogram of the times that the slot belongs to. */
	HP_FIELD_HISTOGRAM,
	/** In JSON only: the histogram in a struct hp_points. */
	HP_FIELD_POINTS,
	/** In JSON only: true or false. */
	HP_FIELD_BOOL,
	/** The name of the row, which every kind has; and the source line of an entry. */
	HP_FIELD_NAME,
	HP_FIELD_PLACE,
};

/** When a field is shown. */
enum hp_field_when {
	HP_SHOWN_ALWAYS,
	/** Shown always; but if the figure is not known, JSON has 0 in place of null. */
	HP_ZERO_IF_UNKNOWN,
	/** Shown if allocations are recorded; JSON does not have it otherwise. */
	HP_SHOWN_WITH_MEMORY,
	/** Shown if allocations are recorded; JSON has null otherwise. */
	HP_KNOWN_WITH_MEMORY,
	/** As HP_KNOWN_WITH_MEMORY, but the figure is known only if what is freed is recorded, too. */
	HP_KNOWN_WITH_FREED,
	/** As HP_KNOWN_WITH_MEMORY, but the figure is known only if every block is followed. */
	HP_KNOWN_WITH_LIVE,
	/** Shown if the program is watched; JSON does not have it otherwise. */
	HP_SHOWN_WATCHED_ONLY,
	/** Shown if the program is watched, and its CPU time is sampled. */
	HP_SHOWN_WITH_RECENT,
	/** Shown if some CPU time was in the kernel. */
	HP_SHOWN_WITH_SYSTEM,
	/** Shown if any row is worth a column: is_worth() says so, or its figure is not 0. JSON always has it, as below. */
	HP_SHOWN_IF_ANY,
	/** Shown if the figure is known in any row. */
	HP_SHOWN_IF_KNOWN,
	/** Shown if the report is about several processes. JSON always has it. */
	HP_SHOWN_OF_SEVERAL,
};

/**
 * How two rows of the same name and place become one. Times are always merged, and so is the value of the program:
 * which of two was the last is not known, so the one that is there stays.
 */
enum hp_field_merge {
	/** The field follows from others, or the kind's own function merges it. */
	HP_MERGE_NONE,
	/** Numbers are added; the sum of several rows has the field, too. */
	HP_MERGE_SUM,
	HP_MERGE_MOST,
	/** Doubles, of which the first may not be known; a NAN counts as not known. */
	HP_MERGE_LEAST_DOUBLE,
	HP_MERGE_MOST_DOUBLE,
	/** A text goes with the larger number in `over`. */
	HP_MERGE_WITH_MOST,
};

/** The tables of functions that have a column: those that show exclusive figures, or those that show inclusive ones. */
enum hp_field_depth {
	HP_ANY_DEPTH,
	HP_EXCLUSIVE,
	HP_INCLUSIVE,
};

enum hp_compared_kind {
	/** A number that the same work repeats exactly: calls, allocations, bytes, messages. */
	HP_COMPARED_EXACT,
	/** A time, which varies from run to run. */
	HP_COMPARED_TIME,
	/** Another figure that varies from run to run: the longest queue. */
	HP_COMPARED_LEVEL,
};

/** A field in a comparison. */
struct hp_compared {
	/** Name in JSON and in budgets, unique among all kinds: "sent". NULL when the field is not compared. */
	const char *name;
	/** Header of the column; NULL for that of the field. */
	const char *header;
	/** An enum hp_compared_kind. */
	uint8_t kind;
	/** Position among the figures of the table; and the rank: the highest is dropped first if there is no room. */
	uint8_t nth;
	uint8_t rank;
	/** The verdict of the row is that of this figure: at most one per table, and it is a time. */
	bool decides;
	/** The figure counts allocations. */
	bool is_alloc;
	/** More is neither worse nor better. */
	bool is_neutral;
	/** If a run lacks the row, the figure is unknown rather than 0. */
	bool needs_row;
	/** A figure of 0 is not known. */
	bool is_seen;
	/**
	 * What a sum is divided by if windows of a running program are compared, which differ in length and load: the slot
	 * of a count in the row, or HP_PER_SECOND. 0 if it is no sum.
	 */
	uint16_t per;
	/** The figure is not one of windows: another one says the same per call. */
	bool is_of_runs;
};

enum { HP_PER_SECOND = UINT16_MAX };

/** A figure, described once. */
struct hp_field {
	/** Key in JSON; NULL when the figure follows from others. The key of percentiles is a prefix: "delay". */
	const char *key;
	/** Header of the column; NULL if there is none. */
	const char *header;
	/** An enum hp_field_unit. */
	uint8_t unit;
	/** Slots, or a number as the unit says. A number with an `over` is a mean: it is divided by that. */
	uint16_t at;
	uint16_t over;
	/** A slot that is 0 if the figure is not known; none if it always is. If it is a bool, loading the figure from a
	    report sets it. */
	uint16_t known;
	/** HP_FROM_COUNTER(n) if the figure is the sum of the counter n of all lanes. */
	uint8_t counter;
	/** An enum hp_field_merge; an enum hp_field_when. */
	uint8_t merge;
	uint8_t when;
	/** The figure tells what there is now, and may get less: it is no count of what has happened since the start. */
	bool is_level;
	/** If there is no room for all columns, those with the highest rank are dropped first. */
	uint8_t rank;
	/** Position among the columns of functions, from the lowest on; those of other kinds are in the order of the fields. */
	uint8_t nth;
	/** The number of the kind's table that has the column; HP_ANY_TABLE for all. */
	uint8_t table;
	/** Functions only: an enum hp_field_depth. JSON has all, unless the figure varies: then another field has its key. */
	uint8_t depth;
	bool varies;
	/** Functions only: a ~ before the figure tells if measuring took longer than the function itself. */
	bool is_rough;
	/** HP_FIELD_PART only: a slot of struct hp_totals. */
	uint16_t whole;
	/** The kind of sites that has such a figure, if a kind has several; 0 for all. */
	uint8_t only;
	/** HP_FIELD_WORD only: the number of words, the index of the painted one, unless that is 0; and the words. */
	uint8_t word_count;
	uint8_t painted;
	const char *const *words;
	/** The key to sort by the column; NULL for its header. Rows of functions can be sorted by columns that are not shown. */
	const char *sort;
	/** Computes the number, if it is in no slot; and a percentile, of any unit. */
	uint64_t (*number)(const void *row);
	uint64_t (*percentile)(const void *row, double percent);
	/** Whether the figure is known, if that takes more than the slot `known`. */
	bool (*is_known)(const void *row);
	/** HP_FIELD_PART only: whether the row is the whole; NULL if none is. */
	bool (*is_whole)(const void *row, const struct hp_totals *totals);
	/** HP_SHOWN_IF_ANY only: whether the figure of this row is worth a column; NULL if any but 0 is. */
	bool (*is_worth)(const void *row);
	/** Writes the cell, in place of what the unit says. JSON has the same only if the unit is HP_FIELD_SPECIAL. */
	void (*put)(const void *row, struct hp_text *text);
	/** HP_FIELD_SPECIAL only: reads what put() wrote; false if it is invalid. */
	bool (*parse)(void *row, const char *text);
	/** The valid words or texts, for a message: "dbg, val or gauge". */
	const char *wanted;
	struct hp_compared compare;
};

#define HP_FROM_COUNTER(number) (1 + (number))

enum { HP_ANY_TABLE = UINT8_MAX };

/** The fields that every kind with entries begins and ends with. */
#define HP_FIELDS_BEGIN(name_key)                                                                  \
	{ .key = (name_key), .unit = HP_FIELD_NAME, .at = HP_AT(struct hp_entry, name) },          \
	{                                                                                          \
		.key = "has_custom_label", .unit = HP_FIELD_BOOL,                                  \
		.at = HP_AT(struct hp_entry, is_labelled)                                          \
	}
#define HP_FIELDS_END                                                                              \
	{ .key = "location", .unit = HP_FIELD_PLACE },                                             \
	{                                                                                          \
		.key = NULL                                                                        \
	}
/** The end of the fields of a kind whose places have a column. */
#define HP_FIELDS_NONE                                                                             \
	{                                                                                          \
		.key = NULL                                                                        \
	}

/* ---- tables ---- */

/** One section of the report, and one pane of the console. */
struct hp_kind_table {
	/** Name in --report; the end of the tables has none. */
	const char *name;
	/** Other names in --report, with commas. Several tables may have one in common: then it chooses those that the options
	    prefer. NULL for none; but the name of the first table chooses all. */
	const char *aliases;
	/** The sentence after the table's title, which says what the table shows; and the one for exclusive figures, NULL if there
	    is no choice. */
	const char *sentence;
	const char *exclusive;
	/** Title in a comparison; NULL for the name. */
	const char *compared;
	/** A slot that must not be 0 in a row for the table to be shown unasked and the row to be compared; or none. */
	uint16_t needs;
	/** Order among all sections of the report; see section.h. */
	uint8_t order;
	/** The tab of the console that has the pane, and the pane's name there; NULL if the tab has one only. */
	const char *tab;
	const char *pane;
	/** Hint on how to get a row. */
	const char *how;
};

enum {
	HP_KIND_TABLES = 2,
	HP_KIND_ROWS = 15,
	HP_KIND_RATES = HP_ENTRY_TRENDS,
};

/* ---- logs ---- */

/** The part of a logged event (flow_event.h) that a field shows. */
enum hp_logged_part {
	HP_LOGGED_TEXT,
	HP_LOGGED_VALUE,
	/** The state of a future. */
	HP_LOGGED_STATE,
	HP_LOGGED_BYTES,
	/** Time until the event was received or ended; and the same, or that it is still in its channel. */
	HP_LOGGED_TOOK,
	HP_LOGGED_DELAY,
	/** Whether the event is still in its channel. */
	HP_LOGGED_QUEUED,
	HP_LOGGED_POLLS,
};

struct hp_logged_field {
	/** Key in JSON, and header of the column; NULL if there is none. The last field has no key. */
	const char *key;
	const char *header;
	/** An enum hp_logged_part. */
	uint8_t part;
	/** Position among the columns, from 1 on; and the rank, as in struct hp_field. */
	uint8_t nth;
	uint8_t rank;
};

/* ---- what the reader provides ---- */

/** The calls of a site, as far as kinds use them. */
struct hp_site_calls {
	uint64_t count;
	uint64_t total_ns;
	uint64_t max_ns;
	/** Memory allocated in these calls. */
	uint64_t bytes;
	uint64_t blocks;
};

/** Functions of the reader, for a kind whose entry is read from a segment. */
struct hp_source {
	uint64_t (*ns)(const struct hp_source *source, uint64_t ticks);
	/** The time of the report, in ticks; and for how long a queue has been full then, 0 if it is not. */
	uint64_t (*now)(const struct hp_source *source);
	uint64_t (*full)(const struct hp_source *source, const struct hp_queue *queue);
	/** The name of a site, to be freed; NULL if there is no such site, and then *failed tells if memory ran out. */
	char *(*label)(const struct hp_source *source, uint32_t site, bool *failed);
	/** The number that a site has in place of a line; 0 if there is no such site. */
	uint32_t (*line)(const struct hp_source *source, uint32_t site);
	struct hp_site_calls (*calls)(const struct hp_source *source, uint32_t site);
	/** The last complete value in a log; HP_VALUE_NONE if there is none. Returns false when memory ran out. */
	bool (*last)(const struct hp_source *source, const struct hp_shared *shared,
		     uint64_t *value_kind, uint64_t *bits, char **string);
};

/* ---- kinds ---- */

struct hp_kind {
	/** Key of the member in JSON. */
	const char *key;
	/** What a row is: "channel"; and the header of the names. */
	const char *noun;
	const char *header;
	/** Hint on how to get a row: "HOTPATH_CHANNEL_NEW makes one". */
	const char *hint;
	/** Help of the option for the limit: "rows of the sections about channels"; NULL when all rows are shown. */
	const char *limit;
	/** Rows shown when no option says otherwise; 0 for all. */
	uint8_t default_limit;
	/** The option is --channels-limit: by this name, or NULL for that of the first table. And another one, which is not in
	    the help, or NULL. */
	const char *option;
	const char *other_option;
	/** First and last kind of sites: an enum hp_site_kind. 0 if the kind has none; then its rows are no entries. */
	uint8_t first_site;
	uint8_t last_site;
	/** Number of times in each entry; and the slots that are counted per second, the first of which is its events. */
	uint8_t times;
	uint16_t rates[HP_KIND_RATES];
	/** The fields; the last one is empty. */
	const struct hp_field *fields;
	struct hp_kind_table tables[HP_KIND_TABLES + 1];
	/** Of waits, which are counted when they end: what a thread waits for that is in one now, from the first to the last enum
	    hp_reason. 0 for other kinds. */
	uint8_t first_reason;
	uint8_t last_reason;
	/** Names in JSON of an event of each kind of sites, from the first on: "channel". */
	const char *const *events;
	/** Fields of a logged event, and why nothing may be logged; NULL if the kind has no log. */
	const struct hp_logged_field *log;
	const char *no_log;
	/** Take what belongs to no thread. Returns false when memory ran out. NULL for nothing. */
	bool (*read)(struct hp_entry *entry, const struct hp_shared *shared,
		     const struct hp_source *source);
	/** Add an open queue of the site. NULL if it has none. */
	void (*add_queue)(struct hp_entry *entry, const struct hp_queue *queue,
			  const struct hp_source *source);
	/** Derive fields from others, after everything was read. NULL for nothing. */
	void (*settle)(struct hp_entry *entry);
	/** Merge what the fields do not, before they are merged. NULL for nothing. */
	void (*merge)(struct hp_entry *into, const struct hp_entry *from);
	/** Order of rows: as for qsort, of pointers to rows. NULL for that of names. */
	int (*order)(const void *left, const void *right);
	/** Mark the rows to show, if there are more than a limit: NULL for the first ones. All marks are false before. */
	void (*choose)(const void *const *rows, size_t count, size_t limit, bool *chosen);
	/** Sites of the same name, file and line are one row, also in one process; and rows of the same name are told apart by
	    their texts. */
	bool joins;
	bool texts_tell;
	/** The rest is for kinds without sites. Identifies a row for as long as the program runs; NULL if its name does. */
	uint64_t (*identity)(const void *row);
	/** Whether a row counts for the limit; others come before it, and are always shown. NULL if all rows count. */
	bool (*is_limited)(const void *row);
	/** If more rows count for the limit than it allows, tables show groups of rows: add a row to a group, which is zeroed
	    before the first one. Returns false if the row does not belong to it. NULL if there are no groups. */
	bool (*join)(void *group, const void *row);
	/** The key of the sum of rows that are not shown, as a member after the rows; NULL if there is no such sum. */
	const char *rest;
	/** --focus and --exclude name functions, and do not choose its rows. */
	bool is_unfiltered;
	/** Rows stay in this order, whatever column --sort names; but not in the console. */
	bool keeps_order;
	/** Rows are functions, which several kinds have in common: they are read, merged and loaded once for all. */
	bool is_of_functions;
	/** One of the functions is the caller's, which may be left out. */
	bool has_caller;
	/** Whether a function has a row; and whether tables leave out those whose total is 0. */
	bool (*has_row)(const void *row);
	bool hides_zeros;
	/** The key of the column with the total, by which rows are sorted unless somebody has said how. */
	const char *total;
};

enum { HP_VALUE_NAMES = HP_VALUE_STRING + 1 };

/** Names of the values, by enum hp_value: "int". */
extern const char *const hp_value_names[HP_VALUE_NAMES];

/** All kinds; ends with NULL. */
extern const struct hp_kind *const hp_kinds[];

/** The kind that has these sites; NULL if none has. */
const struct hp_kind *hp_kind_of_site(enum hp_site_kind site);

static inline bool hp_kind_has_sites(const struct hp_kind *kind)
{
	return kind->first_site;
}

/** Whether a field is the end of the fields. */
static inline bool hp_field_is_end(const struct hp_field *field)
{
	return !field->key && !field->header && !field->compare.name && !field->sort;
}

/** Whether a field has one figure for each percentile. */
static inline bool hp_field_is_percentile(const struct hp_field *field)
{
	return field->unit == HP_FIELD_PERCENTILE || field->percentile;
}

/** The field that has the name of a row. */
const struct hp_field *hp_kind_name_field(const struct hp_kind *kind);

/** The name of a row; NULL if it is a sum of several. */
const char *hp_kind_name_of(const struct hp_kind *kind, const void *row);

/** Whether the sum of several rows has the figure of a field. */
bool hp_field_is_of_sums(const struct hp_field *field);

/** Add the figures of a row to a sum of several. */
void hp_row_add(const struct hp_field *fields, void *sum, const void *row);

/** Merge another row into a row: sums, the larger of two, and histograms of HP_FIELD_POINTS. Returns 0 or -ENOMEM. */
int hp_row_merge(const struct hp_field *fields, void *into, const void *from);

/** Whether any figure that is a sum is not 0. */
bool hp_row_has_counts(const struct hp_field *fields, const void *row);

#endif
