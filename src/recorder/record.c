/* SPDX-License-Identifier: MIT */
/*
 * The hot path: begin and end of a measured call.
 *
 * Together they cost about as much as the two readings of the clock between which the call is measured;
 * `make bench` checks it. Whatever is rare leaves by a tail call into stack.c, which tests every
 * condition again; so nothing is saved on the stack here, and nothing is branched on that varies from
 * call to call.
 *
 * Begin reads the clock last and end reads it first, so that little of the profiler is in the duration.
 * What is, and all of it for calls inside, was measured at the start and is taken off.
 *
 * Signal handlers may measure too. Both functions mark the thread busy while its figures are between
 * two states; a handler that finds the mark records with the thread's second state.
 */
#include "recorder.h"

__thread struct thread *hotpath__me __attribute__((tls_model("initial-exec")));

static inline struct hp_stat *find_stat(const struct thread *me, uint32_t site)
{
	struct hp_stat **page = me->index[site / INDEX_PAGE];

	return likely(page) ? page[site % INDEX_PAGE] : NULL;
}

/*
 * Whether a call that begins here is in order: on the thread's own stack, below the innermost open call,
 * which is therefore still being executed.
 */
static inline bool in_order(const struct thread *me, const struct hotpath_span *span, uintptr_t sp)
{
	return sp - me->stack_low <= me->top->height && me->top->span != span;
}

__attribute__((aligned(64))) void hotpath_span_begin(struct hotpath_span *span,
						     struct hotpath_site *site)
{
	struct thread *me = hotpath__me;
	uintptr_t sp = hotpath__stack_pointer();
	struct hp_stat *stat = NULL;

	if (unlikely(!me)) {
		hotpath__begin_unknown(span, site);
		return;
	}
	if (unlikely(me->busy != READY)) {
		hotpath__begin_slow(span, site, sp);
		return;
	}
	hotpath__enter_busy(me, sp);
	/* The id is all that is used of the site: RELAXED will do. */
	if (likely(me->top + 1 < load(&me->limit, RELAXED) && in_order(me, span, sp)))
		stat = find_stat(me, load(&site->id, RELAXED));
	if (unlikely(!stat)) {
		hotpath__leave_busy(me);
		hotpath__begin_slow(span, site, sp);
		return;
	}

	struct frame *frame = me->top + 1;
	uint32_t depth = stat->depth + 1;
	frame->plain = span;
	frame->children = 0;
	frame->lost = 0;
	frame->stat = stat;
	frame->span = span;
	frame->height = sp - me->stack_low;
	me->top = frame;
	store(&stat->depth, depth, RELAXED);

	uint64_t start = hotpath__counter();
	frame->start = start;
	if (likely(depth == 1))
		store(&stat->open_since, start, RELAXED);
	hotpath__leave_busy(me);
}

/* Whether the hot path may end this frame: it is the span's, began in this session, and fits. */
static inline bool may_end(const struct thread *me, const struct frame *frame,
			   const struct hotpath_span *span, uint64_t now)
{
	/* A clock that went backwards makes the last number huge. */
	return frame->plain == span && frame->start >= load(&me->fast_since, RELAXED) &&
	       (now - frame->start) >> HP_CALL_DURATION_BITS == 0;
}

__attribute__((aligned(64))) void hotpath_span_end(struct hotpath_span *span)
{
	struct thread *me = hotpath__me;

	/* First of all, so that the clock is not read when nothing is recorded. */
	if (unlikely(!me)) {
		hotpath__end_unknown(span);
		return;
	}
	uint64_t now = hotpath__counter();
	uintptr_t sp = hotpath__stack_pointer();
	if (unlikely(me->busy != READY)) {
		hotpath__end_slow(span, now, sp);
		return;
	}
	hotpath__enter_busy(me, sp);
	struct frame *frame = me->top;
	if (unlikely(!may_end(me, frame, span, now))) {
		hotpath__leave_busy(me);
		hotpath__end_slow(span, now, sp);
		return;
	}

	struct frame *parent = frame - 1;
	struct hp_stat *stat = frame->stat;
	uint32_t depth = stat->depth - 1;
	uint64_t cost = (frame->lost + me->inner_cost) >> 8;
	uint64_t duration = hotpath__less(now, frame->start + cost);
	parent->children += duration;
	parent->lost += frame->lost + me->span_cost;
	parent->latest = now;
	me->top = parent;
	store(&stat->depth, depth, RELAXED);

	uint64_t calls = stat->calls;
	uint64_t place = calls % HP_RING;
	store(&stat->ends[place], now, RELAXED);
	store(&stat->durations[place], duration | (depth ? HP_CALL_NESTED : 0), RELAXED);
	store(&stat->selves[place], duration - frame->children, RELAXED);
	/*
	 * Last: a call that is counted is in the ring. RELAXED, because RELEASE would wait: on aarch64
	 * who reads while it runs may see the number before the call.
	 */
	store(&stat->calls, calls + 1, RELAXED);
	if (unlikely((calls + 1) % HP_FLUSH == 0))
		hotpath__flush_and_leave(me, stat);
	else
		hotpath__leave_busy(me);
}
