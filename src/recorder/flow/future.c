/* SPDX-License-Identifier: MIT */
/*
 * Futures: operations that go on in steps. From beginning to end, one is measured like an operation; each step, a
 * *poll*, is a measured call like any other, of a site that the futures of one line share, so whatever is measured,
 * allocated or sampled inside is its own.
 *
 * What state one is in is in its item of the log, which is ours: when a poll ends, the program may have freed the
 * future already.
 */
#include "flow.h"

#include "calls/entry_points.h"
#include "process/clock.h"
#include "process/handover.h"

static inline bool is_open(const struct hotpath_future *future)
{
	return hotpath__is_token(load(&future->token, RELAXED), future->site, future->poll_site);
}

/*
 * The future's item in the log; NULL when it is no longer among the newest. In another session, and in a forked
 * child, the number belongs to another future; so the start time is compared too.
 */
static struct hp_logged *item_in(const struct hotpath_future *future, struct hp_log **log_of)
{
	struct hp_shared *shared = future->number ? hotpath__shared(future->site) : NULL;
	uint64_t at = shared ? load(&shared->log, ACQUIRE) : 0;

	if (unlikely(!at))
		return NULL;
	struct hp_log *log = (struct hp_log *)(void *)(hotpath__recorder->base + at);
	*log_of = log;
	struct hp_logged *item = &log->items[(future->number - 1) % HP_LOG];
	return load(&item->number, RELAXED) == future->number &&
			       load(&item->time, RELAXED) == future->start
		       ? item
		       : NULL;
}

static struct hp_logged *item_of(const struct hotpath_future *future)
{
	struct hp_log *log;

	return item_in(future, &log);
}

/* A poll keeps the address of the segment it began in: in a forked child the segment is another one, at another
   address. (It is kept in fields of the poll's site that are not used otherwise.) */
static inline void remember_segment(struct hotpath_poll *poll)
{
	poll->site.name = (const char *)&hotpath__recorder->base;
	poll->site.file = hotpath__recorder->base;
}

static inline bool has_segment(const struct hotpath_poll *poll)
{
	return load((char *const *)(const void *)poll->site.name, RELAXED) == poll->site.file;
}

static void begin_poll(struct hotpath_poll *poll, const struct hotpath_future *future)
{
	struct hp_logged *item = item_of(future);

	poll->site.id = future->poll_site;
	poll->number = future->number;
	poll->item = item;
	if (unlikely(!item))
		return;
	remember_segment(poll);
	store(&item->state, HP_FUTURE_RUNNING, RELAXED);
	store(&item->polls, load(&item->polls, RELAXED) + 1, RELAXED);
}

/* The thread has no state yet, or the future is not open. */
SELDOM static void begin_slow(struct hotpath_poll *poll, struct hotpath_future *future,
			      uintptr_t sp)
{
	struct thread *me = hotpath__flow_enter(sp);
	const struct hotpath__recorder_ops *other = me ? NULL : hotpath__flow_other();

	if (me) {
		if (!is_open(future))
			add(&me->lane->counters[HP_COUNTER_not_open], 1);
		hotpath__leave_busy(me);
	}
	if (other)
		other->poll_begin(poll, future, sp);
	else if (me && is_open(future))
		hotpath__poll_begin(poll, future, sp);
}

__attribute__((used)) void hotpath__poll_begin(struct hotpath_poll *poll,
					       struct hotpath_future *future, uintptr_t sp)
{
	const struct thread *me = hotpath__me;

	poll->item = NULL;
	poll->site.id = 0;
	if (unlikely(!me || !me->busy || !is_open(future))) {
		begin_slow(poll, future, sp);
		return;
	}
	begin_poll(poll, future);
	hotpath__span_begin(&poll->span, &poll->site, sp);
}

void hotpath_poll_end(struct hotpath_poll *poll)
{
	struct hp_logged *item = poll->item;

	if (unlikely(!poll->site.id))
		return;
	hotpath_span_end(&poll->span);
	if (likely(item && has_segment(poll) && load(&item->number, RELAXED) == poll->number &&
		   load(&item->state, RELAXED) == HP_FUTURE_RUNNING))
		store(&item->state, HP_FUTURE_SUSPENDED, RELAXED);
}

