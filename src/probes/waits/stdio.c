/* SPDX-License-Identifier: MIT */
/* Reading and writing with stdio. */
#include "streams.h"

#include <string.h>

/* ---- blocks ---- */

/* In bytes, so that the size is known if there is half an item at the end. */
#define WRITE_BLOCK(locking, function)                                                             \
	do {                                                                                       \
		struct call call;                                                                  \
		size_t all = size * count, done = 0;                                               \
		STREAM_CALL(&call, stream_puts(&call, stream, locking, all, FROM),                 \
			    done = NEXT(function)(from, 1, all, stream));                          \
		stream_put(&call, done, done < all);                                               \
		return done == all ? count : done / size;                                          \
	} while (0)

/* If nothing is asked for, there may be no size to divide by. */
DEFINE(size_t, fwrite, const void *restrict from, size_t size, size_t count, FILE *restrict stream)
{
	if (size == 0 || count == 0)
		return NEXT(fwrite)(from, size, count, stream);
	WRITE_BLOCK(LOCKED, fwrite);
}

DEFINE(size_t, fwrite_unlocked, const void *restrict from, size_t size, size_t count,
       FILE *restrict stream)
{
	if (size == 0 || count == 0)
		return NEXT(fwrite_unlocked)(from, size, count, stream);
	WRITE_BLOCK(UNLOCKED, fwrite_unlocked);
}

#define READ_BLOCK(locking, next)                                                                  \
	do {                                                                                       \
		struct call call;                                                                  \
		size_t all = size * count, done = 0;                                               \
		STREAM_CALL(&call, stream_takes(&call, stream, locking, all, FROM),                \
			    done = (next));                                                        \
		stream_took(&call, done);                                                          \
		return done == all ? count : done / size;                                          \
	} while (0)

DEFINE(size_t, fread, void *restrict into, size_t size, size_t count, FILE *restrict stream)
{
	if (size == 0 || count == 0)
		return NEXT(fread)(into, size, count, stream);
	READ_BLOCK(LOCKED, NEXT(fread)(into, 1, all, stream));
}

DEFINE(size_t, fread_unlocked, void *restrict into, size_t size, size_t count,
       FILE *restrict stream)
{
	if (size == 0 || count == 0)
		return NEXT(fread_unlocked)(into, size, count, stream);
	READ_BLOCK(UNLOCKED, NEXT(fread_unlocked)(into, 1, all, stream));
}

DEFINE(size_t, __fread_chk, void *restrict into, size_t room, size_t size, size_t count,
       FILE *restrict stream)
{
	if (size == 0 || count == 0)
		return NEXT(__fread_chk)(into, room, size, count, stream);
	READ_BLOCK(LOCKED, NEXT(__fread_chk)(into, room, 1, all, stream));
}

DEFINE(size_t, __fread_unlocked_chk, void *restrict into, size_t room, size_t size, size_t count,
       FILE *restrict stream)
{
	if (size == 0 || count == 0)
		return NEXT(__fread_unlocked_chk)(into, room, size, count, stream);
	READ_BLOCK(UNLOCKED, NEXT(__fread_unlocked_chk)(into, room, 1, all, stream));
}

/* ---- lines ---- */

#define GET_LINE(locking, next)                                                                    \
	do {                                                                                       \
		struct call call;                                                                  \
		char *result = NULL;                                                               \
		size_t most = size > 1 ? (size_t)size - 1 : 0;                                     \
		STREAM_CALL(&call, stream_takes_line(&call, stream, locking, '\n', most, FROM),    \
			    result = (next));                                                      \
		stream_took(&call, result &&call.is_on ? strlen(result) : 0);                      \
		return result;                                                                     \
	} while (0)

DEFINE(char *, fgets, char *restrict into, int size, FILE *restrict stream)
{
	GET_LINE(LOCKED, NEXT(fgets)(into, size, stream));
}

DEFINE(char *, fgets_unlocked, char *restrict into, int size, FILE *restrict stream)
{
	GET_LINE(UNLOCKED, NEXT(fgets_unlocked)(into, size, stream));
}

DEFINE(char *, __fgets_chk, char *restrict into, size_t room, int size, FILE *restrict stream)
{
	GET_LINE(LOCKED, NEXT(__fgets_chk)(into, room, size, stream));
}

DEFINE(char *, __fgets_unlocked_chk, char *restrict into, size_t room, int size,
       FILE *restrict stream)
{
	GET_LINE(UNLOCKED, NEXT(__fgets_unlocked_chk)(into, room, size, stream));
}

#define GET_DELIMITED(delimiter, next)                                                             \
	do {                                                                                       \
		struct call call;                                                                  \
		ssize_t result = -1;                                                               \
		STREAM_CALL(&call,                                                                 \
			    stream_takes_line(&call, stream, LOCKED, delimiter, SIZE_MAX, FROM),   \
			    result = (next));                                                      \
		stream_took(&call, result > 0 ? (size_t)result : 0);                               \
		return result;                                                                     \
	} while (0)

DEFINE(ssize_t, getline, char **restrict line, size_t *restrict size, FILE *restrict stream)
{
	GET_DELIMITED('\n', NEXT(getline)(line, size, stream));
}

DEFINE(ssize_t, getdelim, char **restrict line, size_t *restrict size, int delimiter,
       FILE *restrict stream)
{
	GET_DELIMITED(delimiter, NEXT(getdelim)(line, size, delimiter, stream));
}

