/* SPDX-License-Identifier: MIT */
/* Pairs the rows of base and head. */
#include "pairs.h"

#include "array.h"
#include "function_row.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const struct hp_run *hp_pairs_run(const struct hp_comparison *comparison, size_t run)
{
	const struct hp_side *base = &comparison->base;

	return run < base->count ? &base->runs[run] : &comparison->head.runs[run - base->count];
}

unsigned hp_pairs_side(const struct hp_comparison *comparison, size_t run)
{
	return run < comparison->base.count ? HP_BASE : HP_HEAD;
}

/* ---- what rows there are ---- */

static uint64_t hash_string(uint64_t hash, const char *string)
{
	for (; *string; string++)
		hash = hp_hash(hash, (unsigned char)*string);
	return hp_hash(hash, 0);
}

static uint64_t hash_of(const struct hp_identity *identity)
{
	return hash_string(hash_string(identity->kind, identity->name), identity->place);
}

static bool is_same(const void *things, uint32_t number, const void *key)
{
	const struct hp_identity *a = (const struct hp_identity *)things + number, *b = key;

	return a->kind == b->kind && strcmp(a->name, b->name) == 0 &&
	       strcmp(a->place, b->place) == 0;
}

/* Add a new identity, with copies of its strings. */
static bool add_identity(struct hp_pairs *pairs, const struct hp_identity *key)
{
	struct hp_identity *added = &pairs->identities[pairs->identity_count++];

	*added = (struct hp_identity){ strdup(key->name), strdup(key->place), key->kind };
	return added->name && added->place;
}

static bool number_identity(struct hp_pairs *pairs, const struct hp_identity *key, uint32_t *number)
{
	uint32_t next = (uint32_t)pairs->identity_count;

	if (!hp_array_reserve(&pairs->identities, next, &pairs->identity_room, sizeof(*key)) ||
	    !hp_intern(&pairs->known, hash_of(key), pairs->identities, key, next, number))
		return false;
	return *number != next || add_identity(pairs, key);
}

static const char *place_of(const struct hp_subject_row *row)
{
	const char *path = row->file ? row->file : row->module;

	return path ? hp_file_name(path) : "";
}

static const char *renamed(const struct hp_pairs *pairs, const struct hp_renamings *renamings,
			   const struct hp_subject_row *row, struct hp_text *text)
{
	if (pairs->subject == &hp_subject_tree)
		return hp_renamings_apply_way(renamings, row->name, text);
	return hp_renamings_apply(renamings, row->name, place_of(row), row->kind);
}

static int add_row(struct hp_pairs *pairs, size_t run, size_t at, const struct hp_subject_row *row,
		   const struct hp_renamings *renamings)
{
	struct hp_text text = HP_TEXT_INIT;
	struct hp_occurrence found = {
		.run = (uint32_t)run, .at = (uint32_t)at, .order = row->order, .share = row->share
	};
	const char *name = row->is_program ? "" : row->name;

	if (renamings && !row->is_program && hp_pairs_side(pairs->comparison, run) == HP_BASE)
		name = renamed(pairs, renamings, row, &text);
	bool done = name &&
		    number_identity(
			    pairs,
			    &(struct hp_identity){ (char *)name, (char *)place_of(row), row->kind },
			    &found.identity) &&
		    hp_array_reserve(&pairs->found, pairs->found_count, &pairs->found_room,
				     sizeof(found));
	if (done)
		pairs->found[pairs->found_count++] = found;
	hp_text_free(&text);
	return done ? 0 : -ENOMEM;
}

static int collect_run(struct hp_pairs *pairs, size_t run, const struct hp_renamings *renamings)
{
	const struct hp_model *model = hp_pairs_run(pairs->comparison, run)->report.model;
	int failed = 0;

	pairs->recorded[run] = hp_subject_is_recorded(pairs->subject, model);
	if (!pairs->recorded[run])
		return 0;
	pairs->runs[hp_pairs_side(pairs->comparison, run)]++;
	size_t count = hp_subject_count(pairs->subject, model);
	for (size_t i = 0; i < count && !failed; i++) {
		struct hp_subject_row row = { .name = NULL };
		if (hp_subject_get(pairs->subject, model, i, &row))
			failed = add_row(pairs, run, i, &row, renamings);
	}
	return failed;
}

/* ---- which of several it is ---- */

