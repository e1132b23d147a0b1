/* SPDX-License-Identifier: MIT */
/* One of the newest messages, items, futures or values of a site, as logged. */
#ifndef HP_FLOW_EVENT_H
#define HP_FLOW_EVENT_H

#include "segment.h"

#include <stdbool.h>
#include <stdint.h>

struct hp_flow_event {
	/** Which it is of all that were logged. */
	uint64_t number;
	/** Since it was sent, begun or set. */
	uint64_t ago_ns;
	uint32_t tid;
	/** Of a future, an enum hp_future_state. */
	uint32_t state;
	uint32_t polls;
	uint64_t bytes;
	/** Until it was received or ended; and whether that is known. */
	uint64_t took_ns;
	bool has_ended;
	/** A message is still in the channel. If it has not ended either, that is not known. */
	bool is_queued;
	/** An enum hp_value: a number is in value; text is a message, or a value that is a string. */
	uint32_t value_kind;
	uint64_t value;
	char text[HP_LONG_TEXT_MAX];
};

#endif
