/* SPDX-License-Identifier: MIT */
/* Files of /proc, and entries of directories, as the kernel returns them. */
#ifndef HOTPATH_KERNEL_FILES_H
#define HOTPATH_KERNEL_FILES_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#pragma GCC visibility push(hidden)

/* Bytes of files of the kernel that the recorder has read. */
extern uint64_t hotpath__read_bytes;

/* Read the beginning of a file, and add a NUL. Returns the number of bytes read, or -1. */
ssize_t hotpath__read_file(const char *path, char *into, size_t size);
/* The same for a file of a thread in /proc/self/task, such as "comm". */
ssize_t hotpath__read_task(uint32_t tid, const char *file, char *into, size_t size);

/* An entry of a directory, as SYS_getdents64 returns it. */
struct hotpath__entry {
	uint64_t inode;
	int64_t offset;
	uint16_t length;
	uint8_t type;
	char name[];
};

#pragma GCC visibility pop

#endif
