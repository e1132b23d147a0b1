/* SPDX-License-Identifier: MIT */
/* printf and scanf. */
#include "streams.h"

/* How much is written is known afterwards. */
#define PRINT(next)                                                                                \
	do {                                                                                       \
		struct call call;                                                                  \
		int result = -1;                                                                   \
		STREAM_CALL(&call, stream_puts(&call, stream, LOCKED, SIZE_MAX, from),             \
			    result = (next));                                                      \
		stream_put(&call, result > 0 ? (size_t)result : 0, result < 0);                    \
		return result;                                                                     \
	} while (0)

static int print(FILE *stream, const char *format, va_list arguments, uintptr_t from)
{
	PRINT(NEXT(vfprintf)(stream, format, arguments));
}

static int print_checked(FILE *stream, int check, const char *format, va_list arguments,
			 uintptr_t from)
{
	PRINT(NEXT(__vfprintf_chk)(stream, check, format, arguments));
}

/* Call a function with the arguments after `last`. */
#define WITH_ARGUMENTS(last, call)                                                                 \
	do {                                                                                       \
		va_list arguments;                                                                 \
		va_start(arguments, last);                                                         \
		int printed = (call);                                                              \
		va_end(arguments);                                                                 \
		return printed;                                                                    \
	} while (0)

DEFINE(int, printf, const char *restrict format, ...)
{
	WITH_ARGUMENTS(format, print(stdout, format, arguments, FROM));
}

DEFINE(int, vprintf, const char *restrict format, va_list arguments)
{
	return print(stdout, format, arguments, FROM);
}

DEFINE(int, fprintf, FILE *restrict stream, const char *restrict format, ...)
{
	WITH_ARGUMENTS(format, print(stream, format, arguments, FROM));
}

DEFINE(int, vfprintf, FILE *restrict stream, const char *restrict format, va_list arguments)
{
	return print(stream, format, arguments, FROM);
}

DEFINE(int, __printf_chk, int check, const char *restrict format, ...)
{
	WITH_ARGUMENTS(format, print_checked(stdout, check, format, arguments, FROM));
}

DEFINE(int, __vprintf_chk, int check, const char *restrict format, va_list arguments)
{
	return print_checked(stdout, check, format, arguments, FROM);
}

DEFINE(int, __fprintf_chk, FILE *restrict stream, int check, const char *restrict format, ...)
{
	WITH_ARGUMENTS(format, print_checked(stream, check, format, arguments, FROM));
}

DEFINE(int, __vfprintf_chk, FILE *restrict stream, int check, const char *restrict format,
       va_list arguments)
{
	return print_checked(stream, check, format, arguments, FROM);
}

/* ---- to a descriptor ---- */

static int print_to(int fd, const char *format, va_list arguments, uintptr_t from)
{
	CALL(io);

	if (!io_begin(&io, HP_OPERATION_WRITE, fd, from))
		return NEXT(vdprintf)(fd, format, arguments);
	int result = NEXT(vdprintf)(fd, format, arguments);
	io_moved(&io, result > 0 ? (uint64_t)result : 0, result < 0);
	return result;
}

static int print_checked_to(int fd, int check, const char *format, va_list arguments,
			    uintptr_t from)
{
	CALL(io);

	if (!io_begin(&io, HP_OPERATION_WRITE, fd, from))
		return NEXT(__vdprintf_chk)(fd, check, format, arguments);
	int result = NEXT(__vdprintf_chk)(fd, check, format, arguments);
	io_moved(&io, result > 0 ? (uint64_t)result : 0, result < 0);
	return result;
}

DEFINE(int, dprintf, int fd, const char *restrict format, ...)
{
	WITH_ARGUMENTS(format, print_to(fd, format, arguments, FROM));
}

DEFINE(int, vdprintf, int fd, const char *restrict format, va_list arguments)
{
	return print_to(fd, format, arguments, FROM);
}

DEFINE(int, __dprintf_chk, int fd, int check, const char *restrict format, ...)
{
	WITH_ARGUMENTS(format, print_checked_to(fd, check, format, arguments, FROM));
}

DEFINE(int, __vdprintf_chk, int fd, int check, const char *restrict format, va_list arguments)
{
	return print_checked_to(fd, check, format, arguments, FROM);
}

/* ---- scanf ---- */

static int scan(FILE *stream, const char *format, va_list arguments, uintptr_t from)
{
	struct call call;
	int result = EOF;

	STREAM_CALL(&call, stream_takes(&call, stream, LOCKED, SIZE_MAX, from),
		    result = NEXT(__isoc99_vfscanf)(stream, format, arguments));
	stream_took_some(&call);
	return result;
}

DEFINE(int, __isoc99_scanf, const char *restrict format, ...)
{
	WITH_ARGUMENTS(format, scan(stdin, format, arguments, FROM));
}

DEFINE(int, __isoc99_vscanf, const char *restrict format, va_list arguments)
{
	return scan(stdin, format, arguments, FROM);
}

DEFINE(int, __isoc99_fscanf, FILE *restrict stream, const char *restrict format, ...)
{
	WITH_ARGUMENTS(format, scan(stream, format, arguments, FROM));
}

DEFINE(int, __isoc99_vfscanf, FILE *restrict stream, const char *restrict format, va_list arguments)
{
	return scan(stream, format, arguments, FROM);
}
