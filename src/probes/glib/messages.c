/* SPDX-License-Identifier: MIT */
/*
 * The messages of a GAsyncQueue.
 *
 * A send is reported before the message is in the queue, and a receive after it is out of it. So no message is received
 * before it was sent, and the count is never less than what is in the queue; and while the queue is locked, the probe
 * does nothing.
 *
 *	g_async_queue_push  =  tell · push
 *	g_async_queue_pop   =  try_pop · pop, if there was none · tell
 */
#include "libglib.h"
#include "probe.h"
#include "queues.h"

/* The queue that this thread is in a GLib function for. If that function calls our wrappers, the message was
   reported already. */
static __thread GAsyncQueue *inside __attribute__((tls_model("initial-exec")));

/* ---- into it ---- */

static inline void tell_sent(GAsyncQueue *queue, bool is_locked, uintptr_t code)
{
	struct object *object = objects_find(&queues, queue);

	if (unlikely(inside == queue))
		return;
	if (unlikely(!object))
		object = queues_learn(queue, is_locked, code);
	if (likely(object))
		hotpath_channel_send(&object->queue.channel, 0);
}

/* If queue or message is NULL, GLib itself reports the error. */
#define DEFINE_PUSH(name, is_locked)                                                               \
	DEFINE(void, name, GAsyncQueue *queue, gpointer data)                                      \
	{                                                                                          \
		GAsyncQueue *outside = inside;                                                     \
                                                                                                   \
		if (likely(queue && data))                                                         \
			tell_sent(queue, is_locked, FROM);                                         \
		inside = queue;                                                                    \
		NEXT(name)(queue, data);                                                           \
		inside = outside;                                                                  \
	}
DEFINE_PUSH(g_async_queue_push, false)
DEFINE_PUSH(g_async_queue_push_unlocked, true)
DEFINE_PUSH(g_async_queue_push_front, false)
DEFINE_PUSH(g_async_queue_push_front_unlocked, true)

/* The comparison function is the program's, and may use other queues. */
#define DEFINE_PUSH_SORTED(name, is_locked)                                                        \
	DEFINE(void, name, GAsyncQueue *queue, gpointer data, GCompareDataFunc compare,            \
	       gpointer user_data)                                                                 \
	{                                                                                          \
		GAsyncQueue *outside = inside;                                                     \
                                                                                                   \
		if (likely(queue))                                                                 \
			tell_sent(queue, is_locked, FROM);                                         \
		inside = queue;                                                                    \
		NEXT(name)(queue, data, compare, user_data);                                       \
		inside = outside;                                                                  \
	}
DEFINE_PUSH_SORTED(g_async_queue_push_sorted, false)
DEFINE_PUSH_SORTED(g_async_queue_push_sorted_unlocked, true)

/* ---- out of it ---- */

static inline gpointer tell_received(struct object *object, gpointer data)
{
	if (likely(object && data))
		hotpath_channel_recv(&object->queue.channel);
	return data;
}

/* Before a wait the queue must be known, so that the wait can be counted. */
static inline struct object *find_or_learn(GAsyncQueue *queue, bool is_locked, uintptr_t code)
{
	struct object *object = objects_find(&queues, queue);

	return likely(object) ? object : queues_learn(queue, is_locked, code);
}

static inline void tell_waited(struct object *object, uint64_t since)
{
	if (object)
		hotpath__channel_waited(&object->queue.channel, hotpath__probe_ticks() - since);
}

/* The wait begins if try_pop finds no message. It may end without one. */
#define DEFINE_POP(name, try, is_locked, parameters, ...)                                          \
	__attribute__((visibility("default"))) gpointer name parameters;                           \
	gpointer name parameters                                                                   \
	{                                                                                          \
		if (unlikely(!queue))                                                              \
			return NEXT(name)(__VA_ARGS__);                                            \
		struct object *object = find_or_learn(queue, is_locked, FROM);                     \
		gpointer data = NEXT(try)(queue);                                                  \
		if (unlikely(!data)) {                                                             \
			uint64_t since = hotpath__probe_ticks();                                   \
			data = NEXT(name)(__VA_ARGS__);                                            \
			tell_waited(object, since);                                                \
		}                                                                                  \
		return tell_received(object, data);                                                \
	}
#define DEFINE_POPS(name, parameters, ...)                                                         \
	DEFINE_POP(name, g_async_queue_try_pop, false, parameters, __VA_ARGS__)                    \
	DEFINE_POP(name##_unlocked, g_async_queue_try_pop_unlocked, true, parameters, __VA_ARGS__)
DEFINE_POPS(g_async_queue_pop, (GAsyncQueue * queue), queue)
DEFINE_POPS(g_async_queue_timeout_pop, (GAsyncQueue * queue, guint64 timeout), queue, timeout)
DEFINE_POPS(g_async_queue_timed_pop, (GAsyncQueue * queue, GTimeVal *end), queue, end)

#define DEFINE_TRY_POP(name)                                                                       \
	DEFINE(gpointer, name, GAsyncQueue *queue)                                                 \
	{                                                                                          \
		return tell_received(objects_find(&queues, queue), NEXT(name)(queue));             \
	}
DEFINE_TRY_POP(g_async_queue_try_pop)
DEFINE_TRY_POP(g_async_queue_try_pop_unlocked)

#define DEFINE_REMOVE(name)                                                                        \
	DEFINE(gboolean, name, GAsyncQueue *queue, gpointer data)                                  \
	{                                                                                          \
		GAsyncQueue *outside = inside;                                                     \
                                                                                                   \
		inside = queue;                                                                    \
		gboolean has_left = NEXT(name)(queue, data);                                       \
		inside = outside;                                                                  \
		if (has_left && inside != queue)                                                   \
			tell_received(objects_find(&queues, queue), data);                         \
		return has_left;                                                                   \
	}
DEFINE_REMOVE(g_async_queue_remove)
DEFINE_REMOVE(g_async_queue_remove_unlocked)
