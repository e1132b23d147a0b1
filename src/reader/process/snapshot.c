/* SPDX-License-Identifier: MIT */
/* A segment in memory: its lanes, and the conversion of its times. */
#include "snapshot.h"

#include "arithmetic.h"
#include "atomic.h"
#include "life.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static bool same_boot(const struct hp_header *header)
{
	uint64_t boot[2];

	hp_life_boot(boot);
	return memcmp(boot, header->boot_id, sizeof(boot)) == 0;
}

/*
 * value * times / by, saturated. With a real clock rate the product of the remainder does not overflow; a damaged
 * segment may have any rate, and then gets a wrong but harmless result.
 */
static uint64_t scaled(uint64_t value, uint64_t times, uint64_t by)
{
	uint64_t whole, part, rest = value % by;
	bool too_much = __builtin_mul_overflow(value / by, times, &whole);

	for (; __builtin_mul_overflow(rest, times, &part); by >>= 1)
		rest >>= 1;
	if (too_much || __builtin_add_overflow(whole, part / by, &whole))
		return UINT64_MAX;
	return whole;
}

static uint64_t passed_since(clockid_t clock, uint64_t start_ns)
{
	struct timespec now;

	clock_gettime(clock, &now);
	uint64_t ns = (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
	return hp_minus(ns, start_ns);
}

/* In another time namespace CLOCK_MONOTONIC counts from another moment; the time of day is the same everywhere. */
static uint64_t ns_since_start(const struct hp_header *header)
{
	if (header->time_namespace && header->time_namespace != hp_life_time_namespace())
		return passed_since(CLOCK_REALTIME, load(&header->start_unix_ns, RELAXED));
	return passed_since(CLOCK_MONOTONIC, load(&header->start.monotonic_ns, RELAXED));
}

/* The present time on the recorder's clock, computed from a clock that both processes can read. */
static uint64_t present(const struct hp_snapshot *snapshot)
{
	return load(&snapshot->header->start.ticks, RELAXED) +
	       scaled(ns_since_start(snapshot->header), snapshot->ticks_per_second,
		      UINT64_C(1000000000));
}

void hp_snapshot_heard(struct hp_snapshot *snapshot, const struct hp_stat *stat)
{
	uint64_t calls = load(&stat->calls, RELAXED), since = load(&stat->open_since, RELAXED);
	uint64_t end = calls ? load(&stat->ring[(calls - 1) % HP_RING].end, RELAXED) : 0;

	if (end > snapshot->now)
		snapshot->now = end;
	if (since > snapshot->now)
		snapshot->now = since;
}

void hp_snapshot_saw(struct hp_snapshot *snapshot, const struct hp_lane *lane)
{
	snapshot->now = hp_max(snapshot->now, load(&lane->since, RELAXED));
	snapshot->now = hp_max(snapshot->now, load(&lane->last_look, RELAXED));
}

/* The number of sites that the segment claims, limited to what fits into it. */
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
	/* Checked before, but the segment may have changed since. */
	if (snapshot->ticks_per_second == 0)
		return "its header is damaged";
	uint64_t end = load(&snapshot->header->end_ticks, RELAXED);
	snapshot->is_silent = false;
	if (end)
		snapshot->now = end;
	else if (running && same_boot(snapshot->header))
		snapshot->now = present(snapshot);
	else {
		snapshot->now = load(&snapshot->header->latest.ticks, RELAXED);
		snapshot->is_silent = true;
	}
	return NULL;
}

void hp_snapshot_set_rate(struct hp_snapshot *snapshot, uint64_t ticks_per_second)
{
	bool is_present = !load(&snapshot->header->end_ticks, RELAXED) && !snapshot->is_silent;

	if (!ticks_per_second || ticks_per_second == snapshot->ticks_per_second)
		return;
	snapshot->ticks_per_second = ticks_per_second;
	if (is_present)
		snapshot->now = present(snapshot);
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

static uint64_t probe_ticks(const struct hp_lane *lane)
{
	uint64_t blocks = load(&lane->blocks, RELAXED), freed = load(&lane->freed_blocks, RELAXED);

	return scaled(blocks, load(&lane->alloc_cost, RELAXED), 256) +
	       scaled(freed, load(&lane->free_cost, RELAXED), 256);
}

uint64_t hp_snapshot_probe_ns(const struct hp_snapshot *snapshot, const struct hp_lane *lane)
{
	return hp_snapshot_ns(snapshot, probe_ticks(lane));
}

/* Since when the calls of a lane are counted: the start of its thread, or of the session if it had threads before. */
static uint64_t beginning_of(const struct hp_snapshot *snapshot, const struct hp_lane *lane)
{
	uint64_t start = load(&snapshot->header->start.ticks, RELAXED);
	uint64_t since = load(&lane->since, RELAXED);

	return load(&lane->generation, RELAXED) == 1 && since > start ? since : start;
}

uint64_t hp_snapshot_lived_ns(const struct hp_snapshot *snapshot, const struct hp_lane *lane)
{
	return hp_snapshot_ns(snapshot, hp_minus(snapshot->now, beginning_of(snapshot, lane)));
}

uint64_t hp_snapshot_so_far(const struct hp_snapshot *snapshot, const struct hp_lane *lane,
			    uint64_t since)
{
	uint64_t begin = beginning_of(snapshot, lane);
	uint64_t passed = hp_minus(snapshot->now, since);
	uint64_t all = hp_minus(snapshot->now, begin);
	uint64_t cost = load(&lane->slow, RELAXED) + load(&lane->cost, RELAXED) + probe_ticks(lane);

	if (passed < all)
		cost = (uint64_t)((double)cost * ((double)passed / (double)all));
	return hp_minus(passed, cost);
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

char *hp_snapshot_string(const struct hp_snapshot *snapshot, uint64_t at)
{
	size_t length;
	const char *bytes = hp_check_string(snapshot->bytes, at, &length);

	return bytes ? strndup(bytes, length) : NULL;
}
