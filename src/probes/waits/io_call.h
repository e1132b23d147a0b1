/* SPDX-License-Identifier: MIT */
/*
 * What the wrappers of input and output have in common.
 *
 *	io_begin   the target of the descriptor, the time, what the thread waits for
 *	           the program's own call
 *	io_end     the time, bytes and errors, to the edge of operation, function and target
 *
 * A descriptor's target is known from the call that opened it, or found out with the first call that uses it.
 */
#ifndef WAITS_IO_CALL_H
#define WAITS_IO_CALL_H

#include "libc.h"

#include "probe.h"
#include "segment.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/* ---- targets ---- */

/** A site and a medium, in one word: the site, and the medium less HP_REASON_DISK in the two highest bits. 0 when it is not
   known. */
typedef uint32_t io_target;

enum { TARGET_SITE_BITS = 30 };

static inline uint32_t target_site(io_target target)
{
	return target & ((UINT32_C(1) << TARGET_SITE_BITS) - 1);
}

static inline uint32_t target_medium(io_target target)
{
	return HP_REASON_DISK + (target >> TARGET_SITE_BITS);
}

/** What an open descriptor is, by what the kernel tells. The path is that by which it was opened, or NULL. */
io_target target_of_descriptor(int fd, const char *path);

/** A file by its name; and a peer by its address. */
io_target target_of_path(const char *path);
io_target target_of_peer(const struct sockaddr *address, socklen_t size);

/** What is no descriptor: "<memory>". */
io_target target_of_name(const char *name, enum hp_reason medium);

/* ---- descriptors ---- */

enum { DESCRIPTORS = 1 << 20 };

/* The targets of descriptors, by number; NULL until it is mapped. */
extern io_target *descriptors;

bool descriptors_reserve(void);

/** The target of a descriptor, found out if it is not known. */
io_target descriptors_learn(int fd);

static inline io_target descriptors_find(int fd)
{
	return (unsigned)fd < DESCRIPTORS ? load(&descriptors[fd], RELAXED) : 0;
}

/** A descriptor has a target; is about to be closed, or is of something new (0); is a copy of another one. Nothing is done in a
   child that uses the memory of its parent. */
void descriptors_set(int fd, io_target target);
void descriptors_forget(int fd);
void descriptors_forget_range(unsigned first, unsigned last);
void descriptors_copy(int from, int to);

/* ---- calls ---- */

/* Whether input and output is recorded: 0 when nobody has asked yet, 1 for no, 2 for yes. RELEASE. */
extern uint8_t io_state;
bool io_find_out(void);

static inline bool io_on(void)
{
	/* ACQUIRE pairs with the RELEASE of io_find_out: the table of descriptors is mapped. */
	uint8_t state = load(&io_state, ACQUIRE);

	return likely(state == 2) || (state == 0 && io_find_out());
}

/* The offset from the thread pointer to the thread-local pointer to the recorder's thread state; 0 if it is not known.
   Written before io_state. */
extern ptrdiff_t io_thread_at;

struct io {
	/* .since is 0 when the call is not recorded. */
	struct hotpath__blocking blocking;
	uint32_t operation;
	/* Of a call that takes the fast path: its edge; the thread, else NULL; and what it counts in. */
	uint32_t edge;
	struct thread *me;
	struct hp_stat *stat;
};

/** A call begins that uses a descriptor, or a target. Returns whether it is recorded; if not, io_end need not be called. */
bool io_begin(struct io *io, enum hp_operation operation, int fd, uintptr_t from);
bool io_begin_with(struct io *io, enum hp_operation operation, io_target target, uintptr_t from);

/** It has returned: so many bytes were moved of those asked for, or -1 with errno. */
void io_end(struct io *io, ssize_t result, size_t asked);

/** The same for operations that move no bytes: -1 with errno is an error. */
void io_ended(struct io *io, long result);

/** The same; the target has become known meanwhile, after the call returned, in ticks. */
void io_ended_at(struct io *io, uint64_t until, io_target target, long result);

/** The same for a call that moved so many bytes, of which the program may not know, and may have failed. */
void io_moved(struct io *io, uint64_t bytes, bool is_failed);

/** Forget it: nothing was read or written. */
void io_cancel(struct io *io);

/** The thread is cancelled in it: the call and its time count, as for other waits. */
void io_abandoned(struct io *io);

/** Count calls whose time is not known. */
void io_untimed(enum hp_operation operation, io_target target, uint32_t function, uint64_t bytes);

/** The scope of a call is left. If it has not ended, the thread is cancelled, and the unwinder ends it. */
static inline void io_leave(struct io *io)
{
	if (unlikely(io->blocking.since))
		io_abandoned(io);
}

/* A call, from io_begin to the end of its scope. */
#define CALL(name)                                                                                 \
	struct io name __attribute__((cleanup(io_leave)));                                         \
	(name).blocking.since = 0

/* A whole wrapper: the call of the next function, with the number of bytes it returns. */
#define TRANSFER(operation, fd, asked, call)                                                       \
	do {                                                                                       \
		CALL(io);                                                                          \
		if (!io_begin(&io, HP_OPERATION_##operation, fd, FROM))                            \
			return (call);                                                             \
		ssize_t result = (call);                                                           \
		io_end(&io, result, asked);                                                        \
		return result;                                                                     \
	} while (0)

#pragma GCC visibility pop

#endif
