/* SPDX-License-Identifier: MIT */
/*
 * What the probe knows of objects of GLib, by their addresses.
 *
 *	hash of the address ─► slot · slot · slot … a window of so many; an object is in one of them
 *
 * To look for one takes no lock: whoever uses an object holds a reference to it, so that it is neither made nor
 * freed meanwhile. Mostly the first slot is the one. Room for all is reserved once, and what is not used takes no
 * memory.
 */
#ifndef GLIB_OBJECTS_H
#define GLIB_OBJECTS_H

#include "atomic.h"
#include "state.h"

#include <glib.h>

enum {
	OBJECTS_BITS = 16,
	OBJECTS_WINDOW = 16,
};

/** A GAsyncQueue. */
struct queue {
	struct hotpath_channel channel;
	/* References, of a queue that we have seen since it was made; of others, more than any has. */
	uint32_t references;
};

#define QUEUE_OLD UINT32_C(0x40000000)

/** A GMainContext, used by the one thread that owns it. */
struct loop {
	/* 0 when it was not named yet. */
	uint32_t site;
	/* Of a GMainLoop: it is the context that matters. */
	GMainContext *context;
	/* The program's own way to wait; NULL when it has none. */
	GPollFunc poll;
	/* Since when it waits, or has not waited any more; 0 when it does not. */
	uint64_t waits_since;
	uint64_t woke_at;
	/* The turn so far. */
	uint64_t idle;
	uint64_t in_callbacks;
	uint64_t slowest;
	const char *slowest_kind;
	uintptr_t slowest_code;
	uint32_t callbacks;
	/* Ticks for which it was run inside its own callbacks, in all. */
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
	/* A forked child is to know none of them: the recorder has forgotten them, too. */
	bool is_wiped;
};

extern struct objects queues;
extern struct objects loops;

static inline struct object *objects_slot(struct object *slots, uintptr_t key, unsigned i)
{
	uint64_t hash = (key >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> (64 - OBJECTS_BITS);

	return slots + ((hash + i) & ((1u << OBJECTS_BITS) - 1));
}

/** NULL when it is not known. */
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
 * A slot for an object, to be filled and published. The caller sees to it that nobody else does so for this object.
 *
 * @return
 *         All zeros but the key; NULL when there is no room.
 */
struct object *objects_take(struct objects *objects, const void *address);

/** From now on it is found. */
void objects_publish(struct object *object, const void *address);

/**
 * As hotpath__flow_site. Recording begins with the first one: a program that uses nothing of GLib is left alone,
 * though it has the probe.
 */
uint32_t objects_site(uint32_t kind, const char *name, uintptr_t code);

/** It is not known any more. */
void objects_forget(struct object *object);

#endif
