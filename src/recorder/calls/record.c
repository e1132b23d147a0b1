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

#include "flow/flow.h"
#include "hot_call.h"
#include "process/recorder_state.h"

__thread struct thread *hotpath__me __attribute__((tls_model("initial-exec")));
__thread bool hotpath__gone __attribute__((tls_model("initial-exec")));

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

__attribute__((always_inline)) static inline bool begin_at_once(struct thread *me,
								struct call_in in)
{
	return likely(hotpath__has_frame(me)) &&
	       likely(hotpath__in_order(me, in.key, in.from, in.height)) &&
	       hotpath__begin_inside(me, in);
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

/* Begin a call in any known branch. */
static bool begin(struct thread *me, struct call_in in)
{
	if (me->times_next && begin_timed(me, in))
		return true;
	if (!hotpath__has_frame(me) || !hotpath__in_order(me, in.key, in.from, in.height))
		return false;
	struct branch *branch = hotpath__find_branch(me, in.last);
	if (branch)
		hotpath__open_frame(me, branch, in);
	return branch != NULL;
}

/* End the innermost call, and mark the thread ready. */
__attribute__((always_inline)) static inline void end(struct thread *me, uint64_t now)
{
	struct hp_stat *stat = me->top->stat;

	if (unlikely(hotpath__end_call(me, now)))
		hotpath__flush_and_leave(me, stat);
	else
		hotpath__leave_busy(me);
}

static inline struct call_in span_in(const struct thread *me, const struct hotpath_span *span,
				     const struct hotpath_site *site, uintptr_t sp)
{
	/* RELAXED: of the site only the id is used. */
	return (struct call_in){ hotpath__last_of_site(me, load(&site->id, RELAXED)),
				 (uintptr_t)span,
				 (uintptr_t)span,
				 sp - me->stack_low,
				 0,
				 true };
}

__attribute__((noinline)) static void span_begin(struct hotpath_span *span,
						 struct hotpath_site *site, uintptr_t sp)
{
	struct thread *me = hotpath__me;

	hotpath__enter_busy(me, sp);
	bool began = begin(me, span_in(me, span, site, sp));
	hotpath__leave_busy(me);
	if (!began)
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
	struct call_in in = span_in(me, span, site, sp);
	bool began = begin_at_once(me, in);
	hotpath__leave_busy(me);
	if (unlikely(!began))
		span_begin(span, site, in.height + me->stack_low);
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
	if (unlikely(frame->key != (uintptr_t)span || !hotpath__may_end(me, frame, now))) {
		hotpath__leave_busy(me);
		hotpath__end_slow(span, now, sp);
		return;
	}
	end(me, now);
}

static inline struct call_in function_in(const struct thread *me, struct last last,
					 uintptr_t function, uintptr_t sp, uintptr_t from)
{
	return (struct call_in){ last, function, from, sp - me->stack_low, 0, false };
}

ALIGNS_STACK __attribute__((noinline)) static void function_enter(uintptr_t function, uintptr_t sp,
								  uintptr_t from)
{
	struct thread *me = hotpath__me;

	if (hotpath__is_skipped(me, function))
		return;
	hotpath__enter_busy(me, sp);
	struct last last = hotpath__searched_last(me, function);
	bool began = begin(me, function_in(me, last, function, sp, from));
	hotpath__leave_busy(me);
	if (!began)
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
	struct last last = hotpath__last_of_address(me, function);
	struct call_in in = function_in(me, last, function, sp, from);
	bool began = likely(!last.is_other) && begin_at_once(me, in);
	hotpath__leave_busy(me);
	if (unlikely(!began))
		function_enter(function, in.height + me->stack_low, from);
}

/* An exit that is not that of the innermost call, or that interrupts the recorder. The clock is not read for a function that is
   not to be measured. */
__attribute__((noinline)) static void function_exit(uintptr_t function, uintptr_t sp, bool by_jump)
{
	const struct thread *me = hotpath__me;

	if (me->busy != READY || !hotpath__is_skipped(me, function))
		hotpath__exit_slow(function, sp, by_jump, hotpath__counter_after());
}

HOT void hotpath__function_exit(uintptr_t function, uintptr_t caller, uintptr_t sp, uintptr_t from)
{
	struct thread *me = hotpath__me;
	bool by_jump = from == caller;

	if (unlikely(!me)) {
		hotpath__exit_unknown(function, sp, by_jump);
		return;
	}
	if (unlikely(me->busy != READY)) {
		function_exit(function, sp, by_jump);
		return;
	}
	hotpath__enter_busy(me, sp);
	struct frame *frame = me->top;
	if (unlikely(frame->key != function)) {
		hotpath__leave_busy(me);
		function_exit(function, sp, by_jump);
		return;
	}
	uint64_t now = hotpath__counter_after();
	struct leaving leaving = { function, sp, by_jump };
	if (unlikely(!hotpath__may_end(me, frame, now) ||
		     !hotpath__is_left(frame, leaving, sp - me->stack_low))) {
		hotpath__leave_busy(me);
		hotpath__exit_slow(function, sp, by_jump, now);
		return;
	}
	end(me, now);
}
