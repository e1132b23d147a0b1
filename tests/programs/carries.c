/* SPDX-License-Identifier: MIT */
/* Uses every entry point of the library that it carries, for which another one may do the work. */
#include <hotpath.h>

#include "truth.h"

#include <pthread.h>
#include <setjmp.h>

enum {
	CALLS = 1000,
};

static jmp_buf outside;
static struct hotpath_span operation;
static uint64_t lefts, loggeds;

__attribute__((noinline)) static void left(void)
{
	HOTPATH_MEASURE();

	lefts++;
	longjmp(outside, 1);
}

__attribute__((noinline)) static int logged(int value)
{
	HOTPATH_MEASURE();

	__atomic_add_fetch(&loggeds, 1, __ATOMIC_RELAXED);
	HOTPATH_RETURN(value);
}

static void *thread(void *unused)
{
	HOTPATH_THREAD_NAME("carried");
	for (int i = 0; i < CALLS; i++)
		logged(i);
	HOTPATH_SPAN_END(operation);
	return unused;
}

int main(void)
{
	HOTPATH_MAIN();
	uint64_t start = own_clock();
	pthread_t id;

	for (volatile int i = 0; i < CALLS; i++) {
		if (!setjmp(outside))
			left();
		logged(i);
	}
	HOTPATH_SPAN_BEGIN(operation, "operation");
	pthread_create(&id, NULL, thread, NULL);
	pthread_join(id, NULL);
	HOTPATH_BLOCK("block", { HOTPATH_SPAN_END(operation); })
	truth("left", lefts);
	truth("logged", loggeds);
	truth("operation", 1);
	truth("block", 1);
	truth("@jumped_over", lefts);
	truth("@elapsed", own_clock() - start);
	return 0;
}
