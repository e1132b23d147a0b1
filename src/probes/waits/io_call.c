/* SPDX-License-Identifier: MIT */
/* What is recorded of a call of input or output. */
#include "io_call.h"

#include "flow/blocked_mark.h"
#include "waits_mode.h"

uint8_t io_state;
ptrdiff_t io_thread_at;

/* The first call asks; if several threads do, they get the same answer. */
bool io_find_out(void)
{
	bool wanted = (hotpath__waits_wanted() & HP_WAITS_IO) && descriptors_reserve();

	store(&io_thread_at, wanted ? hotpath__probe_opens(sizeof(struct thread)) : 0, RELAXED);
	/* Pairs with the ACQUIRE of io_on, which uses what was reserved. */
	store(&io_state, wanted ? 2 : 1, RELEASE);
	return wanted;
}

/* Whether a call has failed: it has not if it would block, was interrupted, or goes on in the background. */
static bool is_error(int error)
{
	return error != EAGAIN && error != EWOULDBLOCK && error != EINTR && error != EINPROGRESS;
}

/* A file gives fewer bytes than asked for only at its end. A pipe or a peer that is at its end gives 0, also to a call that
   copies from it. */
static bool is_short(const struct io *io, size_t result, size_t asked)
{
	if (io->operation == HP_OPERATION_READ || io->operation == HP_OPERATION_RECEIVE)
		return result && result < asked && io->blocking.reason != HP_REASON_DISK;
	if (io->operation == HP_OPERATION_COPY || io->operation == HP_OPERATION_SPLICE)
		return result && result < asked;
	return result < asked;
}

/* ---- at once ---- */

/* What the end of a call must know, also if it is cancelled, or ends on the long way. */
static void keep(struct io *io, struct thread *me, const struct io_place *place, uint32_t medium)
{
	struct hotpath__blocking *blocking = &io->blocking;

	io->operation = place->operation;
	io->edge = place->edge;
	io->me = me;
	io->stat = place->stat;
	blocking->reason = medium;
	blocking->target = place->target;
	blocking->call = place->call;
	blocking->function = place->function;
	blocking->from = place->from;
	blocking->before_sp = 0;
}

/* The place of a call, if this thread has been there before; else NULL. */
static const struct io_place *find_place(struct thread *me, enum hp_operation operation,
					 uint32_t target, uintptr_t from)
{
	const struct io_place *place = hotpath__io_place(me, from, target, operation);

	return likely(place->from == from && place->target == target &&
		      place->operation == operation && place->call == me->top->branch->site &&
		      place->stat)
		       ? place
		       : NULL;
}

/* Whether a thread may take the fast path; its innermost call must be known. */
static bool may_begin(const struct thread *me, uintptr_t sp)
{
	return likely(me && me->busy == READY && !me->is_locking &&
		      load(&me->probes_open, RELAXED) && me->blocked_sp <= sp &&
		      me->waiter.is_ready && sp - me->stack_low <= me->top->height);
}

/*
 * The fast path. At its beginning the thread is not marked busy: a signal handler that reads or writes finds by blocked_sp that
 * it has interrupted a call, and leaves mark and place as they are.
 */
static bool begin_at_once(struct io *io, enum hp_operation operation, io_target target,
			  uintptr_t from)
{
	ptrdiff_t at = load(&io_thread_at, RELAXED);
	struct thread *me = likely(at) ? hotpath__thread_word(at) : NULL;
	uintptr_t sp = hotpath__stack_pointer();

	if (unlikely(!may_begin(me, sp)))
		return false;
	uintptr_t before = me->blocked_sp;
	store(&me->blocked_sp, sp, RELAXED);
	signal_fence();
	const struct io_place *place = find_place(me, operation, target_site(target), from);
	if (unlikely(!place)) {
		store(&me->blocked_sp, before, RELAXED);
		return false;
	}
	keep(io, me, place, target_medium(target));
	struct hp_blocked mark = { .reason = target_medium(target),
				   .function = place->function,
				   .target = place->target };
	hotpath__mark(me, &mark, sp);
	io->blocking.since = hotpath__counter();
	hotpath__mark_since(me, io->blocking.since);
	return true;
}

static void count(struct io *io, size_t bytes, size_t asked, uint64_t now, uint64_t ticks)
{
	struct hp_stat *stat = io->stat;
	uint64_t calls = stat->calls;

	add(&stat->flow[HP_IO_BYTES], bytes);
	if (is_short(io, bytes, asked))
		add(&stat->flow[HP_IO_SHORT], 1);
	if (bytes < HP_IO_SMALL_BYTES)
		add(&stat->flow[HP_IO_SMALL], 1);
	store_pair(&stat->ring[calls % HP_RING].end, now, ticks & HP_CALL_DURATION);
	store(&stat->calls, calls + 1, RELAXED);
}

