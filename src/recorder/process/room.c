/* SPDX-License-Identifier: MIT */
/*
 * Memory of the recorder's own, and address space in which the segment can grow.
 *
 * A program may limit its address space (RLIMIT_AS), or lock all of it (mlockall), at any time, so no address space is
 * reserved in advance. The segment must not move, because threads hold pointers into it. So it is mapped in the middle
 * of a large gap, where it can grow:
 *
 *	      ┌───────────── a gap of 1 TiB, not mapped ─────────────┐
 *	 …  libc │                     │ segment ├─►                 │ …
 *
 * Kernels fill a gap from its top, or from its bottom, so the segment can grow by half the gap before another mapping
 * is in the way. Once it is mapped, it grows by mremap, without a file descriptor.
 */
#include "room.h"

#include "platform.h"
#include "recorder_state.h"
#include "seccomp.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	POOL = 256 * 1024,
	/* Room in a pool for the struct that describes it. */
	REGION_ROOM = 64,
	/* The size that is mapped if no gap was found, since the segment cannot grow then. */
	WITHOUT_GAP = 32 * 1024 * 1024,
};

#ifdef HP_TSAN
/* ThreadSanitizer leaves programs little address space. */
#define GAP_MOST (UINT64_C(1) << 34)
#else
#define GAP_MOST (UINT64_C(1) << (sizeof(void *) == 8 ? 40 : 28))
#endif

#ifdef SYS_mmap2
#define MMAP SYS_mmap2
#else
#define MMAP SYS_mmap
#endif

bool hotpath__forks_unwiped;
/* The program has called mlockall(MCL_FUTURE): new mappings are locked. */
static bool locks_all;

uint64_t hotpath__page_size(void)
{
	static uint64_t size;

	if (!size)
		size = (uint64_t)sysconf(_SC_PAGESIZE);
	return size;
}

/* Unlock memory of ours: the amount that a process may lock is small, and meant for the program. */
void hotpath__not_locked(const void *start, size_t size)
{
	if (load(&locks_all, RELAXED))
		munlock(start, size);
}

void *hotpath__map_wiped(size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (memory == MAP_FAILED)
		return NULL;
	if (madvise(memory, size, MADV_WIPEONFORK)) {
		/* It was a seccomp filter, not an old kernel, and it is too late to register a fork handler. */
		if (hotpath__filters) {
			munmap(memory, size);
			return NULL;
		}
		hotpath__forks_unwiped = true;
	}
	hotpath__not_locked(memory, size);
	return memory;
}

void *hotpath__map_own(size_t size)
{
	void *memory = hotpath__map_wiped(size);

	if (memory)
		hotpath__own_region(memory, size);
	return memory;
}

void *hotpath__private(size_t size)
{
	struct recorder *recorder = hotpath__recorder;

	size = hotpath__round_up(size, 64);
	if (size > recorder->pool_left) {
		size_t needed = size + REGION_ROOM;
		size_t pool = needed > POOL ? hotpath__round_up(needed, hotpath__page_size())
					    : POOL;
		recorder->pool = hotpath__map_wiped(pool);
		recorder->pool_left = recorder->pool ? pool : 0;
		if (!recorder->pool)
			return NULL;
		hotpath__own_region(recorder->pool, pool);
	}
	char *memory = recorder->pool;
	recorder->pool += size;
	recorder->pool_left -= size;
	return memory;
}

/* If the kernel cannot do this, the pages are populated when they are used. */
void *hotpath__private_populated(size_t size)
{
	char *memory = hotpath__private(size);
	uintptr_t start = hotpath__round_up((uintptr_t)memory, hotpath__page_size());
	uintptr_t end = (uintptr_t)memory + size;

	if (memory && start < end)
		(void)madvise((void *)start, end - start, MADV_POPULATE_WRITE);
	return memory;
}

void hotpath__private_prepare(size_t size)
{
	struct recorder *recorder = hotpath__recorder;
	char *pool = recorder->pool_left < size ? hotpath__map_wiped(size) : NULL;

	if (!pool)
		return;
	recorder->pool = pool;
	recorder->pool_left = size;
	hotpath__own_region(pool, size);
}

/*
 * Find a large gap in the address space, by mapping one and unmapping it; returns its middle. By system calls,
 * because sanitizers would prepare shadow memory for a mapping made by the C library.
 */
static void *find_gap(void)
{
	for (uint64_t size = GAP_MOST; size >= WITHOUT_GAP; size /= 4) {
		long gap = syscall(MMAP, NULL, size, PROT_NONE,
				   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (gap == -1)
			continue;
		syscall(SYS_munmap, gap, size);
		return (void *)((uintptr_t)gap + size / 2);
	}
	return NULL;
}

static void *map_at(void *place, int fd, uint64_t size)
{
	int kind = fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE : MAP_SHARED;

	return mmap(place, size, PROT_READ | PROT_WRITE, kind, fd, 0);
}

bool hotpath__map_segment(int fd, uint64_t first)
{
	struct recorder *recorder = hotpath__recorder;
	uint64_t fallback = recorder->capacity < WITHOUT_GAP ? recorder->capacity : WITHOUT_GAP;
	void *gap = find_gap(), *base = map_at(gap, fd, first);

	if (base == MAP_FAILED)
		return false;
	recorder->mapped = first;
	if (base != gap) {
		void *larger = map_at(NULL, fd, fallback);
		if (larger != MAP_FAILED) {
			munmap(base, first);
			base = larger;
			recorder->mapped = fallback;
		}
	}
	hotpath__not_locked(base, recorder->mapped);
	recorder->base = base;
	return true;
}

bool hotpath__map_more(uint64_t end)
{
	struct recorder *recorder = hotpath__recorder;

	if (end <= recorder->mapped)
		return true;
	if (mremap(recorder->base, recorder->mapped, end, 0) == MAP_FAILED)
		return false;
	recorder->mapped = end;
	hotpath__note_mapped();
	return true;
}

void hotpath__stay_unlocked(bool locks_future)
{
	struct recorder *recorder = load(&hotpath__recorder, ACQUIRE);
	struct guard guard;

	store(&locks_all, locks_future, RELAXED);
	if (!recorder)
		return;
	hotpath__lock(&guard);
	munlock(recorder, sizeof(*recorder));
	if (recorder->base)
		munlock(recorder->base, recorder->mapped);
	hotpath__unlock_regions();
	hotpath__unlock(&guard);
}
