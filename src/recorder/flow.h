/* SPDX-License-Identifier: MIT */
/*
 * Channels, streams, futures and values: what threads do with them is in the stats of their lanes, as calls are;
 * what belongs to no thread is in a *shared*, one for each site.
 *
 *	struct hotpath_channel ──► queue     messages that are in it: one for each channel that is open
 *	 (the program's)      └──► site ──► stat       of each thread that sends or receives
 *	                                └─► shared ──► log     of the newest messages
 *
 * What the program holds may be freed, copied or overwritten: it is believed only when its token fits the rest.
 */
#ifndef HOTPATH_FLOW_H
#define HOTPATH_FLOW_H

#include "probe.h"
#include "recorder.h"

#include <stdarg.h>

#pragma GCC visibility push(hidden)

/* What makes a number of what the program holds of an object, and how often its place was used before. */
static inline uint64_t hotpath__flow_token(uint32_t site, uint32_t queue, uint32_t generation)
{
	uint64_t mixed = ((uint64_t)site << 32 | queue) + generation + 1;

	return mixed * UINT64_C(0x9e3779b97f4a7c15) >> 32 << 32 | generation;
}

static inline bool hotpath__is_token(uint64_t token, uint32_t site, uint32_t queue)
{
	return token == hotpath__flow_token(site, queue, (uint32_t)token);
}

/*
 * The state to record with, marked busy; NULL when nothing is recorded, or by another recorder. A thread that has
 * recorded in this session is ready at once.
 */
static inline struct thread *hotpath__flow_enter(uintptr_t sp)
{
	const struct recorder *recorder = load(&hotpath__recorder, RELAXED);
	struct thread *me = hotpath__me;

	if (unlikely(!me || me->busy != READY || me->session != load(&recorder->session, RELAXED)))
		me = hotpath__is_idle() ? NULL : hotpath__enter(sp);
	if (likely(me != NULL))
		hotpath__enter_busy(me, sp);
	return me;
}

/* Whether what was made while recording is known: what ends is to end though nothing is recorded just now. */
static inline bool hotpath__has_segment(void)
{
	const struct recorder *recorder = load(&hotpath__recorder, RELAXED);

	return recorder && recorder->base;
}

/* The recorder that does the work when this one does not; NULL when none does. */
const struct hotpath__recorder_ops *hotpath__flow_other(void);

/* The stat of a site in this thread's lane; NULL when there is no room, which is counted. */
struct hp_stat *hotpath__flow_stat_slow(struct thread *me, uint32_t site);

static inline struct hp_stat *hotpath__flow_stat(struct thread *me, uint32_t site)
{
	struct hp_stat **page = me->index[site / INDEX_PAGE % INDEX_PAGES];
	struct hp_stat *stat = page ? page[site % INDEX_PAGE] : NULL;

	return likely(stat) ? stat : hotpath__flow_stat_slow(me, site);
}

/* Something took so long, and ended now. Nothing is taken off for the profiler's cost. */
static inline void hotpath__flow_took(struct thread *me, struct hp_stat *stat, uint64_t now,
				      uint64_t ticks)
{
	uint64_t place = stat->calls % HP_RING;

	store(&stat->ends[place], now, RELAXED);
	store(&stat->durations[place], ticks & HP_CALL_DURATION, RELAXED);
	store(&stat->selves[place], 0, RELAXED);
	store(&stat->nodes[place], 0, RELAXED);
	store(&stat->calls, stat->calls + 1, RELAXED);
	if (unlikely(stat->calls % HP_FLUSH == 0))
		hotpath__flush(me, stat);
}

/* ---- shared ---- */

/* What is shared of a site, made when it is missing; NULL when there is no room, which is counted. */
struct hp_shared *hotpath__shared_make(uint32_t site);

static inline struct hp_shared *hotpath__shared_find(uint32_t site)
{
	/* ACQUIRE pairs with the RELEASE of whoever made them. */
	struct hp_shared **page = load(&hotpath__recorder->shares[site / INDEX_PAGE % INDEX_PAGES],
				       CONSUME);

	return likely(page != NULL) ? load(&page[site % INDEX_PAGE], CONSUME) : NULL;
}

