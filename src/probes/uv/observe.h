/* SPDX-License-Identifier: MIT */
/*
 * How a callback is observed: libuv gets one of ours in its place, which tells the recorder, and calls it.
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

#define VISIBLE __attribute__((visibility("default")))

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
 *         What it is called in the report, with the callback.
 * @return
 *         NULL when the callback is not to be observed, since it is libuv's own, or ours already, or there is none,
 *         or nothing is recorded.
 */
struct flight *observe(const void *object, function_t callback, function_t ours, void *field,
		       const char *name);

/** The same for a function that has no callback but another one that tells it from its like. */
struct flight *observe_code(const void *object, function_t ours, void *field, const char *name,
			    uintptr_t code);

/** libuv has answered: it is in flight, unless that is an error. Returns the result. NULL does nothing. */
int observe_result(struct flight *flight, int result);

/** It is in flight: a future begins. */
void observe_launch(struct flight *flight);

/** An async is sent. What was sent before its callback is called is one with it. */
void observe_sent(const void *handle);

/**
 * The program is about to stop or close a handle: it has its own callback again. Without a step it is cancelled.
 *
 * @param ours
 *         Not if it is in flight with another callback of ours; NULL for any.
 */
void observe_stop(const void *handle, function_t ours);

/** One call of a callback. */
struct step {
	uintptr_t key;
	/* 0 when it is the last one. */
	uint64_t number;
	/* The program's callback; NULL when there is none. */
	function_t callback;
	struct hotpath_future future;
	struct hotpath_poll poll;
	uint64_t begun;
};

/** A step begins with which a request ends. */
void step_last(struct step *step, const void *object);

/** A step begins of a handle that goes on, if the program does not stop it meanwhile. */
void step_next(struct step *step, const void *handle);

/** It has run; a last one with this status, as libuv has it. */
void step_end(struct step *step, int64_t status);

/** The program's callback has run on this thread for so many ticks, for a future of this site. */
void loop_ran(uint64_t ticks, uint32_t site);

/** A site by the name that the program has given an object; 0 when it has none. Names are forgotten with the object. */
uint32_t label_site(uint32_t kind, const void *object);
void label_forget(const void *object);
/** Raised with each name. */
uint32_t label_count(void);

/** Begin with the first function of libuv that is called: false when nothing can be recorded. */
bool observe_begins(void);

#pragma GCC visibility pop

#endif
