/* SPDX-License-Identifier: MIT */
/*
 * Start and stop: the time that a report is about, and its caller, the row that is 100 %.
 *
 * A program may start again after it stopped, as often as it likes: each session begins at zero. Under
 * `hotpath run` the tool reports once, over everything, so starting and stopping only mark the caller.
 */
#include "calls/branch.h"
#include "calls/counting.h"
#include "calls/sites.h"
#include "calls/stack.h"
#include "clock.h"
#include "cpu/sampling.h"
#include "flow/flow.h"
#include "handover.h"
#include "lanes.h"
#include "lifecycle.h"
#include "memory/heap.h"
#include "memory/mapped.h"
#include "platform.h"
#include "probe.h"
#include "room.h"
#include "seccomp.h"
#include "sleds/sleds.h"
#include "threads.h"

#include <errno.h>
#include <string.h>

/*
 * Put the caller into the call tree: until it ends, the thread's first frame stands for it, so that all calls of the
 * thread are inside it. If the caller's function is instrumented by the compiler too, the tree already has it, and
 * the caller gets no node of its own.
 */
static void enter_tree(struct recorder *recorder, struct thread *me, uint32_t site)
{
	recorder->caller_branch = NULL;
	if (me->top > me->frames)
		hotpath__site_twin(site, me->frames[1].branch->stat->site);
	else
		recorder->caller_branch = hotpath__branch(me, &me->root, site);
	if (!recorder->caller_branch)
		return;
	me->frames[0].from = recorder->caller_place;
	me->frames[0].branch = recorder->caller_branch;
}

/*
 * The caller may end on another thread than it began on, while that one goes on: what is read of its state may be one
 * call old. The lock is held, so its array of frames does not move.
 */
#define OF_ANOTHER_THREAD __attribute__((no_sanitize("thread"), noinline))

/* The profiler's own time in the open calls of a thread so far, in 1/256 ticks. */
OF_ANOTHER_THREAD static uint64_t lost_around(const struct thread *thread)
{
	uint64_t lost = 0;

	for (const struct frame *frame = thread->frames; frame <= thread->top; frame++)
		lost += frame->lost;
	return lost;
}

/* Time of a thread's measured calls inside the caller: those that have ended, and the outermost open one. */
OF_ANOTHER_THREAD static uint64_t time_inside(const struct recorder *recorder,
					      const struct thread *thread, uint64_t now)
{
	const struct frame *first = thread->frames + 1;
	uint64_t inside = thread->frames[0].children - recorder->caller_children;

	if (thread->top >= first && first->start >= recorder->caller_start && first->start < now)
		inside += now - first->start;
	return inside;
}

/* Calls of the thread have no caller from now on. */
OF_ANOTHER_THREAD static void leave_tree(struct thread *thread)
{
	thread->frames[0].branch = &thread->root;
	thread->frames[0].from = 0;
}

/* Begin the caller, the row that is 100 %. It is like an operation, but the measured calls of its thread are
   inside it. */
static void begin_caller(struct recorder *recorder, struct thread *me,
			 const struct hotpath_site *site)
{
	struct guard guard;

	hotpath__lock(&guard);
	uint32_t id = hotpath__site_register(site);
	hotpath__unlock(&guard);
	struct hp_stat *stat = id ? hotpath__stat(me, id) : NULL;
	if (!stat)
		return;
	hotpath__count_open(me, stat);
	recorder->caller_thread = me;
	recorder->caller_generation = me->lane->generation;
	recorder->caller_stat = stat;
	recorder->caller_children = me->frames[0].children;
	recorder->caller_lost = lost_around(me);
	recorder->caller_blocks = me->lane->blocks;
	recorder->caller_freed = me->lane->freed_blocks;
	me->logged_by = NULL;
	enter_tree(recorder, me, id);
	store(&stat->open, stat->open + 1, RELAXED);
	recorder->caller_start = hotpath__ticks();
	store(&stat->open_since, recorder->caller_start, RELAXED);
	store(&hotpath__header()->caller, id, RELEASE);
}

