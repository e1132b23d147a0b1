/* SPDX-License-Identifier: MIT */
/* Finds functions that have another name in head, and renames paths that contain them. */
#include "pairs.h"

#include "lower_bound.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ARROW " > "

/* ---- finding ---- */

/* What is on one side alone. */
struct candidate {
	double calls;
	unsigned kind;
	unsigned side;
	const struct hp_identity *identity;
};

static const struct hp_metric *find_calls(const struct hp_subject *subject)
{
	const struct hp_metric *metric = subject->metrics;

	while (metric->name && metric->kind != HP_COMPARED_EXACT)
		metric++;
	return metric;
}

/* Its calls, if they are equal in all runs of the side; else 0. */
static double calls_of(const struct hp_pairs *pairs, const struct hp_pair *pair, unsigned side)
{
	const struct hp_metric *metric = find_calls(pairs->subject);
	double calls = 0;

	if (pair->count[side] != pairs->runs[side])
		return 0;
	for (size_t i = 0; i < pair->count[side]; i++) {
		const struct hp_occurrence *found = &pairs->found[pair->first[side] + i];
		double value = hp_metric_value(metric, hp_pairs_run(pairs->comparison, found->run),
					       found->at, 0);
		if (i && value != calls)
			return 0;
		calls = value;
	}
	return calls;
}

static size_t gather(const struct hp_pairs *pairs, struct candidate *candidates)
{
	size_t count = 0;

	for (size_t i = 0; i < pairs->count; i++) {
		const struct hp_pair *pair = &pairs->items[i];
		unsigned side = pair->count[HP_BASE] ? HP_BASE : HP_HEAD;
		if (pair->count[HP_BASE] && pair->count[HP_HEAD])
			continue;
		double calls = calls_of(pairs, pair, side);
		uint32_t number = pairs->found[pair->first[side]].identity;
		const struct hp_identity *identity = &pairs->identities[number];
		/* The row of the program has an empty name, and is not a function. */
		if (calls > 0 && identity->name[0])
			candidates[count++] = (struct candidate){ calls, identity->kind, side,
								  identity };
	}
	return count;
}

static int by_calls(const void *left, const void *right)
{
	const struct candidate *a = left, *b = right;
	int order = (a->kind > b->kind) - (a->kind < b->kind);

	if (!order)
		order = (a->calls > b->calls) - (a->calls < b->calls);
	return order ? order : (a->side > b->side) - (a->side < b->side);
}

static bool is_place_same(const char *a, const char *b)
{
	return !a[0] || !b[0] || strcmp(a, b) == 0;
}

/* A removed and a new function with equal calls are the same function. */
static bool is_renamed(const struct candidate *base, size_t count)
{
	const struct candidate *head = base + 1;

	return count == 2 && base->side == HP_BASE && head->side == HP_HEAD &&
	       is_place_same(base->identity->place, head->identity->place);
}

static bool add(struct hp_renamings *renamings, const struct candidate *base)
{
	struct hp_renaming *added = &renamings->items[renamings->count++];

	*added = (struct hp_renaming){ .from = strdup(base[0].identity->name),
				       .to = strdup(base[1].identity->name),
				       .place = strdup(base[0].identity->place),
				       .kind = base->kind };
	return added->from && added->to && added->place;
}

static int by_name(const void *left, const void *right)
{
	const struct hp_renaming *a = left, *b = right;

	return strcmp(a->from, b->from);
}

static int choose(struct hp_renamings *renamings, const struct candidate *candidates, size_t count)
{
	size_t end;

	renamings->items = calloc(count / 2 + 1, sizeof(*renamings->items));
	if (!renamings->items)
		return -ENOMEM;
	for (size_t first = 0; first < count; first = end) {
		for (end = first + 1; end < count; end++)
			if (candidates[end].kind != candidates[first].kind ||
			    candidates[end].calls != candidates[first].calls)
				break;
		if (is_renamed(&candidates[first], end - first) &&
		    !add(renamings, &candidates[first]))
			return -ENOMEM;
	}
	qsort(renamings->items, renamings->count, sizeof(*renamings->items), by_name);
	return 0;
}

/* In a report that was cut, it is not known what is gone. */
static bool is_any_cut(const struct hp_comparison *comparison)
{
	size_t runs = comparison->base.count + comparison->head.count;

	for (size_t i = 0; i < runs; i++)
		if (hp_pairs_run(comparison, i)->report.is_cut)
			return true;
	return false;
}

int hp_renamings_find(struct hp_renamings *renamings, const struct hp_pairs *pairs)
{
	*renamings = (struct hp_renamings){ NULL, 0 };
	if (!pairs->runs[HP_BASE] || !pairs->runs[HP_HEAD] || is_any_cut(pairs->comparison))
		return 0;
	struct candidate *candidates = calloc(pairs->count + 1, sizeof(*candidates));
	if (!candidates)
		return -ENOMEM;

	size_t count = gather(pairs, candidates);
	qsort(candidates, count, sizeof(*candidates), by_calls);
	int failed = choose(renamings, candidates, count);
	free(candidates);
	return failed;
}

void hp_renamings_free(struct hp_renamings *renamings)
{
	for (size_t i = 0; i < renamings->count; i++) {
		free(renamings->items[i].from);
		free(renamings->items[i].to);
		free(renamings->items[i].place);
	}
	free(renamings->items);
	*renamings = (struct hp_renamings){ NULL, 0 };
}

/* ---- applying ---- */

static bool is_before(const void *renaming, const void *name)
{
	return strcmp(((const struct hp_renaming *)renaming)->from, name) < 0;
}

/* The first renaming of this name or a later one. */
static size_t find(const struct hp_renamings *renamings, const char *name)
{
	return hp_lower_bound(name, renamings->items, renamings->count, sizeof(*renamings->items),
			      is_before);
}

const char *hp_renamings_apply(const struct hp_renamings *renamings, const char *name,
			       const char *place, unsigned kind)
{
	for (size_t at = find(renamings, name);
	     at < renamings->count && strcmp(renamings->items[at].from, name) == 0; at++)
		if (renamings->items[at].kind == kind &&
		    is_place_same(renamings->items[at].place, place))
			return renamings->items[at].to;
	return name;
}

/* Append one name of the path, up to the next separator. */
static bool put_name(const struct hp_renamings *renamings, const char *begin, size_t length,
		     struct hp_text *text)
{
	char *name = strndup(begin, length);
	size_t at = name ? find(renamings, name) : renamings->count;
	bool is_found = at < renamings->count && strcmp(renamings->items[at].from, name) == 0;

	if (name)
		hp_text_puts(text, is_found ? renamings->items[at].to : name);
	free(name);
	return name;
}

const char *hp_renamings_apply_way(const struct hp_renamings *renamings, const char *way,
				   struct hp_text *text)
{
	const char *begin = way, *end;

	if (!renamings->count)
		return way;
	for (; begin; begin = end ? end + strlen(ARROW) : NULL) {
		end = strstr(begin, ARROW);
		if (begin != way)
			hp_text_puts(text, ARROW);
		if (!put_name(renamings, begin, end ? (size_t)(end - begin) : strlen(begin), text))
			return NULL;
	}
	return text->failed ? NULL : text->bytes;
}