/* Returns false if nothing was done: the session may be another one, or this is a forked child. */
static bool end_at_once(struct io *io, size_t bytes, size_t asked, uint64_t now)
{
	struct thread *me = io->me;
	const struct hotpath__blocking *blocking = &io->blocking;
	uint64_t ticks = now > blocking->since ? now - blocking->since : 0;

	if (unlikely(me->busy != READY || blocking->since < load(&me->fast_since, RELAXED)))
		return false;
	hotpath__enter_busy(me, hotpath__stack_pointer());
	hotpath__unmark(me, blocking);
	count(io, bytes, asked, now, ticks);
	uint64_t passed = me->waiter.points.passed + ticks;
	bool has_point = passed > me->waiter.points.quiet;
	if (likely(!has_point))
		me->waiter.points.passed = passed;
	hotpath__leave_busy(me);
	if (unlikely(io->stat->calls % HP_FLUSH == 0))
		hotpath__ring_is_due(me, io->stat);
	if (unlikely(has_point))
		hotpath__waited(blocking->reason, io->edge, ticks, blocking->from);
	return true;
}

/* ---- calls ---- */

bool io_begin_with(struct io *io, enum hp_operation operation, io_target target, uintptr_t from)
{
	io->operation = operation;
	io->me = NULL;
	io->blocking.reason = target_medium(target);
	io->blocking.target = target_site(target);
	io->blocking.holder = 0;
	io->blocking.holder_function = 0;
	io->blocking.lock = 0;
	io->blocking.is_timed = false;
	hotpath__block_begin(&io->blocking, from);
	return io->blocking.since != 0;
}

bool io_begin(struct io *io, enum hp_operation operation, int fd, uintptr_t from)
{
	if (unlikely(!io_on()))
		return false;
	io_target target = descriptors_find(fd);
	if (likely(target && begin_at_once(io, operation, target, from)))
		return true;
	if (unlikely(!target)) {
		if (!hotpath__may_block())
			return false;
		target = descriptors_learn(fd);
	}
	return io_begin_with(io, operation, target, from);
}

/* A call that failed, or did not begin on the fast path; until is 0 for now. */
static void end_other(struct io *io, ssize_t result, size_t asked, uint64_t until)
{
	uint64_t counts[HOTPATH__BLOCK_COUNTERS] = { 0 };

	if (likely(result >= 0)) {
		counts[HP_IO_BYTES] = (uint64_t)result;
		counts[HP_IO_SHORT] = is_short(io, (size_t)result, asked);
		counts[HP_IO_SMALL] = result < HP_IO_SMALL_BYTES;
	} else {
		counts[HP_IO_ERRORS] = is_error(errno);
	}
	hotpath__io_end(&io->blocking, until, io->operation, counts);
}

void io_end(struct io *io, ssize_t result, size_t asked)
{
	uint64_t now = likely(io->me != NULL) ? hotpath__counter() : 0;

	if (unlikely(!now || result < 0 || !end_at_once(io, (size_t)result, asked, now)))
		end_other(io, result, asked, now);
	io->blocking.since = 0;
}

void io_ended_at(struct io *io, uint64_t until, io_target target, long result)
{
	uint64_t counts[HOTPATH__BLOCK_COUNTERS] = { 0 };

	counts[HP_IO_ERRORS] = result == -1 && is_error(errno);
	io->blocking.target = target_site(target);
	hotpath__io_end(&io->blocking, until, io->operation, counts);
	io->blocking.since = 0;
}

void io_ended(struct io *io, long result)
{
	uint64_t counts[HOTPATH__BLOCK_COUNTERS] = { 0 };

	counts[HP_IO_ERRORS] = result == -1 && is_error(errno);
	hotpath__io_end(&io->blocking, 0, io->operation, counts);
	io->blocking.since = 0;
}

void io_moved(struct io *io, uint64_t bytes, bool is_failed)
{
	uint64_t counts[HOTPATH__BLOCK_COUNTERS] = { 0 };

	counts[HP_IO_BYTES] = bytes;
	counts[HP_IO_ERRORS] = is_failed && is_error(errno);
	counts[HP_IO_SMALL] = bytes < HP_IO_SMALL_BYTES &&
			      (bytes || io->operation != HP_OPERATION_CLOSE);
	hotpath__io_end(&io->blocking, 0, io->operation, counts);
	io->blocking.since = 0;
}

void io_cancel(struct io *io)
{
	hotpath__io_end(&io->blocking, 0, HP_OPERATION_NONE, NULL);
	io->blocking.since = 0;
}

void io_abandoned(struct io *io)
{
	const uint64_t counts[HOTPATH__BLOCK_COUNTERS] = { 0 };

	hotpath__io_end(&io->blocking, 0, io->operation, counts);
	io->blocking.since = 0;
}

void io_untimed(enum hp_operation operation, io_target target, uint32_t function, uint64_t bytes)
{
	uint32_t edge = hotpath__edge_site(HP_SITE_IO, operation, function, target_site(target));
	struct hotpath__event event = { .site = edge };

	event.counts[HP_IO_BYTES] = bytes;
	event.counts[HP_IO_SMALL] = bytes < HP_IO_SMALL_BYTES;
	event.counts[HP_IO_UNTIMED] = 1;
	hotpath__happened(&event);
}
