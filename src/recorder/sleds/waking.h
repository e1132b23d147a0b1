/* SPDX-License-Identifier: MIT */
/*
 * Threads look at what measuring costs when they flush or count calls, and with samples. If the CPU is not sampled, and what a
 * thread does is not measured, since all of it is restrained, nobody would ever see that a function takes longer now. So as long as a
 * function waits to be timed again, each thread has a timer of its own CPU time, whose signal makes it look once. It is the signal
 * of sampling and requests. While a thread sleeps, it does not come, and so interrupts no system call that waits.
 */
#ifndef HOTPATH_WAKING_H
#define HOTPATH_WAKING_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

struct thread;

#pragma GCC visibility push(hidden)

/* Whether threads are to be woken, since a function waits, and there are no samples. */
bool hotpath__is_waking(void);
/* Let this thread look again at that time, in ticks, or when it has computed for half as long as until then. */
void hotpath__wake_at(struct thread *me, uint64_t time);
/* A thread begins that may call nothing but functions that are restrained. */
void hotpath__wake_new_thread(void);
/* The handler of the signal: whether it is that of the timer, and then the thread has looked. */
bool hotpath__is_woken(const siginfo_t *info, uintptr_t sp);
/* A thread ends; or the signal is given up, for all threads. The lock is held. */
void hotpath__wake_no_more(struct thread *thread);
void hotpath__wake_nobody(void);

#pragma GCC visibility pop

#endif
