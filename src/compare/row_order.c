/* SPDX-License-Identifier: MIT */
/* In which order the rows of a section are shown. */
#include "row_order.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A row, with what it is sorted by. */
struct ordered {
	struct hp_compared_row row;
	/* Smaller is first. */
	unsigned rank;
	/* Its original position, to make the sort stable. */
	size_t at;
};

enum {
	RANK_SLOWER,
	RANK_MORE,
	RANK_FASTER,
	RANK_LESS,
	RANK_NEW,
	RANK_REMOVED,
	RANK_RENAMED,
	RANK_NOT_CHANGED,
};

static unsigned rank_of(const struct hp_compared_section *section,
			const struct hp_compared_row *row)
{
	static const unsigned ranks[] = {
		[HP_PRESENT] = RANK_NOT_CHANGED,
		[HP_NEW] = RANK_NEW,
		[HP_REMOVED] = RANK_REMOVED,
		[HP_RENAMED] = RANK_RENAMED,
	};

	if (!row->has_changed)
		return RANK_NOT_CHANGED;
	if (row->judged == HP_JUDGED_SLOWER)
		return RANK_SLOWER;
	if (hp_compared_row_has(section, row, HP_JUDGED_MORE))
		return RANK_MORE;
	if (row->judged == HP_JUDGED_FASTER)
		return RANK_FASTER;
	return hp_compared_row_has(section, row, HP_JUDGED_LESS) ? RANK_LESS : ranks[row->presence];
}

static int compare_texts(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

/* Those without a share are last. */
static double share_of(const struct ordered *item)
{
	return item->row.share >= 0 ? item->row.share : -1;
}

static int compare_rows(const void *a, const void *b)
{
	const struct ordered *left = a, *right = b;
	double left_share = share_of(left), right_share = share_of(right);
	int order = (left->rank > right->rank) - (left->rank < right->rank);

	if (!order)
		order = (left_share < right_share) - (left_share > right_share);
	if (!order)
		order = compare_texts(left->row.name, right->row.name);
	if (!order)
		order = compare_texts(left->row.file, right->row.file);
	if (!order)
		order = (left->row.line > right->row.line) - (left->row.line < right->row.line);
	if (!order)
		order = (left->at > right->at) - (left->at < right->at);
	return order;
}

int hp_row_order(struct hp_compared_section *section)
{
	struct ordered *items = calloc(section->row_count + 1, sizeof(*items));
	if (!items)
		return -ENOMEM;

	for (size_t i = 0; i < section->row_count; i++)
		items[i] = (struct ordered){ section->rows[i], rank_of(section, &section->rows[i]),
					     i };
	qsort(items, section->row_count, sizeof(*items), compare_rows);
	for (size_t i = 0; i < section->row_count; i++)
		section->rows[i] = items[i].row;
	free(items);
	return 0;
}
