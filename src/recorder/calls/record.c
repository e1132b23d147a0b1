/* SPDX-License-Identifier: MIT */
/*
 * The hot path: begin and end of a measured call, either of a span in the program or of a function that the
 * compiler has instrumented.
 *
 * Together they cost about as much as the two readings of the clock between which the call is measured;
 * `make bench` checks it. All rare cases leave by a tail call into slow.c, which tests every condition again;
 * so no registers are saved on the stack here, and no branch depends on something that varies from call to call.
 *
 * Begin reads the clock last and end reads it first, so that little of the profiler's own time is in the duration.
 * That part, and the whole cost of calls inside, was measured at the start and is subtracted.
 *
 * Signal handlers may measure too. Both functions mark the thread busy while its state is inconsistent; a handler
 * that finds the mark records with the thread's second state.
 */
#include "entry_points.h"

#include "counting.h"
#include "flow/flow.h"
#include "hot_path.h"
#include "process/clock.h"
#include "process/recorder_state.h"

__thread struct thread *hotpath__me __attribute__((tls_model("initial-exec")));
__thread bool hotpath__gone __attribute__((tls_model("initial-exec")));

/* The hot path has a section of its own, so that samples in it are recognised as the profiler's even in statically
   linked programs. */
#define HOT __attribute__((used, aligned(64), section(HOT_SECTION)))

/*
 * Stubs in assembly that pass the caller's stack pointer, and for functions the return address, as additional
 * arguments. They are read before any function of ours changes the stack pointer, so that the values of all calls can
 * be compared.
 */
#if defined(__aarch64__)
#ifdef __ARM_FEATURE_BTI_DEFAULT
#define LANDING "\thint #34\n"
#else
#define LANDING
#endif
#define TYPE "%function"
#define SP_ARGUMENT "\tmov x2, sp\n"
#define FROM_ARGUMENT "\tmov x3, x30\n"
#define JUMP "\tb "
#elif defined(__x86_64__)
#ifdef __CET__
#define LANDING "\tendbr64\n"
#else
#define LANDING
#endif
#define TYPE "@function"
#define SP_ARGUMENT "\tlea 8(%rsp), %rdx\n"
#define FROM_ARGUMENT "\tmov (%rsp), %rcx\n"
#define JUMP "\tjmp "
#endif

#ifdef JUMP
#define ENTRY(binding, name, arguments, target)                                                    \
	__asm__(".pushsection " HOT_SECTION ",\"ax\"\n.p2align 4\n" binding " " name               \
		"\n.type " name "," TYPE "\n" name ":\n" LANDING arguments JUMP target             \
		"\n.size " name ", .-" name "\n.popsection\n")
ENTRY(".globl", "hotpath_span_begin", SP_ARGUMENT, "hotpath__span_begin");
ENTRY(".globl", "hotpath_poll_begin", SP_ARGUMENT, "hotpath__poll_begin");
/* Weak: if a program defines these hooks itself, its own are used. */
ENTRY(".weak", "__cyg_profile_func_enter", SP_ARGUMENT FROM_ARGUMENT, "hotpath__function_enter");
ENTRY(".weak", "__cyg_profile_func_exit", SP_ARGUMENT FROM_ARGUMENT, "hotpath__function_exit");
#else
void hotpath_span_begin(struct hotpath_span *span, struct hotpath_site *site)
{
	hotpath__span_begin(span, site, (uintptr_t)__builtin_frame_address(0));
}

void hotpath_poll_begin(struct hotpath_poll *poll, struct hotpath_future *future)
{
	hotpath__poll_begin(poll, future, (uintptr_t)__builtin_frame_address(0));
}

__attribute__((weak)) void __cyg_profile_func_enter(void *function, void *caller)
{
	hotpath__function_enter((uintptr_t)function, caller, (uintptr_t)__builtin_frame_address(0),
				(uintptr_t)__builtin_return_address(0));
}

__attribute__((weak)) void __cyg_profile_func_exit(void *function, void *caller)
{
	hotpath__function_exit((uintptr_t)function, (uintptr_t)caller,
			       (uintptr_t)__builtin_frame_address(0),
			       (uintptr_t)__builtin_return_address(0));
}
#endif