/* Counting sort of occurrences by identity; it is stable, so runs and rows keep their order. */
static int sort_by_identity(struct hp_pairs *pairs)
{
	size_t *next = calloc(pairs->identity_count + 2, sizeof(*next));
	struct hp_occurrence *sorted = calloc(pairs->found_count + 1, sizeof(*sorted));

	if (!next || !sorted) {
		free(next);
		free(sorted);
		return -ENOMEM;
	}
	for (size_t i = 0; i < pairs->found_count; i++)
		next[pairs->found[i].identity + 1]++;
	for (size_t i = 1; i <= pairs->identity_count; i++)
		next[i] += next[i - 1];
	for (size_t i = 0; i < pairs->found_count; i++)
		sorted[next[pairs->found[i].identity]++] = pairs->found[i];
	free(next);
	free(pairs->found);
	pairs->found = sorted;
	return 0;
}

static int compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int by_order(const void *left, const void *right)
{
	const struct hp_occurrence *a = left, *b = right;
	int order = compare(a->order, b->order);

	return order ? order : compare(a->run, b->run);
}

static int by_run(const void *left, const void *right)
{
	const struct hp_occurrence *a = left, *b = right;
	int order = compare(a->run, b->run);

	if (!order)
		order = compare(a->order, b->order);
	return order ? order : compare(a->at, b->at);
}

static int by_nth(const void *left, const void *right)
{
	const struct hp_occurrence *a = left, *b = right;
	int order = compare(a->nth, b->nth);

	return order ? order : compare(a->run, b->run);
}

/* The maximum number of occurrences in one run; they are sorted by run. */
static uint32_t most_in_a_run(const struct hp_occurrence *items, size_t count)
{
	uint32_t most = 0, length = 0;

	for (size_t i = 0; i < count; i++) {
		length = i && items[i].run == items[i - 1].run ? length + 1 : 1;
		most = length > most ? length : most;
	}
	return most;
}

/*
 * Number occurrences by the distinct lines of all runs; false if a run has a line twice. *lines is the number of
 * lines.
 */
static bool number_by_line(struct hp_occurrence *items, size_t count, uint32_t *lines)
{
	bool is_clear = true;

	qsort(items, count, sizeof(*items), by_order);
	*lines = 1;
	items[0].nth = 0;
	for (size_t i = 1; i < count; i++) {
		bool same = items[i].order == items[i - 1].order;
		is_clear &= !(same && items[i].run == items[i - 1].run);
		*lines += !same;
		items[i].nth = *lines - 1;
	}
	return is_clear;
}

/* Number the occurrences of each run separately. */
static void number_by_run(struct hp_occurrence *items, size_t count)
{
	qsort(items, count, sizeof(*items), by_run);
	for (size_t i = 0; i < count; i++)
		items[i].nth = i && items[i].run == items[i - 1].run ? items[i - 1].nth + 1 : 0;
}

/*
 * Number the rows of a side that have the same identity. If the runs have the same lines, the line decides, so that a
 * row that is missing in one run does not shift the others. Reports of different sources have other lines, but the
 * same order.
 */
static void number_side(struct hp_occurrence *items, size_t count, bool adds_up)
{
	uint32_t most = most_in_a_run(items, count), lines;

	if (adds_up || most <= 1)
		return;
	if (!number_by_line(items, count, &lines) || lines != most)
		number_by_run(items, count);
	qsort(items, count, sizeof(*items), by_nth);
}

/* ---- pairs ---- */

/* The end of the occurrences with the same number. */
static size_t end_of_nth(const struct hp_pairs *pairs, size_t first, size_t end, uint32_t nth)
{
	while (first < end && pairs->found[first].nth == nth)
		first++;
	return first;
}

/* Base begins at first, and head at middle: pair those with the same number, lowest first. */
static void pair_identity(struct hp_pairs *pairs, size_t first, size_t middle, size_t end)
{
	size_t base = first, head = middle;

	for (uint32_t nth = 0; base < middle || head < end; nth++) {
		size_t next_base = end_of_nth(pairs, base, middle, nth);
		size_t next_head = end_of_nth(pairs, head, end, nth);
		pairs->items[pairs->count++] =
			(struct hp_pair){ { base, head }, { next_base - base, next_head - head } };
		base = next_base;
		head = next_head;
	}
}

