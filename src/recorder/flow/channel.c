/* SPDX-License-Identifier: MIT */
/*
 * Channels: how many messages are in a queue of the program, and how long each was there.
 *
 * Messages are numbered as they are sent, and again as they are received: equal numbers mean the same message. The time
 * of sending is in a *stamp*, which the receiver finds by the number. A queue has a fixed number of stamps; if it
 * holds more messages than that, only one message in 2 gets a stamp, then one in 4, and so on, and stands for all of
 * them.
 *
 *	sent 12     ┌────┬────┬────┐
 *	            │ 12 │ 10 │ 11 │  stamps: the time, and the last bits of the number
 *	received 9  └────┴────┴────┘
 *
 * The index of a stamp is the number of its message modulo the number of stamps, which is odd. So if only every second
 * or every fourth message has a stamp, these still have different indices, and the same ones as before: new stamps
 * replace those of messages that are not to have one any more.
 *
 * Senders and receivers write to different cache lines. Senders keep the value of `received` that they have last read:
 * computed with that, the number of messages is never too low, and only if it is higher than ever before is `received`
 * read again.
 */
#include "flow.h"

#include "process/clock.h"
#include "process/handover.h"

#include <stdarg.h>

/* Marks in the program's struct: a channel for one message; and one whose message was received. Unlikely numbers,
   because the memory may hold anything. */
#define ONESHOT UINT64_C(0x0e5407c4a22e1001)
#define ONESHOT_ENDED UINT64_C(0x0e5407c4a22e1002)

static inline uint64_t *stamp_of(const struct hp_queue *queue, uint64_t number)
{
	uint64_t *stamps = (uint64_t *)(void *)(hotpath__recorder->base + queue->stamps);

	return &stamps[number % queue->stamp_count];
}

static inline void put(struct hp_queue *queue, uint64_t now)
{
	uint64_t number = fetch_add(&queue->sent, 1, RELAXED);
	int64_t at_most = (int64_t)(number + 1 - load(&queue->seen, RELAXED));
	uint64_t shift = load(&queue->stamp_shift, RELAXED);

	if (unlikely(at_most > (int64_t)load(&queue->patience, RELAXED)))
		hotpath__queue_rises(queue, number + 1);
	/* RELAXED: a stamp is one word, and publishes no other data. */
	if (likely(hp_has_stamp(number, shift)))
		store(stamp_of(queue, number), hp_stamp(number, now), RELAXED);
}

/*
 * The first of the messages in a queue is received. If there were as many as it can hold, the queue was full since the
 * last of them was sent; that one is known by its number. The times of such messages do not overlap.
 */
SELDOM static void add_full(struct hp_queue *queue, uint64_t number, uint64_t shift, uint64_t now)
{
	uint64_t last = number + queue->capacity - 1;
	uint64_t found = hp_has_stamp(last, shift) ? load(stamp_of(queue, last), RELAXED) : 0;

	if (hp_is_stamp_of(found, last))
		fetch_add(&queue->full_ticks, hp_stamp_age(found, now) << shift, RELAXED);
}

/* Receive the next message: in `ticks`, how long it was in the queue. Returns for how many messages that stands; 0
   when the time is not known. */
static inline uint64_t take(struct thread *me, struct hp_queue *queue, uint64_t now,
			    uint64_t *ticks)
{
	uint64_t number = fetch_add(&queue->received, 1, RELAXED);
	uint64_t shift = load(&queue->stamp_shift, RELAXED);

	if (unlikely(load(&queue->was_full, RELAXED)))
		add_full(queue, number, shift, now);
	if (!hp_has_stamp(number, shift))
		return 0;
	uint64_t found = load(stamp_of(queue, number), RELAXED);
	*ticks = (now - (found >> HP_STAMP_NUMBER_BITS)) & HP_CALL_DURATION;
	if (likely(hp_is_stamp_of(found, number)))
		return UINT64_C(1) << shift;
	if ((int64_t)(number - load(&queue->sent, RELAXED)) >= 0)
		add(&me->lane->counters[HP_COUNTER_early], 1);
	return 0;
}

/* Count the messages without a stamp like the one that stands for them. On average this costs no more than a stamp
   for each. */
SELDOM static void repeat(struct thread *me, struct hp_stat *stat, uint64_t now, uint64_t ticks,
			  uint64_t times)
{
	while (times-- > 0)
		hotpath__flow_took(me, stat, now, ticks);
}

/* The queue of a channel; NULL when it has none, because too many were open, or because a parent process made it. */
static inline struct hp_queue *queue_of(const struct hotpath_channel *channel)
{
	return channel->queue ? hotpath__queue(channel->queue) : NULL;
}

static inline bool is_open(const struct hotpath_channel *channel, const struct hp_queue *queue)
{
	uint64_t token = load(&channel->token, RELAXED);

	return hotpath__is_token(token, channel->site, channel->queue) &&
	       (!queue || load(&queue->generation, RELAXED) == (uint32_t)token);
}

