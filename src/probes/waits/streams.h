/* SPDX-License-Identifier: MIT */
/*
 * Streams of stdio. The C library reads and writes for them by functions of its own, which cannot be wrapped. So the functions
 * of stdio are, and the pointers into the buffer of a stream tell how many bytes a call has moved:
 *
 *	written   what was in the buffer before + what the call put into it - what is in it now
 *	read      what the call took out of it + what is in it now - what was in it before
 *
 * A call that moves none is not recorded, and if that is known in advance, it is not timed either. The stream is locked
 * meanwhile, unless there is one thread only. Streams of wide characters, and those without a descriptor, are let alone.
 */
#ifndef WAITS_STREAMS_H
#define WAITS_STREAMS_H

#include "io_call.h"

#include <pthread.h>

#pragma GCC visibility push(hidden)

/** A call of stdio. */
struct call {
	struct io io;
	FILE *stream;
	/* Bytes in the buffer before. */
	size_t before;
	/* The pointers for reading, before. */
	const char *read_at;
	const char *read_end;
	/* The stream's flags for its end and for errors, before. */
	int flags;
	/* It is recorded; the stream is locked for it. */
	bool is_on;
	bool is_locked;
};

enum locking { UNLOCKED, LOCKED };

/**
 * A call begins that puts so many bytes into a stream, SIZE_MAX if that is not known; or takes them out of it; or takes a line
 * of at most so many bytes; or writes what is in the buffer. Returns whether it may read or write, so that it is timed.
 */
bool stream_puts(struct call *call, FILE *stream, enum locking locking, size_t size,
		 uintptr_t from);
bool stream_takes(struct call *call, FILE *stream, enum locking locking, size_t size,
		  uintptr_t from);
bool stream_takes_line(struct call *call, FILE *stream, enum locking locking, int delimiter,
		       size_t size, uintptr_t from);
bool stream_flushes(struct call *call, FILE *stream, enum locking locking,
		    enum hp_operation operation, uintptr_t from);

/** It has returned: so many bytes were put, or it has failed; so many were taken; an unknown number was taken; or nothing but the
   buffer was written. In any case, the stream is unlocked. */
void stream_put(struct call *call, size_t size, bool is_failed);
void stream_took(struct call *call, size_t size);
void stream_took_some(struct call *call);
void stream_flushed(struct call *call, bool is_failed);

/** The thread is cancelled meanwhile. */
void stream_abandon(void *call);

/** Count what the buffers of all streams have, which the C library will write. Returns how many bytes that is. */
uint64_t streams_count_all(uint32_t function);

/* Make a call, which may be cancelled if it reads or writes: then the stream is unlocked. */
#define STREAM_CALL(call, begins, next)                                                            \
	do {                                                                                       \
		if (begins) {                                                                      \
			pthread_cleanup_push(stream_abandon, call);                                \
			next;                                                                      \
			pthread_cleanup_pop(0);                                                    \
		} else {                                                                           \
			next;                                                                      \
		}                                                                                  \
	} while (0)

#pragma GCC visibility pop

#endif
