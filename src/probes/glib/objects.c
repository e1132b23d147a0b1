/* SPDX-License-Identifier: MIT */
/* The table of objects: taking slots and giving them back. */
#include "objects.h"

#include "probe.h"

#include <string.h>
#include <sys/mman.h>

enum {
	/* A key that no object has: the slot is being filled. */
	TAKEN = 1,
	SIZE = sizeof(struct object) << OBJECTS_BITS,
};

struct objects queues = { .is_wiped = true };
struct objects loops;

static struct object *reserve(const struct objects *objects)
{
	void *room = mmap(NULL, SIZE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (room == MAP_FAILED)
		return NULL;
	if (objects->is_wiped)
		madvise(room, SIZE, MADV_WIPEONFORK);
	/* With huge pages, each object could take two megabytes. */
	madvise(room, SIZE, MADV_NOHUGEPAGE);
	return room;
}

/* Several threads may do this at the same time; one mapping is kept. */
static struct object *reserve_once(struct objects *objects)
{
	struct object *none = NULL, *room = reserve(objects);

	if (!room)
		return NULL;
	if (__atomic_compare_exchange_n(&objects->slots, &none, room, false, __ATOMIC_RELEASE,
					__ATOMIC_ACQUIRE))
		return room;
	munmap(room, SIZE);
	return none;
}

static bool take(struct object *slot)
{
	uintptr_t free = 0;

	return load(&slot->key, RELAXED) == 0 &&
	       __atomic_compare_exchange_n(&slot->key, &free, TAKEN, false, __ATOMIC_ACQUIRE,
					   __ATOMIC_RELAXED);
}

struct object *objects_take(struct objects *objects, const void *address)
{
	struct object *slots = load(&objects->slots, ACQUIRE);

	if (!slots)
		slots = reserve_once(objects);
	for (unsigned i = 0; slots && i < OBJECTS_WINDOW; i++) {
		struct object *slot = objects_slot(slots, (uintptr_t)address, i);
		if (take(slot))
			return slot;
	}
	hotpath__probe_lost();
	return NULL;
}

void objects_publish(struct object *object, const void *address)
{
	/* RELEASE pairs with ACQUIRE of objects_find. */
	store(&object->key, (uintptr_t)address, RELEASE);
}

void objects_forget(struct object *object)
{
	memset((char *)object + sizeof(object->key), 0, sizeof(*object) - sizeof(object->key));
	/* RELEASE pairs with the ACQUIRE in take. */
	store(&object->key, 0, RELEASE);
}
