/* SPDX-License-Identifier: MIT */
/*
 * A *look*: the signal handler that runs after each period of a thread's CPU time, and finds out whose time it was.
 *
 * The measured calls that are open are known exactly, whatever the compiler has inlined: the innermost one gets
 * the sample, and each function around it an inclusive sample. The call stack is recorded too, to show what
 * those functions called. Samples inside the recorder and its probes belong to no function, only to the thread.
 *
 * The signal may interrupt the recorder itself. The top frame is always complete then: hot path and slow path fill
 * in a frame before it becomes the top.
 */
#include "sampler.h"

#include "calls/stack.h"
#include "probe.h"
#include "process/clock.h"
#include "process/lifecycle.h"
#include "process/recorder_state.h"
#include "process/seccomp.h"
#include "process/threads.h"
#include "sleds/governor.h"
#include "sleds/island.h"
#include "sleds/restraint.h"
#include "sleds/serve_request.h"
#include "sleds/waking.h"

#include <errno.h>
#include <sys/resource.h>
#include <ucontext.h>

enum {
	/* Of very deep recursion, so many of the innermost and of the outermost calls are visited. */
	OPEN_CALLS = 512,
	/* Bytes of stack that the handler needs. */
	ROOM = 3072,
	/* CPU time without a sample after which the timer's signal counts wherever it comes, not only after a
	   system call. */
	LATE_NS = 16000000,
};

/* What one look stands for: samples, the samples of them in the kernel, and the time of waiting for a processor. */
struct seen {
	uint64_t samples;
	uint64_t system;
	uint64_t queue_ns;
};

static struct hp_registers registers_of(const void *context)
{
	const ucontext_t *user = context;
#if defined(__aarch64__)
	return (struct hp_registers){ .pc = user->uc_mcontext.pc,
				      .sp = user->uc_mcontext.sp,
				      .fp = user->uc_mcontext.regs[29],
				      .link = user->uc_mcontext.regs[30],
				      .context = user };
#elif defined(__x86_64__)
	return (struct hp_registers){ .pc = (uintptr_t)user->uc_mcontext.gregs[REG_RIP],
				      .sp = (uintptr_t)user->uc_mcontext.gregs[REG_RSP],
				      .fp = (uintptr_t)user->uc_mcontext.gregs[REG_RBP],
				      .rbx = (uintptr_t)user->uc_mcontext.gregs[REG_RBX],
				      .context = user };
#else
	return (struct hp_registers){ .sp = (uintptr_t)user->uc_stack.ss_sp };
#endif
}

/*
 * The program's alternate signal stack may have room for the registers that the kernel saves, and little more. On
 * such a stack the handler does nothing, because the memory below it is the program's.
 */
static bool has_room(const void *context)
{
	const stack_t *stack = &((const ucontext_t *)context)->uc_stack;
	uintptr_t left = (uintptr_t)__builtin_frame_address(0) - (uintptr_t)stack->ss_sp;

	return left >= stack->ss_size || left >= ROOM;
}

/*
 * How many samples a signal of the timer stands for. If there is a perf event too, the timer is only for the time in
 * system calls, and counts only when a system call has just returned: elsewhere the time would be attributed to other
 * code.
 */
static uint64_t timer_samples(struct sampler *mine, uint64_t period, uintptr_t pc)
{
	int64_t left = (int64_t)(hotpath__cpu_ns(CLOCK_THREAD_CPUTIME_ID) -
				 load(&mine->counted_ns, RELAXED));

	if (left < (int64_t)period)
		return 0;
	if (load(&mine->event, RELAXED) && left < (int64_t)(LATE_NS + 4 * period) &&
	    !hotpath__after_system_call(&mine->walker, pc))
		return 0;
	return (uint64_t)left / period;
}

