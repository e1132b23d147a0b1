/* SPDX-License-Identifier: MIT */
/*
 * Pairs the rows of one subject on both sides.
 *
 *	runs ──► found: every row of every run, with the number of what it is (name, kind, file)
 *	             │   sorted by that, and by which of several it is
 *	             ▼
 *	         pairs: a range of them for each side; what is on one side alone may have moved to another file
 */
#ifndef HP_PAIRS_H
#define HP_PAIRS_H

#include "comparison.h"
#include "names/intern.h"
#include "text.h"

/** Indexes for arrays with one item per side. */
enum { HP_BASE, HP_HEAD, HP_SIDES };

/** A function that has another name in head. */
struct hp_renaming {
	char *from;
	char *to;
	/** The file of base, without its folder; "" when not known. */
	char *place;
	unsigned kind;
};

struct hp_renamings {
	struct hp_renaming *items;
	size_t count;
};

/** What makes rows the same. */
struct hp_identity {
	char *name;
	/** The file without its folder, of the source or the code; "" when not known. */
	char *place;
	unsigned kind;
};

/** A row of a run. */
struct hp_occurrence {
	uint32_t identity;
	/** The number among several with this identity. */
	uint32_t nth;
	/** The run, those of base first; and the row in it. */
	uint32_t run;
	uint32_t at;
	uint64_t order;
	double share;
};

/** A pair: a range of occurrences on each side; empty on a side that lacks it. */
struct hp_pair {
	size_t first[HP_SIDES];
	size_t count[HP_SIDES];
};

struct hp_pairs {
	const struct hp_comparison *comparison;
	const struct hp_subject *subject;
	struct hp_identity *identities;
	size_t identity_count;
	size_t identity_room;
	struct hp_intern known;
	struct hp_occurrence *found;
	size_t found_count;
	size_t found_room;
	struct hp_pair *items;
	size_t count;
	/** For each run, whether it recorded the subject; and how many did, on each side. */
	bool *recorded;
	size_t runs[HP_SIDES];
};

/** A run by its number, and its side. */
const struct hp_run *hp_pairs_run(const struct hp_comparison *comparison, size_t run);
unsigned hp_pairs_side(const struct hp_comparison *comparison, size_t run);

/**
 * Pair the rows of a subject.
 *
 * @param renamings
 *         Functions that have another name in base; NULL for none.
 * @return
 *         0, or -ENOMEM; either way they are to be freed.
 */
int hp_pairs_make(struct hp_pairs *pairs, const struct hp_comparison *comparison,
		  const struct hp_subject *subject, const struct hp_renamings *renamings);

void hp_pairs_free(struct hp_pairs *pairs);

/**
 * Find renamed functions: a removed and a new one, in the same file if known, with equal calls in all runs, if no
 * other removed or new function has these calls.
 *
 * @param pairs
 *         Of a subject whose first exact figure are calls.
 * @return
 *         0, or -ENOMEM; either way they are to be freed.
 */
int hp_renamings_find(struct hp_renamings *renamings, const struct hp_pairs *pairs);

/** The name in head of a function of base. */
const char *hp_renamings_apply(const struct hp_renamings *renamings, const char *name,
			       const char *place, unsigned kind);

/**
 * The same for a path in the call tree: names separated by " > ".
 *
 * @param text
 *         Receives the result if any name differs; must be freed.
 * @return
 *         The path itself, or the contents of text; NULL when memory ran out.
 */
const char *hp_renamings_apply_way(const struct hp_renamings *renamings, const char *way,
				   struct hp_text *text);

void hp_renamings_free(struct hp_renamings *renamings);

#endif
