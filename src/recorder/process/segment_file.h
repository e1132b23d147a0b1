/* SPDX-License-Identifier: MIT */
/* The segment's file: how it is created, allocated from, and cut to its used size at the end. */
#ifndef HOTPATH_SEGMENT_FILE_H
#define HOTPATH_SEGMENT_FILE_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

struct settings;

/* Create the segment and its header; the lock is held. False when there is no memory at all. */
bool hotpath__segment_create(const struct settings *settings);
/* Allocate in the segment, aligned to 64 bytes and zero; the lock is held. Returns the offset, 0 when there is no
   room. */
uint64_t hotpath__segment_take(uint64_t size);
uint64_t hotpath__segment_string(const char *string);
/* Map and populate the segment up to an offset; false when there is no room. The lock is held. */
bool hotpath__segment_usable(uint64_t end);
/* Make room for so many bytes in advance, before a seccomp filter forbids it; the lock is held. */
void hotpath__segment_prepare(uint64_t size);
/* Open a folder that belongs to this user and to which nobody else may write, created when it is missing; -1 with
   errno otherwise. */
int hotpath__open_folder(const char *folder);
/* The program exits normally: cut the unused rest off the file. */
void hotpath__segment_finish(void);

#pragma GCC visibility pop

#endif
