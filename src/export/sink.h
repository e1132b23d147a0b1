/* SPDX-License-Identifier: MIT */
/* Where a format is written to: a text, which may be compressed on the way. */
#ifndef HP_SINK_H
#define HP_SINK_H

#include "text.h"

#include <zlib.h>

struct hp_sink {
	/** What is written goes here; hp_sink_pass takes it on. */
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

/** To be called every now and then: what waits is compressed, if there is enough of it. */
void hp_sink_pass(struct hp_sink *sink);

/** End what is written. The file is whole after that, unless it says that it failed. */
void hp_sink_close(struct hp_sink *sink);

#endif
