/* SPDX-License-Identifier: MIT */
/*
 * The targets of descriptors, by number.
 *
 * A word for each, in a mapping of which only the pages that are used take memory. It is forgotten before a descriptor is
 * closed, and set after one was opened, so that a thread that opens the same number meanwhile is not disturbed. A forked child
 * has a copy; sites have the same ids there. A child of vfork has its own descriptors, but uses the memory of its parent: it
 * changes nothing.
 */
#include "io_call.h"

#include <sys/mman.h>
#include <sys/syscall.h>

io_target *descriptors;

/* The highest number that has a target. */
static unsigned highest;

bool descriptors_reserve(void)
{
	size_t size = DESCRIPTORS * sizeof(io_target);
	io_target *none = NULL;
	int saved_errno = errno;

	if (load(&descriptors, ACQUIRE))
		return true;
	void *room = hotpath__probe_may(SYS_mmap)
			     ? mmap(NULL, size, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
			     : MAP_FAILED;
	errno = saved_errno;
	if (room == MAP_FAILED)
		return false;
	/* Several threads may do this at the same time; one mapping is kept. */
	if (!__atomic_compare_exchange_n(&descriptors, &none, room, false, __ATOMIC_RELEASE,
					 __ATOMIC_ACQUIRE))
		munmap(room, size);
	return true;
}

static void note_highest(int fd)
{
	if ((unsigned)fd > load(&highest, RELAXED))
		store(&highest, (unsigned)fd, RELAXED);
}

/* If another thread has closed the descriptor meanwhile and opened it anew, the word is not 0 any more. */
io_target descriptors_learn(int fd)
{
	io_target found = fd >= 0 ? target_of_descriptor(fd, NULL) : 0, none = 0;

	if (found && (unsigned)fd < DESCRIPTORS) {
		note_highest(fd);
		__atomic_compare_exchange_n(&descriptors[fd], &none, found, false, __ATOMIC_RELAXED,
					    __ATOMIC_RELAXED);
	}
	return found;
}

void descriptors_set(int fd, io_target target)
{
	if ((unsigned)fd >= DESCRIPTORS || load(&descriptors[fd], RELAXED) == target ||
	    hotpath__shares_memory())
		return;
	note_highest(fd);
	store(&descriptors[fd], target, RELAXED);
}

void descriptors_forget(int fd)
{
	if (io_on())
		descriptors_set(fd, 0);
}

void descriptors_forget_range(unsigned first, unsigned last)
{
	unsigned end = load(&highest, RELAXED);

	if (!io_on() || hotpath__shares_memory())
		return;
	for (unsigned fd = first; fd <= last && fd <= end; fd++)
		if (load(&descriptors[fd], RELAXED))
			store(&descriptors[fd], 0, RELAXED);
}

void descriptors_copy(int from, int to)
{
	if (io_on() && to >= 0)
		descriptors_set(to, descriptors_find(from));
}
