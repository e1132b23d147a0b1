/* SPDX-License-Identifier: MIT */
/*
 * Programs from which something is taken that allocations, or their recorder, may need.
 *
 * usage: alloc_limits closes|exhausts|many
 *	closes: all descriptors but standard output, before anything was allocated
 *	exhausts: the address space, until malloc fails
 *	many: hundreds of functions that allocate, each at a place of its own
 */
#include "alloc_truth.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>

enum {
	DESCRIPTORS = 1024,
	MORE = 64 << 20,
	ROUNDS = 10,
};

static void *volatile block;

ALONE static void takes(size_t size)
{
	block = malloc(size);
}

ALONE static void gives_back(void)
{
	free(block);
}

SKIP static void close_all(void)
{
	for (int i = 0; i < DESCRIPTORS; i++)
		if (i != STDOUT_FILENO)
			close(i);
	for (unsigned i = 0; i < 1000; i++) {
		takes(i);
		if (i % 2)
			gives_back();
	}
	allocated("takes", 999 * 500, 1000), freed("gives_back", 500 * 500, 500);
	live("takes", 999 * 500 - 500 * 500, 500);
}

/* ---- exhausts ---- */

struct node {
	struct node *next;
	char more[1016];
};

static struct node *list;

ALONE static uint64_t takes_all(void)
{
	uint64_t count = 0;
	struct node *node;

	errno = 0;
	while ((node = malloc(sizeof(*node)))) {
		node->next = list;
		list = node;
		count++;
	}
	REQUIRE(errno == ENOMEM);
	return count;
}

ALONE static void frees_all(void)
{
	while (list) {
		struct node *next = list->next;
		free(list);
		list = next;
	}
}

/* All that there is of it now. */
SKIP static size_t address_space(void)
{
	unsigned long pages = 0;
	FILE *file = fopen("/proc/self/statm", "r");

	REQUIRE(file && fscanf(file, "%lu", &pages) == 1);
	fclose(file);
	return pages * (size_t)sysconf(_SC_PAGESIZE);
}

SKIP static void exhaust(void)
{
	uint64_t count;

	/* So that what the recorder needs for the first block is there. */
	takes(1);
	struct rlimit limit = { address_space() + MORE, RLIM_INFINITY };
	REQUIRE(setrlimit(RLIMIT_AS, &limit) == 0);
	count = takes_all();
	frees_all();
	takes(1);
	allocated("takes", 2, 2), allocated("takes_all", count * sizeof(struct node), count);
}

/* ---- many ---- */

#define DEFINE(number)                                                                             \
	ALONE static void many_##number(void)                                                      \
	{                                                                                          \
		block = malloc(64);                                                                \
		free(block);                                                                       \
	}
#define NAME(number) many_##number,

/* clang-format off */
#define TEN(what, n) \
	what(n##0) what(n##1) what(n##2) what(n##3) what(n##4) \
	what(n##5) what(n##6) what(n##7) what(n##8) what(n##9)
#define HUNDRED(what, n) \
	TEN(what, n##0) TEN(what, n##1) TEN(what, n##2) TEN(what, n##3) TEN(what, n##4) \
	TEN(what, n##5) TEN(what, n##6) TEN(what, n##7) TEN(what, n##8) TEN(what, n##9)
HUNDRED(DEFINE, 1)
HUNDRED(DEFINE, 2)
HUNDRED(DEFINE, 3)

static void (*const many[])(void) = { HUNDRED(NAME, 1) HUNDRED(NAME, 2) HUNDRED(NAME, 3) };
/* clang-format on */

SKIP static void use_many(void)
{
	uint64_t count = sizeof(many) / sizeof(many[0]);

	for (unsigned round = 0; round < ROUNDS; round++)
		for (unsigned i = 0; i < count; i++)
			many[i]();
	allocated("all", count * ROUNDS * 64, count * ROUNDS);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "many";

	if (strcmp(what, "closes") == 0)
		close_all();
	else if (strcmp(what, "exhausts") == 0)
		exhaust();
	else
		use_many();
	return 0;
}
