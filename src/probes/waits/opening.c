/* SPDX-License-Identifier: MIT */
/* Opening, duplicating and closing descriptors: how it is known what they are. */
#include "io_call.h"

#include <limits.h>
#include <string.h>

/* ---- opening ---- */

static bool begin(struct io *io, uintptr_t from)
{
	return io_on() && hotpath__may_block() && io_begin_with(io, HP_OPERATION_OPEN, 0, from);
}

/* The path is known to be readable when the call has not failed with EFAULT. */
static void opened(struct io *io, int fd, const char *path)
{
	uint64_t until = hotpath__probe_ticks();
	int error = errno;
	io_target file = 0;

	if (fd >= 0)
		file = target_of_descriptor(fd, path);
	else if (error != EFAULT)
		file = target_of_path(path);
	if (fd >= 0)
		descriptors_set(fd, file);
	errno = error;
	io_ended_at(io, until, file, fd);
}

#define OPEN(path, call)                                                                           \
	do {                                                                                       \
		CALL(io);                                                                          \
		bool is_on = begin(&io, FROM);                                                     \
		int fd = (call);                                                                   \
		if (is_on)                                                                         \
			opened(&io, fd, path);                                                     \
		else                                                                               \
			descriptors_forget(fd);                                                    \
		return fd;                                                                         \
	} while (0)

/* There is a mode only if a file may be created. */
#define MODE_AFTER(flags, mode)                                                                    \
	mode_t mode = 0;                                                                           \
	if ((flags)&O_CREAT || ((flags)&O_TMPFILE) == O_TMPFILE) {                                 \
		va_list rest;                                                                      \
		va_start(rest, flags);                                                             \
		(mode) = va_arg(rest, mode_t);                                                     \
		va_end(rest);                                                                      \
	}

DEFINE(int, open, const char *path, int flags, ...)
{
	MODE_AFTER(flags, mode);
	OPEN(path, NEXT(open)(path, flags, mode));
}

DEFINE(int, open64, const char *path, int flags, ...)
{
	MODE_AFTER(flags, mode);
	OPEN(path, NEXT(open64)(path, flags, mode));
}

DEFINE(int, openat, int folder, const char *path, int flags, ...)
{
	MODE_AFTER(flags, mode);
	OPEN(path, NEXT(openat)(folder, path, flags, mode));
}

DEFINE(int, openat64, int folder, const char *path, int flags, ...)
{
	MODE_AFTER(flags, mode);
	OPEN(path, NEXT(openat64)(folder, path, flags, mode));
}

DEFINE(int, __open_2, const char *path, int flags)
{
	OPEN(path, NEXT(__open_2)(path, flags));
}

DEFINE(int, __open64_2, const char *path, int flags)
{
	OPEN(path, NEXT(__open64_2)(path, flags));
}

DEFINE(int, __openat_2, int folder, const char *path, int flags)
{
	OPEN(path, NEXT(__openat_2)(folder, path, flags));
}

DEFINE(int, __openat64_2, int folder, const char *path, int flags)
{
	OPEN(path, NEXT(__openat64_2)(folder, path, flags));
}

DEFINE(int, creat, const char *path, mode_t mode)
{
	OPEN(path, NEXT(creat)(path, mode));
}

DEFINE(int, creat64, const char *path, mode_t mode)
{
	OPEN(path, NEXT(creat64)(path, mode));
}

/* ---- temporary files ---- */

/* Their target is the template: "/tmp/sortXXXXXX". */
static void made(struct io *io, int fd, const char *path, int suffix)
{
	uint64_t until = hotpath__probe_ticks();
	size_t length = strlen(path), at = length - (size_t)suffix - 6;
	char template[256];
	int error = errno;
	io_target file = 0;

	if (fd >= 0 && length < sizeof(template)) {
		memcpy(template, path, length + 1);
		memset(template + at, 'X', 6);
		file = target_of_path(template);
	} else if (fd >= 0) {
		file = target_of_descriptor(fd, path);
	}
	if (fd >= 0)
		descriptors_set(fd, file);
	errno = error;
	io_ended_at(io, until, file, fd);
}

#define MAKE(suffix, call)                                                                         \
	do {                                                                                       \
		CALL(io);                                                                          \
		bool is_on = begin(&io, FROM);                                                     \
		int fd = (call);                                                                   \
		if (is_on)                                                                         \
			made(&io, fd, path, suffix);                                               \
		else                                                                               \
			descriptors_forget(fd);                                                    \
		return fd;                                                                         \
	} while (0)

DEFINE(int, mkstemp, char *path)
{
	MAKE(0, NEXT(mkstemp)(path));
}

DEFINE(int, mkstemp64, char *path)
{
	MAKE(0, NEXT(mkstemp64)(path));
}

DEFINE(int, mkostemp, char *path, int flags)
{
	MAKE(0, NEXT(mkostemp)(path, flags));
}

DEFINE(int, mkostemp64, char *path, int flags)
{
	MAKE(0, NEXT(mkostemp64)(path, flags));
}

DEFINE(int, mkstemps, char *path, int suffix)
{
	MAKE(suffix, NEXT(mkstemps)(path, suffix));
}

DEFINE(int, mkstemps64, char *path, int suffix)
{
	MAKE(suffix, NEXT(mkstemps64)(path, suffix));
}

