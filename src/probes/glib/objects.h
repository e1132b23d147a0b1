/* SPDX-License-Identifier: MIT */
/*
 * A hash table of GLib's objects, by address.
 *
 *	hash of the address ─► slot · slot · slot … a window of OBJECTS_WINDOW slots; the object is in one of them
 *
 * Finding an object takes no lock: a thread that uses an object holds a reference to it, so it is neither created nor
 * freed at that time. Usually it is in the first slot. The whole table is mapped once; unused pages take no memory.
 */
#ifndef GLIB_OBJECTS_H
#define GLIB_OBJECTS_H

#include "hotpath/abi.h"

#include "atomic.h"
#include "processor.h"

#include <glib.h>
#include <stdbool.h>

enum {
	OBJECTS_BITS = 16,
	OBJECTS_WINDOW = 16,
};

/** A GAsyncQueue. */
struct queue {
	struct hotpath_channel channel;
	/* The reference count of a queue whose creation we have seen; of others, QUEUE_OLD, so that it never
	   reaches 0. */
	uint32_t references;
};

#define QUEUE_OLD UINT32_C(0x40000000)

/** A GMainContext. Only the thread that owns it uses this. */
struct loop {
	/* The site; 0 when there is none yet. */
	uint32_t site;
	/* If the object is a GMainLoop: its context, which is what counts. NULL for a context itself. */
	GMainContext *context;
	/* The program's own poll function; NULL when it has set none. */
	GPollFunc poll;
	/* When it began to wait, 0 when it does not wait; and when the last wait ended, 0 when there was none. */
	uint64_t waits_since;
	uint64_t woke_at;
	/* The figures of the present turn. */
	uint64_t idle;
	uint64_t in_callbacks;
	uint64_t slowest;
	const char *slowest_kind;
	uintptr_t slowest_code;
	uint32_t callbacks;
	/* Ticks for which it was run inside its own callbacks, over all turns. */
	uint64_t inside;
};

struct object {
	/* The object's address; 0 when the slot is free. RELEASE when the rest is filled. */
	uintptr_t key;
	union {
		struct queue queue;
		struct loop loop;
	};
} __attribute__((aligned(128)));

struct objects {
	struct object *slots;
	/* The memory is wiped in a forked child, because the recorder's is too. */
	bool is_wiped;
};

extern struct objects queues;
extern struct objects loops;

static inline struct object *objects_slot(struct object *slots, uintptr_t key, unsigned i)
{
	uint64_t hash = (key >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> (64 - OBJECTS_BITS);

	return slots + ((hash + i) & ((1u << OBJECTS_BITS) - 1));
}

/** Find an object; NULL when it is not known. */
static inline struct object *objects_find(struct objects *objects, const void *address)
{
	struct object *slots = likely(address) ? load(&objects->slots, CONSUME) : NULL;

	for (unsigned i = 0; slots && i < OBJECTS_WINDOW; i++) {
		struct object *slot = objects_slot(slots, (uintptr_t)address, i);
		/* ACQUIRE pairs with RELEASE of objects_publish. */
		if (likely(load(&slot->key, ACQUIRE) == (uintptr_t)address))
			return slot;
	}
	return NULL;
}

/**
 * A slot for an object, to be filled and published. The caller makes sure that no other thread adds the same object.
 *
 * @return
 *         All zeros but the key; NULL when there is no room.
 */
struct object *objects_take(struct objects *objects, const void *address);

/** Make an object visible to objects_find. */
void objects_publish(struct object *object, const void *address);

/**
 * Like hotpath__flow_site, but begins to record at the first call: a program that has the probe and does not use GLib
 * is not recorded.
 */
uint32_t objects_site(uint32_t kind, const char *name, uintptr_t code);

/** Remove an object. */
void objects_forget(struct object *object);

#endif
