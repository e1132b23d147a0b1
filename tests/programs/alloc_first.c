/* SPDX-License-Identifier: MIT */
/*
 * The first allocation of a program may be by any of the family.
 *
 * usage: alloc_first malloc|calloc|realloc|reallocarray|posix_memalign|aligned_alloc|memalign|valloc|strdup
 */
#include "alloc_truth.h"

#include <malloc.h>
#include <string.h>

static void *volatile block;

ALONE static void first(const char *how)
{
	void *given = NULL;

	if (strcmp(how, "malloc") == 0)
		block = malloc(100);
	else if (strcmp(how, "calloc") == 0)
		block = calloc(10, 10);
	else if (strcmp(how, "realloc") == 0)
		block = realloc(NULL, 100);
	else if (strcmp(how, "reallocarray") == 0)
		block = reallocarray(NULL, 4, 25);
	else if (strcmp(how, "posix_memalign") == 0)
		REQUIRE(posix_memalign(&given, 64, 100) == 0), block = given;
	else if (strcmp(how, "aligned_alloc") == 0)
		block = aligned_alloc(4, 100);
	else if (strcmp(how, "memalign") == 0)
		block = memalign(64, 100);
	else if (strcmp(how, "valloc") == 0)
		block = valloc(100);
	else
		block = strndup("1234567890123456789012345678901234567890123456789"
				"12345678901234567890123456789012345678901234567890",
				200);
}

ALONE static void second(void)
{
	block = realloc(block, 300);
}

int main(int argc, char **argv)
{
	first(argc > 1 ? argv[1] : "malloc");
	second();
	allocated("first", 100, 1), freed("first", 0, 0), live("first", 0, 0);
	allocated("second", 300, 1), freed("second", 100, 1), live("second", 300, 1);
	return 0;
}
