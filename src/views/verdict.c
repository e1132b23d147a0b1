/* SPDX-License-Identifier: MIT */
/* What a function spends its time with, in one word. */
#include "verdict.h"

#include <stdbool.h>

enum {
	/* Percent of the wall time. */
	MOST = 60,
	MUCH_ALLOCATING = 40,
	/* Looks. With fewer than these, the share of CPU time is a guess; and without a sample where there should
	   have been so many, it was not computing. */
	LOOKS_TO_TELL = 10,
	LOOKS_TO_MISS = 3,
	LOOKS_MEDIUM = 25,
	LOOKS_HIGH = 400,
};

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Whether a part is at least so many percent of a whole. */
static bool is_share(uint64_t part, uint64_t whole, unsigned percent)
{
	return (double)part * 100 >= (double)whole * percent;
}

static bool is_allocating(const struct hp_split *split)
{
	return split->alloc_ns && is_share(split->alloc_ns, split->wall_ns, MUCH_ALLOCATING) &&
	       is_share(split->alloc_ns, split->cpu_ns, 50);
}

static enum hp_verdict decide(const struct hp_split *split)
{
	if (is_share(split->wait_ns, split->wall_ns, MOST))
		return HP_VERDICT_WAIT;
	if (is_allocating(split))
		return HP_VERDICT_ALLOC;
	if (is_share(split->cpu_ns - split->alloc_ns, split->wall_ns, MOST))
		return HP_VERDICT_CPU;
	return HP_VERDICT_MIXED;
}

/* Allocating is measured, however short it was; of the rest, a few samples have to do. */
static enum hp_verdict guess(const struct hp_split *split, uint64_t looks, bool has_samples)
{
	if (is_share(split->alloc_ns, split->wall_ns, MUCH_ALLOCATING))
		return HP_VERDICT_ALLOC;
	return has_samples || looks >= LOOKS_TO_MISS ? decide(split) : HP_VERDICT_MIXED;
}

struct hp_split hp_split(uint64_t wall_ns, uint64_t cpu_ns, uint64_t alloc_ns, uint64_t look_ns)
{
	struct hp_split split = { .wall_ns = wall_ns, .alloc_ns = least(alloc_ns, wall_ns) };
	uint64_t looks = look_ns ? wall_ns / look_ns : 0;

	split.cpu_ns = least(cpu_ns > split.alloc_ns ? cpu_ns : split.alloc_ns, wall_ns);
	split.wait_ns = wall_ns - split.cpu_ns;
	split.verdict = looks >= LOOKS_TO_TELL ? decide(&split) : guess(&split, looks, cpu_ns > 0);
	if (looks >= LOOKS_HIGH)
		split.confidence = HP_CONFIDENCE_HIGH;
	else if (looks >= LOOKS_MEDIUM)
		split.confidence = HP_CONFIDENCE_MEDIUM;
	return split;
}

const char *hp_verdict_name(enum hp_verdict verdict)
{
	static const char names[][6] = { "cpu", "wait", "alloc", "mixed" };

	return names[verdict];
}

const char *hp_confidence_name(enum hp_confidence confidence)
{
	static const char names[][7] = { "low", "medium", "high" };

	return names[confidence];
}
