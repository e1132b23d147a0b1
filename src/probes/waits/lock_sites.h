/* SPDX-License-Identifier: MIT */
/* The sites of locks, and the mark that this thread runs code of the probe. Internal to the code behind holds.h. */
#ifndef WAITS_LOCK_SITES_H
#define WAITS_LOCK_SITES_H

#include "holds.h"

#pragma GCC visibility push(hidden)

/* The stack pointer of code of the probe that runs on this thread; 0 for none. Functions that this code calls, and signal
   handlers that interrupt it, have a lower one. If the program left it by longjmp, the next call has a higher one. */
extern __thread uintptr_t holds_inside __attribute__((tls_model("initial-exec")));

__attribute__((always_inline)) static inline void holds_enter(void)
{
	holds_inside = hotpath__stack_pointer();
	signal_fence();
}

static inline void holds_leave(void)
{
	signal_fence();
	holds_inside = 0;
}

/** Register the site of a lock that has none for this kind; 0 when there is no room. */
SELDOM uint32_t holds_new_site(struct lock *lock, const struct lock_kind *kind, uintptr_t from);

/** The site of a lock, registered when it is new; 0 when there is no room. */
static inline uint32_t holds_site_of(struct lock *lock, const struct lock_kind *kind,
				     uintptr_t from)
{
	uint32_t site = load(&lock->sites[kind->mode], RELAXED);

	return likely(site) ? site : holds_new_site(lock, kind, from);
}

/** The lock at an address, added to the table when it is new; NULL when there is no room. */
static inline struct lock *holds_lock_at(const volatile void *address)
{
	struct lock *lock = locks_find(address);

	return likely(lock != NULL) ? lock : locks_add(address);
}

#pragma GCC visibility pop

#endif
