/* SPDX-License-Identifier: MIT */
/*
 * Functions that allocate at any depth, that are left by a jump, and on other stacks.
 *
 * usage: alloc_stacks deep|jump|coroutines
 */
#include "alloc_truth.h"

#include "coroutines.h"

#include <pthread.h>
#include <setjmp.h>
#include <string.h>

enum {
	DEEP = 100000,
	DEEP_STACK = 256 << 20,
	JUMPS = 500,
	COROUTINES = 8,
	STEPS = 50,
};

struct node {
	struct node *next;
	char more[8];
};

static struct node *list;
static jmp_buf outside;
static struct coroutine coroutines[COROUTINES];
static char stacks[COROUTINES][COROUTINE_STACK];

/* Inlined: after a jump, a function in between would be where the one was on the stack that was left. */
__attribute__((always_inline)) SKIP static inline void keep(size_t more)
{
	struct node *node = malloc(sizeof(*node) + more);

	node->next = list;
	list = node;
}

ALONE static void free_all(void)
{
	while (list) {
		struct node *next = list->next;
		free(list);
		list = next;
	}
}

/* ---- deep ---- */

ALONE static void bottom(void)
{
	keep(100);
}

ALONE static void dive(unsigned more)
{
	keep(more % 8);
	if (more)
		dive(more - 1);
	else
		bottom();
	keep(1);
}

static void *diver(void *unused)
{
	dive(DEEP - 1);
	keep(7);
	return unused;
}

SKIP static void go_deep(void)
{
	uint64_t all = (uint64_t)DEEP * (2 * sizeof(struct node) + 1) + (uint64_t)DEEP / 8 * 28;
	uint64_t with_bottom = all + sizeof(struct node) + 100;
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, DEEP_STACK);
	REQUIRE(pthread_create(&thread, &attr, diver, NULL) == 0);
	pthread_join(thread, NULL);
	free_all();
	allocated("dive", all, 2 * DEEP), inclusive("dive", with_bottom, 2 * DEEP + 1);
	allocated("bottom", sizeof(struct node) + 100, 1);
	allocated("diver", sizeof(struct node) + 7, 1);
	inclusive("diver", with_bottom + sizeof(struct node) + 7, 2 * DEEP + 2);
	freed("free_all", with_bottom + sizeof(struct node) + 7, 2 * DEEP + 2);
	live("dive", 0, 0), live("bottom", 0, 0), live("diver", 0, 0);
}

/* ---- jump ---- */

ALONE static void leaves(unsigned more)
{
	keep(more);
	if (!more)
		longjmp(outside, 1);
	leaves(more - 1);
}

ALONE static void catches(unsigned depth)
{
	keep(1000);
	if (!setjmp(outside))
		leaves(depth);
	keep(2000);
}

SKIP static void jump(void)
{
	uint64_t bytes = 0, count = 0;

	for (unsigned i = 0; i < JUMPS; i++) {
		catches(i % 10);
		count += i % 10 + 1;
		bytes += (i % 10 + 1) * sizeof(struct node) + (i % 10 + 1) * (i % 10) / 2;
	}
	dropped("abandoned", count);
	allocated("leaves", bytes, count), live("leaves", bytes, count);
	allocated("catches", JUMPS * (2 * sizeof(struct node) + 3000), JUMPS * 2UL);
	inclusive("catches", bytes + JUMPS * (2 * sizeof(struct node) + 3000), count + JUMPS * 2UL);
}

/* ---- coroutines ---- */

ALONE static void leaf(void)
{
	keep(10);
}

ALONE static void step(struct coroutine *self)
{
	keep(20);
	leaf();
	coroutine_yield(self);
	keep(30);
}

ALONE static void worker(struct coroutine *self)
{
	for (int i = 0; i < STEPS; i++)
		step(self);
	keep(40);
}

ALONE static void resumes(unsigned i)
{
	coroutine_resume(&coroutines[i]);
	keep(50);
}

SKIP static void take_turns(void)
{
	uint64_t node = sizeof(struct node), steps = (uint64_t)STEPS * COROUTINES;

	for (unsigned i = 0; i < COROUTINES; i++)
		coroutine_init(&coroutines[i], stacks[i], worker);
	for (unsigned turn = 0; turn <= STEPS; turn++)
		for (unsigned i = 0; i < COROUTINES; i++)
			resumes(i);
	free_all();
	allocated("leaf", steps * (node + 10), steps);
	allocated("step", steps * (2 * node + 50), 2 * steps);
	allocated("worker", COROUTINES * (node + 40), COROUTINES);
	allocated("resumes", (steps + COROUTINES) * (node + 50), steps + COROUTINES);
	inclusive("leaf", steps * (node + 10), steps);
	inclusive("step", steps * (3 * node + 60), 3 * steps);
	inclusive("worker", steps * (3 * node + 60) + COROUTINES * (node + 40),
		  3 * steps + COROUTINES);
	live("leaf", 0, 0), live("step", 0, 0), live("worker", 0, 0), live("resumes", 0, 0);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (strcmp(what, "deep") == 0)
		go_deep();
	else if (strcmp(what, "jump") == 0)
		jump();
	else
		take_turns();
	return 0;
}
