/* SPDX-License-Identifier: MIT */
/*
 * Main contexts that are run.
 *
 *	poll ─────────────► prepare · check · dispatch ─────────► poll
 *	  waits: idle         at work: a turn; callbacks are part of it
 *
 * A context is run by one thread at a time; which ones a thread runs, one inside the other, it knows itself.
 */
#ifndef GLIB_LOOPS_H
#define GLIB_LOOPS_H

#include "next.h"
#include "objects.h"

/** What is known of a context; NULL is the default one. Returns NULL when there is no room. */
struct loop *loops_of(GMainContext *context);

/** The same for one that is to be run. It has no site when nothing is recorded. */
struct loop *loops_prepare(GMainContext *context, uintptr_t from);

/** This thread runs it, inside those that it runs already; and does not run it any more. */
void loops_enter(struct loop *loop);
void loops_leave(void);

/** The innermost context that this thread runs; NULL when there is none. */
struct loop *loops_current(void);

/** The same if it may begin to wait: no callback is running, and it does not wait already. */
struct loop *loops_about_to_wait(void);

/** It begins to wait, which ends a turn; it does not wait any more. Neither changes errno. */
void loops_wait(struct loop *loop);
void loops_wake(struct loop *loop);

/** A callback of such a kind of source has run for so many ticks. */
void loops_count(struct loop *loop, uint64_t ticks, const char *kind, uintptr_t code);

/** The program calls it so. Does nothing when it is neither a GMainLoop nor a GMainContext that we know. */
void loops_label(const void *address, const char *label);

/** See the callbacks of all sources that GLib has itself, from now on. */
void dispatch_begins(void);

#endif