static int make_pairs(struct hp_pairs *pairs)
{
	bool adds_up = pairs->subject->adds_up;
	size_t end;

	pairs->items = calloc(pairs->found_count + 1, sizeof(*pairs->items));
	if (!pairs->items)
		return -ENOMEM;
	for (size_t first = 0; first < pairs->found_count; first = end) {
		size_t middle = first;
		for (end = first; end < pairs->found_count; end++) {
			if (pairs->found[end].identity != pairs->found[first].identity)
				break;
			middle += hp_pairs_side(pairs->comparison, pairs->found[end].run) ==
				  HP_BASE;
		}
		number_side(&pairs->found[first], middle - first, adds_up);
		number_side(&pairs->found[middle], end - middle, adds_up);
		pair_identity(pairs, first, middle, end);
	}
	return 0;
}

/* ---- what has moved to another file ---- */

struct named {
	const char *name;
	unsigned kind;
	struct hp_pair *pair;
};

static int by_name(const void *left, const void *right)
{
	const struct named *a = left, *b = right;
	int order = compare(a->kind, b->kind);

	return order ? order : strcmp(a->name, b->name);
}

static bool has_side(const struct hp_pair *pair, unsigned side)
{
	return pair->count[side] > 0;
}

/* Of the pairs with one name, the only one that exists on a side; NULL if there is none, or several. */
static struct hp_pair *only_one(const struct named *items, size_t count, unsigned side)
{
	struct hp_pair *found = NULL;

	for (size_t i = 0; i < count; i++) {
		if (!has_side(items[i].pair, side))
			continue;
		if (found)
			return NULL;
		found = items[i].pair;
	}
	return found;
}

/* The name occurs once on each side: it is the same thing, even in another file. */
static void join_moved(const struct named *items, size_t count)
{
	struct hp_pair *base = only_one(items, count, HP_BASE);
	struct hp_pair *head = only_one(items, count, HP_HEAD);

	if (!base || !head || base == head)
		return;
	base->first[HP_HEAD] = head->first[HP_HEAD];
	base->count[HP_HEAD] = head->count[HP_HEAD];
	head->count[HP_HEAD] = 0;
}

static void drop_empty(struct hp_pairs *pairs)
{
	size_t kept = 0;

	for (size_t i = 0; i < pairs->count; i++)
		if (has_side(&pairs->items[i], HP_BASE) || has_side(&pairs->items[i], HP_HEAD))
			pairs->items[kept++] = pairs->items[i];
	pairs->count = kept;
}

static struct named name_pair(const struct hp_pairs *pairs, struct hp_pair *pair)
{
	unsigned side = has_side(pair, HP_BASE) ? HP_BASE : HP_HEAD;
	const struct hp_occurrence *found = &pairs->found[pair->first[side]];
	const struct hp_identity *identity = &pairs->identities[found->identity];

	return (struct named){ identity->name, identity->kind, pair };
}

static int find_moved(struct hp_pairs *pairs)
{
	struct named *names = calloc(pairs->count + 1, sizeof(*names));
	size_t end;

	if (!names)
		return -ENOMEM;
	for (size_t i = 0; i < pairs->count; i++)
		names[i] = name_pair(pairs, &pairs->items[i]);
	qsort(names, pairs->count, sizeof(*names), by_name);
	for (size_t first = 0; first < pairs->count; first = end) {
		for (end = first + 1; end < pairs->count; end++)
			if (by_name(&names[first], &names[end]) != 0)
				break;
		join_moved(&names[first], end - first);
	}
	free(names);
	drop_empty(pairs);
	return 0;
}

/* ---- all of it ---- */

int hp_pairs_make(struct hp_pairs *pairs, const struct hp_comparison *comparison,
		  const struct hp_subject *subject, const struct hp_renamings *renamings)
{
	size_t runs = comparison->base.count + comparison->head.count;
	int failed = 0;

	*pairs = (struct hp_pairs){ .comparison = comparison,
				    .subject = subject,
				    .known.is_same = is_same,
				    .recorded = calloc(runs + 1, sizeof(bool)) };
	if (!pairs->recorded)
		return -ENOMEM;
	for (size_t i = 0; i < runs && !failed; i++)
		failed = collect_run(pairs, i, renamings);
	if (!failed)
		failed = sort_by_identity(pairs);
	if (!failed)
		failed = make_pairs(pairs);
	return failed ? failed : find_moved(pairs);
}

void hp_pairs_free(struct hp_pairs *pairs)
{
	for (size_t i = 0; i < pairs->identity_count; i++) {
		free(pairs->identities[i].name);
		free(pairs->identities[i].place);
	}
	free(pairs->identities);
	hp_intern_free(&pairs->known);
	free(pairs->found);
	free(pairs->items);
	free(pairs->recorded);
	*pairs = (struct hp_pairs){ .comparison = NULL };
}
