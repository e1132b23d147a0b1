/* SPDX-License-Identifier: MIT */
/* The functions of the C library that the probe stands before. */
#ifndef WAITS_LIBC_H
#define WAITS_LIBC_H

#include "io_names.h"

#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

/* Functions that only newer headers declare, or none. */
int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock, const struct timespec *until);
int pthread_rwlock_clockrdlock(pthread_rwlock_t *lock, clockid_t clock,
			       const struct timespec *until);
int pthread_rwlock_clockwrlock(pthread_rwlock_t *lock, clockid_t clock,
			       const struct timespec *until);
int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock,
			   const struct timespec *until);
int sem_clockwait(sem_t *semaphore, clockid_t clock, const struct timespec *until);
int pthread_clockjoin_np(pthread_t thread, void **result, clockid_t clock,
			 const struct timespec *until);
int epoll_pwait2(int epoll, struct epoll_event *events, int count, const struct timespec *timeout,
		 const sigset_t *signals);
int __poll(struct pollfd *descriptors, nfds_t count, int timeout);
int __poll_chk(struct pollfd *descriptors, nfds_t count, int timeout, size_t size);
int __ppoll_chk(struct pollfd *descriptors, nfds_t count, const struct timespec *timeout,
		const sigset_t *signals, size_t size);
int __select(int count, fd_set *reads, fd_set *writes, fd_set *errors, struct timeval *timeout);

/* A static C library must have what is wrapped. */
#ifndef HOTPATH_WRAP
#define WAITS_EPOLL_PWAIT2 1
#elif __GLIBC_PREREQ(2, 35)
#define WAITS_EPOLL_PWAIT2 1
#endif

#define NEXT_TABLE "waits.def"
#include "next.h"

/* The return address of the call. */
#define FROM ((uintptr_t)__builtin_return_address(0))

#endif
