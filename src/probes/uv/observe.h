/* SPDX-License-Identifier: MIT */
/*
 * How a callback is observed: libuv gets a callback of ours instead, which tells the recorder and calls the program's.
 *
 *	uv_write ──► observe ──► libuv has our callback ──► observe_launch: a future begins
 *	                              │
 *	         ours is called ◄─────┘   step_last, or step_next of what is called again and again:
 *	              │                   the program's callback is back in its field, a poll begins
 *	              ▼
 *	         the program's            step_end: the poll ends; so does the future, or it goes on
 */
#ifndef OBSERVE_H
#define OBSERVE_H

#include "flight.h"

#pragma GCC visibility push(hidden)

/**
 * Prepare to have a callback observed.
 *
 * @param object
 *         The request or handle; of work for the thread pool, the struct uv__work in it.
 * @param callback
 *         The program's.
 * @param ours
 *         To be called instead.
 * @param field
 *         Where libuv keeps it.
 * @param name
 *         The name of the site in the report, together with the callback.
 * @return
 *         NULL when the callback is not observed, because it is NULL, libuv's own or ours already, or because nothing
 *         is recorded.
 */
struct flight *observe(const void *object, function_t callback, function_t ours, void *field,
		       const char *name);

/** The same for a request that is identified by another function than its callback, whose address is `code`. */
struct flight *observe_code(const void *object, function_t ours, void *field, const char *name,
			    uintptr_t code);

/** libuv has returned: the flight begins, or is freed if that was an error. Returns the result. NULL does nothing. */
int observe_result(struct flight *flight, int result);

/** The request or handle is in flight: begin its future, and put it into the table. */
void observe_launch(struct flight *flight);

/** An async is sent. Several sends before its callback runs are one future. */
void observe_sent(const void *handle);

/**
 * The program is about to stop or close a handle: put its own callback back, and end the future. If no step has run,
 * the future is cancelled.
 *
 * @param ours
 *         Do this only if the handle is in flight with this callback of ours; NULL for any.
 */
void observe_stop(const void *handle, function_t ours);

/** One call of a callback. */
struct step {
	uintptr_t key;
	/* The number of the flight; 0 when this is the last step. */
	uint64_t number;
	/* The program's callback; NULL when there is none. */
	function_t callback;
	struct hotpath_future future;
	struct hotpath_poll poll;
	uint64_t begun;
};

/** Begin the step that ends a request. */
void step_last(struct step *step, const void *object);

/** Begin a step of a handle, which goes on after it unless the program stops it in the callback. */
void step_next(struct step *step, const void *handle);

/** End a step; of a last one, with libuv's status. */
void step_end(struct step *step, int64_t status);

/** Count a callback of the loop on this thread: its ticks, and the site of its future. */
void loop_ran(uint64_t ticks, uint32_t site);

/** The site for an object that the program has named; 0 when it has no name. And forget the name of an object that
   is gone. */
uint32_t label_site(uint32_t kind, const void *object);
void label_forget(const void *object);
/** How many names were given so far. */
uint32_t label_count(void);

/** Begin to record with the first call of a libuv function; false when recording is not possible. */
bool observe_begins(void);

#pragma GCC visibility pop

#endif