static inline struct hp_shared *hotpath__shared(uint32_t site)
{
	struct hp_shared *shared = hotpath__shared_find(site);

	return likely(shared != NULL) ? shared : hotpath__shared_make(site);
}

/* The log of a shared, made when it is missing; NULL when there is no room. */
struct hp_log *hotpath__log_make(struct hp_shared *shared);

static inline struct hp_log *hotpath__log(struct hp_shared *shared)
{
	/* Pairs with the RELEASE of whoever made it. */
	uint64_t at = load(&shared->log, ACQUIRE);

	return likely(at) ? (struct hp_log *)(void *)(hotpath__recorder->base + at)
			  : hotpath__log_make(shared);
}

/* The next place of a log, being written from now on; and its number. */
static inline struct hp_logged *hotpath__log_next(struct hp_log *log, uint64_t *number)
{
	uint64_t count = fetch_add(&log->count, 1, RELAXED);
	struct hp_logged *item = &log->items[count % HP_LOG];

	*number = count + 1;
	store(&item->number, 0, RELAXED);
	/* Pairs with the reader's ACQUIRE: who finds any of what follows finds that number too. */
	fence(RELEASE);
	return item;
}

static inline void hotpath__log_done(struct hp_logged *item, uint64_t number)
{
	store(&item->number, number, RELEASE);
}

/* Write down a message or an item, and what the program says of it. NULL when nothing is shared. */
void hotpath__log_text(struct thread *me, uint32_t site, const struct hp_logged *about);
/* The value of an item; strings are copied. */
void hotpath__log_put(struct hp_log *log, struct hp_logged *item, struct hotpath_value value);
/* An item whose value is the address of its text, as of printf, which is written into the caller's room. */
struct hp_logged hotpath__log_format(char *text, const char *format, va_list arguments);
#define LOG_ROOM() __builtin_alloca(hotpath__text_length(HP_MESSAGE_SIZE) + 1)
/* Begin all that is shared at zero, for a session; the lock is held. */
void hotpath__zero_shares(void);

/* ---- site ---- */

/* The site of an object that is made now: its own if each is to have one. 0 when there is no room. */
uint32_t hotpath__flow_site_id(struct hotpath_site *site);
/* The site of a key that was made at run time: a site of its own as long as there may be more. 0 when there is no room. */
uint32_t hotpath__key_site(const struct hotpath_site *site, const char *key);
/* Code was unloaded: its addresses may be another's soon. The lock is held. */
void hotpath__forget_found(void);

/* ---- queue ---- */

/* A queue for a channel that is made now; its number, or 0 when there is none. */
uint32_t hotpath__queue_take(uint32_t site, uint64_t capacity, uint32_t *generation);
void hotpath__queue_give(struct hp_queue *queue, uint32_t number);
/* There are more messages in it than before, or than it has stamps for: so many were sent. */
void hotpath__queue_rises(struct hp_queue *queue, uint64_t sent);

static inline struct hp_queue *hotpath__queue(uint32_t number)
{
	struct hp_queue **page = load(&hotpath__recorder->queues[number / QUEUE_PAGE % QUEUE_PAGES],
				      CONSUME);

	return likely(page != NULL) ? load(&page[number % QUEUE_PAGE], CONSUME) : NULL;
}

/* ---- what a static copy hands over ---- */

void hotpath__channel_send(struct hotpath_channel *channel, uint64_t bytes,
			   const struct hp_logged *about);
void hotpath__channel_recv(struct hotpath_channel *channel, const struct hp_logged *about);
void hotpath__stream_yield(struct hotpath_stream *stream, uint64_t bytes,
			   const struct hp_logged *about);
void hotpath__future_end(struct hotpath_future *future, enum hp_future_state state,
			 struct hotpath_value value);
void hotpath__poll_begin(struct hotpath_poll *poll, struct hotpath_future *future, uintptr_t sp);
void hotpath__gauge(struct hotpath_site *site, double value, bool adds);

#pragma GCC visibility pop

#endif