static uint64_t log_new(struct thread *me, struct hp_shared *shared, uint64_t now)
{
	struct hp_log *log = hotpath__log(shared);
	uint64_t number;

	if (!log)
		return 0;
	struct hp_logged *item = hotpath__log_next(log, &number);
	store(&item->time, now, RELAXED);
	store(&item->tid, me->tid, RELAXED);
	store(&item->value_kind, HP_VALUE_NONE, RELAXED);
	store(&item->state, HP_FUTURE_PENDING, RELAXED);
	store(&item->polls, 0, RELAXED);
	store(&item->end, 0, RELAXED);
	hotpath__log_done(item, number);
	return number;
}

static void make(struct thread *me, struct hotpath_future *future, struct hotpath_site *site)
{
	uint32_t id = hotpath__flow_site_id(site);
	struct hp_stat *stat = id ? hotpath__flow_stat(me, id) : NULL;
	struct hp_shared *shared = stat ? hotpath__shared(id) : NULL;

	if (!shared || !shared->other)
		return;
	add(&stat->flow[HP_FUTURE_MADE], 1);
	store(&stat->open, stat->open + 1, RELAXED);
	future->site = id;
	future->poll_site = shared->other;
	future->start = hotpath__ticks();
	future->number = log_new(me, shared, future->start);
	store(&future->token, hotpath__flow_token(id, shared->other, 0), RELEASE);
}

SELDOM void hotpath_future_new(struct hotpath_future *future, struct hotpath_site *site)
{
	struct thread *me = hotpath__flow_enter(hotpath__stack_pointer());
	const struct hotpath__recorder_ops *other = me ? NULL : hotpath__flow_other();

	*future = (struct hotpath_future){ .token = 0 };
	if (me) {
		make(me, future, site);
		hotpath__leave_busy(me);
	} else if (other) {
		other->future_new(future, site);
	}
}

static void count_end(struct thread *me, const struct hotpath_future *future,
		      enum hp_future_state state, uint64_t now)
{
	struct hp_stat *stat = hotpath__flow_stat(me, future->site);

	if (!stat || future->start < load(&me->session_start, RELAXED))
		return;
	store(&stat->open, stat->open - 1, RELAXED);
	if (state == HP_FUTURE_READY)
		hotpath__flow_took(me, stat, now, hotpath__less(now, future->start));
	else
		add(&stat->flow[HP_FUTURE_CANCELLED], 1);
}

static void end(struct thread *me, struct hotpath_future *future, enum hp_future_state state,
		struct hotpath_value value)
{
	struct hotpath_future was = *future;
	uint64_t now = hotpath__ticks();

	/* If two threads end it, one succeeds; ACQUIRE pairs with the RELEASE of the thread that created the
	   future. */
	if (!is_open(&was) || exchange(&future->token, 0, ACQUIRE) != was.token) {
		add(&me->lane->counters[HP_COUNTER_ended_twice], 1);
		return;
	}
	count_end(me, &was, state, now);
	struct hp_log *log;
	struct hp_logged *item = item_in(&was, &log);
	if (!item)
		return;
	hotpath__log_put(log, item, value);
	store(&item->end, now, RELAXED);
	store(&item->state, state, RELAXED);
}

SELDOM void hotpath__future_end(struct hotpath_future *future, enum hp_future_state state,
				struct hotpath_value value)
{
	struct thread *me = hotpath__flow_enter(hotpath__stack_pointer());
	const struct hotpath__recorder_ops *other = me ? NULL : hotpath__flow_other();

	if (me) {
		end(me, future, state, value);
		hotpath__leave_busy(me);
	} else if (other) {
		other->future_end(future, state, value);
	}
}

static const struct hotpath_value nothing = { HP_VALUE_NONE, 0 };

void hotpath_future_ready(struct hotpath_future *future)
{
	hotpath__future_end(future, HP_FUTURE_READY, nothing);
}

void hotpath_future_ready_log(struct hotpath_future *future, struct hotpath_value value)
{
	hotpath__future_end(future, HP_FUTURE_READY, value);
}

void hotpath_future_cancel(struct hotpath_future *future)
{
	hotpath__future_end(future, HP_FUTURE_DROPPED, nothing);
}
