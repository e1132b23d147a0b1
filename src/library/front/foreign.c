/* SPDX-License-Identifier: MIT */
/*
 * In a program of another C library, musl for instance, that somebody started with our LD_PRELOAD who makes system calls of
 * his own: a static program, or one in Go. There our libraries do nothing, but they must let the program start. So they need
 * none of the symbols that only glibc has, or can do without them.
 *
 * Each of our libraries has a copy of what is here.
 */
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef __GLIBC__

extern int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void),
			     void *object) __attribute__((weak));
extern int __cxa_at_quick_exit(void (*function)(void *), void *object) __attribute__((weak));
extern int fcntl64(int fd, int command, ...);
extern void *__dso_handle __attribute__((visibility("hidden")));

/* glibc puts both into every library that calls them, with a strong need of what they call. */
int pthread_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void))
{
	return __register_atfork ? __register_atfork(prepare, parent, child, &__dso_handle)
				 : ENOSYS;
}

/* By another name in other libraries. */
int fcntl64(int fd, int command, ...)
{
	va_list rest;

	va_start(rest, command);
	void *argument = va_arg(rest, void *);
	va_end(rest);
	return (int)syscall(SYS_fcntl, fd, command, argument);
}

int at_quick_exit(void (*function)(void))
{
	return __cxa_at_quick_exit ? __cxa_at_quick_exit((void (*)(void *))function, &__dso_handle)
				   : -1;
}

#endif
