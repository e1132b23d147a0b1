/* SPDX-License-Identifier: MIT */
/*
 * The functions and types that the files of CPU sampling share.
 *
 *	sampling.c  when it begins and ends, and by which signal
 *	sampler.c   has the kernel send the signal to a thread after each period of CPU time
 *	signal_stack.c  the alternate stack on which the signal is handled
 *	look.c      the signal handler: which function the time belongs to
 *	queueing.c  how long a thread was runnable and waited for a processor
 *	walk.c      the call stack of the interrupted code, or of code that waits
 *	unwinder.c  from a function on a stack to its caller
 *	landing.c, landing_aarch64.c  from the unwinder of exceptions to its caller
 *	rules.c     a cache of what unwind tables say
 *	call_site.c, call_site_aarch64.c  where the call before a return address goes
 *	code.c      from an address to the module it is in
 *	lane_stacks.c  counts each different stack once
 *	wait_stacks.c  the stacks of calls that waited, which takes no signal
 *
 * The handler does not allocate, wait or lock, except for the first look at a thread, which may have to create its
 * state. That cannot deadlock: a thread that holds the recorder's lock has all signals blocked. What finds no room is
 * counted.
 */
#ifndef HOTPATH_SAMPLER_H
#define HOTPATH_SAMPLER_H

#include "atomic.h"
#include "calls/frame.h"
#include "calls/stack.h"
#include "process/thread_state.h"
#include "segment.h"
#include "unwind_step.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#pragma GCC visibility push(hidden)

enum {
	/* How many words of a foreign stack are read with one system call. */
	WINDOW = 128,
};

/* The result of a stack walk, in the format of the segment. */
struct walked {
	unsigned depth;
	/* An enum hp_stack_end. */
	uint32_t end;
	uint64_t frames[HP_STACK_DEPTH_MAX];
};

/* The state of a walk. The sampling signal may interrupt a walk of its thread, so the handler has one of its own. */
struct walker {
	struct walked walked;
	/* The index of the range of code that was found last. */
	unsigned hint;
	/* A copy of a part of a foreign stack, with its address and size. */
	uintptr_t window_at;
	size_t window_size;
	uintptr_t window[WINDOW];
};

/* A thread's time account: a moment, and the thread's figures at that moment, which are its CPU time, the number
   of voluntary context switches, and how long it had waited for a processor. */
struct account {
	uint64_t wall_ns;
	uint64_t cpu_ns;
	uint64_t waits;
	uint64_t queued_ns;
};

/* The sampling of one thread. */
struct sampler {
	/* The next sampler in the list of those in use, or of the spare ones. */
	struct sampler *next;
	/* 0 when it is not in use. In a forked child, where the memory was wiped, all of this is 0. */
	uint32_t tid;
	/* The mapping of the thread's perf event, which keeps the event alive; NULL when there is only the timer. */
	void *event;
	int timer;
	bool has_timer;
	/* The thread's CPU time when sampling began, plus that for which samples were counted. */
	uint64_t counted_ns;
	/* When the thread was last looked at; and its time account, which may be older. */
	uint64_t looked_ns;
	struct account account;
	/* The system time that samples were counted for; used where there is only the timer. */
	uint64_t system_ns;
	/* The alternate signal stack that we gave the thread, or that the next thread with this sampler gets; NULL
	   until needed. */
	char *signal_stack;
	/* Used during a look. */
	struct walker walker;
};

/* ---- sampler ---- */

/* This thread's sampler; NULL when it is not sampled. */
extern __thread struct sampler *hotpath__sampler __attribute__((tls_model("initial-exec")));

/* Start sampling of all threads, false when that failed for the present one; or stop it for all. If the kernel refuses perf
   events, the source becomes the timer. For this and the next two functions the lock is held. */
bool hotpath__sample_all(void);
void hotpath__disarm_all(void);
void hotpath__samplers_init(void);
/* Read a CPU clock of the process or of a thread, in nanoseconds; 0 when there is no such thread. */
uint64_t hotpath__cpu_ns(clockid_t clock);

/* Let this thread get the signal, whether it is sampled or not: see to it that there is room for that. The lock is held. */
bool hotpath__receive_signal(void);
/* Make a timer of a thread's CPU time, not set yet, whose signal comes to that thread, with a value. */
bool hotpath__thread_timer(int *timer, uint32_t tid, int signal, void *value);

/* The low bits of the kernel's clock ids for a thread's CPU time: user and system time as sampled at ticks, user
   time alone, and the exact CPU time. */
enum thread_clock {
	THREAD_CLOCK_TICKS = 4,
	THREAD_CLOCK_USER_TICKS = 5,
	THREAD_CLOCK_EXACT = 6,
};

static inline clockid_t hotpath__thread_clock(uint32_t tid, enum thread_clock which)
{
	return (clockid_t)(~tid << 3 | (uint32_t)which);
}

/* The offset from the thread pointer of the word in which the malloc probe notes that a thread is inside the
   allocator; 0 when there is no such probe. */
extern ptrdiff_t hotpath__inside_at;

