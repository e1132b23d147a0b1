/* SPDX-License-Identifier: MIT */
/*
 * System calls without the C library's functions for them.
 *
 * The dynamic linker looks up every function that libhotpath.so takes from the C library when a program starts, whether or
 * not it measures anything: 800 instructions for each. These are hidden, so calls in this library come here, and those
 * of the program do not. Unlike those of the C library they are no cancellation points, and nobody wraps them.
 *
 * They make the system calls that the C library makes, which matters to a seccomp filter.
 */
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#if defined(__GLIBC__) && defined(__LP64__) && (defined(__x86_64__) || defined(__aarch64__))

/* Not here, because tests replace them to simulate an old kernel, or a file that changes while it is read: ioctl, madvise,
   mmap, open and pread. */

/* A function that passes its arguments on. */
#define CALL(type, name, parameters, ...)                                                          \
	type name parameters                                                                       \
	{                                                                                          \
		return (type)syscall(__VA_ARGS__);                                                 \
	}

/* ---- files ---- */

CALL(int, close, (int fd), SYS_close, fd)
CALL(int, fchmod, (int fd, mode_t mode), SYS_fchmod, fd, mode)
CALL(int, fstat, (int fd, struct stat *info), SYS_newfstatat, fd, "", info, AT_EMPTY_PATH)
CALL(int, fstatfs, (int fd, struct statfs *info), SYS_fstatfs, fd, info)
CALL(int, ftruncate, (int fd, off_t size), SYS_ftruncate, fd, size)
CALL(off_t, lseek, (int fd, off_t offset, int whence), SYS_lseek, fd, offset, whence)
CALL(ssize_t, read, (int fd, void *to, size_t size), SYS_read, fd, to, size)
CALL(ssize_t, write, (int fd, const void *from, size_t size), SYS_write, fd, from, size)
CALL(ssize_t, writev, (int fd, const struct iovec *parts, int count), SYS_writev, fd, parts, count)
CALL(int, truncate, (const char *path, off_t size), SYS_truncate, path, size)
CALL(int, unlinkat, (int folder, const char *path, int flags), SYS_unlinkat, folder, path, flags)
CALL(int, stat, (const char *path, struct stat *info), SYS_newfstatat, AT_FDCWD, path, info, 0)
CALL(int, lstat, (const char *path, struct stat *info), SYS_newfstatat, AT_FDCWD, path, info,
     AT_SYMLINK_NOFOLLOW)
CALL(ssize_t, getxattr, (const char *path, const char *name, void *value, size_t size),
     SYS_getxattr, path, name, value, size)
#ifdef SYS_poll
CALL(int, access, (const char *path, int mode), SYS_access, path, mode)
CALL(int, mkdir, (const char *path, mode_t mode), SYS_mkdir, path, mode)
CALL(int, poll, (struct pollfd * files, nfds_t count, int timeout), SYS_poll, files, count, timeout)
CALL(ssize_t, readlink, (const char *path, char *target, size_t size), SYS_readlink, path, target,
     size)
#else
CALL(int, access, (const char *path, int mode), SYS_faccessat, AT_FDCWD, path, mode)
CALL(int, mkdir, (const char *path, mode_t mode), SYS_mkdirat, AT_FDCWD, path, mode)
CALL(ssize_t, readlink, (const char *path, char *target, size_t size), SYS_readlinkat, AT_FDCWD,
     path, target, size)
#endif

int openat(int folder, const char *path, int flags, ...)
{
	va_list rest;

	/* Without O_CREAT there is none, and the kernel ignores what is read here. */
	va_start(rest, flags);
	mode_t mode = va_arg(rest, mode_t);
	va_end(rest);
	return (int)syscall(SYS_openat, folder, path, flags, mode);
}

/* ---- memory ---- */

CALL(int, mprotect, (void *at, size_t size, int protection), SYS_mprotect, at, size, protection)
CALL(int, munlock, (const void *at, size_t size), SYS_munlock, at, size)
CALL(int, munmap, (void *at, size_t size), SYS_munmap, at, size)
CALL(ssize_t, process_vm_readv,
     (pid_t pid, const struct iovec *to, unsigned long to_count, const struct iovec *from,
      unsigned long from_count, unsigned long flags),
     SYS_process_vm_readv, pid, to, to_count, from, from_count, flags)

void *mremap(void *at, size_t old_size, size_t new_size, int flags, ...)
{
	va_list rest;

	/* Without MREMAP_FIXED there is none, and the kernel ignores what is read here. */
	va_start(rest, flags);
	void *target = va_arg(rest, void *);
	va_end(rest);
	return (void *)syscall(SYS_mremap, at, old_size, new_size, flags, target);
}

/* ---- processes ---- */

CALL(uid_t, geteuid, (void), SYS_geteuid)
CALL(gid_t, getgid, (void), SYS_getgid)
CALL(pid_t, getpid, (void), SYS_getpid)
CALL(pid_t, getppid, (void), SYS_getppid)
CALL(int, getrlimit, (__rlimit_resource_t resource, struct rlimit *limit), SYS_prlimit64, 0,
     resource, NULL, limit)
CALL(int, getrusage, (__rusage_who_t who, struct rusage *usage), SYS_getrusage, who, usage)
CALL(uid_t, getuid, (void), SYS_getuid)
CALL(int, sched_yield, (void), SYS_sched_yield)

#endif