SELDOM static struct hp_stat *refuse(struct thread *me)
{
	add(&me->lane->counters[HP_COUNTER_not_open], 1);
	return NULL;
}

static inline struct hp_stat *stat_of(struct thread *me, const struct hotpath_channel *channel,
				      const struct hp_queue *queue)
{
	return likely(is_open(channel, queue)) ? hotpath__flow_stat(me, channel->site) : refuse(me);
}

/* The program has said that this thread begins to wait for a message, or for room for one. If it was for this channel, that
   ends now. */
SELDOM static void end_wait(struct thread *me, const struct hotpath_channel *channel,
			    unsigned counter, uint64_t now)
{
	if (me->channel_wait.channel == channel)
		hotpath__channel_counted(me, channel->site, counter,
					 hotpath__less(now, me->channel_wait.since));
	me->channel_wait.channel = NULL;
}

static inline void send(struct thread *me, struct hotpath_channel *channel, uint64_t bytes,
			uint64_t now)
{
	struct hp_queue *queue = queue_of(channel);
	struct hp_stat *stat = stat_of(me, channel, queue);

	if (unlikely(!stat))
		return;
	if (unlikely(me->channel_wait.channel != NULL))
		end_wait(me, channel, HP_CHANNEL_SEND_WAITED, now);
	add(&stat->flow[HP_CHANNEL_SENT], 1);
	add(&stat->flow[HP_CHANNEL_BYTES], bytes);
	if (likely(queue != NULL))
		put(queue, now);
}

/* Keep how long a channel was open, and full, for the queue is used again. RELAXED: another thread may begin a session now, which
   counts from then on. */
static void add_open(struct hp_shared *shared, struct hp_queue *queue)
{
	uint64_t opened = load(&queue->opened, RELAXED);

	fetch_add(&shared->open_ticks, hotpath__less(hotpath__ticks(), opened), RELAXED);
	fetch_add(&shared->full_ticks, load(&queue->full_ticks, RELAXED), RELAXED);
}

/* Close a channel; false when it was not open. If two threads try, one succeeds. */
static bool end(struct hotpath_channel *channel)
{
	struct hotpath_channel was = *channel;
	struct hp_queue *queue = queue_of(&was);

	if (!is_open(&was, queue) || exchange(&channel->token, 0, RELAXED) != was.token)
		return false;
	struct hp_shared *shared = hotpath__shared_find(was.site);
	if (shared)
		fetch_add(&shared->closed, 1, RELAXED);
	if (shared && queue)
		add_open(shared, queue);
	if (queue)
		hotpath__queue_give(queue, was.queue);
	return true;
}

/* The only message of the channel was received, which closes it. If the program closes it again, that is no error. */
SELDOM static void end_oneshot(struct hotpath_channel *channel)
{
	if (end(channel))
		store(&channel->reserved[0], ONESHOT_ENDED, RELAXED);
}

static bool has_ended(struct hotpath_channel *channel)
{
	return load(&channel->reserved[0], RELAXED) == ONESHOT_ENDED &&
	       exchange(&channel->reserved[0], 0, RELAXED) == ONESHOT_ENDED;
}

/* Returns when the message was sent; `now` when that is not known. */
static inline uint64_t receive(struct thread *me, struct hotpath_channel *channel, uint64_t now)
{
	struct hp_queue *queue = queue_of(channel);
	struct hp_stat *stat = stat_of(me, channel, queue);
	uint64_t ticks;

	if (unlikely(!stat))
		return now;
	if (unlikely(me->channel_wait.channel != NULL))
		end_wait(me, channel, HP_CHANNEL_WAITED, now);
	add(&stat->flow[HP_CHANNEL_RECEIVED], 1);
	uint64_t messages = likely(queue != NULL) ? take(me, queue, now, &ticks) : 0;
	if (unlikely(channel->reserved[0] == ONESHOT))
		end_oneshot(channel);
	if (unlikely(!messages))
		return now;
	hotpath__flow_took(me, stat, now, ticks);
	if (unlikely(messages > 1))
		repeat(me, stat, now, ticks, messages - 1);
	return now - ticks;
}

SELDOM static void send_elsewhere(struct hotpath_channel *channel, uint64_t bytes,
				  const struct hp_logged *about)
{
	const struct hotpath__recorder_ops *other = hotpath__flow_other();

	if (other)
		other->channel_send(channel, bytes, about);
}

void hotpath_channel_send(struct hotpath_channel *channel, uint64_t bytes)
{
	uintptr_t sp = hotpath__stack_pointer();
	struct thread *me = hotpath__flow_enter(sp);

	if (unlikely(!me)) {
		send_elsewhere(channel, bytes, NULL);
		return;
	}
	send(me, channel, bytes, hotpath__ticks());
	hotpath__leave_busy(me);
}