#define PUT_TEXT(locking, text, more, next)                                                        \
	do {                                                                                       \
		struct call call;                                                                  \
		size_t size = io_on() ? strlen(text) + (more) : 0;                                 \
		int result = EOF;                                                                  \
		STREAM_CALL(&call, stream_puts(&call, stream, locking, size, FROM),                \
			    result = (next));                                                      \
		stream_put(&call, result == EOF ? 0 : size, result == EOF);                        \
		return result;                                                                     \
	} while (0)

DEFINE(int, fputs, const char *restrict text, FILE *restrict stream)
{
	PUT_TEXT(LOCKED, text, 0, NEXT(fputs)(text, stream));
}

DEFINE(int, fputs_unlocked, const char *restrict text, FILE *restrict stream)
{
	PUT_TEXT(UNLOCKED, text, 0, NEXT(fputs_unlocked)(text, stream));
}

/* The end of the line is written, too. */
DEFINE(int, puts, const char *text)
{
	FILE *stream = stdout;

	PUT_TEXT(LOCKED, text, 1, NEXT(puts)(text));
}

/* ---- characters ---- */

/* Mostly there is one in the buffer, or room for one; if another thread takes that, the call is not seen. */
#define GET_CHARACTER(locking, next)                                                               \
	do {                                                                                       \
		struct call call;                                                                  \
		int result = EOF;                                                                  \
		if (likely(stream->_IO_read_ptr < stream->_IO_read_end))                           \
			return (next);                                                             \
		STREAM_CALL(&call, stream_takes(&call, stream, locking, 1, FROM),                  \
			    result = (next));                                                      \
		stream_took(&call, result != EOF);                                                 \
		return result;                                                                     \
	} while (0)

DEFINE(int, fgetc, FILE *stream)
{
	GET_CHARACTER(LOCKED, NEXT(fgetc)(stream));
}

DEFINE(int, getc, FILE *stream)
{
	GET_CHARACTER(LOCKED, NEXT(getc)(stream));
}

DEFINE(int, fgetc_unlocked, FILE *stream)
{
	GET_CHARACTER(UNLOCKED, NEXT(fgetc_unlocked)(stream));
}

DEFINE(int, getc_unlocked, FILE *stream)
{
	GET_CHARACTER(UNLOCKED, NEXT(getc_unlocked)(stream));
}

DEFINE(int, getchar, void)
{
	FILE *stream = stdin;

	GET_CHARACTER(LOCKED, NEXT(getchar)());
}

DEFINE(int, getchar_unlocked, void)
{
	FILE *stream = stdin;

	GET_CHARACTER(UNLOCKED, NEXT(getchar_unlocked)());
}

#define PUT_CHARACTER(locking, next)                                                               \
	do {                                                                                       \
		struct call call;                                                                  \
		int result = EOF;                                                                  \
		if (likely(stream->_IO_write_ptr < stream->_IO_write_end))                         \
			return (next);                                                             \
		STREAM_CALL(&call, stream_puts(&call, stream, locking, 1, FROM), result = (next)); \
		stream_put(&call, result != EOF, result == EOF);                                   \
		return result;                                                                     \
	} while (0)

DEFINE(int, fputc, int c, FILE *stream)
{
	PUT_CHARACTER(LOCKED, NEXT(fputc)(c, stream));
}

DEFINE(int, putc, int c, FILE *stream)
{
	PUT_CHARACTER(LOCKED, NEXT(putc)(c, stream));
}

DEFINE(int, fputc_unlocked, int c, FILE *stream)
{
	PUT_CHARACTER(UNLOCKED, NEXT(fputc_unlocked)(c, stream));
}

DEFINE(int, putc_unlocked, int c, FILE *stream)
{
	PUT_CHARACTER(UNLOCKED, NEXT(putc_unlocked)(c, stream));
}

DEFINE(int, putchar, int c)
{
	FILE *stream = stdout;

	PUT_CHARACTER(LOCKED, NEXT(putchar)(c));
}

DEFINE(int, putchar_unlocked, int c)
{
	FILE *stream = stdout;

	PUT_CHARACTER(UNLOCKED, NEXT(putchar_unlocked)(c));
}

/* ---- other names ---- */

#ifndef HOTPATH_WRAP

DEFINE(int, _IO_getc, FILE *stream)
{
	GET_CHARACTER(LOCKED, NEXT(_IO_getc)(stream));
}

DEFINE(int, _IO_putc, int c, FILE *stream)
{
	PUT_CHARACTER(LOCKED, NEXT(_IO_putc)(c, stream));
}

/* getc_unlocked and putc_unlocked of the headers call these when the buffer is empty, or full. */
DEFINE(int, __uflow, FILE *stream)
{
	GET_CHARACTER(UNLOCKED, NEXT(__uflow)(stream));
}

DEFINE(int, __overflow, FILE *stream, int c)
{
	PUT_CHARACTER(UNLOCKED, NEXT(__overflow)(stream, c));
}

DEFINE(ssize_t, __getdelim, char **restrict line, size_t *restrict size, int delimiter,
       FILE *restrict stream)
{
	GET_DELIMITED(delimiter, NEXT(__getdelim)(line, size, delimiter, stream));
}

#endif
