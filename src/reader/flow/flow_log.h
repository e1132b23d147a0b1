/* SPDX-License-Identifier: MIT */
/* What was logged of a channel, stream, future or value, where its stats and the names are known already. */
#ifndef HP_FLOW_LOG_H
#define HP_FLOW_LOG_H

#include "calls/stat_index.h"
#include "flow_event.h"

#include <sys/types.h>

/**
 * Copy one of the newest items of a log.
 *
 * @param before
 *         How many were begun after it.
 * @param text
 *         Receives its text, as much of it as is kept, with a NUL.
 * @return
 *         False when there is none, or it was being written.
 */
bool hp_flow_logged(struct hp_bytes bytes, const struct hp_log *log, uint64_t before,
		    struct hp_logged *item, char text[HP_LONG_TEXT_MAX]);

/**
 * The newest events of a row, by its site; newest first.
 *
 * @param events
 *         An array from malloc, to be freed; NULL when there are none.
 * @return
 *         How many there are; -ENOENT when nothing like that is known, or -ENOMEM.
 */
ssize_t hp_flow_events_of(const struct hp_snapshot *snapshot, const struct hp_stat_index *index,
			  uint32_t id, struct hp_flow_event **events);

#endif
