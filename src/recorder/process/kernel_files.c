/* SPDX-License-Identifier: MIT */
/* Reads files of /proc: what the kernel tells of this process, and of its threads. */
#include "kernel_files.h"

#include "atomic.h"
#include "seccomp.h"

#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

uint64_t hotpath__read_bytes;

/* By system calls, because the C library's open and read are cancellation points. */
ssize_t hotpath__read_file(const char *path, char *into, size_t size)
{
	long fd = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
	ssize_t length = fd < 0 ? -1 : syscall(SYS_read, fd, into, size - 1);

	if (fd >= 0)
		syscall(SYS_close, fd);
	if (length > 0)
		fetch_add(&hotpath__read_bytes, (uint64_t)length, RELAXED);
	into[length > 0 ? length : 0] = '\0';
	return length;
}

ssize_t hotpath__read_task(uint32_t tid, const char *file, char *into, size_t size)
{
	char path[64] = "/proc/self/task/";
	char *end = path + strlen(path);
	uint32_t unit = 1;

	for (uint32_t rest = tid; rest >= 10; rest /= 10)
		unit *= 10;
	for (; unit; unit /= 10)
		*end++ = (char)('0' + tid / unit % 10);
	*end++ = '/';
	strcpy(end, file);
	return hotpath__read_file(path, into, size);
}
