/* SPDX-License-Identifier: MIT */
/* The recent calls of a function, as columns or as JSON. */
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

#endif
