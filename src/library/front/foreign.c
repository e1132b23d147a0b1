/* SPDX-License-Identifier: MIT */
/*
 * For programs with a different C library, such as musl, that a static program or one in Go started with our
 * LD_PRELOAD by direct system calls. There our libraries do nothing, but must not keep the program from starting. So
 * they must not require symbols that only glibc has.
 *
 * Each of our libraries has a copy of this file.
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

/* glibc links both statically into every library that calls them, with a strong reference to glibc symbols. */
int pthread_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void))
{
	return __register_atfork ? __register_atfork(prepare, parent, child, &__dso_handle)
				 : ENOSYS;
}

/* Other C libraries have it under another name. */
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
