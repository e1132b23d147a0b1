/* SPDX-License-Identifier: MIT */
/* One update of `hotpath top`, as text or as one JSON object. */
#ifndef TOP_BLOCK_H
#define TOP_BLOCK_H

#include "report_options.h"
#include "text.h"
#include "watched.h"

/**
 * Write what was seen at the last read.
 *
 * @return
 *         0, or a negative errno with the reason in error when what is to be shown could not be read.
 */
int top_block_write(struct hp_watched *watched, const struct hp_report_options *options,
		    struct hp_text *text, struct hp_error *error);

#endif
