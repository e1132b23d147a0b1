/* SPDX-License-Identifier: MIT */
/* Decides in one word what a function or a thread spends its time on. */
#include "verdict.h"

#include "arithmetic.h"

#include <stddef.h>

enum {
	/* Percent of the wall time. */
	MOST = 60,
	MUCH = 40,
	/* Percent of the CPU time; and of the wall time. */
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

enum hp_waiting hp_split_largest_wait(const struct hp_split *split)
{
	enum hp_waiting most = HP_WAITING_LOCK;

	for (enum hp_waiting i = 0; i < HP_WAITINGS; i++)
		if (split->waits[i] > split->waits[most])
			most = i;
	return most;
}

static enum hp_verdict verdict_of(enum hp_waiting waiting)
{
	return HP_VERDICT_LOCK + (enum hp_verdict)waiting;
}

/* It waits for the most part: for what, or that no single reason is more than computing or queueing. */
static enum hp_verdict name_wait(const struct hp_split *split)
{
	enum hp_waiting most = hp_split_largest_wait(split);
	uint64_t known = split->waits[most], largest = hp_max(known, split->unexplained_ns);

	if (largest < split->cpu_ns || largest < split->queue_ns)
		return HP_VERDICT_MIXED;
	return known && known == largest ? verdict_of(most) : HP_VERDICT_WAIT;
}

/* A measured wait is much of the time, and no other part is more. */
static bool is_largest_wait(const struct hp_split *split)
{
	uint64_t known = split->waits[hp_split_largest_wait(split)];

	return known && is_share(known, split->wall_ns, MUCH) && known >= split->unexplained_ns &&
	       known >= split->cpu_ns && known >= split->queue_ns;
}

/* The verdict of what computes or queues for the most part: the larger of both, unless waiting is more than either. */
static enum hp_verdict name_running(const struct hp_split *split, uint64_t computing)
{
	if (hp_max(computing, split->queue_ns) < split->wait_ns)
		return HP_VERDICT_MIXED;
	return computing >= split->queue_ns ? HP_VERDICT_CPU : HP_VERDICT_STARVED;
}

static enum hp_verdict decide(const struct hp_split *split, uint64_t unknown_ns)
{
	uint64_t computing = split->cpu_ns - split->alloc_ns;
	uint64_t measured = split->wait_ns - split->unexplained_ns;
	uint64_t waited = measured + hp_minus(split->unexplained_ns, unknown_ns);