/* System time since the last look, in samples, by the kernel's own accounting. */
static uint64_t system_samples(struct sampler *mine, uint64_t period, uint64_t samples)
{
	struct rusage usage;

	if (getrusage(RUSAGE_THREAD, &usage))
		return 0;
	uint64_t ns = (uint64_t)usage.ru_stime.tv_sec * UINT64_C(1000000000) +
		      (uint64_t)usage.ru_stime.tv_usec * 1000;
	uint64_t system = (ns - mine->system_ns) / period;
	if (system > samples)
		system = samples;
	mine->system_ns = system < samples ? mine->system_ns + system * period : ns;
	return system;
}

/* The perf event does not count in the kernel; so if there is one, what the timer finds is time in the kernel. */
static struct seen samples_due(struct sampler *mine, const siginfo_t *info, uintptr_t pc)
{
	uint64_t period = load(&hotpath__recorder->sampling.period_ns, RELAXED);
	bool has_event = load(&mine->event, RELAXED);
	struct seen seen = { 0, 0, 0 };

	if (info->si_code == SI_TIMER && info->si_value.sival_ptr == mine) {
		seen.samples = timer_samples(mine, period, pc);
		seen.system = has_event ? seen.samples : system_samples(mine, period, seen.samples);
	} else if (info->si_code == POLL_IN && has_event) {
		seen.samples = 1;
	}
	store(&mine->counted_ns, load(&mine->counted_ns, RELAXED) + seen.samples * period, RELAXED);
	if (seen.samples)
		seen.queue_ns = hotpath__queued_since(mine, seen.samples * period);
	return seen;
}

/* The state of this thread; NULL when nothing is being recorded, or its lane still has figures of an earlier
   session. */
static struct thread *state_of(uintptr_t sp)
{
	struct thread *me = hotpath__own_state();

	if (hotpath__gone)
		return NULL;
	if (!me || !me->busy || me->busy == READY)
		return hotpath__enter_look(sp);
	return me->session == load(&hotpath__recorder->session, RELAXED) ? me : NULL;
}

/* Add inclusive samples, once for each function. The number of steps is bounded, because strays may form a circle:
   the entry of a stray may have been reused for another. */
static void count_inclusive(const struct thread *me, struct open_call call, uint64_t samples)
{
	uint64_t look = me->lane->looks;

	for (unsigned i = 0; hotpath__is_open(call) && i <= 2 * OPEN_CALLS + 1; i++) {
		struct hp_stat *stat = hotpath__stat_of(call);
		if (stat && stat->last_look != look) {
			store(&stat->last_look, look, RELAXED);
			add(&stat->inclusive_samples, samples);
		}
		if (i == OPEN_CALLS && call.frame && call.frame - me->frames > OPEN_CALLS)
			call.frame = me->frames + OPEN_CALLS;
		call = hotpath__outer(me, call);
	}
}

/*
 * Whether the thread is inside the allocator. If the allocator was left by longjmp, the mark is still set, but the
 * code that runs then has a higher stack pointer.
 */
static bool is_allocating(uintptr_t sp)
{
	ptrdiff_t at = load(&hotpath__inside_at, RELAXED);
	const uintptr_t *caller_sp = (const uintptr_t *)(void *)(hotpath__thread_pointer() + at);

	return at && sp < load(caller_sp, RELAXED);
}

/* A function whose calls are not timed, to save what that would cost, is known by the address. */
static struct hp_stat *restrained_stat(const struct thread *me, uintptr_t pc, uint64_t samples)
{
	struct hp_stat *stat = hotpath__restrained_stat(me, pc);

	if (stat && stat->last_look != me->lane->looks) {
		store(&stat->last_look, me->lane->looks, RELAXED);
		add(&stat->inclusive_samples, samples);
	}
	return stat;
}

static void count_functions(const struct thread *me, struct open_call call, struct hp_stat *stat,
			    uintptr_t sp, struct seen seen)
{
	struct hp_lane *lane = me->lane;

	add(stat ? &stat->samples : &lane->outside_samples, seen.samples);
	add(stat ? &stat->flow[HP_CALL_SYSTEM_SAMPLES] : &lane->outside_system_samples,
	    seen.system);
	if (is_allocating(sp))
		add(stat ? &stat->flow[HP_CALL_ALLOC_SAMPLES] : &lane->outside_alloc_samples,
		    seen.samples);
	count_inclusive(me, call, seen.samples);
}