/* The profiler's own time inside the caller, on its thread, in ticks. */
OF_ANOTHER_THREAD static uint64_t lost_to_caller(const struct recorder *recorder,
						 const struct thread *thread)
{
	uint64_t lost = hotpath__less(lost_around(thread), recorder->caller_lost);
	uint64_t blocks = thread->lane->blocks - recorder->caller_blocks;
	uint64_t freed = thread->lane->freed_blocks - recorder->caller_freed;

	return (lost + hotpath__alloc_lost(thread, blocks, freed)) >> 8;
}

/*
 * The caller as a call: wall-clock time, with the profiler's own. If another thread has its state by now (known is
 * false), the time of the calls inside is not known.
 */
static struct call caller_call(const struct recorder *recorder, bool known, uint64_t now)
{
	const struct thread *thread = recorder->caller_thread;
	uint64_t lost = known ? lost_to_caller(recorder, thread) : 0;
	uint64_t duration = now - recorder->caller_start;
	uint64_t inside = known ? time_inside(recorder, thread, now) + lost : duration;

	return (struct call){ .end = now,
			      .duration = duration,
			      .self = recorder->caller_branch ? hotpath__less(duration, inside)
							      : 0 };
}

/*
 * End the caller. Whichever thread does so, the call is counted in the lane where it began, whose time and samples
 * belong to it. No other thread writes to the caller's figures there.
 */
static void end_caller(struct recorder *recorder, struct thread *me, uint64_t now)
{
	struct hp_stat *stat = recorder->caller_stat;
	struct thread *thread = recorder->caller_thread;
	const struct branch unseen = { .stat = stat }, *branch = recorder->caller_branch;
	struct guard guard;

	if (!stat)
		return;
	recorder->caller_stat = NULL;
	hotpath__lock(&guard);
	bool known = thread->lane->generation == recorder->caller_generation;
	struct call call = caller_call(recorder, known, now);
	if (known)
		leave_tree(thread);
	hotpath__unlock(&guard);
	store(&stat->open, stat->open - 1, RELAXED);
	hotpath__count_call(me, branch ? branch : &unseen, call,
			    me == thread ? &me->frames[0] : NULL);
}

/* Calls that are open now are not counted when they end. */
static void forget_open_calls(const struct recorder *recorder)
{
	for (struct thread *thread = recorder->threads; thread; thread = thread->next)
		hotpath__thread_session(thread, UINT64_MAX);
}

/*
 * SEQ_CST, like the stores to threads that follow it: a thread that opens its hot path at the same time either sees
 * the new number, or has its hot path closed after that.
 */
static void raise_session(struct recorder *recorder, uint32_t by)
{
	store(&recorder->session, recorder->session + by, SEQ_CST);
}

/* Begin a session at zero: every thread sets its own figures to zero at its next call, and readers skip lanes that
   are not of this session. */
static void begin_session(struct recorder *recorder)
{
	struct hp_header *header = hotpath__header();
	struct guard guard;

	hotpath__lock(&guard);
	hotpath__set_moment(&header->start, hotpath__clock_moment());
	store(&header->end_ticks, 0, RELAXED);
	store(&recorder->session_start, header->start.ticks, RELAXED);
	for (unsigned i = 0; i < HP_COUNTERS_MAX; i++)
		store(&header->counters[i], 0, RELAXED);
	store(&header->cpu_unseen_ns, 0, RELAXED);
	store(&header->setup_ns, 0, RELAXED);
	hotpath__zero_origins();
	hotpath__forget_blocks();
	hotpath__forget_ended();
	hotpath__zero_shares();
	hotpath__mapped_begins(header);
	hotpath__io_begins();
	hotpath__sleds_begin();
	/* A child that was forked while recording has not been stopped. */
	raise_session(recorder, hotpath__is_stopped(recorder->session) ? 1 : 2);
	hotpath__close_hot_paths(recorder);
	store(&header->state, HP_STATE_RUNNING, RELAXED);
	store(&header->session, hotpath__session_number(recorder->session), RELEASE);
	hotpath__unlock(&guard);
}

