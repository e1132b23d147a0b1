/* SPDX-License-Identifier: MIT */
/*
 * A kind of measurement: channels, futures, event loops and the like.
 *
 * A kind is one file that ends with a `const struct hp_kind`, and a line in kinds.def. The description says how its
 * rows (struct hp_entry) are read from a segment, merged, shown in tables and in the console, written to JSON, loaded
 * from it, and compared. No other file knows a kind by name: what is special about one is a function in its file.
 *
 *	segment ──counter──► word ──key──► JSON ──key──► word
 *	                      │  └─header─► column
 *	                      └────compare► figure of a comparison
 */
#ifndef HP_KIND_H
#define HP_KIND_H

#include "entry.h"
#include "text.h"

struct hp_queue;
struct hp_shared;

/* ---- where a number is in an entry ---- */

/** Parts of a struct hp_times. */
enum hp_times_part {
	HP_TIMES_COUNT,
	HP_TIMES_SUM,
	HP_TIMES_MIN,
	HP_TIMES_MAX,
	HP_TIMES_PARTS,
};

/**
 * A slot is the place of a number: a word, or a part of some times. 0 is none.
 */
#define HP_SLOT_NONE 0
#define HP_WORD(number) (1 + (number))
#define HP_TIMES(number, part) (1 + HP_ENTRY_WORDS + (number)*HP_TIMES_PARTS + HP_TIMES_##part)

/** The number in a slot; 0 for none. */
uint64_t hp_entry_number(const struct hp_entry *entry, unsigned slot);

/** Which times a slot belongs to; NULL for a word. */
const struct hp_times *hp_entry_times(const struct hp_entry *entry, unsigned slot);

/** The same, to be changed. The slot must not be none. */
uint64_t *hp_entry_slot(struct hp_entry *entry, unsigned slot);
struct hp_times *hp_entry_times_of(struct hp_entry *entry, unsigned slot);

/* ---- fields ---- */

/** How a field is written; those before HP_FIELD_TEXT are numbers. */
enum hp_field_unit {
	HP_FIELD_COUNT,
	HP_FIELD_BYTES,
	/** In nanoseconds; counters in a segment are in ticks. */
	HP_FIELD_TIME,
	/** One column for each percentile of the times that the slot belongs to. */
	HP_FIELD_PERCENTILE,
	/** Per second. `at` is a number in hp_kind.rates. While the program is watched, recently; else on average. */
	HP_FIELD_RATE,
	/** The share of `at` in the sum of `at` and `over`, in percent. */
	HP_FIELD_SHARE,
	/** A double. It is known if `over` is not 0. */
	HP_FIELD_DOUBLE,
	/** The text with the number `at`; and a time in `over`, which is written after it. */
	HP_FIELD_TEXT,
	/** One of the field's words, by number. */
	HP_FIELD_WORD,
	/** What put() writes and parse() reads. */
	HP_FIELD_SPECIAL,
	/** A value of the program: its enum hp_value in the slot, its bits in the slot after it, a string in text 0. */
	HP_FIELD_VALUE,
	/** In JSON only: the enum hp_value of such a value, by name. */
	HP_FIELD_VALUE_KIND,
	/** In JSON only: the histogram of the times that the slot belongs to. */
	HP_FIELD_HISTOGRAM,
	/** The name of the row, its source line, and whether the program gave it its name: of every kind. */
	HP_FIELD_NAME,
	HP_FIELD_PLACE,
	HP_FIELD_LABELLED,
};

/** When a field is shown. */
enum hp_field_when {
	HP_SHOWN_ALWAYS,
	/** If allocations are recorded. */
	HP_SHOWN_WITH_MEMORY,
	/** If the figure is not 0 in any row. */
	HP_SHOWN_IF_ANY,
};

/**
 * How two rows of the same name and place become one. Times are always merged, and so is the value of the program:
 * which of two was the last is not known, so the one that is there stays.
 */
