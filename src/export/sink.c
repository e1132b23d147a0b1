/* SPDX-License-Identifier: MIT */
/* Where a format is written to: a text, which may be compressed on the way. */
#include "sink.h"

enum {
	CHUNK = 65536,
	/* Added to the window's bits, it makes zlib write the header of gzip. */
	GZIP = 16,
	MEMORY_LEVEL = 8,
};

void hp_sink_open(struct hp_sink *sink, struct hp_text *file, bool compressed)
{
	*sink = (struct hp_sink){ .file = file, .compressed = compressed };
	sink->text = compressed ? &sink->waiting : file;
	/* Levels above 1 take four times as long for files that are a fifth smaller. */
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
