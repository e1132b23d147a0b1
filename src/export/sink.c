/* SPDX-License-Identifier: MIT */
/* The output of a format: a text, optionally compressed. */
#include "sink.h"

enum {
	CHUNK = 65536,
	/* Added to windowBits, it makes zlib write a gzip header. */
	GZIP = 16,
	MEMORY_LEVEL = 8,
};

void hp_sink_open(struct hp_sink *sink, struct hp_text *file, bool compressed)
{
	*sink = (struct hp_sink){ .file = file, .compressed = compressed };
	sink->text = compressed ? &sink->waiting : file;
	/* Level 1: higher levels take four times as long, and save only a fifth. */
	if (compressed && deflateInit2(&sink->stream, 1, Z_DEFLATED, MAX_WBITS + GZIP, MEMORY_LEVEL,
				       Z_DEFAULT_STRATEGY) != Z_OK)
		file->failed = true;
}

static void compress_waiting(struct hp_sink *sink, int flush)
{
	char chunk[CHUNK];

	sink->file->failed |= sink->waiting.failed;
	if (sink->file->failed)
		return;
	sink->stream.next_in = (unsigned char *)sink->waiting.bytes;
	sink->stream.avail_in = (unsigned)sink->waiting.length;
	do {
		sink->stream.next_out = (unsigned char *)chunk;
		sink->stream.avail_out = sizeof(chunk);
		deflate(&sink->stream, flush);
		hp_text_add(sink->file, chunk, sizeof(chunk) - sink->stream.avail_out);
	} while (sink->stream.avail_out == 0);
	sink->waiting.length = 0;
}

void hp_sink_pass(struct hp_sink *sink)
{
	if (sink->compressed && sink->waiting.length >= CHUNK)
		compress_waiting(sink, Z_NO_FLUSH);
}

void hp_sink_close(struct hp_sink *sink)
{
	if (!sink->compressed)
		return;
	compress_waiting(sink, Z_FINISH);
	deflateEnd(&sink->stream);
	hp_text_free(&sink->waiting);
}
