/* SPDX-License-Identifier: MIT */
/* The tables of the Firefox Profiler's format that all threads share. */
#ifndef HP_FIREFOX_TABLES_H
#define HP_FIREFOX_TABLES_H

#include "export.h"
#include "json_writer.h"
#include "strings.h"

/** A value that is not known. */
#define HP_FIREFOX_NOTHING INT64_MIN

/** Categories of functions and frames, in the order of the list in the file. */
enum hp_firefox_category {
	HP_FIREFOX_OTHER,
	HP_FIREFOX_PROGRAM,
	HP_FIREFOX_LIBRARY,
	HP_FIREFOX_MEASURED,
	HP_FIREFOX_WAIT,
};

/** A file that is being written. */
struct hp_firefox {
	const struct hp_profile *profile;
	struct hp_sink *sink;
	struct hp_json json;
	struct hp_strings strings;
	struct hp_strings files;
	/**
	 * Index of the first frame of each location, of the last stack of each call, and of the symbol of each
	 * function.
	 */
	uint32_t *frames;
	uint32_t *stacks;
	uint32_t *symbols;
	uint32_t symbol_count;
};

/** Number frames, stacks and symbols. Returns false when memory ran out. */
bool hp_firefox_open(struct hp_firefox *writing, const struct hp_profile *profile,
		     struct hp_sink *sink);

/** Write the tables. */
void hp_firefox_tables(struct hp_firefox *writing);

/** Returns false when memory had run out. */
bool hp_firefox_close(struct hp_firefox *writing);

/** A number, or null for HP_FIREFOX_NOTHING. */
void hp_firefox_number(struct hp_firefox *writing, int64_t value);

/** A key and its text, or null. */
void hp_firefox_member(struct hp_firefox *writing, const char *key, const char *value);

/** Begin an object whose columns have a length. */
void hp_firefox_table(struct hp_firefox *writing, const char *key, uint64_t length);

/** Begin an array. */
void hp_firefox_column(struct hp_firefox *writing, const char *key);

/** Write an array of nothing. */
void hp_firefox_empty(struct hp_firefox *writing, const char *key);

#endif
