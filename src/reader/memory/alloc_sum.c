/* SPDX-License-Identifier: MIT */
/* What one site allocated, over its lanes. */
#include "allocations.h"
#include "arithmetic.h"

#include "atomic.h"

struct hp_own hp_alloc_own(const struct hp_lane *lane, uint64_t at, const struct hp_alloc *alloc)
{
	struct hp_own own = { load(&alloc->bytes, RELAXED), load(&alloc->blocks, RELAXED) };
	uint64_t bytes = load(&lane->bytes, RELAXED), blocks = load(&lane->blocks, RELAXED);
	uint64_t base_bytes = load(&alloc->base_bytes, RELAXED);
	uint64_t base_blocks = load(&alloc->base_blocks, RELAXED);

	/* Pairs with the RELEASE that made it the owner. */
	if (load(&lane->owner, ACQUIRE) == at && bytes >= base_bytes && blocks >= base_blocks)
		own = (struct hp_own){ bytes - base_bytes, blocks - base_blocks };
	return own;
}

static void add_buckets(struct hp_alloc_sum *sum, const struct hp_snapshot *snapshot,
			const struct hp_alloc *alloc, unsigned which)
{
	for (unsigned octave = 0; octave < HP_OCTAVES; octave++) {
		struct hp_counters counters = hp_check_octave(snapshot->bytes,
							      alloc->octaves[which], octave);

		if (counters.counts)
			hp_octaves_add(&sum->octaves[which], octave, counters);
	}
}

/* Add what the lane has allocated since the outermost call in progress made its first allocation. */
static void add_open(struct hp_alloc_figures *figures, const struct hp_lane *lane,
		     const struct hp_alloc *alloc)
{
	uint64_t bytes = load(&lane->bytes, RELAXED), blocks = load(&lane->blocks, RELAXED);
	uint64_t bytes_before = load(&alloc->open_bytes, RELAXED);
	uint64_t blocks_before = load(&alloc->open_blocks, RELAXED);

	figures->inclusive_bytes += hp_minus(bytes, bytes_before);
	figures->inclusive_count += hp_minus(blocks, blocks_before);
}

void hp_alloc_sum_add(struct hp_alloc_sum *sum, const struct hp_snapshot *snapshot,
		      const struct hp_lane *lane, const struct hp_stat *stat)
{
	/* Pairs with the RELEASE that published the alloc. */
	uint64_t at = load(&stat->alloc, ACQUIRE);
	const struct hp_alloc *alloc = hp_check_alloc(snapshot->bytes, at);
	struct hp_alloc_figures *figures = &sum->figures;

	if (!alloc)
		return;
	struct hp_own own = hp_alloc_own(lane, at, alloc);
	sum->has_any = true;
	figures->bytes += own.bytes;
	figures->count += own.blocks;
	figures->inclusive_bytes += load(&alloc->inclusive_bytes, RELAXED);
	figures->inclusive_count += load(&alloc->inclusive_blocks, RELAXED);
	figures->nested_bytes += load(&alloc->nested_bytes, RELAXED);
	figures->nested_count += load(&alloc->nested_blocks, RELAXED);
	figures->freed_bytes += load(&alloc->freed_bytes, RELAXED);
	figures->freed_count += load(&alloc->freed_blocks, RELAXED);
	figures->temporary_count += load(&alloc->temporary_blocks, RELAXED);
	for (unsigned which = 0; which < HP_ALLOC_HISTOGRAMS; which++)
		add_buckets(sum, snapshot, alloc, which);
	if (load(&alloc->is_open, RELAXED) && load(&stat->depth, RELAXED))
		add_open(figures, lane, alloc);
}

static uint64_t middle(const void *context, unsigned bucket)
{
	(void)context;
	return hp_bucket_middle(bucket);
}

/* If all calls are in one bucket, as is common, use their mean as its value: it is exact if all had the same. */
static void sharpen(struct hp_points *points, uint64_t total)
{
	struct hp_point *only = points->count == 1 ? points->items : NULL;
	uint64_t mean = only ? total / only->count : 0;

	if (only && hp_bucket(mean) == hp_bucket(only->value))
		only->value = mean;
}

bool hp_alloc_sum_take(const struct hp_alloc_sum *sum, struct hp_alloc_figures *figures)
{
	bool done = true;

	if (!sum->has_any)
		return true;
	*figures = sum->figures;
	const uint64_t totals[HP_ALLOC_HISTOGRAMS] = {
		figures->bytes, figures->count, figures->inclusive_bytes + figures->nested_bytes,
		figures->inclusive_count + figures->nested_count
	};
	for (unsigned which = 0; which < HP_ALLOC_HISTOGRAMS && done; which++) {
		const struct hp_octaves *octaves = &sum->octaves[which];
		done = !octaves->is_incomplete &&
		       hp_points_make(&figures->calls[which], octaves->counts, middle, NULL);
		sharpen(&figures->calls[which], totals[which]);
	}
	return done;
}

void hp_alloc_sum_clear(struct hp_alloc_sum *sum)
{
	if (!sum->has_any)
		return;
	for (unsigned which = 0; which < HP_ALLOC_HISTOGRAMS; which++)
		hp_octaves_clear(&sum->octaves[which]);
	*sum = (struct hp_alloc_sum){ .has_any = false };
}