/* A call that begins: `what` finds its branch; the rest is as in a frame. */
struct call_in {
	uint64_t what;
	uintptr_t key;
	uintptr_t from;
	uintptr_t height;
};

static inline bool has_room(const struct thread *me)
{
	return me->top + 1 < load(&me->limit, RELAXED);
}

/* The clock is read after everything has been looked up; the stores execute while the processor reads it. */
__attribute__((always_inline)) static inline void open_frame(struct thread *me,
							     struct branch *branch,
							     struct call_in in)
{
	struct frame *frame = me->top + 1;
	struct hp_stat *stat = branch->stat;
	uint64_t start = hotpath__counter();

	frame->from = in.from;
	frame->children = 0;
	frame->lost = 0;
	frame->branch = branch;
	frame->stat = stat;
	frame->key = in.key;
	frame->height = in.height;
	frame->start = start;
	hotpath__opened(me, frame);
	/* The frame is complete before it becomes the top: the sampling signal may come between any two
	   instructions. */
	signal_fence();
	me->top = frame;
}

/* Begin a call in the branch that one or two steps find; false when they find none. */
__attribute__((always_inline)) static inline bool begin_at_once(struct thread *me,
								struct call_in in)
{
	if (unlikely(!has_room(me) || !hotpath__in_order(me, in.from, in.height)))
		return false;
	struct branch *branch = hotpath__find_at_once(me, in.what);
	if (unlikely(!branch))
		return false;
	open_frame(me, branch, in);
	return true;
}

/* Begin a call as the hot path does, and time that. */
static bool begin_timed(struct thread *me, struct call_in in)
{
	me->times_next = false;
	hotpath__open_hot_path(me);
	uint64_t before = hotpath__counter_in_order();
	if (!begin_at_once(me, in))
		return false;
	me->top->start = hotpath__counter_in_order();
	hotpath__add_timed(me, &hotpath__recorder->followed_cost, me->top->start - before);
	return true;
}

/* Begin a call in any known branch. The thread is not busy yet. */
static bool begin(struct thread *me, struct call_in in, uintptr_t sp)
{
	struct branch *branch = NULL;

	hotpath__enter_busy(me, sp);
	if (me->times_next && begin_timed(me, in)) {
		hotpath__leave_busy(me);
		return true;
	}
	if (has_room(me) && hotpath__in_order(me, in.from, in.height))
		branch = hotpath__find_branch(me, in.what);
	if (branch)
		open_frame(me, branch, in);
	hotpath__leave_busy(me);
	return branch != NULL;
}

/* Whether the hot path may end this frame: the key matches, it began in this session, and its duration fits the
   ring. */
static inline bool may_end(const struct thread *me, const struct frame *frame, uintptr_t key,
			   uint64_t now)
{
	/* If the clock went backwards, the difference is huge. */
	return frame->key == key && frame->start >= load(&me->fast_since, RELAXED) &&
	       (now - frame->start) >> HP_CALL_DURATION_BITS == 0;
}

/* End the innermost call, and mark the thread ready. */
__attribute__((always_inline)) static inline void end(struct thread *me, struct frame *frame,
						      uint64_t now)
{
	struct frame *parent = frame - 1;
	struct hp_stat *stat = frame->stat;
	struct branch *branch = frame->branch;
	uint64_t cost = hotpath__ticks_of(frame->lost + me->inner_cost);
	uint64_t duration = hotpath__at_least(now - frame->start - cost, frame->children);
	uint64_t self = duration - frame->children;
	parent->children += duration;
	parent->lost += frame->lost + me->span_cost;
	frame->start = now;
	me->top = parent;

	uint64_t flags = hotpath__closed(branch, stat), calls = stat->calls;
	store_pair(&stat->ring[calls % HP_RING].end, now, duration | flags);
	store(&stat->places[calls % HP_FLUSH], branch->inner | self, RELAXED);
	/*
	 * Stored last: a call that is counted is in the ring. RELAXED, because RELEASE would have to wait; so on
	 * aarch64 a reader of a running program may see the new number before the call.
	 */
	store(&stat->calls, calls + 1, RELAXED);
	if (unlikely((calls + 1) % HP_FLUSH == 0))
		hotpath__flush_and_leave(me, stat);
	else
		hotpath__leave_busy(me);
}

