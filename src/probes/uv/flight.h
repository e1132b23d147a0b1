/* SPDX-License-Identifier: MIT */
/*
 * What is in flight: requests that libuv has and handles that are active, found by their address.
 *
 * Neither has room for us, and the program may look into both, so what we know of them is in a table of our own. It
 * is a table for all threads: each loop has its own, and a request is served by another one still. The memory is
 * not the program's malloc, and what does not fit is not observed.
 */
#ifndef FLIGHT_H
#define FLIGHT_H

#include "libuv.h"
#include "probe.h"

#include <uv.h>

#pragma GCC visibility push(hidden)

struct flight {
	/* In its list: of those with a like address, or of spare ones. */
	struct flight *next;
	uintptr_t key;
	/* Which it is of all; tells it from the next one at this address. */
	uint64_t number;
	/* The program's callback, ours, and where in the request or handle it is. */
	function_t callback;
	function_t ours;
	function_t *field;
	uint32_t site;
	/* Each step is a future of its own. */
	bool is_sent_for;
	/* It is in there: a handle has none while a step of it runs, and an async until it is sent. */
	bool has_future;
	/* There was a step of it. */
	bool has_run;
	union {
		struct hotpath_future future;
		/* Of what is no flight but the name of an object; or a loop, and where it was first run. */
		char label[sizeof(struct hotpath_future)];
		uintptr_t caller;
	};
	/* When it was begun. Of work for the thread pool: libuv's function, and how long it waited and took. */
	uint64_t begun;
	void (*work)(struct uv__work *work);
	/* That is a function of the program. */
	bool runs_program;
	bool was_served;
	uint64_t queued;
	uint64_t served;
};

/** A new one, in no list; NULL when there is no memory, which is counted. */
struct flight *flight_new(uintptr_t key);

/** Give back one that is in no list. */
void flight_free(struct flight *flight);

/** Let it be found. Returns the one that was at its address, which is in no list any more; NULL when there was none. */
struct flight *flight_put(struct flight *flight);

/** Take it out of its list; NULL when there is none. */
struct flight *flight_take(uintptr_t key);

/** Find one that nobody else takes: threads of a pool have until they are ready, a loop its handles. */
struct flight *flight_find(uintptr_t key);

/**
 * Find one of which several threads know, and keep others from it; NULL when there is none. In any case the lock is
 * held, unless a signal handler has interrupted who holds one: then nothing is, and it is NULL.
 */
struct flight *flight_hold(uintptr_t key, bool *is_held);
void flight_release(uintptr_t key, bool is_held);

#pragma GCC visibility pop

#endif
