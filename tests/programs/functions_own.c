/* SPDX-License-Identifier: MIT */
/*
 * A program with functions of its own that have the names of the C library's, and are measured: whoever
 * looks after its calls must not be the one who calls them.
 *
 * usage: functions_own
 */
#include "functions.h"

#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

static uint64_t copies, fills, lengths, compares, opens;

NOINLINE static void work(int more)
{
	COUNTED();

	if (more)
		work(more - 1);
}

void *memcpy(void *to, const void *from, size_t size)
{
	char *a = to;
	const volatile char *b = from;

	__atomic_fetch_add(&copies, 1, __ATOMIC_RELAXED);
	work(1);
	while (size--)
		*a++ = *b++;
	return to;
}

void *memset(void *to, int value, size_t size)
{
	volatile char *a = to;

	__atomic_fetch_add(&fills, 1, __ATOMIC_RELAXED);
	work(1);
	while (size--)
		*a++ = (char)value;
	return to;
}

size_t strlen(const char *text)
{
	const volatile char *end = text;

	__atomic_fetch_add(&lengths, 1, __ATOMIC_RELAXED);
	work(1);
	while (*end)
		end++;
	return (size_t)(end - text);
}

int strcmp(const char *a, const char *b)
{
	const volatile unsigned char *x = (const void *)a, *y = (const void *)b;

	__atomic_fetch_add(&compares, 1, __ATOMIC_RELAXED);
	work(1);
	while (*x && *x == *y)
		x++, y++;
	return *x - *y;
}

int open(const char *path, int flags, ...)
{
	va_list more;

	va_start(more, flags);
	mode_t mode = va_arg(more, mode_t);
	va_end(more);
	__atomic_fetch_add(&opens, 1, __ATOMIC_RELAXED);
	work(1);
	return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int main(void)
{
	COUNTED();
	char buffer[64];
	const char *volatile text = "text";
	volatile size_t size = sizeof(buffer);

	for (int i = 0; i < 100; i++) {
		memset(buffer, i, size);
		memcpy(buffer, text, strlen(text) + 1);
		if (strcmp(buffer, text) != 0)
			return 1;
		int fd = open("/dev/null", O_RDONLY);
		close(fd);
	}
	counted_print(1);
	return 0;
}
