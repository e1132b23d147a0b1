/* SPDX-License-Identifier: MIT */
/*
 * Threads: how they get a state, begin a session, and end; and tasks, which share the thread-local variables of a
 * thread.
 */
#ifndef HOTPATH_THREADS_H
#define HOTPATH_THREADS_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

struct recorder;
struct thread;

/* Give this thread a state and a lane. The lock is held. NULL when there is no room. */
struct thread *hotpath__attach(uintptr_t sp);
/* The thread of this state is gone, and its destructor did not run; the lock is held. */
void hotpath__thread_is_gone(struct thread *me);
/* Give a thread its second state, for signal handlers that interrupt the recorder; the lock is held. */
struct thread *hotpath__attach_interrupt(struct thread *me);
/* The state for allocations that threads make after their last destructor; the lock is held. */
struct thread *hotpath__attach_orphan(void);
/* Make the next call of every thread take the slow path, where it notices a new session or unloaded code. */
void hotpath__close_hot_paths(const struct recorder *recorder);
/* Calls of a thread count if they began at `start` or later. */
void hotpath__thread_session(struct thread *me, uint64_t start);
/* Set the figures of a thread's lane to zero, for a new session. */
void hotpath__thread_renew(struct thread *me, uint32_t session);
/* If code was unloaded since this thread last checked, forget the addresses that it knows. */
void hotpath__thread_unloads(struct thread *me);
/* Ask the kernel for the name of this thread, unless the program has given it one by hotpath_thread_name. */
void hotpath__refresh_name(struct thread *me);
/* The calling thread has a new name. */
void hotpath__thread_renamed(void);
void hotpath__thread_key_init(void);

/* ---- ended threads ---- */

/* In all but the last the lock is held. This thread ends; or another thread is gone whose destructor did not run. */
void hotpath__thread_retires(struct thread *me);
void hotpath__thread_vanished(struct thread *thread);
/* The process ends, or stops recording: store the CPU times and the present names of all threads. */
void hotpath__note_threads(void);
/* The process goes on after all: forget these times, which are of the past. */
void hotpath__forget_times(void);
/* A session begins: empty the table of ended threads. */
void hotpath__forget_ended(void);
/* Set to zero what a lane knows of ended threads, and what was freed in it. */
void hotpath__zero_ended(struct thread *me);

/* ---- tasks ---- */

/* A task is about to be created that shares the thread-local variables of this thread. */
void hotpath__share_state(void);
/* Add a task and its state to the group, or remove it. The lock is held. False when the group is full. */
bool hotpath__task_begins(struct thread *shared, struct thread *me);
void hotpath__task_ends(struct thread *me);
bool hotpath__task_is_gone(const struct thread *me);

#pragma GCC visibility pop

#endif
