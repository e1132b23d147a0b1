/* SPDX-License-Identifier: MIT */
/*
 * To be preloaded: a file that somebody else cuts short while it is read.
 *
 * $CUT_FILE is cut to $CUT_SIZE bytes right after the $CUT_AFTER-th time that it was opened, mapped or read. Before that,
 * if there is $CUT_FILE.new, it takes its place when the program starts, as of one that is built anew.
 */
/* Both kinds of each function are to be had, under their own names. */
#undef _FILE_OFFSET_BITS
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static const char *path;
static long left;
static struct stat victim;

__attribute__((constructor)) static void begin(void)
{
	const char *after = getenv("CUT_AFTER");
	char new[4096];

	path = getenv("CUT_FILE");
	if (!path || !after)
		return;
	snprintf(new, sizeof(new), "%s.new", path);
	rename(new, path);
	left = stat(path, &victim) == 0 ? atol(after) : 0;
}

static void touch(int file)
{
	const char *size = getenv("CUT_SIZE");
	struct stat info;

	if (left > 0 && file >= 0 && fstat(file, &info) == 0 && info.st_dev == victim.st_dev &&
	    info.st_ino == victim.st_ino && --left == 0)
		(void)!truncate(path, size ? atol(size) : 0);
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

void *mmap(void *at, size_t size, int protection, int flags, int file, off_t offset)
{
	void *mapped = NEXT(mmap)(at, size, protection, flags, file, offset);

	touch(file);
	return mapped;
}

void *mmap64(void *at, size_t size, int protection, int flags, int file, off64_t offset)
{
	return mmap(at, size, protection, flags, file, (off_t)offset);
}

ssize_t pread(int file, void *into, size_t size, off_t offset)
{
	ssize_t got = NEXT(pread)(file, into, size, offset);

	touch(file);
	return got;
}

ssize_t pread64(int file, void *into, size_t size, off64_t offset)
{
	return pread(file, into, size, (off_t)offset);
}

int open(const char *name, int flags, ...)
{
	va_list arguments;

	va_start(arguments, flags);
	mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
	va_end(arguments);
	int file = NEXT(open)(name, flags, mode);
	touch(file);
	return file;
}

int open64(const char *name, int flags, ...)
{
	va_list arguments;

	va_start(arguments, flags);
	mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
	va_end(arguments);
	return open(name, flags, mode);
}