enum hp_field_merge {
	/** It follows from others, or the kind's own function merges it. */
	HP_MERGE_NONE,
	HP_MERGE_SUM,
	HP_MERGE_MOST,
	/** Doubles, of which the first may not be known; a NAN counts as not known. */
	HP_MERGE_LEAST_DOUBLE,
	HP_MERGE_MOST_DOUBLE,
	/** A text goes with the larger number in `over`. */
	HP_MERGE_WITH_MOST,
};

enum hp_compared_kind {
	/** The same work gives the same number: calls, allocations, bytes, messages. */
	HP_COMPARED_EXACT,
	/** A time, which varies from run to run. */
	HP_COMPARED_TIME,
	/** Another figure that varies from run to run: the longest queue. */
	HP_COMPARED_LEVEL,
};

/** What a comparison makes of a field. */
struct hp_compared {
	/** Name in JSON and in budgets, unique among all kinds: "sent". NULL when it is not compared. */
	const char *name;
	/** Header of its column; NULL for that of the field. */
	const char *header;
	/** An enum hp_compared_kind. */
	uint8_t kind;
	/** Its place among the figures of the table, and which to drop first if there is no room: the highest. */
	uint8_t nth;
	uint8_t rank;
	/** The verdict of the row is that of this figure: at most one per table, and it is a time. */
	bool decides;
	/** It counts allocations. */
	bool is_alloc;
	/** More is neither worse nor better. */
	bool is_neutral;
	/** If a run lacks the row, the figure is unknown rather than 0. */
	bool needs_row;
	/** A figure of 0 is not known. */
	bool is_seen;
};

/** A figure, described once. */
struct hp_field {
	/** In JSON; NULL when it follows from others. That of percentiles is a prefix: "delay". */
	const char *key;
	/** Of its column; NULL if there is none. */
	const char *header;
	/** An enum hp_field_unit. */
	uint8_t unit;
	/** Slots, or numbers as the unit says. A number with an `over` is a mean: it is divided by that. */
	uint8_t at;
	uint8_t over;
	/** HP_FROM_COUNTER(n) if it is the sum of the counter n of all lanes. */
	uint8_t counter;
	/** An enum hp_field_merge; an enum hp_field_when. */
	uint8_t merge;
	uint8_t when;
	/** If there is no room for all columns, those with the highest rank are dropped first. */
	uint8_t rank;
	/** The number of the kind's table that has the column. */
	uint8_t table;
	/** The kind of sites that has such a figure, if a kind has several; 0 for all. */
	uint8_t only;
	/** Of HP_FIELD_WORD: the names, and the number of the one that is painted, unless that is 0. */
	const char *const *words;
	uint8_t word_count;
	uint8_t painted;
	/** Of HP_FIELD_SPECIAL. What `parse` needs to be, for a message: "dbg, val or gauge". */
	void (*put)(const struct hp_entry *entry, struct hp_text *text);
	bool (*parse)(struct hp_entry *entry, const char *text);
	const char *wanted;
	struct hp_compared compare;
};

#define HP_FROM_COUNTER(number) (1 + (number))

/** The fields that every kind begins and ends with. */
#define HP_FIELDS_BEGIN(name_key)                                                                  \
	{ .key = (name_key), .unit = HP_FIELD_NAME },                                              \
	{                                                                                          \
		.key = "has_custom_label", .unit = HP_FIELD_LABELLED                               \
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
	/** As in --report; the end of the tables has none. */
	const char *name;
	/** What it shows, in one sentence. */
	const char *sentence;
	/** Its title in a comparison; NULL for its name. */
	const char *compared;
	/** A slot that must not be 0 in a row for the table to be shown unasked and the row to be compared; or none. */
	uint8_t needs;
	/** Order among all sections of the report; see section.h. */
	uint8_t order;
	/** The tab of the console that has the pane, and the pane's name there; NULL if the tab has one only. */
	const char *tab;
	const char *pane;
	/** How to get a row. */
	const char *how;
};

enum {
	HP_KIND_TABLES = 2,
	HP_KIND_RATES = HP_ENTRY_TRENDS,
};

/* ---- logs ---- */

