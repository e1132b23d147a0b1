/* SPDX-License-Identifier: MIT */
/*
 * Allocates from the segment, from its beginning to its end.
 *
 *	0             used            usable                    capacity
 *	├─ allocated ──┤─ ready for use ─┤─ holes in the file, unmapped ─┤
 *
 * To make more of it usable, the mapping is extended and populated by the kernel (MADV_POPULATE_WRITE), which reports a
 * full file system as an error code where touching the page would raise SIGBUS. Neither needs the file's descriptor.
 */
#include "segment_file.h"

#include "recorder_state.h"
#include "room.h"
#include "seccomp.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
	/* The segment grows in steps of so many bytes: enough for ten functions of a thread. */
	STEP = 64 * 1024,
};

/* Populate each page by a system call that writes to it: that returns EFAULT where our own write would raise
   SIGBUS. */
static bool populate_by_hand(char *from, uint64_t size)
{
	for (uint64_t at = 0; at < size; at += hotpath__page_size()) {
		if (syscall(SYS_clock_gettime, CLOCK_MONOTONIC, from + at))
			return false;
		memset(from + at, 0, sizeof(struct timespec));
	}
	return true;
}

static bool populate(char *from, uint64_t size)
{
	if (!hotpath__recorder->path[0])
		return true;
	if (madvise(from, size, MADV_POPULATE_WRITE) == 0)
		return true;
	return errno != EFAULT && populate_by_hand(from, size);
}

/* By a whole step, or if that fails by as little as necessary. */
bool hotpath__segment_usable(uint64_t end)
{
	struct recorder *recorder = hotpath__recorder;
	uint64_t least = hotpath__round_up(end, hotpath__page_size());
	uint64_t best = hotpath__round_up(end, STEP);

	if (least > recorder->capacity)
		return false;
	if (best > recorder->capacity)
		best = least;
	for (;;) {
		if (hotpath__map_more(best) &&
		    populate(recorder->base + recorder->usable, best - recorder->usable)) {
			recorder->usable = best;
			return true;
		}
		if (best == least)
			return false;
		best = least;
	}
}

uint64_t hotpath__segment_take(uint64_t size)
{
	struct recorder *recorder = hotpath__recorder;
	uint64_t at = recorder->used, end = at + hotpath__round_up(size, 64);
	int saved_errno = errno;
	bool taken = end <= recorder->usable || hotpath__segment_usable(end);

	errno = saved_errno;
	if (!taken)
		return 0;
	recorder->used = end;
	/* Pairs with the reader's ACQUIRE: what it finds below was handed out. */
	store(&hotpath__header()->used, end, RELEASE);
	return at;
}

uint64_t hotpath__segment_string(const char *string)
{
	if (!string)
		return 0;
	size_t length = strnlen(string, HP_PATH_MAX);
	uint64_t at = hotpath__segment_take(sizeof(struct hp_string) + length + 1);
	if (at) {
		struct hp_string *copy = (struct hp_string *)(void *)(hotpath__recorder->base + at);
		copy->length = (uint32_t)length;
		memcpy(copy->bytes, string, length);
	}
	return at;
}

void hotpath__segment_prepare(uint64_t size)
{
	const struct recorder *recorder = hotpath__recorder;

	if (recorder->usable - recorder->used < size)
		hotpath__segment_usable(recorder->used + size);
}
