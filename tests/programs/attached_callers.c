/* SPDX-License-Identifier: MIT */
/*
 * A program whose callers are known, to be attached to. It is compiled with frame pointers, and without.
 *
 * usage: attached_callers sort|signal|generated|deep
 *
 *	sort        main → rounds → sort_all → qsort → compare → weigh
 *	signal      main → rounds → raise_one → raise … handle → weigh
 *	generated   main → rounds → run_generated → code without a file → weigh
 *	deep        main → rounds → descend, 100 times with a kilobyte each → weigh
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	ITEMS = 256,
	STEPS = 200,
	LONG = 100000,
	DEPTH = 100,
	FRAME = 1024,
};

static volatile uint64_t sink;

__attribute__((noinline)) static void weigh(unsigned steps)
{
	for (unsigned i = 0; i < steps; i++)
		sink += i;
}

/* ---- sort ---- */

__attribute__((noinline)) static int compare(const void *left, const void *right)
{
	weigh(STEPS);
	sink++;
	return *(const int *)left - *(const int *)right;
}

__attribute__((noinline)) static void sort_all(void)
{
	static int items[ITEMS];

	for (int i = 0; i < ITEMS; i++)
		items[i] = i * 7919 % ITEMS;
	qsort(items, ITEMS, sizeof(*items), compare);
	sink++;
}

/* ---- signal ---- */

__attribute__((noinline)) static void handle(int number)
{
	(void)number;
	weigh(LONG);
	sink++;
}

__attribute__((noinline)) static void raise_one(void)
{
	signal(SIGUSR1, handle);
	raise(SIGUSR1);
	sink++;
}

/* ---- generated ---- */

__attribute__((noinline)) static void weigh_long(void)
{
	weigh(LONG);
	sink++;
}

/* A function that calls its argument. */
#if defined(__aarch64__)
static const unsigned char code[] = { 0xfd, 0x7b, 0xbf, 0xa9, 0xfd, 0x03, 0x00, 0x91, 0x00, 0x00,
				      0x3f, 0xd6, 0xfd, 0x7b, 0xc1, 0xa8, 0xc0, 0x03, 0x5f, 0xd6 };
#else
static const unsigned char code[] = { 0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3 };
#endif

__attribute__((noinline)) static void run_generated(void)
{
	static void (*generated)(void (*function)(void));

	if (!generated) {
		void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
				  -1, 0);
		if (page == MAP_FAILED)
			exit(1);
		memcpy(page, code, sizeof(code));
		if (mprotect(page, 4096, PROT_READ | PROT_EXEC))
			exit(1);
		__builtin___clear_cache((char *)page, (char *)page + sizeof(code));
		memcpy(&generated, &page, sizeof(page));
	}
	generated(weigh_long);
	sink++;
}

/* ---- deep ---- */

__attribute__((noinline)) static void descend(unsigned depth)
{
	volatile char room[FRAME];

	room[depth] = 1;
	if (depth)
		descend(depth - 1);
	else
		weigh(LONG);
	sink += (uint64_t)room[depth];
}

static void go_deep(void)
{
	descend(DEPTH - 1);
}

static const struct {
	const char *name;
	void (*function)(void);
} kinds[] = {
	{ "sort", sort_all },
	{ "signal", raise_one },
	{ "generated", run_generated },
	{ "deep", go_deep },
};

__attribute__((noinline)) static void rounds(void (*function)(void))
{
	for (;;) {
		function();
		sink++;
	}
}

int main(int argc, char **argv)
{
	puts("ready");
	fflush(stdout);
	for (size_t i = 0; argc > 1 && i < sizeof(kinds) / sizeof(*kinds); i++)
		if (strcmp(kinds[i].name, argv[1]) == 0)
			rounds(kinds[i].function);
	return 2;
}