static void end_session(struct recorder *recorder, uint64_t now)
{
	struct hp_header *header = hotpath__header();
	struct guard guard;

	hotpath__sampling_end();
	hotpath__lock(&guard);
	store(&recorder->state, STATE_IDLE, RELEASE);
	raise_session(recorder, 1);
	forget_open_calls(recorder);
	hotpath__close_hot_paths(recorder);
	hotpath__clock_update(header);
	hotpath__note_io(header);
	hotpath__note_memory(header);
	hotpath__note_threads();
	hotpath__note_cpu(header);
	store(&header->end_ticks, now, RELAXED);
	store(&header->state, HP_STATE_STOPPED, RELEASE);
	hotpath__children_record(false);
	/* Last: of a child that is forked before this, the state decides. */
	hotpath__want_calls(false);
	hotpath__unlock(&guard);
}

/* The options of the present recording, with copies of their strings. */
static struct {
	struct hotpath_options options;
	char output_path[HP_PATH_MAX];
	char sections[256];
} chosen;

static const char *keep(char *copy, size_t size, const char *string)
{
	if (!string)
		return NULL;
	strncpy(copy, string, size - 1);
	return copy;
}

/* The options may come from a newer header: fields that we do not know must be zero. */
static int check_options(const struct hotpath_options *options)
{
	const char *bytes = (const char *)options;

	if (!options)
		return 0;
	if (options->size < sizeof(options->size))
		return -EINVAL;
	for (size_t i = sizeof(*options); i < options->size; i++)
		if (bytes[i])
			return -E2BIG;
	return 0;
}

static void choose(const struct hotpath_options *options)
{
	memset(&chosen, 0, sizeof(chosen));
	if (!options)
		return;
	memcpy(&chosen.options, options,
	       options->size < sizeof(*options) ? options->size : sizeof(*options));
	chosen.options.output_path = keep(chosen.output_path, sizeof(chosen.output_path),
					  chosen.options.output_path);
	chosen.options.sections = keep(chosen.sections, sizeof(chosen.sections),
				       chosen.options.sections);
}

static bool run_by_tool(void)
{
	return hotpath__settings()->run[0] != '\0';
}

enum control {
	CONTROL_NONE = 0,
	CONTROL_STARTING,
	CONTROL_STARTED,
	/* Started by a probe, or from outside; the program may still start recording itself. */
	CONTROL_PROBED,
	CONTROL_REQUESTED,
	CONTROL_STOPPING,
};

/* Whether a request from outside has begun the recording, of which forked children record as well: they inherit it. */
static bool is_requested;

/* Change the control state; if several threads start or stop at the same time, one succeeds. */
static bool advance(struct recorder *recorder, uint32_t from, uint32_t to)
{
	return __atomic_compare_exchange_n(&recorder->control, &from, to, false, __ATOMIC_ACQ_REL,
					   __ATOMIC_RELAXED);
}

static void warn_started(void)
{
	static bool warned;

	if (!__atomic_exchange_n(&warned, true, __ATOMIC_RELAXED))
		hotpath__warn("started while already recording: this start does nothing", NULL);
}

/* Begin to record, in a new session if there was one before, such as that of a child which was forked while
   recording. */
static bool begin_recording(struct recorder *recorder)
{
	if (recorder->base && !run_by_tool())
		begin_session(recorder);
	return hotpath__begin_recording(recorder) == STATE_RUNNING;
}

