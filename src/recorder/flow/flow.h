/* SPDX-License-Identifier: MIT */
/*
 * Channels, streams, futures and values: what threads do with them is in the stats of their lanes, as calls are;
 * what belongs to no thread is in a *shared*, one for each site.
 *
 *	struct hotpath_channel ──► queue     its messages; one queue for each channel that is open
 *	 (the program's)      └──► site ──► stat       of each thread that sends or receives
 *	                                └─► shared ──► log     of the newest messages
 *
 * The program's struct may have been freed, copied or overwritten: it is used only if its token matches the rest of it.
 */
#ifndef HOTPATH_FLOW_H
#define HOTPATH_FLOW_H

#include "hotpath/abi.h"

#include "atomic.h"
#include "calls/counting.h"
#include "calls/logged.h"
#include "calls/stack.h"
#include "process/recorder_state.h"
#include "process/thread_state.h"
#include "processor.h"
#include "segment.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/* The token of an object: a hash of what the program's struct refers to, and the generation of its queue. */
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
 * The state to record with, marked busy; NULL when nothing is being recorded, or another recorder does it. The test
 * for a thread that has already recorded in this session is inline.
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

/* Whether there is a segment. Objects are closed in it even while recording is stopped. */
static inline bool hotpath__has_segment(void)
{
	const struct recorder *recorder = load(&hotpath__recorder, RELAXED);

	return recorder && recorder->base;
}

/* The recorder that this one has handed over to; NULL when there is none. */
const struct hotpath__recorder_ops *hotpath__flow_other(void);

/* The stat of a site in this thread's lane; NULL when there is no room, which is counted. */
struct hp_stat *hotpath__flow_stat_slow(struct thread *me, uint32_t site);

static inline struct hp_stat *hotpath__flow_stat(struct thread *me, uint32_t site)
{
	struct hp_stat **page = me->index[site / INDEX_PAGE % INDEX_PAGES];
	struct hp_stat *stat = page ? page[site % INDEX_PAGE] : NULL;

	return likely(stat) ? stat : hotpath__flow_stat_slow(me, site);
}

/* Count a call of so many ticks that ended now, such as a message that was received. The cost of measuring is not
   subtracted. */
static inline void hotpath__flow_took(struct thread *me, struct hp_stat *stat, uint64_t now,
				      uint64_t ticks)
{
	store_pair(&stat->ring[stat->calls % HP_RING].end, now, ticks & HP_CALL_DURATION);
	store(&stat->calls, stat->calls + 1, RELAXED);
	if (unlikely(stat->calls % HP_FLUSH == 0))
		hotpath__flush(me, stat);
}

/* ---- shared ---- */

/* The site of the innermost measured call; 0 when there is none. */
uint32_t hotpath__innermost_site(struct thread *me, uintptr_t sp);

/* The shared of a site, created when it is missing; NULL when there is no room, which is counted. */
struct hp_shared *hotpath__shared_make(uint32_t site);

static inline struct hp_shared *hotpath__shared_find(uint32_t site)
{
	/* CONSUME pairs with the RELEASE of the thread that made the page, or the shared. */
	struct hp_shared **page = load(&hotpath__recorder->shares[site / INDEX_PAGE % INDEX_PAGES],
				       CONSUME);

	return likely(page != NULL) ? load(&page[site % INDEX_PAGE], CONSUME) : NULL;
}

static inline struct hp_shared *hotpath__shared(uint32_t site)
{
	struct hp_shared *shared = hotpath__shared_find(site);

	return likely(shared != NULL) ? shared : hotpath__shared_make(site);
}

/* The log of a shared, created when it is missing; NULL when there is no room. */
struct hp_log *hotpath__log_make(struct hp_shared *shared);

static inline struct hp_log *hotpath__log(struct hp_shared *shared)
{
	/* Pairs with the RELEASE of the thread that made the log. */
	uint64_t at = load(&shared->log, ACQUIRE);

	return likely(at) ? (struct hp_log *)(void *)(hotpath__recorder->base + at)
			  : hotpath__log_make(shared);
}

/* Begin to write the next item of a log; returns the item, and its number. */
static inline struct hp_logged *hotpath__log_next(struct hp_log *log, uint64_t *number)
{
	uint64_t count = fetch_add(&log->count, 1, RELAXED);
	struct hp_logged *item = &log->items[count % HP_LOG];

	*number = count + 1;
	store(&item->number, 0, RELAXED);
	/* Pairs with the reader's ACQUIRE: a reader that sees any of the new contents also sees that the number is
	   0. */
	fence(RELEASE);
	return item;
}

static inline void hotpath__log_done(struct hp_logged *item, uint64_t number)
{
	store(&item->number, number, RELEASE);
}

/* Log a message or stream item of a site, with the text of the program. */
void hotpath__log_text(struct thread *me, uint32_t site, const struct hp_logged *about);
/* Store the value of an item; a string is copied. */
void hotpath__log_put(struct hp_log *log, struct hp_logged *item, struct hotpath_value value);
/* Format a text like printf, into the caller's buffer, which LOG_ROOM provides. Returns an item whose value is the
   address of the text. */
struct hp_logged hotpath__log_format(char *text, const char *format, va_list arguments);
#define LOG_ROOM() __builtin_alloca(hotpath__text_length(HP_MESSAGE_SIZE) + 1)
/* Set all shareds, logs and queues to the start of a new session; the lock is held. */
void hotpath__zero_shares(void);

/* ---- site ---- */

/* The site of an object that is being created; a new one if each instance is to have its own. 0 when there is no
   room. */
uint32_t hotpath__flow_site_id(struct hotpath_site *site);
/* The site of a key made at run time: one of its own until the limit is reached, then a common one. 0 when there
   is no room. */
uint32_t hotpath__key_site(const struct hotpath_site *site, const char *key);
/* Register a site that counts for the limit; when it is reached, the site's name becomes "<other>". 0 when there is no
   room. */
uint32_t hotpath__limited_site(struct hotpath_site *own);
/* A session begins, or recording stops: note how many bytes the kernel has counted. */
void hotpath__io_begins(void);
void hotpath__note_io(struct hp_header *header);
/* Note what the recorder itself has read, for readers of a program that runs. */
void hotpath__note_own_io(void);
/* Code is being unloaded: forget the sites that probes registered by address. The lock is held. */
void hotpath__forget_found(void);

/* Add to a counter of a channel, whose number may be of another part than the first. */
void hotpath__channel_counted(struct thread *me, uint32_t site, unsigned counter, uint64_t ticks);

/* ---- queue ---- */

/* Take a queue for a new channel, and give it back. Returns the queue's number, 0 when there is none. */
uint32_t hotpath__queue_take(uint32_t site, uint64_t capacity, uint32_t *generation);
void hotpath__queue_give(struct hp_queue *queue, uint32_t number);
/* There may be more messages in the queue than ever before, or than it has stamps for: update its figures. `sent`
   is the number of messages sent so far. */
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
void hotpath__lock_wait(struct hotpath_lock *lock, uintptr_t from);
void hotpath__lock_held(struct hotpath_lock *lock, uintptr_t from);
void hotpath__gauge(struct hotpath_site *site, double value, bool adds);

#pragma GCC visibility pop

#endif
