/* SPDX-License-Identifier: MIT */
/* Opening, flushing and closing streams. */
#include "streams.h"

/* ---- opening ---- */

static bool begin(struct io *io, uintptr_t from)
{
	return io_on() && hotpath__may_block() && io_begin_with(io, HP_OPERATION_OPEN, 0, from);
}

/* A path of NULL: there is none, as of a pipe. */
static FILE *opened(struct io *io, bool is_on, FILE *stream, const char *path)
{
	uint64_t until = is_on ? hotpath__probe_ticks() : 0;
	int fd = stream ? stream->_fileno : -1, error = errno;
	io_target file = 0;

	if (is_on && fd >= 0)
		file = target_of_descriptor(fd, path);
	else if (is_on && path && error != EFAULT)
		file = target_of_path(path);
	if (fd >= 0 && io_on())
		descriptors_set(fd, file);
	errno = error;
	if (is_on)
		io_ended_at(io, until, file, stream ? 0 : -1);
	return stream;
}

#define OPEN(path, next)                                                                           \
	do {                                                                                       \
		CALL(io);                                                                          \
		bool is_on = begin(&io, FROM);                                                     \
		FILE *opens = (next);                                                              \
		return opened(&io, is_on, opens, path);                                            \
	} while (0)

DEFINE(FILE *, fopen, const char *restrict path, const char *restrict mode)
{
	OPEN(path, NEXT(fopen)(path, mode));
}

DEFINE(FILE *, fopen64, const char *restrict path, const char *restrict mode)
{
	OPEN(path, NEXT(fopen64)(path, mode));
}

DEFINE(FILE *, tmpfile, void)
{
	OPEN(NULL, NEXT(tmpfile)());
}

DEFINE(FILE *, tmpfile64, void)
{
	OPEN(NULL, NEXT(tmpfile64)());
}

DEFINE(FILE *, popen, const char *command, const char *mode)
{
	OPEN(NULL, NEXT(popen)(command, mode));
}

static void forget(const FILE *stream)
{
	if (stream->_fileno >= 0)
		descriptors_forget(stream->_fileno);
}

/* What is in the buffer is written first. The stream may be another file now, with the same number. */
#define REOPEN(next)                                                                               \
	do {                                                                                       \
		CALL(io);                                                                          \
		struct call before;                                                                \
		stream_flushes(&before, stream, LOCKED, HP_OPERATION_FLUSH, FROM);                 \
		if (before.is_on)                                                                  \
			NEXT(fflush)(stream);                                                      \
		stream_flushed(&before, false);                                                    \
		bool is_on = begin(&io, FROM);                                                     \
		forget(stream);                                                                    \
		FILE *opens = (next);                                                              \
		return opened(&io, is_on, opens, path);                                            \
	} while (0)

DEFINE(FILE *, freopen, const char *restrict path, const char *restrict mode, FILE *restrict stream)
{
	REOPEN(NEXT(freopen)(path, mode, stream));
}

DEFINE(FILE *, freopen64, const char *restrict path, const char *restrict mode,
       FILE *restrict stream)
{
	REOPEN(NEXT(freopen64)(path, mode, stream));
}

/* ---- flushing ---- */

/* All streams: what each has is counted before. */
static void flush_all(uintptr_t from)
{
	CALL(io);

	if (!io_on() || !hotpath__may_block() || !io_begin_with(&io, HP_OPERATION_FLUSH, 0, from))
		return;
	uint32_t function = io.blocking.function;
	io_cancel(&io);
	streams_count_all(function);
}

#define FLUSH(locking, next)                                                                       \
	do {                                                                                       \
		struct call call;                                                                  \
		int result = EOF;                                                                  \
		if (!stream) {                                                                     \
			flush_all(FROM);                                                           \
			return (next);                                                             \
		}                                                                                  \
		STREAM_CALL(&call,                                                                 \
			    stream_flushes(&call, stream, locking, HP_OPERATION_FLUSH, FROM),      \
			    result = (next));                                                      \
		stream_flushed(&call, result != 0);                                                \
		return result;                                                                     \
	} while (0)

DEFINE(int, fflush, FILE *stream)
{
	FLUSH(LOCKED, NEXT(fflush)(stream));
}

DEFINE(int, fflush_unlocked, FILE *stream)
{
	FLUSH(UNLOCKED, NEXT(fflush_unlocked)(stream));
}

/* A seek writes what is in the buffer, or reads the part of the file around the new position. */
#define SEEK(next)                                                                                 \
	do {                                                                                       \
		struct call call;                                                                  \
		int result = -1;                                                                   \
		if (stream->_IO_write_ptr > stream->_IO_write_base) {                              \
			STREAM_CALL(                                                               \
				&call,                                                             \
				stream_flushes(&call, stream, LOCKED, HP_OPERATION_FLUSH, FROM),   \
				result = (next));                                                  \
			stream_flushed(&call, result != 0);                                        \
		} else {                                                                           \
			STREAM_CALL(&call, stream_takes(&call, stream, LOCKED, SIZE_MAX, FROM),    \
				    result = (next));                                              \
			stream_took_some(&call);                                                   \
		}                                                                                  \
		return result;                                                                     \
	} while (0)

DEFINE(int, fseek, FILE *stream, long at, int whence)
{
	SEEK(NEXT(fseek)(stream, at, whence));
}

DEFINE(int, fseeko, FILE *stream, off_t at, int whence)
{
	SEEK(NEXT(fseeko)(stream, at, whence));
}

DEFINE(int, fseeko64, FILE *stream, off64_t at, int whence)
{
	SEEK(NEXT(fseeko64)(stream, at, whence));
}

static int seek_to_start(FILE *stream, uintptr_t from)
{
	struct call call;

	STREAM_CALL(&call, stream_flushes(&call, stream, LOCKED, HP_OPERATION_FLUSH, from),
		    NEXT(rewind)(stream));
	stream_flushed(&call, false);
	return 0;
}

DEFINE(void, rewind, FILE *stream)
{
	seek_to_start(stream, FROM);
}

/* ---- closing ---- */

/* What is in the buffer is written; the stream is gone afterwards. */
#define CLOSE(next)                                                                                \
	do {                                                                                       \
		struct call call;                                                                  \
		bool is_on = stream_flushes(&call, stream, UNLOCKED, HP_OPERATION_CLOSE, FROM);    \
		forget(stream);                                                                    \
		int result = (next);                                                               \
		if (is_on)                                                                         \
			io_moved(&call.io, call.before, result < 0);                               \
		return result;                                                                     \
	} while (0)

DEFINE(int, fclose, FILE *stream)
{
	CLOSE(NEXT(fclose)(stream));
}

/* It waits for the end of the command as well. */
DEFINE(int, pclose, FILE *stream)
{
	CLOSE(NEXT(pclose)(stream));
}

DEFINE(int, fcloseall, void)
{
	flush_all(FROM);
	return NEXT(fcloseall)();
}
