/* SPDX-License-Identifier: MIT */
/*
 * The probe for what a program waits for in the C library, with no change to the program.
 *
 *	mutex.c, c11.c, rwlock.c, spin.c   locks
 *	holds.c            what is recorded of them; lock_sites.c  their sites; lock_table.c  the table of locks, by address
 *	condition.c        a wait for a condition, and what it does to the mutex
 *	semaphore.c, barrier.c, join.c, sleep.c, poll.c, child.c, signals.c, futex.c   other waits
 *	blocking_call.c    what is recorded of these
 *	files.c, sockets.c, opening.c, transfer.c   input and output by descriptors; io_call.c  what is recorded of it
 *	stdio.c, formatted.c, stream_files.c   by streams; streams.c  how much a call has moved
 *	descriptors.c, targets.c   what descriptors are
 */
#include "probe.h"

#include "holds.h"
#include "io_call.h"
#include "libc.h"
#include "waits_mode.h"

#ifdef HOTPATH_WRAP
/* An ELF note, by which the tool sees that a statically linked program contains the probe; unlike symbols, it is not
   stripped. */
__attribute__((used, section(".note.hotpath"), aligned(4))) static const struct {
	uint32_t owner_size, text_size, type;
	char owner[8], text[8];
} note = { sizeof("hotpath"), sizeof("waits"), 3, "hotpath", "waits" };
#endif

ptrdiff_t holds_state_at;
bool holds_are_timed;

/* What the fast path does not test any more. */
static bool prepare(void)
{
	(void)NEXT(pthread_mutex_trylock);
	(void)NEXT(pthread_mutex_unlock);
	return load(&locks, ACQUIRE) || locks_reserve();
}

/* The first call asks; if several threads do, they get the same answer. The table is mapped now, because a seccomp filter of
   the program may forbid it later. */
bool holds_find_out(void)
{
	static bool is_known;

	if (!load(&is_known, RELAXED)) {
		unsigned parts = hotpath__waits_wanted();
		bool wanted = (parts & HP_WAITS_LOCKS) && prepare();
		store(&holds_are_timed, parts & HP_WAITS_HOLDS, RELAXED);
		/* Pairs with the ACQUIRE of holds_quick, which uses what was prepared. */
		store(&holds_state_at, wanted ? hotpath__probe_opens(sizeof(struct thread)) : 0,
		      RELEASE);
		store(&is_known, true, RELAXED);
	}
	return load(&holds_state_at, RELAXED) != 0;
}

/* Recording begins here in a program that is linked with the probe, since that may load a library, which is not
   possible when a lock is acquired. */
__attribute__((constructor(102))) static void program_begins(void)
{
	hotpath__when_labelled(holds_label);
	if (holds_on() || io_on())
		hotpath__probe_begins();
}
