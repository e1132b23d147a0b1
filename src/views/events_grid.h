/* SPDX-License-Identifier: MIT */
/* The log of a channel, stream, future or value as rows: what was sent or set, how long it took, how long ago. */
#ifndef HP_EVENTS_GRID_H
#define HP_EVENTS_GRID_H

#include "grid.h"

/**
 * Make a grid of events, which must outlive it.
 *
 * @param kind
 *         Of what they are, which decides the columns.
 */
void hp_events_grid(struct hp_grid *grid, enum hp_site_kind kind,
		    const struct hp_flow_event *events, size_t count);

/** The name of an enum hp_future_state: "ready"; "?" if unknown. */
const char *hp_future_state_name(uint32_t state);

#endif