static void begin_report(struct recorder *recorder, const struct hotpath_site *caller,
			 const struct hotpath_options *options)
{
	uintptr_t sp = hotpath__stack_pointer();
	struct thread *me = hotpath__enter(sp);

	choose(options);
	recorder->own_report = !run_by_tool();
	hotpath__children_record(true);
	if (me) {
		hotpath__enter_busy(me, sp);
		begin_caller(recorder, me, caller);
		hotpath__leave_busy(me);
	}
	hotpath__sampling_begin(chosen.options.cpu_rate);
	if (!recorder->watched)
		hotpath__watch_exit();
	recorder->watched = true;
	unsigned ms = hotpath__settings()->shutdown_ms;
	hotpath__plan_shutdown(ms ? ms : chosen.options.shutdown_ms);
}

/* All functions with sleds are to be measured, or none at first. */
static void ask_all(bool wanted)
{
	struct guard guard;

	hotpath__lock(&guard);
	hotpath__sleds_ask_all(wanted);
	hotpath__sleds_update(hotpath__ticks());
	hotpath__unlock(&guard);
}

/* `place` is the stack frame of the caller's function; 0 when there is none. */
static bool start(const struct hotpath_site *caller, const struct hotpath_options *options,
		  uintptr_t place)
{
	uint32_t state = hotpath__state();
	struct recorder *recorder = hotpath__recorder;

	if (state == STATE_OFF)
		return false;
	bool was_requested = advance(recorder, CONTROL_REQUESTED, CONTROL_STARTING);
	if (!was_requested && !advance(recorder, CONTROL_NONE, CONTROL_STARTING) &&
	    !advance(recorder, CONTROL_PROBED, CONTROL_STARTING)) {
		warn_started();
		return false;
	}
	is_requested = false;
	if (was_requested)
		ask_all(true);
	hotpath__report_prepare();
	bool began = begin_recording(recorder);
	recorder->caller_place = place;
	if (began)
		begin_report(recorder, caller, options);
	store(&recorder->control, began ? CONTROL_STARTED : CONTROL_NONE, RELEASE);
	return began;
}

/* Start without a caller: the whole process is 100 %, from now to its end, unless the program starts recording itself. */
void hotpath__probe_begins(void)
{
	if (hotpath__state() != STATE_IDLE)
		return;
	struct recorder *recorder = hotpath__recorder;
	if (!advance(recorder, CONTROL_NONE, CONTROL_STARTING))
		return;
	hotpath__report_prepare();
	bool began = hotpath__begin_recording(recorder) == STATE_RUNNING;
	if (began) {
		recorder->own_report = true;
		hotpath__sampling_begin(0);
		hotpath__watch_exit();
		hotpath__plan_shutdown(hotpath__settings()->shutdown_ms);
	}
	store(&recorder->control, began ? CONTROL_PROBED : CONTROL_NONE, RELEASE);
}

bool hotpath__request_begins(unsigned rate, bool *began)
{
	*began = false;
	if (hotpath__state() != STATE_IDLE)
		return hotpath__ready() == STATE_RUNNING;
	struct recorder *recorder = hotpath__recorder;
	if (!advance(recorder, CONTROL_NONE, CONTROL_STARTING))
		return false;
	hotpath__begins_late();
	ask_all(false);
	*began = begin_recording(recorder);
	if (*began) {
		hotpath__children_record(true);
		hotpath__sampling_begin(rate ? rate : hotpath__settings()->cpu_rate);
	} else {
		ask_all(true);
	}
	is_requested = *began;
	store(&recorder->control, *began ? CONTROL_REQUESTED : CONTROL_NONE, RELEASE);
	return *began;
}

