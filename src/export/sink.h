/* SPDX-License-Identifier: MIT */
/* The output of a format: a text, optionally compressed. */
#ifndef HP_SINK_H
#define HP_SINK_H

#include "text.h"

#include <zlib.h>

struct hp_sink {
	/** Formats write here; hp_sink_pass moves it on. */
	struct hp_text *text;
	/** The file, as it will be. */
	struct hp_text *file;
	/** What is not compressed yet. */
	struct hp_text waiting;
	z_stream stream;
	bool compressed;
};

/**
 * Begin to write.
 *
 * @param file
 *         Grows; out of memory is remembered there.
 * @param compressed
 *         By gzip.
 */
void hp_sink_open(struct hp_sink *sink, struct hp_text *file, bool compressed);

/** To be called regularly: compresses what was written, if there is enough. */
void hp_sink_pass(struct hp_sink *sink);

/** Finish the output. The file is complete then, unless it is marked as failed. */
void hp_sink_close(struct hp_sink *sink);

#endif
