/* SPDX-License-Identifier: MIT */
/* Values that the program reports: expressions, values by key, gauges. */
#include "flow.h"

#include "calls/sites.h"
#include "process/clock.h"
#include "process/handover.h"

#include <string.h>

static uint64_t bits_of(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

static double double_of(uint64_t bits)
{
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

SELDOM static void log_value(struct thread *me, struct hp_shared *shared,
			     struct hotpath_value value, uint64_t now)
{
	struct hp_log *log = hotpath__log(shared);
	uint64_t number;

	if (!log)
		return;
	struct hp_logged *item = hotpath__log_next(log, &number);
	store(&item->time, now, RELAXED);
	store(&item->tid, me->tid, RELAXED);
	hotpath__log_put(log, item, value);
	hotpath__log_done(item, number);
}

/* Count an update of a value; returns the shared of its site, NULL when there is no room. */
static inline struct hp_shared *update(struct thread *me, uint32_t id)
{
	struct hp_stat *stat = likely(id) ? hotpath__flow_stat(me, id) : NULL;

	if (unlikely(!stat))
		return NULL;
	add(&stat->flow[HP_VALUE_UPDATES], 1);
	return hotpath__shared(id);
}

static inline uint32_t id_of(struct hotpath_site *site)
{
	uint32_t id = load(&site->id, RELAXED);

	return likely(id) ? id : hotpath__site_id(site);
}

static void set_value(struct thread *me, uint32_t id, struct hotpath_value value)
{
	struct hp_shared *shared = update(me, id);

	if (shared)
		log_value(me, shared, value, hotpath__ticks());
}

SELDOM void hotpath_value_set(struct hotpath_site *site, struct hotpath_value value)
{
	struct thread *me = hotpath__flow_enter(hotpath__stack_pointer());
	const struct hotpath__recorder_ops *other = me ? NULL : hotpath__flow_other();

	if (me) {
		set_value(me, id_of(site), value);
		hotpath__leave_busy(me);
	} else if (other) {
		other->value_set(site, value);
	}
}

SELDOM void hotpath_value_set_as(struct hotpath_site *site, const char *key,
				 struct hotpath_value value)
{
	struct thread *me = hotpath__flow_enter(hotpath__stack_pointer());
	const struct hotpath__recorder_ops *other = me ? NULL : hotpath__flow_other();

	if (me) {
		set_value(me, hotpath__key_site(site, key), value);
		hotpath__leave_busy(me);
	} else if (other) {
		other->value_set_as(site, key, value);
	}
}

static inline bool replace(uint64_t *field, uint64_t *old, uint64_t new)
{
	return __atomic_compare_exchange_n(field, old, new, false, __ATOMIC_RELAXED,
					   __ATOMIC_RELAXED);
}

/* Update the extremes. NaN does not change them: every comparison with it is false. */
static inline void stretch(struct hp_shared *shared, double value)
{
	uint64_t min = load(&shared->min, RELAXED), max = load(&shared->max, RELAXED);

	while (unlikely(value < double_of(min)) && !replace(&shared->min, &min, bits_of(value)))
		;
	while (unlikely(value > double_of(max)) && !replace(&shared->max, &max, bits_of(value)))
		;
}

/* Atomic addition. On aarch64, a load-exclusive and store-exclusive pair is quicker than compare-and-exchange,
   which would read the value twice. */
static inline double add_to(uint64_t *current, double difference)
{
#if defined(__aarch64__) && !defined(HP_TSAN)
	uint64_t bits;
	double sum;
	uint32_t failed;

	__asm__("1:\tldxr %1, %3\n\tfmov %d0, %1\n\tfadd %d0, %d0, %d4\n\tfmov %1, %d0\n"
		"\tstxr %w2, %1, %3\n\tcbnz %w2, 1b"
		: "=&w"(sum), "=&r"(bits), "=&r"(failed), "+Q"(*current)
		: "w"(difference));
	return sum;
#else
	uint64_t old = load(current, RELAXED);

	while (!replace(current, &old, bits_of(double_of(old) + difference)))
		;
	return double_of(old) + difference;
#endif
}

/* A value that comes too early to be logged as a new item replaces the value of the newest item. */
static inline void replace_newest(const struct hp_shared *shared, double value)
{
	uint64_t at = load(&shared->log, RELAXED);
	struct hp_log *log = (struct hp_log *)(void *)(hotpath__recorder->base + at);
	uint64_t count = at ? load(&log->count, RELAXED) : 0;

	if (likely(count))
		store(&log->items[(count - 1) % HP_LOG].value, bits_of(value), RELAXED);
}

/* The next value of `patience`: the level, which is how often in a row it was too early, in the high half; and in
   the low half the number of changes to skip: 2, 4, up to 64. */
static uint64_t more_patience(uint64_t patience)
{
	uint64_t level = patience >> 32;

	level += level < 6;
	return level << 32 | UINT64_C(1) << level;
}

/*
 * A gauge that changes all the time is logged only now and then, and the clock is not read much more often: after a
 * change that came too early, an increasing number of changes is skipped. If several threads do this at once, the
 * number of skipped changes may be off.
 */
SELDOM static void log_gauge(struct thread *me, struct hp_shared *shared, double value,
			     uint64_t patience)
{
	uint64_t now = hotpath__ticks();
	uint64_t gap = load(&hotpath__header()->ticks_per_second, RELAXED) >> 10;
	bool is_early = now - load(&shared->logged, RELAXED) < gap;

	store(&shared->patience, is_early ? more_patience(patience) : 0, RELAXED);
	if (is_early) {
		replace_newest(shared, value);
		return;
	}
	store(&shared->logged, now, RELAXED);
	log_value(me, shared, (struct hotpath_value){ HP_VALUE_DOUBLE, bits_of(value) }, now);
}

static inline void set_gauge(struct thread *me, struct hotpath_site *site, double value, bool adds)
{
	struct hp_shared *shared = update(me, id_of(site));

	if (unlikely(!shared))
		return;
	if (adds)
		value = add_to(&shared->current, value);
	else
		store(&shared->current, bits_of(value), RELAXED);
	stretch(shared, value);
	uint64_t patience = load(&shared->patience, RELAXED);
	if (likely((uint32_t)patience)) {
		store(&shared->patience, patience - 1, RELAXED);
		replace_newest(shared, value);
	} else {
		log_gauge(me, shared, value, patience);
	}
}

static inline void gauge(struct hotpath_site *site, double value, bool adds)
{
	uintptr_t sp = hotpath__stack_pointer();
	struct thread *me = hotpath__flow_enter(sp);

	if (likely(me != NULL)) {
		set_gauge(me, site, value, adds);
		hotpath__leave_busy(me);
		return;
	}
	const struct hotpath__recorder_ops *other = hotpath__flow_other();
	if (other)
		other->gauge(site, value, adds);
}

void hotpath__gauge(struct hotpath_site *site, double value, bool adds)
{
	gauge(site, value, adds);
}

void hotpath_gauge_set(struct hotpath_site *site, double value)
{
	gauge(site, value, false);
}

void hotpath_gauge_add(struct hotpath_site *site, double difference)
{
	gauge(site, difference, true);
}
