/* SPDX-License-Identifier: MIT */
/*
 * What the files of CPU sampling know of each other.
 *
 *	sampling.c  when it begins and ends, and by which signal
 *	sampler.c   makes the signal come to a thread, each time it has computed for a period
 *	signal_stack.c  the stack on which that comes
 *	look.c      the signal handler: whose time it was
 *	queueing.c  how long a thread was ready and had no processor
 *	walk.c      the stack of what was interrupted
 *	code.c      from an address to the module it is in
 *	stacks.c    counts each different stack once
 *
 * In the handler nothing allocates, waits or locks, but for the first look at a thread, which may have to
 * make its state: whoever holds the recorder's lock has no signal come between. What has no room is counted.
 */
#ifndef HOTPATH_SAMPLER_H
#define HOTPATH_SAMPLER_H

#include "recorder.h"

#include <time.h>

#pragma GCC visibility push(hidden)

enum {
	/* Of a stack that is not the thread's own, so much is read at once. */
	WINDOW = 128,
};

/* A stack, as in the segment. */
struct walked {
	unsigned depth;
	/* An enum hp_stack_end. */
	uint32_t end;
	uint64_t frames[HP_STACK_DEPTH_MAX];
};

/* What is known of the time of a thread: up to which moment, and by then its CPU time, how often it had waited, and how
   long it had queued for a processor. */
struct account {
	uint64_t wall_ns;
	uint64_t cpu_ns;
	uint64_t waits;
	uint64_t queued_ns;
};

/* How a thread is sampled. */
struct sampler {
	/* In use, or to be used again. */
	struct sampler *next;
	/* 0 when it is not in use; and in a forked child, where it was the parent's. */
	uint32_t tid;
	/* The kernel's event, which lives as long as this mapping; NULL when there is only the timer. */
	void *event;
	int timer;
	bool has_timer;
	/* CPU time of the thread that there were samples for. */
	uint64_t counted_ns;
	/* When it was last looked at; and its account, which may be older. */
	uint64_t looked_ns;
	struct account account;
	/* System time at the last look, where only a timer tells that there is one. */
	uint64_t system_ns;
	/* The stack for signals that its thread has of us, or the next one may have; NULL when none was needed yet. */
	char *signal_stack;
	/* Which code was found last. */
	unsigned hint;
	/* While it is being looked at: the stack, and a piece of foreign stack, by its lowest address. */
	struct walked walked;
	uintptr_t window_at;
	size_t window_size;
	uintptr_t window[WINDOW];
};

/* The processor's registers when it was interrupted. */
struct registers {
	uintptr_t pc;
	uintptr_t sp;
	uintptr_t fp;
	/* Where the function returns to, if it has called none; 0 where processors have no such register, and the top of
	   the stack is looked at instead. */
	uintptr_t link;
};

/* ---- sampler ---- */

/* This thread's; NULL when it is not sampled. */
extern __thread struct sampler *hotpath__sampler __attribute__((tls_model("initial-exec")));

/* The lock is held in the next four. Whether the kernel has events for us. */
bool hotpath__has_events(void);
/* Make signals come to all threads, false if not even to this one; or to none. */
bool hotpath__sample_all(void);
void hotpath__disarm_all(void);
void hotpath__samplers_init(void);
/* CPU time by a clock of the process, or of a thread; 0 when there is no such thread. */
uint64_t hotpath__cpu_ns(clockid_t clock);

/* As the kernel numbers the CPU clocks of threads: user and system time as seen at each tick, the first alone, and
   exactly how long it computed. */
enum thread_clock {
	THREAD_CLOCK_TICKS = 4,
	THREAD_CLOCK_USER_TICKS = 5,
	THREAD_CLOCK_EXACT = 6,
};

static inline clockid_t hotpath__thread_clock(uint32_t tid, enum thread_clock which)
{
	return (clockid_t)(~tid << 3 | (uint32_t)which);
}

/* Where, from the thread pointer, the probe of malloc keeps whether a thread is inside the allocator; 0 when there is no
   such probe. */
extern ptrdiff_t hotpath__inside_at;

/* The sampler that somebody else made for this thread; NULL when there is none, or not at once. */
struct sampler *hotpath__adopt_sampler(void);

/* The thread cannot be sampled any more, which is counted. The lock is held. */
void hotpath__leave_unsampled(struct sampler *sampler);

/* ---- signal_stack ---- */

/* See to it that signals of ours fit, whatever stack this thread executes. The lock is held. False when that is not
   possible. */
bool hotpath__own_signal_stack(struct sampler *sampler);
/* This thread is not sampled any more: the program's is put back. The lock is held. */
void hotpath__return_signal_stack(struct sampler *sampler);
/* The same as the first, in a look at a thread that somebody else made a sampler for: by the stack that the handler
   gives back when it returns. */
void hotpath__lend_signal_stack(struct sampler *sampler, stack_t *stack);

/* ---- look ---- */

void hotpath__look(int signal, siginfo_t *info, void *context);

/* ---- queueing ---- */

/* How long a thread has queued for a processor in its life; false when the kernel does not tell. */
bool hotpath__queued_so_far(uint32_t tid, uint64_t *queued_ns);
/* A thread is sampled from now on, with so much CPU time behind it. */
void hotpath__begin_account(struct sampler *sampler, uint64_t cpu_ns);
/* How long this thread has queued that has computed for so long since the last look. */
uint64_t hotpath__queued_since(struct sampler *mine, uint64_t computed_ns);

/* ---- walk ---- */

/* Fill in the stack of what was interrupted, and the measured calls that are open from this one on outwards. */
void hotpath__walk(struct sampler *mine, struct thread *me, const struct registers *registers,
		   const struct frame *innermost);

/* The next open call outwards; NULL behind the first frame of the thread. */
static inline const struct frame *hotpath__outer(const struct thread *me, const struct frame *frame)
{
	if (frame >= me->strays && frame < me->strays + STRAYS)
		return load(&frame->around, RELAXED);
	return frame > me->frames ? frame - 1 : NULL;
}

/* ---- code ---- */

/* An address as a frame of a stack; 0 when there is no code. */
uint64_t hotpath__code_frame(struct sampler *mine, enum hp_frame_kind kind, uintptr_t address);
/* Whether an address is in a library of ours, or the hot path. */
bool hotpath__is_own_code(struct sampler *mine, uintptr_t address);
/* Whether a system call returns to an address. */
bool hotpath__after_system_call(struct sampler *mine, uintptr_t address);

/* ---- stacks ---- */

/* Count a stack; false when there is no room. */
bool hotpath__count_stack(struct thread *me, const struct walked *walked, uint64_t samples);

#pragma GCC visibility pop

#endif