	if (is_share(waited, split->wall_ns, MOST))
		return name_wait(split);
	if (is_largest_wait(split))
		return verdict_of(hp_split_largest_wait(split));
	if (is_allocating(split))
		return HP_VERDICT_ALLOC;
	if (is_share(computing, split->wall_ns, MOST))
		return HP_VERDICT_CPU;
	if (is_share(split->queue_ns, split->wall_ns, MUCH))
		return HP_VERDICT_STARVED;
	if (is_share(computing + split->queue_ns, split->wall_ns, MOST))
		return name_running(split, computing);
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

uint64_t hp_spent_blocked(const struct hp_spent *spent)
{
	return spent->waits[HP_WAITING_LOCK] + spent->waits[HP_WAITING_IDLE];
}

uint64_t hp_spent_io(const struct hp_spent *spent)
{
	uint64_t sum = 0;

	for (enum hp_waiting i = HP_WAITING_DISK; i < HP_WAITINGS; i++)
		sum += spent->waits[i];
	return sum;
}

/* Samples do not matter if the clock has measured that it did nothing else for most of the time. */
static uint64_t looks_of(const struct hp_spent *spent, const struct hp_split *split)
{
	uint64_t blocked = hp_max(split->waits[HP_WAITING_LOCK], split->waits[HP_WAITING_IDLE]);

	if (!spent->look_ns || (blocked && is_share(blocked, spent->wall_ns, MAINLY)))
		return UINT64_MAX;
	return spent->wall_ns / spent->look_ns;
}

static void decide_by_looks(struct hp_split *split, const struct hp_spent *spent)
{
	uint64_t looks = looks_of(spent, split);

	split->verdict = looks >= LOOKS_TO_TELL ? decide(split, spent->unknown_ns)
						: guess(split, spent, looks);
	split->confidence = confidence_of(looks);
}

/* What is computing or queueing is not told from the rest. */
static void decide_unsampled(struct hp_split *split)
{
	split->unexplained_ns += split->cpu_ns + split->queue_ns;
	split->wait_ns = split->wall_ns - split->unexplained_ns;
	split->cpu_ns = split->system_ns = split->queue_ns = split->alloc_ns = 0;
	split->verdict = is_largest_wait(split) ? verdict_of(hp_split_largest_wait(split))
						: HP_VERDICT_NONE;
	split->confidence = HP_CONFIDENCE_HIGH;
}

/* Calls of I/O wait in the time that is left, each for its share. */
static void split_io(struct hp_split *split, const struct hp_spent *spent, uint64_t left)
{
	uint64_t all = hp_spent_io(spent);
	double share = all > left ? (double)left / (double)all : 1;

	for (enum hp_waiting i = HP_WAITING_DISK; i < HP_WAITINGS; i++) {
		split->waits[i] = hp_min((uint64_t)((double)spent->waits[i] * share), left);
		left -= split->waits[i];
	}
	split->unexplained_ns = left;
}

/* Without a verdict, nobody knows how much of its I/O a function waited. */
static void doubt_io(struct hp_split *split, const struct hp_spent *spent)
{
	for (enum hp_waiting i = HP_WAITING_DISK; i < HP_WAITINGS; i++) {
		split->is_unclear[i] = spent->waits[i];
		split->unexplained_ns += split->waits[i];
		split->waits[i] = 0;
	}
	if (split->is_unsampled)
		split->wait_ns = split->wall_ns - split->unexplained_ns;
}

struct hp_split hp_split(const struct hp_spent *spent)
{
	struct hp_split split = { .wall_ns = spent->wall_ns, .is_unsampled = spent->is_unsampled };
	uint64_t *waits = split.waits, left = spent->wall_ns;

	waits[HP_WAITING_LOCK] = hp_min(spent->waits[HP_WAITING_LOCK], left);
	left -= waits[HP_WAITING_LOCK];
	waits[HP_WAITING_IDLE] = hp_min(spent->waits[HP_WAITING_IDLE], left);
	left -= waits[HP_WAITING_IDLE];
	split.alloc_ns = hp_min(spent->alloc_ns, left);
	split.cpu_ns = hp_min(hp_max(spent->cpu_ns, split.alloc_ns), left);
	split.system_ns = hp_min(spent->system_ns, split.cpu_ns);
	split.queue_ns = hp_min(spent->queue_ns, left - split.cpu_ns);
	split.wait_ns = spent->wall_ns - split.cpu_ns - split.queue_ns;
	split_io(&split, spent, left - split.cpu_ns - split.queue_ns);
	if (split.is_unsampled)
		decide_unsampled(&split);
	else
		decide_by_looks(&split, spent);
	if (split.verdict == HP_VERDICT_NONE)
		doubt_io(&split, spent);
	return split;
}

bool hp_split_is_system(const struct hp_split *split)
{
	return split->system_ns && is_share(split->system_ns, split->cpu_ns, MAINLY);
}

const char *hp_verdict_name(enum hp_verdict verdict)
{
	static const char names[][8] = { "",	 "cpu",	 "wait", "starved", "alloc", "mixed",
					 "lock", "idle", "disk", "network", "pipe" };

	return verdict == HP_VERDICT_NONE ? NULL : names[verdict];
}

const char *hp_confidence_name(enum hp_confidence confidence)
{
	static const char names[][7] = { "low", "medium", "high" };

	return names[confidence];
}