/* The sampler that another thread made for this one; NULL when there is none, or the lock could not be had without
   waiting. */
struct sampler *hotpath__adopt_sampler(void);

/* Stop sampling this thread for good, and count that. The lock is held. */
void hotpath__leave_unsampled(struct sampler *sampler);

/* ---- signal_stack ---- */

/* Make sure that this thread has an alternate signal stack with room for a sample. The lock is held. False when
   that failed. */
bool hotpath__own_signal_stack(struct sampler *sampler);
/* This thread is not sampled any more: restore the program's alternate signal stack. The lock is held. */
void hotpath__return_signal_stack(struct sampler *sampler);
/* Give this thread a signal stack if another thread made its sampler: called in the signal handler, it changes the
   saved stack settings that the kernel restores when the handler returns. */
void hotpath__lend_signal_stack(struct sampler *sampler, stack_t *stack);
/* If this thread got its signal stack in the signal handler, let it have that afterwards, too: the same settings are changed. */
void hotpath__keep_signal_stack(stack_t *stack);

/* ---- look ---- */

void hotpath__look(int signal, siginfo_t *info, void *context);

/* ---- queueing ---- */

/* How long a thread has waited for a processor in its life; false when the kernel does not tell. */
bool hotpath__queued_so_far(uint32_t tid, uint64_t *queued_ns);
/* Begin the time account of a thread, whose CPU time so far is given. */
void hotpath__begin_account(struct sampler *sampler, uint64_t cpu_ns);
/* How long this thread has waited for a processor since the last look, in which time it has used so much CPU time. */
uint64_t hotpath__queued_since(struct sampler *mine, uint64_t computed_ns);

/* ---- walk ---- */

/* Walk the stack of the interrupted code into walker->walked, with the measured calls that are open: `innermost`,
   and those around it. */
void hotpath__walk(struct walker *walker, struct thread *me, const struct hp_registers *registers,
		   struct open_call innermost);
/* Walk the stack of the code that called a function of ours, which is to return to `from`. The stack begins with `tip`. */
void hotpath__walk_caller(struct walker *walker, struct thread *me, uintptr_t from, uint64_t tip);

/* The innermost call that is open at this stack pointer, without those that were left by longjmp. */
static inline struct open_call hotpath__open_at(struct thread *me, uintptr_t sp)
{
	struct open_call call = hotpath__innermost(me, sp);

	if (hotpath__own_stack(me, sp))
		while (call.frame > me->frames && call.frame->height < sp - me->stack_low)
			call.frame--;
	return call;
}

static inline bool hotpath__is_open(struct open_call call)
{
	return call.stray || call.frame;
}

/* The open call around another one; none after the first frame of the thread, and after a stray with none around. */
static inline struct open_call hotpath__outer(const struct thread *me, struct open_call call)
{
	if (call.stray)
		return (struct open_call){ load(&call.stray->around, RELAXED), NULL };
	return (struct open_call){ NULL, call.frame > me->frames ? call.frame - 1 : NULL };
}

/* The stat of an open call; NULL for the first frame of a thread. */
static inline struct hp_stat *hotpath__stat_of(struct open_call call)
{
	return load(call.stray ? &call.stray->branch : &call.frame->branch, RELAXED)->stat;
}

/* ---- code ---- */

/* Make a frame of a stack from an address; 0 when there is no code at the address. */
uint64_t hotpath__code_frame(struct walker *walker, enum hp_frame_kind kind, uintptr_t address);
/* Whether there is code at an address; and if so, whether it is that of a file. */
bool hotpath__is_code(struct walker *walker, uintptr_t address, bool *of_file);
/* Whether an address is in code that was met before. Looks nothing up. */
bool hotpath__is_known_code(struct walker *walker, uintptr_t address);
/* Whether there may be a rule for code at an address. `executed`: it is code for certain. */
bool hotpath__has_tables(struct walker *walker, uintptr_t address, bool executed);
/* Look the rule up for a return address, or for code that was interrupted; false when that is not possible at present.
   The lock is held. */
bool hotpath__read_rule(struct walker *walker, uintptr_t pc, bool returned, uint64_t *rule);
/* The frame of a return address; 0 when there is no code. The lock is held. */
uint64_t hotpath__return_frame(uintptr_t returns);
/* Whether an address is in a library of ours, or in the hot path, which may be linked statically. */
bool hotpath__is_own_code(struct walker *walker, uintptr_t address);
/* Whether the instruction before an address is a system call. */
bool hotpath__after_system_call(struct walker *walker, uintptr_t address);

/* ---- stacks ---- */

/* Count a stack of the CPU, or of a wait; false when there is no room. */
bool hotpath__count_stack(struct thread *me, const struct walked *walked, uint64_t samples);
bool hotpath__count_wait_stack(struct thread *me, const struct walked *walked, uint64_t samples);
/* Take room for the next stack of a wait; and whether there is some. */
void hotpath__ready_wait_stacks(struct thread *me);
bool hotpath__has_wait_room(const struct thread *me);

#pragma GCC visibility pop

#endif
