/* SPDX-License-Identifier: MIT */
/*
 * Recording that is started and stopped, with blocks that outlive it; and blocks of the program's own pools.
 *
 * What each session knows follows a line "session" with its number.
 *
 * usage: alloc_sessions sessions FOLDER	of the reports
 *	  alloc_sessions pools
 */
#include "alloc_truth.h"

#include <hotpath.h>

#include <string.h>

enum {
	BLOCKS = 10,
	POOL = 4096,
	PIECES = 64,
};

static void *early[BLOCKS], *first[BLOCKS], *between[BLOCKS], *second[BLOCKS];
static char *folder;

ALONE static void takes(void **blocks, size_t size)
{
	for (unsigned i = 0; i < BLOCKS; i++)
		blocks[i] = malloc(size);
}

ALONE static void frees(void **blocks, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		free(blocks[i]);
}

ALONE static void moves(void **blocks, size_t size)
{
	blocks[BLOCKS - 1] = realloc(blocks[BLOCKS - 1], size);
}

SKIP static void start(unsigned number)
{
	static char paths[3][4096];
	struct hotpath_options options = { .size = sizeof(options),
					   .format = HOTPATH_FORMAT_JSON,
					   .limit = HOTPATH_NO_LIMIT,
					   .output_path = paths[number] };

	snprintf(paths[number], sizeof(paths[number]), "%s/%u", folder, number);
	REQUIRE(hotpath_start(&options) == 0);
}

SKIP static void say(const char *line)
{
	REQUIRE(write(STDOUT_FILENO, line, strlen(line)) > 0);
}

/* Blocks are known to the session in which they were allocated, and to no other. */
SKIP static void sessions(void)
{
	/* With the probe, a program is recorded from its beginning. */
	takes(early, 1000);
	REQUIRE(hotpath_stop() == 0);
	start(1);
	takes(first, 20);
	frees(early, 2);
	frees(first, 3);
	moves(early, 77);
	REQUIRE(hotpath_stop() == 0);
	takes(between, 5000);
	free(first[3]);
	start(2);
	takes(second, 30);
	frees(first + 4, 2);
	frees(between, 1);
	frees(second, 4);
	moves(second, 33);
	REQUIRE(hotpath_stop() == 0);
	frees(second + 4, 1);

	say("session 1\n");
	allocated("takes", BLOCKS * 20, BLOCKS), freed("frees", 60, 3);
	allocated("moves", 77, 1), freed("moves", 0, 0), live("moves", 77, 1);
	live("takes", (BLOCKS - 3) * 20, BLOCKS - 3), dropped("unknown_blocks", 3);
	say("session 2\n");
	allocated("takes", BLOCKS * 30, BLOCKS), freed("frees", 120, 4);
	allocated("moves", 33, 1), freed("moves", 30, 1), live("moves", 33, 1);
	live("takes", (BLOCKS - 5) * 30, BLOCKS - 5), dropped("unknown_blocks", 3);
}

/* Pieces begin where the block begins that they are of, and may be of any size and at any address. */
ALONE static char *makes_pool(void)
{
	return malloc(POOL);
}

ALONE static void hands_out(char *pool)
{
	for (unsigned i = 0; i < PIECES; i++)
		HOTPATH_ALLOC(pool + i, i + 1);
}

ALONE static void takes_back(char *pool)
{
	for (unsigned i = 0; i < PIECES; i += 2)
		HOTPATH_FREE(pool + i);
}

ALONE static void drops_pool(char *pool)
{
	free(pool);
}

SKIP static void pools(void)
{
	char *pool = makes_pool();
	unsigned odd = PIECES / 2 * (PIECES / 2), even = odd + PIECES / 2;

	hands_out(pool);
	takes_back(pool);
	HOTPATH_ALLOC(NULL, 100);
	HOTPATH_FREE(NULL);
	drops_pool(pool);
	allocated("makes_pool", POOL, 1), live("makes_pool", 0, 0), freed("drops_pool", POOL, 1);
	allocated("hands_out", odd + even, PIECES), live("hands_out", even, PIECES / 2);
	freed("takes_back", odd, PIECES / 2);
}

int main(int argc, char **argv)
{
	folder = argc > 2 ? argv[2] : ".";
	if (argc > 1 && strcmp(argv[1], "sessions") == 0)
		sessions();
	else
		pools();
	return 0;
}
