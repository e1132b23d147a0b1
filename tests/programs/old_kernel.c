/* SPDX-License-Identifier: MIT */
/*
 * To be preloaded: a kernel that knows less, as of the version in OLD_KERNEL.
 *
 *	6.10	cannot be asked which mapping covers an address
 *	5.13	and cannot fill pages of a mapping on request
 *	4.13	and does not wipe memory in a forked child
 *	3.06	and has no registers and stack of the program in samples
 */
#include <dlfcn.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	WIPE_ON_FORK = 18,
	POPULATE_WRITE = 23,
};

static int is_older(double version)
{
	const char *chosen = getenv("OLD_KERNEL");

	return chosen && (chosen[0] - '0') + atof(chosen + 2) / 100 < version;
}

static int refuse(int error)
{
	errno = error;
	return -1;
}

/* Samples with what a kernel does not know. */
static int is_too_much(const struct perf_event_attr *attributes)
{
	return (attributes->sample_type & (PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER)) &&
	       is_older(3.07);
}

long syscall(long number, ...)
{
	long (*next)(long call, ...), words[6];
	void *found = dlsym(RTLD_NEXT, "syscall");
	va_list arguments;

	va_start(arguments, number);
	for (unsigned i = 0; i < 6; i++)
		words[i] = va_arg(arguments, long);
	va_end(arguments);
	if (number == SYS_perf_event_open && is_too_much((const void *)words[0]))
		return refuse(EINVAL);
	*(void **)&next = found;
	return next(number, words[0], words[1], words[2], words[3], words[4], words[5]);
}

int ioctl(int fd, unsigned long request, ...)
{
	va_list arguments;

	va_start(arguments, request);
	void *argument = va_arg(arguments, void *);
	va_end(arguments);
	/* PROCMAP_QUERY, whatever the size of its struct. */
	if ((request & 0xffff) == ('f' << 8 | 17) && is_older(6.11))
		return refuse(ENOTTY);
	return (int)syscall(SYS_ioctl, fd, request, argument);
}

int madvise(void *address, size_t length, int advice)
{
	if ((advice == POPULATE_WRITE && is_older(5.14)) ||
	    (advice == WIPE_ON_FORK && is_older(4.14)))
		return refuse(EINVAL);
	return (int)syscall(SYS_madvise, address, length, advice);
}
