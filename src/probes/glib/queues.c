/* SPDX-License-Identifier: MIT */
/* GAsyncQueue: each is a channel, from its creation until its last reference is dropped. */
#include "queues.h"

#include "libglib.h"
#include "probe.h"

/* 0 when nothing is recorded. */
static uint32_t site_of(uintptr_t code)
{
	return objects_site(HP_SITE_CHANNEL, "GAsyncQueue", code);
}

static struct object *add_queue(GAsyncQueue *queue, uint32_t references, uint32_t id)
{
	struct hotpath_site site = { .kind = HOTPATH_SITE_CHANNEL, .id = id };
	struct object *object = id ? objects_take(&queues, queue) : NULL;

	if (!object)
		return NULL;
	object->queue.references = references;
	hotpath_channel_new(&object->queue.channel, &site, 0);
	objects_publish(object, queue);
	return object;
}

static void close_queue(struct object *object)
{
	hotpath_channel_close(&object->queue.channel);
	objects_forget(object);
}

struct object *queues_learn(GAsyncQueue *queue, bool is_locked, uintptr_t code)
{
	uint32_t site = site_of(code);

	if (!site)
		return NULL;
	if (!is_locked)
		NEXT(g_async_queue_lock)(queue);
	struct object *object = objects_find(&queues, queue);
	if (!object)
		object = add_queue(queue, QUEUE_OLD, site);
	if (!is_locked)
		NEXT(g_async_queue_unlock)(queue);
	return object;
}

static GAsyncQueue *make(GDestroyNotify item_free_func, uintptr_t code)
{
	GAsyncQueue *queue = NEXT(g_async_queue_new_full)(item_free_func);
	struct object *before = objects_find(&queues, queue);

	/* A queue at the same address: its last reference was dropped where the probe did not see it. */
	if (before)
		close_queue(before);
	add_queue(queue, 1, site_of(code));
	return queue;
}

DEFINE(GAsyncQueue *, g_async_queue_new, void)
{
	return make(NULL, FROM);
}

DEFINE(GAsyncQueue *, g_async_queue_new_full, GDestroyNotify item_free_func)
{
	return make(item_free_func, FROM);
}

static void refer(GAsyncQueue *queue)
{
	struct object *object = objects_find(&queues, queue);

	if (object)
		fetch_add(&object->queue.references, 1, RELAXED);
}

DEFINE(GAsyncQueue *, g_async_queue_ref, GAsyncQueue *queue)
{
	refer(queue);
	return NEXT(g_async_queue_ref)(queue);
}

DEFINE(void, g_async_queue_ref_unlocked, GAsyncQueue *queue)
{
	refer(queue);
	NEXT(g_async_queue_ref_unlocked)(queue);
}

/* Dropping the last reference closes the channel; before GLib frees the memory, which another queue may get. */
static void release(GAsyncQueue *queue)
{
	struct object *object = objects_find(&queues, queue);

	/* ACQ_REL: what other threads did with the queue happens before its end. */
	if (object && __atomic_fetch_sub(&object->queue.references, 1, __ATOMIC_ACQ_REL) == 1)
		close_queue(object);
	NEXT(g_async_queue_unref)(queue);
}

DEFINE(void, g_async_queue_unref, GAsyncQueue *queue)
{
	release(queue);
}

DEFINE(void, g_async_queue_unref_and_unlock, GAsyncQueue *queue)
{
	NEXT(g_async_queue_unlock)(queue);
	if (queue)
		release(queue);
}

void queues_label(const void *address, const char *label)
{
	struct object *object = objects_find(&queues, address);
	uint32_t site = object ? hotpath__labelled_site(HP_SITE_CHANNEL, label) : 0;

	if (site)
		hotpath__channel_rename(&object->queue.channel, site);
}
