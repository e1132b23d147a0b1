/* SPDX-License-Identifier: MIT */
/* The recent calls of a function, or the log of a channel and its like, in JSON. */
#ifndef HP_LOG_JSON_H
#define HP_LOG_JSON_H

#include "json_writer.h"
#include "reader.h"

/**
 * Write calls as an object.
 *
 * @param name
 *         The function's, as the user gave it.
 * @param calls
 *         Newest first.
 */
void hp_calls_json(struct hp_json *json, const char *name, const struct hp_recent *calls,
		   size_t count);

/**
 * Write events as an object.
 *
 * @param name
 *         Of the channel, stream, future or value, as the user gave it.
 * @param kind
 *         Which of these it is.
 * @param events
 *         Newest first.
 */
void hp_events_json(struct hp_json *json, const char *name, enum hp_site_kind kind,
		    const struct hp_flow_event *events, size_t count);

#endif
