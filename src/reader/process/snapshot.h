/* SPDX-License-Identifier: MIT */
/* A segment in memory, with the conversion of its times: the basis of everything that reads one. */
#ifndef HP_SNAPSHOT_H
#define HP_SNAPSHOT_H

#include "check.h"

#include <stdbool.h>

struct hp_snapshot {
	struct hp_bytes bytes;
	const struct hp_header *header;
	uint64_t ticks_per_second;
	/** The number of sites when the snapshot was opened: later ones are ignored. */
	uint32_t site_count;
	/** The time of the snapshot, in ticks: now, or when the program ended or last recorded something. */
	uint64_t now;
	/** The program ended without exit: the time of its last event must also be looked for in its lanes and stats. */
	bool is_silent;
};

/** Open a snapshot of a segment in memory. Returns NULL, or what is wrong with it. */
const char *hp_snapshot_open(struct hp_snapshot *snapshot, const void *bytes, size_t size,
			     bool running);

/**
 * Convert times by another rate than that in the header, which is corrected when the program stops recording or ends: then times
 * that were converted before would be more than later ones. 0 for that in the header.
 */
void hp_snapshot_set_rate(struct hp_snapshot *snapshot, uint64_t ticks_per_second);

/** Move the snapshot's time forward to the latest begin or end of a call of this stat. */
void hp_snapshot_heard(struct hp_snapshot *snapshot, const struct hp_stat *stat);

/** Move it forward to the begin of a lane's thread, or its last sample. */
void hp_snapshot_saw(struct hp_snapshot *snapshot, const struct hp_lane *lane);

/** Ticks as nanoseconds. */
uint64_t hp_snapshot_ns(const struct hp_snapshot *snapshot, uint64_t ticks);

/** What so many calls cost the program, in nanoseconds. */
uint64_t hp_snapshot_cost_ns(const struct hp_snapshot *snapshot, uint64_t calls);

/**
 * The time so far of a call in progress, without the profiler's cost, in ticks. The profiler's cost is only known for
 * the lane's whole lifetime: the call gets a share in proportion to its duration.
 */
uint64_t hp_snapshot_so_far(const struct hp_snapshot *snapshot, const struct hp_lane *lane,
			    uint64_t since);

/** Since when there is a lane, in nanoseconds: no more was spent on its threads. */
uint64_t hp_snapshot_lived_ns(const struct hp_snapshot *snapshot, const struct hp_lane *lane);

/** What the probe in front of malloc cost the threads of a lane, in nanoseconds. */
uint64_t hp_snapshot_probe_ns(const struct hp_snapshot *snapshot, const struct hp_lane *lane);

/** The lanes of the present session, one after the other. */
struct hp_lanes {
	const struct hp_snapshot *snapshot;
	const struct hp_lane *next;
	uint64_t left;
	uint32_t session;
};

struct hp_lanes hp_snapshot_lanes(const struct hp_snapshot *snapshot);

/** NULL behind the last one. */
const struct hp_lane *hp_lanes_next(struct hp_lanes *lanes);

/** A copy of a string, from malloc; NULL when there is none, or no memory. */
char *hp_snapshot_string(const struct hp_snapshot *snapshot, uint64_t at);

#endif
