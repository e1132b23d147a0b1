/* SPDX-License-Identifier: MIT */
/* Every way to allocate: each in a function of its own, which says what it asked for. */
#include "alloc_truth.h"

#include <errno.h>
#include <malloc.h>
#include <string.h>

/* Too much for any machine; the compiler shall not see it. */
static volatile size_t too_much = PTRDIFF_MAX;
static void *volatile block;
static volatile size_t none;

ALONE static void by_malloc(void)
{
	for (size_t size = 0; size < 3000; size += 7) {
		block = malloc(size);
		memset(block, 1, size);
		free(block);
	}
}

ALONE static void by_calloc(void)
{
	block = calloc(11, 13);
	free(block);
	block = calloc(none, 13);
	free(block);
	block = calloc(1, 300000);
}

ALONE static void by_alignment(void)
{
	void *given = NULL;

	REQUIRE(posix_memalign(&given, 64, 100) == 0 && (uintptr_t)given % 64 == 0);
	free(given);
	REQUIRE(posix_memalign(&given, 8192, none) == 0);
	free(given);
	block = aligned_alloc(4096, 8192);
	REQUIRE((uintptr_t)block % 4096 == 0);
	free(block);
	block = memalign(1024, 5000);
	REQUIRE((uintptr_t)block % 1024 == 0);
	free(block);
	block = memalign(1U << 20, 17);
}

ALONE static void by_pages(void)
{
	block = valloc(100);
	free(block);
	block = pvalloc(101);
	free(block);
}

ALONE static void by_copy(void)
{
	block = strdup("eleven char");
	free(block);
	block = strndup("eleven char", 5);
	REQUIRE(strcmp(block, "eleve") == 0);
	free(block);
	block = strndup("abc", 50);
	free(block);
	block = strdup("");
}

/* A null pointer is as good as malloc; one that grows, shrinks, moves is another block each time. */
ALONE static void by_realloc(void)
{
	char *text = realloc(NULL, 10);

	memcpy(text, "123456789", 10);
	text = realloc(text, 100000);
	text = realloc(text, 50);
	text = realloc(text, 3000000);
	text = reallocarray(text, 20, 30);
	REQUIRE(strcmp(text, "123456789") == 0);
	free(text);
}

/* That frees it, where the C library is glibc; with another allocator there is a block afterwards. */
ALONE static void realloc_to_nothing(void)
{
	void *text = malloc(40);

	text = realloc(text, none);
	REQUIRE(!text);
}

ALONE static void realloc_fails(void)
{
	char *text = malloc(60);

	strcpy(text, "still there");
	errno = 0;
	REQUIRE(!realloc(text, too_much) && errno == ENOMEM);
	errno = 0;
	REQUIRE(!reallocarray(text, too_much, 16) && errno == ENOMEM);
	REQUIRE(strcmp(text, "still there") == 0);
	free(text);
	text = malloc(70);
	REQUIRE(!realloc(text, too_much));
	block = text;
}

/* What fails counts for nothing, and says why. */
#define FAILS(call) (errno = 0, block = (call), REQUIRE(!block && errno == ENOMEM))

ALONE static void fails(void)
{
	void *given = (void *)&none;

	FAILS(malloc(too_much));
	FAILS(malloc(too_much / 2));
	FAILS(calloc(too_much, 16));
	FAILS(calloc(1, too_much));
	FAILS(realloc(NULL, too_much));
	FAILS(reallocarray(NULL, too_much, 3));
	FAILS(aligned_alloc(64, too_much));
	FAILS(memalign(64, too_much));
	FAILS(valloc(too_much));
	FAILS(pvalloc(too_much));
	REQUIRE(posix_memalign(&given, 64, too_much) == ENOMEM && given == (void *)&none);
	REQUIRE(posix_memalign(&given, 3, 100) == EINVAL && given == (void *)&none);
}

ALONE static void by_getdelim(void)
{
	char text[] = "a line\nand another\n", *line = NULL;
	size_t size = 0;
	FILE *file = fmemopen(text, sizeof(text) - 1, "r");

	REQUIRE(getdelim(&line, &size, '\n', file) == 7);
	REQUIRE(getdelim(&line, &size, '\n', file) == 12);
	free(line);
	fclose(file);
}

ALONE static void by_asprintf(void)
{
	char *text = NULL;

	REQUIRE(asprintf(&text, "%0200d", 7) == 200);
	free(text);
}

ALONE static void by_memstream(void)
{
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);

	for (int i = 0; i < 10000; i++)
		fputc('x', file);
	fclose(file);
	REQUIRE(size == 10000);
	free(text);
}

/* free of nothing, and errno that is nobody's to change. */
ALONE static void frees_nothing(void)
{
	errno = 77;
	free(NULL);
	block = malloc(5);
	free(block);
	REQUIRE(errno == 77);
}

/* The sizes of by_malloc. */
SKIP static uint64_t sum(uint64_t *count)
{
	uint64_t bytes = 0;

	for (uint64_t size = 0; size < 3000; size += 7, ++*count)
		bytes += size;
	return bytes;
}

int main(void)
{
	uint64_t count = 0, bytes = sum(&count);

	by_malloc(), by_calloc(), by_alignment(), by_pages(), by_copy(), by_realloc();
	realloc_to_nothing(), realloc_fails(), fails();
	by_getdelim(), by_asprintf(), by_memstream(), frees_nothing();

	allocated("by_malloc", bytes, count), freed("by_malloc", bytes, count);
	live("by_malloc", 0, 0), temporary("by_malloc", count);
	allocated("by_calloc", 143 + 300000, 3), freed("by_calloc", 143, 2);
	live("by_calloc", 300000, 1);
	allocated("by_alignment", 100 + 8192 + 5000 + 17, 5), freed("by_alignment", 13292, 4);
	live("by_alignment", 17, 1), temporary("by_alignment", 4);
	allocated("by_pages", 201, 2), freed("by_pages", 201, 2), live("by_pages", 0, 0);
	allocated("by_copy", 12 + 6 + 4 + 1, 4), freed("by_copy", 22, 3), live("by_copy", 1, 1);
	allocated("by_realloc", 10 + 100000 + 50 + 3000000 + 600, 5);
	freed("by_realloc", 10 + 100000 + 50 + 3000000 + 600, 5), live("by_realloc", 0, 0);
	allocated("realloc_to_nothing", 40, 1), freed("realloc_to_nothing", 40, 1);
	allocated("realloc_fails", 130, 2), freed("realloc_fails", 60, 1);
	live("realloc_fails", 70, 1), live("fails", 0, 0);
	allocated("frees_nothing", 5, 1), freed("frees_nothing", 5, 1);
	balanced("by_getdelim"), balanced("by_asprintf"), balanced("by_memstream");
	return 0;
}
