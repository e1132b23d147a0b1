/* SPDX-License-Identifier: MIT */
/* Memory of the recorder's own, and the address space of the segment. */
#ifndef HOTPATH_ROOM_H
#define HOTPATH_ROOM_H

#include "segment.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Not every C library knows it. */
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

#pragma GCC visibility push(hidden)

/* Allocate memory of the recorder's own, zero, never freed; the lock is held. NULL when there is none. */
void *hotpath__private(size_t size);
/* The same, with its pages populated at once: that is quicker than a page fault for each of them. */
void *hotpath__private_populated(size_t size);
/* Allocate it in advance, before a seccomp filter forbids it; the lock is held. */
void hotpath__private_prepare(size_t size);
/* Map memory that the kernel wipes in a forked child (MADV_WIPEONFORK), unless it is too old for that. */
void *hotpath__map_wiped(size_t size);
/* The same, and keep the region in a list, so that its memory can be counted as the profiler's; the lock is held. */
void *hotpath__map_own(size_t size);
void hotpath__own_region(const void *start, size_t size);
/* munlock all regions of that list; the lock is held. */
void hotpath__unlock_regions(void);
/* The program has called mlockall: unlock the recorder's memory, and if it locks future mappings too, those of the
   recorder from now on. */
void hotpath__stay_unlocked(bool locks_future);
/* Unlock memory that was just mapped, if the program had all new mappings locked (mlockall with MCL_FUTURE). */
void hotpath__not_locked(const void *start, size_t size);
/*
 * Map the beginning of a file, or private memory for -1, where it can be made longer. Sets base and mapped of the
 * recorder. Returns false with errno.
 */
bool hotpath__map_segment(int fd, uint64_t first);
/* Map the segment up to an offset. */
bool hotpath__map_more(uint64_t end);
uint64_t hotpath__page_size(void);
extern bool hotpath__forks_unwiped;
/* More of the segment is mapped now: note it for forked children, which read their parent's sites there. */
void hotpath__note_mapped(void);
/* Store the resident memory of the process, and the profiler's part of it; the lock is held. */
void hotpath__note_memory(struct hp_header *header);

#pragma GCC visibility pop

static inline uint64_t hotpath__round_up(uint64_t size, uint64_t unit)
{
	return (size + unit - 1) / unit * unit;
}

#endif
