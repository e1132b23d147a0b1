/* SPDX-License-Identifier: MIT */
/*
 * While one thread closes a library, another one opens the next at the same address, and calls it.
 *
 * usage: functions_closing FIRST SECOND
 *	FIRST is a library of functions named alpha, SECOND of functions named bravo.
 *
 * The same source, with CLOSE_SLOWLY, is a library to be preloaded whose dlclose waits for that.
 */
#include "functions.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

HOTPATH_SKIP static void find(void *function, void *library, const char *name)
{
	void *symbol = dlsym(library, name);

	if (!symbol)
		abort();
	memcpy(function, &symbol, sizeof(symbol));
}

#ifdef CLOSE_SLOWLY

HOTPATH_SKIP int dlclose(void *library)
{
	int (*next)(void *);
	void (*closed)(void);

	find(&next, RTLD_NEXT, "dlclose");
	find(&closed, RTLD_DEFAULT, "closed");
	int result = next(library);
	closed();
	return result;
}

#else

enum {
	ROUNDS = 20,
	CALLS = 5,
};

void closed(void);

static const char *second;
static bool closing;
static uint64_t alphas, bravos, same_place;
static int (*alpha)(void);

HOTPATH_SKIP static void *use_second(void *unused)
{
	void *library = dlopen(second, RTLD_NOW | RTLD_LOCAL);
	int (*bravo)(void);

	find(&bravo, library, "bravo_work");
	same_place += bravo == alpha;
	for (int i = 0; i < CALLS; i++, bravos++)
		bravo();
	dlclose(library);
	return unused;
}

/* The first is gone by now, and nobody but us knows. */
HOTPATH_SKIP void closed(void)
{
	pthread_t thread;

	if (!closing)
		return;
	closing = false;
	pthread_create(&thread, NULL, use_second, NULL);
	pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
	COUNTED();

	if (argc < 3)
		return 2;
	second = argv[2];
	for (int i = 0; i < ROUNDS; i++) {
		void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
		find(&alpha, library, "alpha_work");
		for (int j = 0; j < CALLS; j++, alphas++)
			alpha();
		closing = true;
		dlclose(library);
	}
	truth("alpha_work", alphas);
	truth("alpha_shared", alphas);
	truth("alpha_constructor", ROUNDS);
	truth("bravo_work", bravos);
	truth("bravo_shared", bravos);
	truth("bravo_constructor", ROUNDS);
	truth("helper", alphas);
	truth("@same_place", same_place);
	counted_print(1);
	return 0;
}

#endif
