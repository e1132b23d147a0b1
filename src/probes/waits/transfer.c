/* SPDX-License-Identifier: MIT */
/* To the disk, and from one descriptor to another without the program's memory: the row is that of the descriptor which is
   written to. */
#include "io_call.h"

#include <sys/stat.h>
#include <sys/syscall.h>

/* A call that moves no bytes. */
#define SIMPLE(operation, fd, call)                                                                \
	do {                                                                                       \
		CALL(io);                                                                          \
		if (!io_begin(&io, HP_OPERATION_##operation, fd, FROM))                            \
			return (call);                                                             \
		int result = (call);                                                               \
		io_ended(&io, result);                                                             \
		return result;                                                                     \
	} while (0)

DEFINE(int, fsync, int fd)
{
	SIMPLE(FSYNC, fd, NEXT(fsync)(fd));
}

DEFINE(int, fdatasync, int fd)
{
	SIMPLE(FDATASYNC, fd, NEXT(fdatasync)(fd));
}

DEFINE(int, syncfs, int fd)
{
	SIMPLE(SYNCFS, fd, NEXT(syncfs)(fd));
}

DEFINE(int, sync_file_range, int fd, off64_t at, off64_t size, unsigned flags)
{
	SIMPLE(SYNC_FILE_RANGE, fd, NEXT(sync_file_range)(fd, at, size, flags));
}

/* What has no descriptor. */
static bool begin_without(struct io *io, enum hp_operation operation, const char *name,
			  uintptr_t from)
{
	return io_on() && hotpath__may_block() &&
	       io_begin_with(io, operation, target_of_name(name, HP_REASON_DISK), from);
}

DEFINE(int, msync, void *at, size_t size, int flags)
{
	CALL(io);

	if (!begin_without(&io, HP_OPERATION_MSYNC, "<mapped memory>", FROM))
		return NEXT(msync)(at, size, flags);
	int result = NEXT(msync)(at, size, flags);
	io_ended(&io, result);
	return result;
}

DEFINE(void, sync, void)
{
	CALL(io);
	bool is_on = begin_without(&io, HP_OPERATION_SYNC, "<all file systems>", FROM);

	NEXT(sync)();
	if (is_on)
		io_ended(&io, 0);
}

/* ---- from one descriptor to another ---- */

/* Whether a file has nothing behind a position; if that is NULL, its own. Nothing else has a size. */
static bool is_at_end(int fd, const off64_t *at)
{
	int saved_errno = errno;
	struct stat info;
	long place = -1;

	if (at)
		place = *at;
	else if (hotpath__probe_may(SYS_lseek))
		place = syscall(SYS_lseek, fd, 0, SEEK_CUR);
	bool is_file = place >= 0 && hotpath__probe_may(SYS_newfstatat) &&
		       syscall(SYS_newfstatat, fd, "", &info, AT_EMPTY_PATH) == 0 &&
		       S_ISREG(info.st_mode);
	errno = saved_errno;
	return is_file && place >= info.st_size;
}

/* How much could be copied: if the source is at its end, what was. */
static size_t there_was(ssize_t result, size_t asked, int from, const off64_t *at)
{
	bool is_less = result > 0 && (size_t)result < asked;

	return is_less && is_at_end(from, at) ? (size_t)result : asked;
}

DEFINE(ssize_t, sendfile, int to, int from, off_t *at, size_t size)
{
	TRANSFER(COPY, to, there_was(result, size, from, at), NEXT(sendfile)(to, from, at, size));
}

DEFINE(ssize_t, sendfile64, int to, int from, off64_t *at, size_t size)
{
	TRANSFER(COPY, to, there_was(result, size, from, at), NEXT(sendfile64)(to, from, at, size));
}

DEFINE(ssize_t, copy_file_range, int from, off64_t *from_at, int to, off64_t *to_at, size_t size,
       unsigned flags)
{
	TRANSFER(COPY, to, there_was(result, size, from, from_at),
		 NEXT(copy_file_range)(from, from_at, to, to_at, size, flags));
}

DEFINE(ssize_t, splice, int from, off64_t *from_at, int to, off64_t *to_at, size_t size,
       unsigned flags)
{
	TRANSFER(SPLICE, to, there_was(result, size, from, from_at),
		 NEXT(splice)(from, from_at, to, to_at, size, flags));
}

DEFINE(ssize_t, tee, int from, int to, size_t size, unsigned flags)
{
	TRANSFER(SPLICE, to, size, NEXT(tee)(from, to, size, flags));
}

static size_t size_of(const struct iovec *parts, size_t count, ssize_t result)
{
	size_t size = 0;

	for (size_t i = 0; result >= 0 && i < count; i++)
		size += parts[i].iov_len;
	return size;
}

DEFINE(ssize_t, vmsplice, int fd, const struct iovec *parts, size_t count, unsigned flags)
{
	TRANSFER(SPLICE, fd, size_of(parts, count, result),
		 NEXT(vmsplice)(fd, parts, count, flags));
}
