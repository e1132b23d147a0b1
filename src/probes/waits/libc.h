/* SPDX-License-Identifier: MIT */
/* The functions of the C library that the probe stands before. */
#ifndef WAITS_LIBC_H
#define WAITS_LIBC_H

#include <pthread.h>
#include <threads.h>
#include <time.h>

/* Functions that only newer headers declare. */
int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock, const struct timespec *until);
int pthread_rwlock_clockrdlock(pthread_rwlock_t *lock, clockid_t clock,
			       const struct timespec *until);
int pthread_rwlock_clockwrlock(pthread_rwlock_t *lock, clockid_t clock,
			       const struct timespec *until);
int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock,
			   const struct timespec *until);

#define NEXT_TABLE "waits.def"
#include "next.h"

/* The return address of the call. */
#define FROM ((uintptr_t)__builtin_return_address(0))

#endif
