/* SPDX-License-Identifier: MIT */
/* Decides in one word what a function or a thread spends its time on. */
#include "verdict.h"

#include "arithmetic.h"

#include <stddef.h>

enum {
	/* Percent of the wall time. */
	MOST = 60,
	MUCH = 40,
	/* Percent of the CPU time. */
	MAINLY = 50,
	/*
	 * Numbers of possible samples. Below the first, the share of CPU time is a guess. If the second number was
	 * possible but none was taken, it was not computing.
	 */
	LOOKS_TO_TELL = 10,
	LOOKS_TO_MISS = 3,
	LOOKS_MEDIUM = 25,
	LOOKS_HIGH = 400,
};

/* Whether a part is at least so many percent of a whole. */
static bool is_share(uint64_t part, uint64_t whole, unsigned percent)
{
	return (double)part * 100 >= (double)whole * percent;
}

static bool is_allocating(const struct hp_split *split)
{
	return split->alloc_ns && is_share(split->alloc_ns, split->wall_ns, MUCH) &&
	       is_share(split->alloc_ns, split->cpu_ns, MAINLY);
}

static enum hp_verdict decide(const struct hp_split *split, uint64_t unknown_ns)
{
	uint64_t computing = split->cpu_ns - split->alloc_ns;

	if (is_share(hp_minus(split->wait_ns, unknown_ns), split->wall_ns, MOST))
		return HP_VERDICT_WAIT;
	if (is_allocating(split))
		return HP_VERDICT_ALLOC;
	if (is_share(computing, split->wall_ns, MOST))
		return HP_VERDICT_CPU;
	if (is_share(split->queue_ns, split->wall_ns, MUCH))
		return HP_VERDICT_STARVED;
	if (is_share(computing + split->queue_ns, split->wall_ns, MOST))
		return computing >= split->queue_ns ? HP_VERDICT_CPU : HP_VERDICT_STARVED;
	/* The time that it did not compute may be waiting, or unattributed CPU time. */
	return is_share(split->wait_ns, split->wall_ns, MOST) ? HP_VERDICT_NONE : HP_VERDICT_MIXED;
}

/* With few possible samples, even one sample counts. */
static enum hp_verdict guess(const struct hp_split *split, const struct hp_spent *spent,
			     uint64_t looks)
{
	if (split->cpu_ns || spent->queue_ns || looks >= LOOKS_TO_MISS)
		return decide(split, spent->unknown_ns);
	return HP_VERDICT_NONE;
}

static enum hp_confidence confidence_of(uint64_t looks)
{
	if (looks >= LOOKS_HIGH)
		return HP_CONFIDENCE_HIGH;
	return looks >= LOOKS_MEDIUM ? HP_CONFIDENCE_MEDIUM : HP_CONFIDENCE_LOW;
}

struct hp_split hp_split(const struct hp_spent *spent)
{
	struct hp_split split = { .wall_ns = spent->wall_ns,
				  .alloc_ns = hp_min(spent->alloc_ns, spent->wall_ns) };
	uint64_t cpu_ns = hp_max(spent->cpu_ns, split.alloc_ns);
	uint64_t looks = spent->look_ns ? spent->wall_ns / spent->look_ns : UINT64_MAX;

	split.cpu_ns = hp_min(cpu_ns, spent->wall_ns);
	split.system_ns = hp_min(spent->system_ns, split.cpu_ns);
	split.queue_ns = hp_min(spent->queue_ns, spent->wall_ns - split.cpu_ns);
	split.wait_ns = spent->wall_ns - split.cpu_ns - split.queue_ns;
	split.verdict = looks >= LOOKS_TO_TELL ? decide(&split, spent->unknown_ns)
					       : guess(&split, spent, looks);
	split.confidence = confidence_of(looks);
	return split;
}

bool hp_split_is_system(const struct hp_split *split)
{
	return split->system_ns && is_share(split->system_ns, split->cpu_ns, MAINLY);
}

const char *hp_verdict_name(enum hp_verdict verdict)
{
	static const char names[][8] = { "", "cpu", "wait", "starved", "alloc", "mixed" };

	return verdict == HP_VERDICT_NONE ? NULL : names[verdict];
}

const char *hp_confidence_name(enum hp_confidence confidence)
{
	static const char names[][7] = { "low", "medium", "high" };

	return names[confidence];
}