/* Count what a look has cost the program, without what the kernel took to call the handler. A look takes some
   microseconds: if it is much more, the thread had no processor meanwhile. */
static void count_cost(struct hp_lane *lane, uint64_t since)
{
	uint64_t took = hotpath__ticks() - since;
	uint64_t most = load(&hotpath__header()->ticks_per_second, RELAXED) / 8192;

	add(&lane->look_ticks, took < most ? took : most);
}

/* Code of an island is ours, and has no unwind table: go back to where it was called from, or where it will return. */
static bool leave_island(struct hp_registers *registers)
{
	if (!hotpath__is_island(registers->pc))
		return false;
#if defined(__x86_64__)
	registers->pc = *(const uintptr_t *)registers->sp;
	registers->sp += sizeof(uintptr_t);
#else
	registers->pc = registers->link;
#endif
	return true;
}

/* @param since When the handler began. */
static void look(struct sampler *mine, struct hp_registers *registers, struct seen seen,
		 uint64_t since)
{
	bool on_island = leave_island(registers);
	const struct thread *state = hotpath__own_state();
	bool busy = state && state->busy && state->busy != READY;
	struct thread *me = state_of(registers->sp);

	if (!me)
		return;
	struct open_call call = hotpath__open_at(me, registers->sp);
	struct hp_stat *stat = hotpath__stat_of(call);
	if (stat)
		add(&stat->flow[HP_CALL_QUEUE_NS], seen.queue_ns);
	add(&me->lane->looks, 1);
	store(&me->lane->last_look, hotpath__ticks(), RELAXED);
	/* Threads are named after they have begun. Of a program that is killed, these names are the last. */
	if ((me->lane->looks & (me->lane->looks - 1)) == 0)
		hotpath__refresh_name(me);
	add(&me->lane->samples, seen.samples);
	if (busy || on_island || hotpath__is_own_code(&mine->walker, registers->pc))
		add(&me->lane->own_samples, seen.samples);
	else
		count_functions(me, call, restrained_stat(me, registers->pc, seen.samples) ?: stat,
				registers->sp, seen);
	hotpath__walk(&mine->walker, me, registers, call);
	if (seen.system)
		mine->walker.walked.end |= HP_STACK_SYSTEM;
	if (!hotpath__count_stack(me, &mine->walker.walked, seen.samples))
		add(&me->lane->counters[HP_COUNTER_stacks], seen.samples);
	count_cost(me->lane, since);
	if (!busy && since >= me->governed.due) {
		hotpath__enter_busy(me, registers->sp);
		hotpath__govern(me);
		hotpath__leave_busy(me);
	}
}

/* The handler of the sampling signal. It saves and restores errno. */
void hotpath__look(int signal, siginfo_t *info, void *context)
{
	struct sampler *mine = hotpath__sampler;
	struct hp_registers registers = registers_of(context);
	int error = errno;

	(void)signal;
	if (!has_room(context))
		return;
	/* Of timers and events, the code is another. */
	bool is_request = info->si_code == SI_USER || info->si_code == SI_TKILL;
	if (is_request)
		hotpath__serve_request();
	if (is_request || hotpath__is_woken(info, registers.sp)) {
		hotpath__keep_signal_stack(&((ucontext_t *)context)->uc_stack);
		errno = error;
		return;
	}
	if (!mine || !load(&mine->tid, RELAXED))
		mine = hotpath__adopt_sampler();
	if (mine)
		hotpath__lend_signal_stack(mine, &((ucontext_t *)context)->uc_stack);
	/* The first look of all begins to record, because modules can only be registered in a segment. */
	bool ready = mine && hotpath__ready_to_look() == STATE_RUNNING;
	/* From here on the clock is chosen. */
	uint64_t since = hotpath__ticks();
	struct seen seen = ready ? samples_due(mine, info, registers.pc) : (struct seen){ 0, 0, 0 };
	if (seen.samples)
		look(mine, &registers, seen, since);
	errno = error;
}
