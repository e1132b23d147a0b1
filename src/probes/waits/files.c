/* SPDX-License-Identifier: MIT */
/* Reading and writing by descriptor. */
#include "io_call.h"

/* How many bytes were asked for. The vector is known to be readable when the call has succeeded. */
static size_t size_of(const struct iovec *parts, int count, ssize_t result)
{
	size_t size = 0;

	for (int i = 0; result >= 0 && i < count; i++)
		size += parts[i].iov_len;
	return size;
}

DEFINE(ssize_t, read, int fd, void *into, size_t size)
{
	TRANSFER(READ, fd, size, NEXT(read)(fd, into, size));
}

DEFINE(ssize_t, __read_chk, int fd, void *into, size_t size, size_t room)
{
	TRANSFER(READ, fd, size, NEXT(__read_chk)(fd, into, size, room));
}

DEFINE(ssize_t, pread, int fd, void *into, size_t size, off_t at)
{
	TRANSFER(READ, fd, size, NEXT(pread)(fd, into, size, at));
}

DEFINE(ssize_t, pread64, int fd, void *into, size_t size, off64_t at)
{
	TRANSFER(READ, fd, size, NEXT(pread64)(fd, into, size, at));
}

DEFINE(ssize_t, __pread_chk, int fd, void *into, size_t size, off_t at, size_t room)
{
	TRANSFER(READ, fd, size, NEXT(__pread_chk)(fd, into, size, at, room));
}

DEFINE(ssize_t, __pread64_chk, int fd, void *into, size_t size, off64_t at, size_t room)
{
	TRANSFER(READ, fd, size, NEXT(__pread64_chk)(fd, into, size, at, room));
}

DEFINE(ssize_t, write, int fd, const void *from, size_t size)
{
	TRANSFER(WRITE, fd, size, NEXT(write)(fd, from, size));
}

DEFINE(ssize_t, pwrite, int fd, const void *from, size_t size, off_t at)
{
	TRANSFER(WRITE, fd, size, NEXT(pwrite)(fd, from, size, at));
}

DEFINE(ssize_t, pwrite64, int fd, const void *from, size_t size, off64_t at)
{
	TRANSFER(WRITE, fd, size, NEXT(pwrite64)(fd, from, size, at));
}

/* ---- several parts ---- */

#define VECTOR(operation, function, ...)                                                           \
	TRANSFER(operation, fd, size_of(parts, count, result),                                     \
		 NEXT(function)(fd, parts, count, ##__VA_ARGS__))

DEFINE(ssize_t, readv, int fd, const struct iovec *parts, int count)
{
	VECTOR(READ, readv);
}

DEFINE(ssize_t, preadv, int fd, const struct iovec *parts, int count, off_t at)
{
	VECTOR(READ, preadv, at);
}

DEFINE(ssize_t, preadv64, int fd, const struct iovec *parts, int count, off64_t at)
{
	VECTOR(READ, preadv64, at);
}

DEFINE(ssize_t, preadv2, int fd, const struct iovec *parts, int count, off_t at, int flags)
{
	VECTOR(READ, preadv2, at, flags);
}

DEFINE(ssize_t, preadv64v2, int fd, const struct iovec *parts, int count, off64_t at, int flags)
{
	VECTOR(READ, preadv64v2, at, flags);
}

DEFINE(ssize_t, writev, int fd, const struct iovec *parts, int count)
{
	VECTOR(WRITE, writev);
}

DEFINE(ssize_t, pwritev, int fd, const struct iovec *parts, int count, off_t at)
{
	VECTOR(WRITE, pwritev, at);
}

DEFINE(ssize_t, pwritev64, int fd, const struct iovec *parts, int count, off64_t at)
{
	VECTOR(WRITE, pwritev64, at);
}

DEFINE(ssize_t, pwritev2, int fd, const struct iovec *parts, int count, off_t at, int flags)
{
	VECTOR(WRITE, pwritev2, at, flags);
}

DEFINE(ssize_t, pwritev64v2, int fd, const struct iovec *parts, int count, off64_t at, int flags)
{
	VECTOR(WRITE, pwritev64v2, at, flags);
}

/* ---- other names ---- */

#ifndef HOTPATH_WRAP

DEFINE(ssize_t, __read, int fd, void *into, size_t size)
{
	TRANSFER(READ, fd, size, NEXT(__read)(fd, into, size));
}

DEFINE(ssize_t, __pread64, int fd, void *into, size_t size, off64_t at)
{
	TRANSFER(READ, fd, size, NEXT(__pread64)(fd, into, size, at));
}

DEFINE(ssize_t, __write, int fd, const void *from, size_t size)
{
	TRANSFER(WRITE, fd, size, NEXT(__write)(fd, from, size));
}

DEFINE(ssize_t, __pwrite64, int fd, const void *from, size_t size, off64_t at)
{
	TRANSFER(WRITE, fd, size, NEXT(__pwrite64)(fd, from, size, at));
}

#endif
