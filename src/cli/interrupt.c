/* SPDX-License-Identifier: MIT */
/* Remembers signals that ask us to end, so that we can clean up first. */
#include "interrupt.h"

#include <signal.h>
#include <stddef.h>

static const int numbers[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };

enum {
	NUMBERS = sizeof(numbers) / sizeof(*numbers),
};

static volatile sig_atomic_t seen;
static struct sigaction before[NUMBERS];

static void remember(int number)
{
	if (!seen)
		seen = number;
}

void interrupts_begin(void)
{
	struct sigaction action = { .sa_handler = remember, .sa_flags = SA_RESTART };

	seen = 0;
	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < NUMBERS; i++) {
		sigaction(numbers[i], NULL, &before[i]);
		if (before[i].sa_handler != SIG_IGN)
			sigaction(numbers[i], &action, NULL);
	}
}

void interrupt_note(int number)
{
	struct sigaction now;

	if (number && sigaction(number, NULL, &now) == 0 && now.sa_handler != SIG_IGN)
		remember(number);
}

int interrupt_seen(void)
{
	return seen;
}

void interrupts_end(void)
{
	for (size_t i = 0; i < NUMBERS; i++)
		sigaction(numbers[i], &before[i], NULL);
}
