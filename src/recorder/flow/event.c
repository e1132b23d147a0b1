/* SPDX-License-Identifier: MIT */
/*
 * Events of a site of any kind: counters and durations, as many as the kind has.
 *
 * A stat has four counters and one histogram. A kind that needs more has a chain of stats in each lane, which are the
 * parts of the first: part n has histogram n, and counters 4 n to 4 n + 3.
 */
#include "flow.h"
#include "probe.h"
#include "process/clock.h"
#include "process/lanes.h"

enum { COUNTERS = sizeof(((struct hp_stat *)0)->flow) / sizeof(uint64_t) };

static struct hp_stat *new_part(struct thread *me, struct hp_stat *before)
{
	uint64_t at = hotpath__lane_take(me, sizeof(struct hp_stat));

	if (!at) {
		add(&me->lane->counters[HP_COUNTER_flows], 1);
		return NULL;
	}
	struct hp_stat *part = (struct hp_stat *)(void *)(me->base + at);
	part->site = before->site;
	part->min = UINT64_MAX;
	/* Pairs with the reader's ACQUIRE. */
	store(&before->more, at, RELEASE);
	return part;
}

static struct hp_stat *part_of(struct thread *me, struct hp_stat *stat, unsigned part)
{
	for (; stat && part; part--)
		stat = stat->more ? (struct hp_stat *)(void *)(me->base + stat->more)
				  : new_part(me, stat);
	return stat;
}

static void count(struct thread *me, struct hp_stat *stat, const struct hotpath__event *event)
{
	for (unsigned i = 0; i < HOTPATH__EVENT_COUNTERS; i++) {
		struct hp_stat *part = event->counts[i] ? part_of(me, stat, i / COUNTERS) : NULL;
		if (part)
			add(&part->flow[i % COUNTERS], event->counts[i]);
	}
}

static void take_times(struct thread *me, struct hp_stat *stat, const struct hotpath__event *event)
{
	uint64_t now = hotpath__ticks();

	for (unsigned i = 0; i < HOTPATH__EVENT_TIMES; i++) {
		struct hp_stat *part = event->timed >> i & 1 ? part_of(me, stat, i) : NULL;
		if (part)
			hotpath__flow_took(me, part, now, event->ticks[i]);
	}
}

void hotpath__channel_counted(struct thread *me, uint32_t site, unsigned counter, uint64_t ticks)
{
	struct hp_stat *stat = hotpath__flow_stat(me, site);
	struct hp_stat *part = stat ? part_of(me, stat, counter / COUNTERS) : NULL;

	if (part)
		add(&part->flow[counter % COUNTERS], ticks);
}

/* Two threads may store their halves at the same time: then the name is that of the other, which is as slow but for a
   moment. */
static void note_slowest(uint32_t site, const struct hotpath__event *event)
{
	struct hp_shared *shared = hotpath__shared(site);

	if (!shared || event->slowest <= load(&shared->most, RELAXED))
		return;
	store(&shared->most, event->slowest, RELAXED);
	store(&shared->other, event->slowest_site, RELAXED);
}

void hotpath__happened(const struct hotpath__event *event)
{
	struct thread *me = event->site ? hotpath__flow_enter(hotpath__stack_pointer()) : NULL;
	struct hp_stat *stat = me ? hotpath__flow_stat(me, event->site) : NULL;

	if (stat) {
		count(me, stat, event);
		if (event->timed)
			take_times(me, stat, event);
		if (event->slowest)
			note_slowest(event->site, event);
	}
	if (me)
		hotpath__leave_busy(me);
}