SELDOM void hotpath__channel_send(struct hotpath_channel *channel, uint64_t bytes,
				  const struct hp_logged *about)
{
	uintptr_t sp = hotpath__stack_pointer();
	struct thread *me = about ? hotpath__flow_enter(sp) : NULL;

	if (!about) {
		hotpath_channel_send(channel, bytes);
		return;
	}
	if (!me) {
		send_elsewhere(channel, bytes, about);
		return;
	}
	uint64_t now = hotpath__ticks();
	struct hp_logged item = *about;
	item.time = now;
	item.bytes = bytes;
	if (is_open(channel, queue_of(channel)))
		hotpath__log_text(me, channel->site, &item);
	send(me, channel, bytes, now);
	hotpath__leave_busy(me);
}

SELDOM static void receive_elsewhere(struct hotpath_channel *channel, const struct hp_logged *about)
{
	const struct hotpath__recorder_ops *other = hotpath__flow_other();

	if (other)
		other->channel_recv(channel, about);
}

void hotpath_channel_recv(struct hotpath_channel *channel)
{
	uintptr_t sp = hotpath__stack_pointer();
	struct thread *me = hotpath__flow_enter(sp);

	if (unlikely(!me)) {
		receive_elsewhere(channel, NULL);
		return;
	}
	receive(me, channel, hotpath__ticks());
	hotpath__leave_busy(me);
}

SELDOM void hotpath__channel_recv(struct hotpath_channel *channel, const struct hp_logged *about)
{
	uintptr_t sp = hotpath__stack_pointer();
	struct thread *me = about ? hotpath__flow_enter(sp) : NULL;

	if (!about) {
		hotpath_channel_recv(channel);
		return;
	}
	if (!me) {
		receive_elsewhere(channel, about);
		return;
	}
	struct hp_logged item = *about;
	bool open = is_open(channel, queue_of(channel));
	item.end = hotpath__ticks();
	item.time = receive(me, channel, item.end);
	if (open)
		hotpath__log_text(me, channel->site, &item);
	hotpath__leave_busy(me);
}

SELDOM void hotpath_channel_send_log(struct hotpath_channel *channel, uint64_t bytes,
				     const char *format, ...)
{
	va_list arguments;

	if (hotpath__is_idle())
		return;
	va_start(arguments, format);
	struct hp_logged about = hotpath__log_format(LOG_ROOM(), format, arguments);
	va_end(arguments);
	hotpath__channel_send(channel, bytes, &about);
}

SELDOM void hotpath_channel_recv_log(struct hotpath_channel *channel, const char *format, ...)
{
	va_list arguments;

	if (hotpath__is_idle())
		return;
	va_start(arguments, format);
	struct hp_logged about = hotpath__log_format(LOG_ROOM(), format, arguments);
	va_end(arguments);
	hotpath__channel_recv(channel, &about);
}

SELDOM void hotpath_channel_wait(struct hotpath_channel *channel)
{
	struct thread *me = hotpath__flow_enter(hotpath__stack_pointer());
	const struct hotpath__recorder_ops *other = me ? NULL : hotpath__flow_other();

	if (other)
		other->channel_wait(channel);
	if (!me)
		return;
	if (likely(is_open(channel, queue_of(channel))))
		me->channel_wait = (struct channel_wait){ channel, hotpath__ticks() };
	else
		refuse(me);
	hotpath__leave_busy(me);
}

static void make(struct hotpath_channel *channel, struct hotpath_site *site, uint64_t capacity)
{
	uint32_t id = hotpath__flow_site_id(site);
	struct hp_shared *shared = id ? hotpath__shared(id) : NULL;
	uint32_t generation = 0;

	if (!shared)
		return;
	fetch_add(&shared->instances, 1, RELAXED);
	store(&shared->capacity, capacity, RELAXED);
	channel->site = id;
	if (site->kind & HOTPATH_SITE_ONESHOT) {
		store(&shared->channel_kind, HP_CHANNEL_ONESHOT, RELAXED);
		channel->reserved[0] = ONESHOT;
	}
	channel->queue = hotpath__queue_take(id, capacity, &generation);
	store(&channel->token, hotpath__flow_token(id, channel->queue, generation), RELAXED);
}

SELDOM void hotpath_channel_new(struct hotpath_channel *channel, struct hotpath_site *site,
				uint64_t capacity)
{
	struct thread *me = hotpath__flow_enter(hotpath__stack_pointer());
	const struct hotpath__recorder_ops *other = me ? NULL : hotpath__flow_other();

	*channel = (struct hotpath_channel){ .token = 0 };
	if (me) {
		make(channel, site, capacity);
		hotpath__leave_busy(me);
	} else if (other) {
		other->channel_new(channel, site, capacity);
	}
}

SELDOM void hotpath_channel_close(struct hotpath_channel *channel)
{
	struct thread *me = hotpath__flow_enter(hotpath__stack_pointer());
	const struct hotpath__recorder_ops *other = me ? NULL : hotpath__flow_other();

	if (other)
		other->channel_close(channel);
	else if (hotpath__has_segment() && !has_ended(channel) && !end(channel) && me)
		add(&me->lane->counters[HP_COUNTER_ended_twice], 1);
	if (me)
		hotpath__leave_busy(me);
}
