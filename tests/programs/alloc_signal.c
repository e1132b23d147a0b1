/* SPDX-License-Identifier: MIT */
/*
 * A timer's handler allocates, whatever it interrupts: also the recorder while it counts an allocation.
 *
 * The C library's malloc may not be interrupted by itself. So only one of the two calls it, and the other has
 * a pool, which hands out addresses.
 *
 * usage: alloc_signal malloc|pool|both	who calls it: the handler, the loop that it interrupts, or neither
 */
#include "alloc_truth.h"

#include <hotpath.h>

#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/time.h>

enum {
	SIGNALS = 2000,
	/* Of the loop, between two of which a signal may come. */
	AT_LEAST = 100000,
};

static volatile uint64_t handled, loops;
static bool handler_has_pool, loop_has_pool;
static char room[1 << 16];
static uintptr_t next_block;

SKIP static inline void take_from_pool(size_t size)
{
	uintptr_t at = __atomic_fetch_add(&next_block, 1, __ATOMIC_RELAXED) % sizeof(room);

	HOTPATH_ALLOC(room + at, size);
	HOTPATH_FREE(room + at);
}

ALONE static void handle(void)
{
	handled++;
	if (handler_has_pool)
		take_from_pool(24);
	else
		free(malloc(24));
}

SKIP static void handler(int number)
{
	(void)number;
	handle();
}

ALONE static void loop(void)
{
	loops++;
	if (loop_has_pool)
		take_from_pool(10);
	else
		free(malloc(10));
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = handler };
	struct itimerval often = { { 0, 100 }, { 0, 100 } }, never = { { 0, 0 }, { 0, 0 } };

	const char *who = argc > 1 ? argv[1] : "both";

	handler_has_pool = strcmp(who, "malloc") != 0;
	loop_has_pool = strcmp(who, "pool") != 0;
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	while (handled < SIGNALS || loops < AT_LEAST)
		loop();
	setitimer(ITIMER_REAL, &never, NULL);
	allocated("handle", handled * 24, handled), allocated("loop", loops * 10, loops);
	freed("loop", loops * 10, loops), live("handle", 0, 0), live("loop", 0, 0);
	if (strcmp(who, "both") != 0)
		freed("handle", handled * 24, handled);
	return 0;
}
