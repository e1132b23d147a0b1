/* SPDX-License-Identifier: MIT */
/*
 * Main contexts that are run.
 *
 *	poll ─────────────► prepare · check · dispatch ─────────► poll
 *	  waits: idle         at work: a turn; callbacks are part of it
 *
 * A context is run by one thread at a time. Each thread keeps a list of the contexts that it runs, which may be nested.
 */
#ifndef GLIB_LOOPS_H
#define GLIB_LOOPS_H

#include "libglib.h"
#include "objects.h"

/** The loop of a context, where NULL is the default context. Returns NULL when there is no room. */
struct loop *loops_of(GMainContext *context);

/** The same for a context that is about to be run: gives it a site, if anything is recorded. */
struct loop *loops_prepare(GMainContext *context, uintptr_t from);

/** This thread begins to run a loop, inside those that it runs already; and stops running the innermost one. */
void loops_enter(struct loop *loop);
void loops_leave(void);

/** The innermost loop that this thread runs; NULL when there is none. */
struct loop *loops_current(void);

/** The same, if it may be about to wait: none of its callbacks is running, and it is not waiting already. */
struct loop *loops_about_to_wait(void);

/** The loop begins to wait, which ends a turn; and stops waiting. Neither changes errno. */
void loops_wait(struct loop *loop);
void loops_wake(struct loop *loop);

/** Count a callback of so many ticks; `kind` is the kind of its source, `code` its address. */
void loops_count(struct loop *loop, uint64_t ticks, const char *kind, uintptr_t code);

/** The program has named an object. Does nothing when it is not a GMainLoop or GMainContext that we know. */
void loops_label(const void *address, const char *label);

/** From now on, observe the callbacks of all kinds of sources that GLib defines itself. */
void dispatch_begins(void);

#endif