/* A child that was forked meanwhile records because its parent did, and has not advanced itself. */
void hotpath__request_ends(void)
{
	struct recorder *recorder = hotpath__recorder;
	bool is_child = is_requested && hotpath__ready() == STATE_RUNNING;

	if (advance(recorder, CONTROL_REQUESTED, CONTROL_STOPPING) ||
	    (is_child && advance(recorder, CONTROL_NONE, CONTROL_STOPPING))) {
		is_requested = false;
		end_session(recorder, hotpath__ticks());
		store(&recorder->control, CONTROL_NONE, RELEASE);
	}
	/* What is not recorded has all its functions to be measured when it is. */
	if (hotpath__state() == STATE_IDLE)
		ask_all(true);
}

static void end_report(struct recorder *recorder, uint64_t now)
{
	uintptr_t sp = hotpath__stack_pointer();
	struct thread *me = hotpath__enter(sp);

	if (me) {
		hotpath__enter_busy(me, sp);
		end_caller(recorder, me, now);
		hotpath__leave_busy(me);
	}
	if (!recorder->own_report)
		return;
	recorder->own_report = false;
	end_session(recorder, now);
	/* The whole capacity, not what is used: other threads may go on allocating in the segment. */
	if (!hotpath__may_all())
		hotpath__warn(
			"no report: a seccomp filter does not allow its system calls; hotpath "
			"report shows it",
			NULL);
	else
		hotpath__self_report(recorder->base, recorder->capacity, &chosen.options);
}

bool hotpath__call_before_stop(void)
{
	struct recorder *recorder = hotpath__recorder;
	bool records = recorder && load(&recorder->state, RELAXED) == STATE_RUNNING;
	void (*call)(void) = records ? exchange(&recorder->before_stop, NULL, ACQ_REL) : NULL;

	if (call)
		call();
	return call;
}

void hotpath_before_stop(void (*function)(void))
{
	if (hotpath__state() == STATE_HANDED_OVER)
		hotpath__recorder->other->before_stop(function);
	else if (hotpath__recorder)
		store(&hotpath__recorder->before_stop, function, RELEASE);
}

static int stop(uint64_t now)
{
	struct recorder *recorder = hotpath__recorder;

	if (hotpath__state() != STATE_RUNNING ||
	    (!advance(recorder, CONTROL_STARTED, CONTROL_STOPPING) &&
	     !advance(recorder, CONTROL_PROBED, CONTROL_STOPPING)))
		return -EALREADY;
	end_report(recorder, hotpath__call_before_stop() ? hotpath__ticks() : now);
	store(&recorder->control, CONTROL_NONE, RELEASE);
	return 0;
}

int hotpath_start(const struct hotpath_options *options)
{
	struct hotpath_site caller = { "main", NULL, 0, HOTPATH_SITE_MAIN, 0, 0 };

	if (hotpath__state() == STATE_HANDED_OVER)
		return hotpath__recorder->other->start(options);
	int error = check_options(options);
	if (error)
		return error;
	if (options && options->size > offsetof(struct hotpath_options, caller) && options->caller)
		caller.name = options->caller;
	start(&caller, options, 0);
	return 0;
}

int hotpath_stop(void)
{
	uint64_t now = hotpath__ticks();

	if (hotpath__state() == STATE_HANDED_OVER)
		return hotpath__recorder->other->stop();
	return stop(now);
}

void hotpath_main_begin(struct hotpath_span *span, struct hotpath_site *site)
{
	span->token = TOKEN_NONE;
	if (hotpath__state() == STATE_HANDED_OVER) {
		hotpath__recorder->other->main_begin(span, site);
		return;
	}
	if (start(site, NULL, (uintptr_t)__builtin_dwarf_cfa()))
		span->token = hotpath__token(span, TOKEN_OPERATION);
	else
		hotpath_span_begin(span, site);
}

void hotpath_main_end(struct hotpath_span *span)
{
	uint64_t now = hotpath__ticks();

	if (hotpath__state() == STATE_HANDED_OVER)
		hotpath__recorder->other->main_end(span);
	else if (span->token == hotpath__token(span, TOKEN_OPERATION))
		stop(now);
	else
		hotpath_span_end(span);
}