/** What of a logged event (flow_event.h) a field shows. */
enum hp_logged_part {
	HP_LOGGED_TEXT,
	HP_LOGGED_VALUE,
	/** The state of a future. */
	HP_LOGGED_STATE,
	HP_LOGGED_BYTES,
	/** How long it took, until it was received or ended; and the same, or that it is still in its channel. */
	HP_LOGGED_TOOK,
	HP_LOGGED_DELAY,
	/** Whether it is still in its channel. */
	HP_LOGGED_QUEUED,
	HP_LOGGED_POLLS,
};

struct hp_logged_field {
	/** In JSON, and of its column; NULL if there is none. The last has no key. */
	const char *key;
	const char *header;
	/** An enum hp_logged_part. */
	uint8_t part;
	/** Its place among the columns, from 1 on; and as in struct hp_field. */
	uint8_t nth;
	uint8_t rank;
};

/* ---- what the reader provides ---- */

/** The calls of a site, as far as kinds use them. */
struct hp_site_calls {
	uint64_t count;
	uint64_t total_ns;
	uint64_t max_ns;
	/** Allocated in these calls. */
	uint64_t bytes;
	uint64_t blocks;
};

/** What a kind may ask while an entry is read from a segment. */
struct hp_source {
	uint64_t (*ns)(const struct hp_source *source, uint64_t ticks);
	/** The name of a site, to be freed; NULL if there is no such site, and then *failed tells if memory ran out. */
	char *(*label)(const struct hp_source *source, uint32_t site, bool *failed);
	struct hp_site_calls (*calls)(const struct hp_source *source, uint32_t site);
	/** The last complete value in a log; HP_VALUE_NONE if there is none. Returns false when memory ran out. */
	bool (*last)(const struct hp_source *source, const struct hp_shared *shared,
		     uint64_t *value_kind, uint64_t *bits, char **string);
};

/* ---- kinds ---- */

struct hp_kind {
	/** Of its member in JSON, and of its limit: "channels" gives --channels-limit. */
	const char *key;
	/** What a row is: "channel"; and the header of the names. */
	const char *noun;
	const char *header;
	/** How to get one: "HOTPATH_CHANNEL_NEW makes one". */
	const char *hint;
	/** What the option for its limit says: "rows of the sections about channels"; NULL when all rows are shown. */
	const char *limit;
	/** Its kinds of sites: an enum hp_site_kind, first and last. */
	uint8_t first_site;
	uint8_t last_site;
	/** How many times each entry has; and the slots that are counted per second, the first of which is its events. */
	uint8_t times;
	uint8_t rates[HP_KIND_RATES];
	/** The last has neither key nor header. */
	const struct hp_field *fields;
	struct hp_kind_table tables[HP_KIND_TABLES + 1];
	/** What JSON calls an event of its sites, from the first on: "channel". */
	const char *const *events;
	/** What is logged of an event, and why nothing may be; NULL if the kind has no log. */
	const struct hp_logged_field *log;
	const char *no_log;
	/** Take what belongs to no thread. Returns false when memory ran out. NULL for nothing. */
	bool (*read)(struct hp_entry *entry, const struct hp_shared *shared,
		     const struct hp_source *source);
	/** Add an open queue of the site. NULL if it has none. */
	void (*add_queue)(struct hp_entry *entry, const struct hp_queue *queue);
	/** Derive fields from others, after everything was read. NULL for nothing. */
	void (*settle)(struct hp_entry *entry);
	/** Merge what the fields do not, before they are merged. NULL for nothing. */
	void (*merge)(struct hp_entry *into, const struct hp_entry *from);
};

enum { HP_VALUE_NAMES = HP_VALUE_STRING + 1 };

/** By enum hp_value: "int". */
extern const char *const hp_value_names[HP_VALUE_NAMES];

/** All of them; ends with NULL. */
extern const struct hp_kind *const hp_kinds[];

/** The kind that has these sites; NULL if none has. */
const struct hp_kind *hp_kind_of_site(enum hp_site_kind site);

/** Whether this is the end of the fields. */
static inline bool hp_field_is_end(const struct hp_field *field)
{
	return !field->key && !field->header;
}

#endif
