/* SPDX-License-Identifier: MIT */
/*
 * Flights: what the probe knows of requests that libuv works on and of active handles, found by their address.
 *
 * Requests and handles have no room for data of ours, and the program may read all of their fields; so this is a
 * table of our own. All threads share it: each loop has a thread, and requests are served on threads of the pool. The
 * memory is not allocated by malloc. What does not fit is not observed.
 */
#ifndef FLIGHT_H
#define FLIGHT_H

#include "libuv.h"
#include "probe.h"

#pragma GCC visibility push(hidden)

struct flight {
	/* The next one in the same bucket, or in the list of spare ones. */
	struct flight *next;
	uintptr_t key;
	/* A number that no other flight has; tells this one from a later one at the same address. */
	uint64_t number;
	/* The program's callback; ours; and the field of the request or handle that holds the callback. */
	function_t callback;
	function_t ours;
	function_t *field;
	uint32_t site;
	/* For an async: each send begins a future of its own. */
	bool is_sent_for;
	/* `future` is in use. It is not while a step of a handle runs, and for an async until that is sent. */
	bool has_future;
	/* A step of it has run. */
	bool has_run;
	union {
		struct hotpath_future future;
		/* For entries that are no flights: the name of an object; or for a loop, the return address of its
		   first uv_run. */
		char label[sizeof(struct hotpath_future)];
		uintptr_t caller;
	};
	/* When it began. For work of the thread pool: libuv's function; and below how long the work waited and
	   ran, in ticks. */
	uint64_t begun;
	void (*work)(struct uv__work *work);
	/* `work` calls a function of the program. */
	bool runs_program;
	bool was_served;
	uint64_t queued;
	uint64_t served;
};

/** A new flight, not in the table yet; NULL when there is no memory, which is counted. */
struct flight *flight_new(uintptr_t key);

/** Free a flight that is not in the table. */
void flight_free(struct flight *flight);

/** Put a flight into the table. Returns the one that it replaces, which had the same address; NULL when there was
   none. */
struct flight *flight_put(struct flight *flight);

/** Take a flight out of the table; NULL when there is none. */
struct flight *flight_take(uintptr_t key);

/** Find a flight that no other thread can take out at this time: for a loop its handles, for a pool thread its work
   until that is done. */
struct flight *flight_find(uintptr_t key);

/**
 * Find a flight that several threads may use, and lock it; NULL when there is none. The lock is held in any case,
 * also when NULL is returned; except in a signal handler that interrupted a thread with a lock, where is_held is
 * false.
 */
struct flight *flight_hold(uintptr_t key, bool *is_held);
void flight_release(uintptr_t key, bool is_held);

#pragma GCC visibility pop

#endif
