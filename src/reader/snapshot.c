/* SPDX-License-Identifier: MIT */
/* A segment in memory: its lanes, and what its times mean. */
#include "snapshot.h"

#include "atomic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static bool same_boot(const struct hp_header *header)
{
	FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
	char text[64] = "";
	uint64_t boot[2];

	if (file && !fgets(text, sizeof(text), file))
		text[0] = '\0';
	if (file)
		fclose(file);
	hp_boot_parse(text, boot);
	return memcmp(boot, header->boot_id, sizeof(boot)) == 0;
}

/* value * times / by, at most what fits. */
static uint64_t scaled(uint64_t value, uint64_t times, uint64_t by)
{
	__extension__ typedef unsigned __int128 wide;
	wide result = (wide)value * times / by;

	return result > UINT64_MAX ? UINT64_MAX : (uint64_t)result;
}

/* The present by the recorder's clock, from the clock that both have in common. */
static uint64_t present(const struct hp_snapshot *snapshot)
{
	struct hp_moment start = { load(&snapshot->header->start.ticks, RELAXED),
				   load(&snapshot->header->start.monotonic_ns, RELAXED) };
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	uint64_t ns = (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
	if (ns < start.monotonic_ns)
		return start.ticks;
	return start.ticks +
	       scaled(ns - start.monotonic_ns, snapshot->ticks_per_second, UINT64_C(1000000000));
}

/* When a call of this stat last ended, or began. */
static bool latest_of(void *context, const struct hp_lane *lane, const struct hp_stat *stat)
{
	struct hp_snapshot *snapshot = context;
	uint64_t calls = load(&stat->calls, RELAXED), since = load(&stat->open_since, RELAXED);
	uint64_t end = calls ? load(&stat->ends[(calls - 1) % HP_RING], RELAXED) : 0;

	(void)lane;
	if (end > snapshot->now)
		snapshot->now = end;
	if (since > snapshot->now)
		snapshot->now = since;
	return true;
}

/* As many as the segment says, if it can hold them. */
static uint32_t count_sites(const struct hp_snapshot *snapshot)
{
	/* Pairs with the RELEASE that published the newest site. */
	uint32_t count = load(&snapshot->header->site_count, ACQUIRE);

	return count <= hp_check_most(snapshot->bytes, sizeof(struct hp_site)) ? count : 0;
}

const char *hp_snapshot_open(struct hp_snapshot *snapshot, const void *bytes, size_t size,
			     bool running)
{
	const char *problem = hp_check_header(bytes, size);

	if (problem)
		return problem;
	snapshot->bytes = (struct hp_bytes){ bytes, size };
	snapshot->header = bytes;
	snapshot->ticks_per_second = load(&snapshot->header->ticks_per_second, RELAXED);
	snapshot->site_count = count_sites(snapshot);
	uint64_t end = load(&snapshot->header->end_ticks, RELAXED);
	if (end)
		snapshot->now = end;
	else if (running && same_boot(snapshot->header))
		snapshot->now = present(snapshot);
	else {
		/* A program that did not say goodbye: when it was last heard of. */
		snapshot->now = load(&snapshot->header->latest.ticks, RELAXED);
		hp_snapshot_each_stat(snapshot, latest_of, snapshot);
	}
	return NULL;
}

uint64_t hp_snapshot_ns(const struct hp_snapshot *snapshot, uint64_t ticks)
{
	if (snapshot->ticks_per_second == UINT64_C(1000000000))
		return ticks;
	return scaled(ticks, UINT64_C(1000000000), snapshot->ticks_per_second);
}

uint64_t hp_snapshot_cost_ns(const struct hp_snapshot *snapshot, uint64_t calls)
{
	return hp_snapshot_ns(snapshot, scaled(calls, snapshot->header->span_cost, 256));
}

struct hp_lanes hp_snapshot_lanes(const struct hp_snapshot *snapshot)
{
	/* Pairs with the RELEASE that published the lane. */
	uint64_t first = load(&snapshot->header->lanes, ACQUIRE);

	return (struct hp_lanes){ snapshot, hp_check_lane(snapshot->bytes, first),
				  hp_check_most(snapshot->bytes, sizeof(struct hp_lane)),
				  load(&snapshot->header->session, ACQUIRE) };
}

const struct hp_lane *hp_lanes_next(struct hp_lanes *lanes)
{
	while (lanes->next && lanes->left) {
		const struct hp_lane *lane = lanes->next;

		lanes->left--;
		lanes->next = hp_check_lane(lanes->snapshot->bytes, lane->next);
		/* Pairs with the RELEASE that began the session on this lane. */
		if (load(&lane->session, ACQUIRE) == lanes->session)
			return lane;
	}
	return NULL;
}

bool hp_snapshot_each_stat(const struct hp_snapshot *snapshot,
			   bool (*visit)(void *context, const struct hp_lane *lane,
					 const struct hp_stat *stat),
			   void *context)
{
	uint64_t stats = hp_check_most(snapshot->bytes, sizeof(struct hp_stat));
	struct hp_lanes lanes = hp_snapshot_lanes(snapshot);

	for (const struct hp_lane *lane; (lane = hp_lanes_next(&lanes));) {
		/* Pairs with the RELEASE that published the stat. */
		const struct hp_stat *stat = hp_check_stat(snapshot->bytes,
							   load(&lane->stats, ACQUIRE));
		for (; stat && stats; stats--, stat = hp_check_stat(snapshot->bytes, stat->next))
			if (!visit(context, lane, stat))
				return false;
	}
	return true;
}

char *hp_snapshot_string(const struct hp_snapshot *snapshot, uint64_t at)
{
	size_t length;
	const char *bytes = hp_check_string(snapshot->bytes, at, &length);

	return bytes ? strndup(bytes, length) : NULL;
}