static inline struct call_in span_in(const struct thread *me, const struct hotpath_span *span,
				     const struct hotpath_site *site, uintptr_t sp)
{
	/* RELAXED: of the site only the id is used. */
	return (struct call_in){ load(&site->id, RELAXED), (uintptr_t)span, (uintptr_t)span,
				 sp - me->stack_low };
}

__attribute__((noinline)) static void span_begin(struct hotpath_span *span,
						 struct hotpath_site *site, uintptr_t sp)
{
	if (!begin(hotpath__me, span_in(hotpath__me, span, site, sp), sp))
		hotpath__begin_slow(span, site, sp);
}

HOT void hotpath__span_begin(struct hotpath_span *span, struct hotpath_site *site, uintptr_t sp)
{
	struct thread *me = hotpath__me;

	if (unlikely(!me)) {
		hotpath__begin_unknown(span, site, sp);
		return;
	}
	if (unlikely(me->busy != READY)) {
		hotpath__begin_slow(span, site, sp);
		return;
	}
	hotpath__enter_busy(me, sp);
	bool began = begin_at_once(me, span_in(me, span, site, sp));
	hotpath__leave_busy(me);
	if (unlikely(!began))
		span_begin(span, site, sp);
}

HOT void hotpath_span_end(struct hotpath_span *span)
{
	struct thread *me = hotpath__me;

	/* Tested first, so that the clock is not read when nothing is recorded. */
	if (unlikely(!me)) {
		hotpath__end_unknown(span);
		return;
	}
	uint64_t now = hotpath__counter_after();
	uintptr_t sp = hotpath__stack_pointer();
	if (unlikely(me->busy != READY)) {
		hotpath__end_slow(span, now, sp);
		return;
	}
	hotpath__enter_busy(me, sp);
	struct frame *frame = me->top;
	if (unlikely(!may_end(me, frame, (uintptr_t)span, now))) {
		hotpath__leave_busy(me);
		hotpath__end_slow(span, now, sp);
		return;
	}
	end(me, frame, now);
}

static inline struct call_in function_in(const struct thread *me, uintptr_t function, uintptr_t sp,
					 uintptr_t from)
{
	return (struct call_in){ function, function, from, sp - me->stack_low };
}

__attribute__((noinline)) static void function_enter(uintptr_t function, uintptr_t sp,
						     uintptr_t from)
{
	if (!begin(hotpath__me, function_in(hotpath__me, function, sp, from), sp))
		hotpath__enter_slow(function, sp, from);
}

HOT void hotpath__function_enter(uintptr_t function, void *caller, uintptr_t sp, uintptr_t from)
{
	struct thread *me = hotpath__me;

	(void)caller;
	if (unlikely(!me)) {
		hotpath__enter_unknown(function, sp, from);
		return;
	}
	if (unlikely(me->busy != READY)) {
		hotpath__enter_slow(function, sp, from);
		return;
	}
	hotpath__enter_busy(me, sp);
	bool began = begin_at_once(me, function_in(me, function, sp, from));
	hotpath__leave_busy(me);
	if (unlikely(!began) && !hotpath__is_skipped(me, function))
		function_enter(function, sp, from);
}

HOT void hotpath__function_exit(uintptr_t function, uintptr_t caller, uintptr_t sp, uintptr_t from)
{
	struct thread *me = hotpath__me;
	struct leaving leaving = { function, sp, from == caller };

	if (unlikely(!me)) {
		hotpath__exit_unknown(leaving);
		return;
	}
	/* Nor is it read for a function that is not to be measured. */
	if (unlikely(me->busy == READY && me->top->key != function) &&
	    hotpath__is_skipped(me, function))
		return;
	uint64_t now = hotpath__counter_after();
	if (unlikely(me->busy != READY)) {
		hotpath__exit_slow(leaving, now);
		return;
	}
	hotpath__enter_busy(me, sp);
	struct frame *frame = me->top;
	if (unlikely(!may_end(me, frame, function, now) ||
		     !hotpath__is_left(frame, leaving, sp - me->stack_low))) {
		hotpath__leave_busy(me);
		hotpath__exit_slow(leaving, now);
		return;
	}
	end(me, frame, now);
}
