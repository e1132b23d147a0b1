/* SPDX-License-Identifier: MIT */
/*
 * Two versions of one program: it does the same work every time, but for what it is told to do more of.
 *
 * usage: versions [slower=PERCENT] [blocks=N]
 *
 * slower: parse does so much more of its work. blocks: render allocates so many blocks in each call rather than 1.
 */
#include <hotpath.h>

#include "steps.h"

#include <err.h>
#include <stdlib.h>
#include <string.h>

enum {
	ROUNDS = 40,
	/* A few tenths of a millisecond. */
	WORK = 250000,
};

static unsigned slower, blocks = 1;

__attribute__((noinline)) static void load(void)
{
	HOTPATH_MEASURE();
	take_steps(WORK);
}

__attribute__((noinline)) static void tokenize(void)
{
	HOTPATH_MEASURE();
	take_steps(WORK / 2);
}

__attribute__((noinline)) static void parse(void)
{
	HOTPATH_MEASURE();
	tokenize();
	take_steps(WORK + WORK / 100 * slower);
}

__attribute__((noinline)) static void render(void)
{
	HOTPATH_MEASURE();
	for (unsigned i = 0; i < blocks; i++) {
		void *volatile block = malloc(100);
		free(block);
	}
	take_steps(WORK);
}

__attribute__((noinline)) static void store(void)
{
	HOTPATH_MEASURE();
	take_steps(WORK / 2);
}

static void read_argument(const char *word)
{
	if (strncmp(word, "slower=", 7) == 0)
		slower = (unsigned)strtoul(word + 7, NULL, 10);
	else if (strncmp(word, "blocks=", 7) == 0)
		blocks = (unsigned)strtoul(word + 7, NULL, 10);
	else
		errx(2, "usage: versions [slower=PERCENT] [blocks=N]");
}

int main(int argc, char **argv)
{
	HOTPATH_MAIN();
	for (int i = 1; i < argc; i++)
		read_argument(argv[i]);
	for (int i = 0; i < ROUNDS; i++) {
		load();
		parse();
		render();
		store();
	}
	return 0;
}
