/* SPDX-License-Identifier: MIT */
/* The table of locks: adding and removing them. */
#include "lock_table.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

struct lock *locks;

enum { SIZE = sizeof(struct lock) << LOCKS_BITS };

static struct lock *reserve(void)
{
	void *room = mmap(NULL, SIZE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (room == MAP_FAILED)
		return NULL;
	/* With huge pages, each lock could take two megabytes. */
	madvise(room, SIZE, MADV_NOHUGEPAGE);
	return room;
}

/* Several threads may do this at the same time; one mapping is kept. */
struct lock *locks_reserve(void)
{
	int saved_errno = errno;
	struct lock *none = NULL, *room = reserve();

	errno = saved_errno;
	if (!room)
		return NULL;
	if (__atomic_compare_exchange_n(&locks, &none, room, false, __ATOMIC_RELEASE,
					__ATOMIC_ACQUIRE))
		return room;
	munmap(room, SIZE);
	return none;
}

/* Store the address in a slot that is free. Returns whether the slot is that lock's now, also if another thread did
   it. */
static bool take(struct lock *slot, uintptr_t address)
{
	uintptr_t key = 0;

	if (load(&slot->key, RELAXED) != 0)
		return false;
	/* ACQUIRE pairs with the RELEASE of locks_forget. */
	return __atomic_compare_exchange_n(&slot->key, &key, address, false, __ATOMIC_ACQUIRE,
					   __ATOMIC_ACQUIRE) ||
	       key == address;
}

/*
 * While two threads add one lock, a third may remove another one that was in the same window, so that the two see
 * different free slots. Therefore each looks again: the first slot counts, and the other one is given back.
 */
struct lock *locks_add(const volatile void *address)
{
	struct lock *found = locks_find(address), *slots = load(&locks, ACQUIRE);

	if (!slots)
		slots = locks_reserve();
	for (unsigned i = 0; slots && !found && i < LOCKS_WINDOW; i++) {
		struct lock *slot = locks_slot(slots, (uintptr_t)address, i);
		if (take(slot, (uintptr_t)address))
			found = slot;
	}
	struct lock *first = found ? locks_find(address) : NULL;
	if (first && first != found)
		locks_forget(found);
	return first;
}

void locks_forget(struct lock *lock)
{
	memset((char *)lock + sizeof(lock->key), 0, sizeof(*lock) - sizeof(lock->key));
	/* RELEASE pairs with the ACQUIRE of take. */
	store(&lock->key, 0, RELEASE);
}
