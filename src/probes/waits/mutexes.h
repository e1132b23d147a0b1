/* SPDX-License-Identifier: MIT */
/* What is special about mutexes: they may be recursive, and check who releases them. */
#ifndef WAITS_MUTEXES_H
#define WAITS_MUTEXES_H

#include "holds.h"
#include "libc.h"

#include <errno.h>

/*
 * glibc has the kind of a mutex in its struct, and how often its owner has acquired it. Elsewhere each acquisition of a
 * recursive mutex counts as a hold of its own.
 */
#ifdef __GLIBC__
static inline bool mutex_is_nested(const pthread_mutex_t *mutex)
{
	return unlikely((mutex->__data.__kind & 3) == PTHREAD_MUTEX_RECURSIVE_NP) &&
	       mutex->__data.__count > 1;
}

/* Whether unlocking fails if another thread has locked it: not for normal and adaptive ones. The bits above are whether
   it is shared by processes, and elided. */
static inline bool mutex_checks(const pthread_mutex_t *mutex)
{
	int kind = mutex->__data.__kind & 127;

	return kind != PTHREAD_MUTEX_TIMED_NP && kind != PTHREAD_MUTEX_ADAPTIVE_NP;
}

static inline bool mutex_is_robust(const pthread_mutex_t *mutex)
{
	enum { ROBUST = 16 };

	return mutex->__data.__kind & ROBUST;
}

/* The thread that holds it, 0 if none does. The C library stores it after it has acquired the mutex. */
static inline uint32_t mutex_owner(const pthread_mutex_t *mutex)
{
	return (uint32_t)load(&mutex->__data.__owner, RELAXED);
}

/* Whether a thread has a robust mutex that has not died with it: its id is in the lock word, as the kernel needs it. */
static inline bool mutex_is_taken(const pthread_mutex_t *mutex)
{
	enum { TID = 0x3fffffff, DIED = 0x40000000 };
	int word = load(&mutex->__data.__lock, RELAXED);

	return (word & TID) && !(word & DIED);
}
#else
static inline bool mutex_is_nested(const pthread_mutex_t *mutex)
{
	(void)mutex;
	return false;
}

static inline bool mutex_checks(const pthread_mutex_t *mutex)
{
	(void)mutex;
	return true;
}

static inline bool mutex_is_robust(const pthread_mutex_t *mutex)
{
	(void)mutex;
	return false;
}

static inline uint32_t mutex_owner(const pthread_mutex_t *mutex)
{
	(void)mutex;
	return 0;
}

static inline bool mutex_is_taken(const pthread_mutex_t *mutex)
{
	(void)mutex;
	return false;
}
#endif

static inline void mutex_acquired(const pthread_mutex_t *mutex, uintptr_t from)
{
	if (mutex_is_nested(mutex))
		holds_again(mutex, &MUTEX, from);
	else
		holds_acquired(mutex, &MUTEX, from);
}

/** What a function of POSIX has returned. The owner of a robust mutex may have died with it. */
static inline enum outcome mutex_outcome(const pthread_mutex_t *mutex, int result)
{
	if (result == 0 || result == EOWNERDEAD)
		return mutex_is_nested(mutex) ? AGAIN : ACQUIRED;
	return result == ETIMEDOUT ? IN_VAIN : FAILED;
}

/** The mutex is about to be released, for good or while its thread waits for a condition. */
static inline struct ending mutex_end(const pthread_mutex_t *mutex)
{
	if (!holds_on() || mutex_is_nested(mutex))
		return (struct ending){ 0, 0, 0 };
	return holds_end(mutex, mutex_checks(mutex));
}

#endif
