/* SPDX-License-Identifier: MIT */
/*
 * Functions of string.h without the C library's.
 *
 * They are hidden, so calls in this library come here, and those of the program do not. For one thing, the dynamic linker need
 * not look them up when a program starts. For another, sanitizers replace those of the C library in a program: ThreadSanitizer
 * would see what threads of ours read and write, but not the atomic operations that order it, and call it a data race.
 *
 * What they are given is short. Compiled so that a loop does not become a call of the function that it is in.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Eight bytes at any address, of any type. */
struct word {
	uint64_t bytes;
} __attribute__((packed, may_alias));

void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
	char *into = to;
	const char *bytes = from;

	for (; size >= sizeof(struct word); size -= sizeof(struct word)) {
		*(struct word *)(void *)into = *(const struct word *)(const void *)bytes;
		into += sizeof(struct word);
		bytes += sizeof(struct word);
	}
	while (size-- > 0)
		*into++ = *bytes++;
	return to;
}

void *memmove(void *to, const void *from, size_t size)
{
	char *into = to;
	const char *bytes = from;

	if ((uintptr_t)into - (uintptr_t)bytes >= size)
		return memcpy(to, from, size);
	while (size-- > 0)
		into[size] = bytes[size];
	return to;
}

void *memset(void *to, int byte, size_t size)
{
	char *into = to;
	uint64_t bytes = (uint8_t)byte * UINT64_C(0x0101010101010101);

	for (; size >= sizeof(struct word); size -= sizeof(struct word)) {
		*(struct word *)(void *)into = (struct word){ bytes };
		into += sizeof(struct word);
	}
	while (size-- > 0)
		*into++ = (char)byte;
	return to;
}

int memcmp(const void *left, const void *right, size_t size)
{
	const unsigned char *a = left, *b = right;

	for (; size > 0 && *a == *b; size--, a++)
		b++;
	return size > 0 ? *a - *b : 0;
}

void *memchr(const void *in, int byte, size_t size)
{
	const unsigned char *bytes = in;

	for (; size > 0; size--, bytes++)
		if (*bytes == (unsigned char)byte)
			return (void *)(uintptr_t)bytes;
	return NULL;
}

void *memmem(const void *in, size_t size, const void *what, size_t length)
{
	const char *at = in;

	for (; size >= length; size--, at++)
		if (memcmp(at, what, length) == 0)
			return (void *)(uintptr_t)at;
	return NULL;
}

size_t strnlen(const char *string, size_t most)
{
	size_t length = 0;

	while (length < most && string[length])
		length++;
	return length;
}

size_t strlen(const char *string)
{
	return strnlen(string, SIZE_MAX);
}

int strncmp(const char *left, const char *right, size_t most)
{
	for (; most > 0 && *left && *left == *right; most--, left++)
		right++;
	return most > 0 ? (unsigned char)*left - (unsigned char)*right : 0;
}

int strcmp(const char *left, const char *right)
{
	return strncmp(left, right, SIZE_MAX);
}

char *strcpy(char *restrict to, const char *restrict from)
{
	return memcpy(to, from, strlen(from) + 1);
}

char *strncpy(char *restrict to, const char *restrict from, size_t size)
{
	size_t length = strnlen(from, size);

	memset(to + length, 0, size - length);
	return memcpy(to, from, length);
}

char *strcat(char *restrict to, const char *restrict from)
{
	strcpy(to + strlen(to), from);
	return to;
}

char *strncat(char *restrict to, const char *restrict from, size_t most)
{
	size_t before = strlen(to), length = strnlen(from, most);

	memcpy(to + before, from, length);
	to[before + length] = '\0';
	return to;
}

char *strchr(const char *string, int byte)
{
	return memchr(string, byte, strlen(string) + 1);
}

char *strrchr(const char *string, int byte)
{
	for (size_t i = strlen(string) + 1; i-- > 0;)
		if (string[i] == (char)byte)
			return (char *)(uintptr_t)(string + i);
	return NULL;
}

size_t strcspn(const char *string, const char *ends)
{
	size_t length = 0;

	while (string[length] && !strchr(ends, string[length]))
		length++;
	return length;
}

size_t strspn(const char *string, const char *accepted)
{
	size_t length = 0;

	while (string[length] && strchr(accepted, string[length]))
		length++;
	return length;
}

char *strstr(const char *string, const char *what)
{
	return memmem(string, strlen(string), what, strlen(what));
}
