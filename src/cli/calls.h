/* SPDX-License-Identifier: MIT */
/* The recent calls of a function, or the log of a channel and its like, as columns or as JSON. */
#ifndef CALLS_H
#define CALLS_H

#include "reader.h"
#include "report_options.h"
#include "text.h"

/**
 * Write calls.
 *
 * @param name
 *         The function's, as the user gave it.
 * @param calls
 *         Newest first.
 */
void calls_write(const char *name, const struct hp_recent *calls, size_t count,
		 enum hp_format format, struct hp_text *text);

/**
 * Write events.
 *
 * @param name
 *         Of the channel, stream, future or value, as the user gave it.
 * @param kind
 *         Which of these it is.
 * @param events
 *         Newest first.
 */
void events_write(const char *name, enum hp_site_kind kind, const struct hp_flow_event *events,
		  size_t count, enum hp_format format, struct hp_text *text);

#endif
