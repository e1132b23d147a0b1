/* SPDX-License-Identifier: MIT */
/*
 * Coroutines, each with a stack of its own: cooks who take turns at one stove. Measured functions stay open while
 * another coroutine runs, and are still nested in those of their own.
 */
#include <hotpath.h>

#include <stdbool.h>
#include <ucontext.h>

#include "own_clock.h"

enum {
	COOKS = 3,
	DISHES = 20,
	STACK_SIZE = 65536,
	STIR_NS = 200000,
};

struct cook {
	ucontext_t context;
	char stack[STACK_SIZE];
	bool is_done;
};

static ucontext_t kitchen;
static struct cook cooks[COOKS];
static struct cook *at_stove;

/* Let the others have the stove. */
static void leave_stove(void)
{
	swapcontext(&at_stove->context, &kitchen);
}

static void stir(void)
{
	HOTPATH_MEASURE();
	const struct timespec time = { .tv_nsec = STIR_NS };

	OWN_CLOCK("stir", nanosleep(&time, NULL));
}

/* It takes as long as it takes until it is the cook's turn again. */
static void make_dish(void)
{
	HOTPATH_MEASURE();
	uint64_t since = own_clock_now();

	stir();
	leave_stove();
	stir();
	own_clock_add("make_dish", since);
}

static void cook_all(void)
{
	HOTPATH_MEASURE();
	uint64_t since = own_clock_now();

	for (int i = 0; i < DISHES; i++) {
		make_dish();
		leave_stove();
	}
	own_clock_add("cook_all", since);
}

static void begin_cooking(void)
{
	cook_all();
	at_stove->is_done = true;
	/* Goes back to the kitchen, as the context's link. */
}

static void hire(struct cook *cook)
{
	getcontext(&cook->context);
	cook->context.uc_stack.ss_sp = cook->stack;
	cook->context.uc_stack.ss_size = sizeof(cook->stack);
	cook->context.uc_link = &kitchen;
	makecontext(&cook->context, begin_cooking, 0);
}

/* Each in turn; until a round in which nobody had anything left to do. */
static void run_kitchen(void)
{
	HOTPATH_MEASURE();
	bool has_work = true;

	while (has_work) {
		has_work = false;
		for (int i = 0; i < COOKS; i++) {
			at_stove = &cooks[i];
			if (at_stove->is_done)
				continue;
			has_work = true;
			swapcontext(&kitchen, &at_stove->context);
		}
	}
}

static void work(void)
{
	for (int i = 0; i < COOKS; i++)
		hire(&cooks[i]);
	OWN_CLOCK("run_kitchen", run_kitchen());
}

int main(void)
{
	HOTPATH_MAIN();

	OWN_CLOCK("main", work());
	return 0;
}