DEFINE(int, mkostemps, char *path, int suffix, int flags)
{
	MAKE(suffix, NEXT(mkostemps)(path, suffix, flags));
}

DEFINE(int, mkostemps64, char *path, int suffix, int flags)
{
	MAKE(suffix, NEXT(mkostemps64)(path, suffix, flags));
}

/* ---- closing ---- */

/* A number that is not open is no call worth a row: programs close all numbers that there may be. */
#define CLOSE(call)                                                                                \
	do {                                                                                       \
		CALL(io);                                                                          \
		bool is_on = begin_close(&io, fd, FROM);                                           \
		int result = (call);                                                               \
		if (is_on)                                                                         \
			io_ended(&io, result);                                                     \
		return result;                                                                     \
	} while (0)

static bool begin_close(struct io *io, int fd, uintptr_t from)
{
	if (!io_on())
		return false;
	io_target target = descriptors_find(fd);
	if (!target && hotpath__may_block())
		target = target_of_descriptor(fd, NULL);
	descriptors_forget(fd);
	return target && io_begin_with(io, HP_OPERATION_CLOSE, target, from);
}

DEFINE(int, close, int fd)
{
	CLOSE(NEXT(close)(fd));
}

DEFINE(int, close_range, unsigned first, unsigned last, int flags)
{
	if (!((unsigned)flags & CLOSE_RANGE_CLOEXEC))
		descriptors_forget_range(first, last);
	return NEXT(close_range)(first, last, flags);
}

DEFINE(void, closefrom, int first)
{
	descriptors_forget_range(first > 0 ? (unsigned)first : 0, UINT_MAX);
	NEXT(closefrom)(first);
}

DEFINE(int, closedir, DIR *folder)
{
	/* The header says that it is never NULL, but the C library allows it. */
	DIR *volatile given = folder;

	if (given)
		descriptors_forget(dirfd(given));
	return NEXT(closedir)(folder);
}

DEFINE(int, daemon, int stays, int keeps)
{
	int result = NEXT(daemon)(stays, keeps);

	if (!keeps)
		descriptors_forget_range(0, 2);
	return result;
}

/* ---- duplicates ---- */

DEFINE(int, dup, int old)
{
	int fd = NEXT(dup)(old);

	descriptors_copy(old, fd);
	return fd;
}

DEFINE(int, dup2, int old, int new)
{
	int fd = NEXT(dup2)(old, new);

	descriptors_copy(old, fd);
	return fd;
}

DEFINE(int, dup3, int old, int new, int flags)
{
	int fd = NEXT(dup3)(old, new, flags);

	descriptors_copy(old, fd);
	return fd;
}

static int controlled(int fd, int command, int result)
{
	if (command == F_DUPFD || command == F_DUPFD_CLOEXEC)
		descriptors_copy(fd, result);
	return result;
}

/* The argument is an int or a pointer, or there is none: whatever is in its place is passed on. */
#define CONTROL(function)                                                                          \
	do {                                                                                       \
		va_list rest;                                                                      \
		va_start(rest, command);                                                           \
		void *argument = va_arg(rest, void *);                                             \
		va_end(rest);                                                                      \
		return controlled(fd, command, NEXT(function)(fd, command, argument));             \
	} while (0)

DEFINE(int, fcntl, int fd, int command, ...)
{
	CONTROL(fcntl);
}

DEFINE(int, fcntl64, int fd, int command, ...)
{
	CONTROL(fcntl64);
}

/* ---- new descriptors ---- */

static int is_new(int fd)
{
	descriptors_forget(fd);
	return fd;
}

static int are_new(int result, const int fds[2])
{
	if (result == 0) {
		descriptors_forget(fds[0]);
		descriptors_forget(fds[1]);
	}
	return result;
}

DEFINE(int, pipe, int fds[2])
{
	return are_new(NEXT(pipe)(fds), fds);
}

DEFINE(int, pipe2, int fds[2], int flags)
{
	return are_new(NEXT(pipe2)(fds, flags), fds);
}

DEFINE(int, eventfd, unsigned count, int flags)
{
	return is_new(NEXT(eventfd)(count, flags));
}

DEFINE(int, memfd_create, const char *name, unsigned flags)
{
	return is_new(NEXT(memfd_create)(name, flags));
}

/* ---- other names ---- */

#ifndef HOTPATH_WRAP

DEFINE(int, __open, const char *path, int flags, ...)
{
	MODE_AFTER(flags, mode);
	OPEN(path, NEXT(__open)(path, flags, mode));
}

DEFINE(int, __open64, const char *path, int flags, ...)
{
	MODE_AFTER(flags, mode);
	OPEN(path, NEXT(__open64)(path, flags, mode));
}

DEFINE(int, __close, int fd)
{
	CLOSE(NEXT(__close)(fd));
}

DEFINE(int, __dup2, int old, int new)
{
	int fd = NEXT(__dup2)(old, new);

	descriptors_copy(old, fd);
	return fd;
}

DEFINE(int, __fcntl, int fd, int command, ...)
{
	CONTROL(__fcntl);
}

DEFINE(int, __pipe, int fds[2])
{
	return are_new(NEXT(__pipe)(fds), fds);
}

#endif
