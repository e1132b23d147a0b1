/* SPDX-License-Identifier: MIT */
/*
 * The first measured calls of the program and of every thread are in a signal handler, which interrupts
 * malloc: whoever waits for a lock there waits for itself.
 */
#include <hotpath.h>

#include "truth.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>

enum {
	THREADS = 20,
	SIGNALS = 100,
};

static uint64_t handled;

static void handler(int number)
{
	HOTPATH_MEASURE();

	(void)number;
	__atomic_add_fetch(&handled, 1, __ATOMIC_RELAXED);
}

/* Large pieces go to the kernel and back: there are locks on that way too. */
static void allocate(void)
{
	for (size_t size = 16; size < (size_t)1 << 18; size *= 2)
		free(malloc(size));
}

static void *thread(void *unused)
{
	uint64_t enough = __atomic_load_n(&handled, __ATOMIC_RELAXED) + SIGNALS;

	while (__atomic_load_n(&handled, __ATOMIC_RELAXED) < enough)
		allocate();
	return unused;
}

int main(void)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART };
	struct itimerval often = { { 0, 50 }, { 0, 50 } }, never = { { 0, 0 }, { 0, 0 } };
	sigset_t alarm;

	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	thread(NULL);
	for (int i = 0; i < THREADS; i++) {
		pthread_t id;
		pthread_create(&id, NULL, thread, NULL);
		/* The thread that allocates is the one that is interrupted. */
		pthread_sigmask(SIG_BLOCK, &alarm, NULL);
		pthread_join(id, NULL);
		pthread_sigmask(SIG_UNBLOCK, &alarm, NULL);
	}
	setitimer(ITIMER_REAL, &never, NULL);
	truth("handler", handled);
	return 0;
}
