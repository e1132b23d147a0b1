/* SPDX-License-Identifier: MIT */
/* The log of a row of a kind: what was sent or set, how long it took, how long ago. */
#ifndef HP_EVENTS_GRID_H
#define HP_EVENTS_GRID_H

#include "flow/flow_event.h"
#include "grid.h"
#include "json_writer.h"
#include "kind.h"

/** Make a grid of events, which must outlive it. Their kind decides the columns. */
void hp_events_grid(struct hp_grid *grid, const struct hp_kind *kind,
		    const struct hp_flow_event *events, size_t count);

/** Write an event as an object. */
void hp_event_json(struct hp_json *json, const struct hp_kind *kind,
		   const struct hp_flow_event *event);

#endif
