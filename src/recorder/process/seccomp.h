/* SPDX-License-Identifier: MIT */
/*
 * System calls under a seccomp filter, which may end the program for a call that the program itself would never make.
 *
 * libhotpath.so wraps the functions that set a filter, and keeps a copy of it. Before each system call of its own, the
 * recorder runs that copy, as the kernel will run the filter. A call that the filter does not allow is not made, and
 * fails with EPERM: the recorder can handle a failure of any system call, and goes on as well as it can.
 *
 * The macros at the end replace the functions of the same name. So each file of the recorder that calls one of them
 * includes this header; the test of the layers checks it.
 */
#ifndef HOTPATH_SECCOMP_H
#define HOTPATH_SECCOMP_H

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#pragma GCC visibility push(hidden)

struct sock_fprog;
struct hotpath__filter;

/* The list of all filters that the program has set, on any thread; NULL for none. A forked child inherits it. */
extern const struct hotpath__filter *hotpath__filters;

/* Whether all filters allow a system call: with these first arguments, or whatever its arguments are. If not,
   errno is EPERM, and it is counted. */
bool hotpath__may_with(long number, unsigned long a, unsigned long b, unsigned long c,
		       unsigned long d);
bool hotpath__may(long number);

/* Whether the filters allow all system calls that are needed to begin a recording and to print a report. */
bool hotpath__may_all(void);

/*
 * A filter is about to be set; NULL stands for strict mode. The recorder prepares for it, and obeys it from now on.
 * If the kernel then refuses the filter, pass the result to hotpath__filter_refused.
 */
const struct hotpath__filter *hotpath__filter_comes(const struct sock_fprog *program);
void hotpath__filter_refused(const struct hotpath__filter *filter);

#pragma GCC visibility pop

/* Files. */
#define open(...) (hotpath__may(SYS_openat) ? open(__VA_ARGS__) : -1)
#define close(fd) (hotpath__may(SYS_close) ? close(fd) : -1)
#define read(...) (hotpath__may(SYS_read) ? read(__VA_ARGS__) : -1)
#define pread(...) (hotpath__may(SYS_pread64) ? pread(__VA_ARGS__) : -1)
#define stat(...) (hotpath__may(SYS_newfstatat) ? stat(__VA_ARGS__) : -1)
#define fstat(...)                                                                                 \
	(hotpath__may(SYS_newfstatat) && hotpath__may(SYS_fstat) ? fstat(__VA_ARGS__) : -1)
#define truncate(...) (hotpath__may(SYS_truncate) ? truncate(__VA_ARGS__) : -1)
#define fcntl(fd, command, ...)                                                                    \
	(hotpath__may_with(SYS_fcntl, (unsigned)(fd), command, 0, 0)                               \
		 ? fcntl(fd, command, ##__VA_ARGS__)                                               \
		 : -1)
#define ioctl(fd, request, ...)                                                                    \
	(hotpath__may_with(SYS_ioctl, (unsigned)(fd), request, 0, 0)                               \
		 ? ioctl(fd, request, ##__VA_ARGS__)                                               \
		 : -1)
#define writev(...) (hotpath__may(SYS_writev) ? writev(__VA_ARGS__) : -1)
#ifdef SYS_poll
#define poll(...) (hotpath__may(SYS_poll) ? poll(__VA_ARGS__) : -1)
#else
#define poll(...) (hotpath__may(SYS_ppoll) ? poll(__VA_ARGS__) : -1)
#endif

/* Memory. */
#define mmap(at, size, protection, flags, fd, offset)                                              \
	(hotpath__may_with(SYS_mmap, 0, size, (unsigned)(protection), (unsigned)(flags))           \
		 ? mmap(at, size, protection, flags, fd, offset)                                   \
		 : MAP_FAILED)
#define munmap(...) (hotpath__may(SYS_munmap) ? munmap(__VA_ARGS__) : -1)
#define munlock(...) (hotpath__may(SYS_munlock) ? munlock(__VA_ARGS__) : -1)
#define mremap(...) (hotpath__may(SYS_mremap) ? mremap(__VA_ARGS__) : MAP_FAILED)
#define mprotect(at, size, protection)                                                             \
	(hotpath__may_with(SYS_mprotect, 0, size, protection, 0) ? mprotect(at, size, protection)  \
								 : -1)
#define madvise(at, size, advice)                                                                  \
	(hotpath__may_with(SYS_madvise, 0, size, advice, 0) ? madvise(at, size, advice) : -1)
#define process_vm_readv(...)                                                                      \
	(hotpath__may(SYS_process_vm_readv) ? process_vm_readv(__VA_ARGS__) : -1)

/* Processes and signals. prctl is a system call here, because our library wraps that of the C library. */
#define getpid() (hotpath__may(SYS_getpid) ? getpid() : -1)
#define getrlimit(...) (hotpath__may(SYS_prlimit64) ? getrlimit(__VA_ARGS__) : -1)
#define getrusage(who, usage)                                                                      \
	(hotpath__may_with(SYS_getrusage, (unsigned)(who), 0, 0, 0) ? getrusage(who, usage) : -1)
#define prctl(option, argument)                                                                    \
	(hotpath__may_with(SYS_prctl, option, 0, 0, 0)                                             \
		 ? (syscall)(SYS_prctl, option, argument, 0, 0, 0)                                 \
		 : -1)
#define sched_yield() (hotpath__may(SYS_sched_yield) ? sched_yield() : -1)
#define sigaction(...) (hotpath__may(SYS_rt_sigaction) ? sigaction(__VA_ARGS__) : -1)
#define sigaltstack(...) (hotpath__may(SYS_sigaltstack) ? sigaltstack(__VA_ARGS__) : -1)
#define sigpending(...) (hotpath__may(SYS_rt_sigpending) ? sigpending(__VA_ARGS__) : -1)
#define sigtimedwait(...) (hotpath__may(SYS_rt_sigtimedwait) ? sigtimedwait(__VA_ARGS__) : -1)
#define syscall(number, ...) (hotpath__may(number) ? syscall(number, ##__VA_ARGS__) : -1)

#endif
