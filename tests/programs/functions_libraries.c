/* SPDX-License-Identifier: MIT */
/*
 * Opens and closes libraries in turn, so that one comes to lie where another was; counts all it calls.
 *
 * usage: functions_libraries THREADS ROUNDS LIBRARY...
 *	Each thread has a share of the libraries for itself. A library is named after its functions.
 */
#include "functions.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
	LIBRARIES_MAX = 16,
	CALLS = 5,
};

struct library {
	const char *path;
	char name[32];
	uint64_t opened;
	uint64_t calls;
};

static struct library libraries[LIBRARIES_MAX];
static unsigned count, threads, rounds;
static volatile bool ended;
/* How often a library's function was where another's had been. */
static uint64_t same_place;

NOINLINE static void busy_inner(void)
{
	COUNTED();
}

/* Goes on meanwhile, in functions that stay where they are. */
static void *busy(void *unused)
{
	COUNTED();

	while (!ended)
		busy_inner();
	return unused;
}

/* POSIX has it so: an object pointer that is a function's. */
HOTPATH_SKIP static void *use(struct library *library)
{
	void *handle = dlopen(library->path, RTLD_NOW | RTLD_LOCAL);
	char symbol[64];
	int (*work)(void);

	if (!handle)
		abort();
	snprintf(symbol, sizeof(symbol), "%s_work", library->name);
	void *address = dlsym(handle, symbol);
	memcpy(&work, &address, sizeof(address));
	library->opened++;
	for (int i = 0; i < CALLS; i++) {
		work();
		library->calls++;
	}
	dlclose(handle);
	return address;
}

static void *in_turn(void *first)
{
	COUNTED();
	void *last = NULL;

	for (unsigned i = 0; i < rounds; i++)
		for (unsigned at = (unsigned)(uintptr_t)first; at < count; at += threads) {
			void *address = use(&libraries[at]);
			if (address == last)
				__atomic_add_fetch(&same_place, 1, __ATOMIC_RELAXED);
			last = address;
		}
	return NULL;
}

HOTPATH_SKIP static void read_libraries(char **paths)
{
	for (; *paths && count < LIBRARIES_MAX; paths++, count++) {
		const char *name = strrchr(*paths, '/') + 1;
		libraries[count].path = *paths;
		snprintf(libraries[count].name, sizeof(libraries[count].name), "%.*s",
			 (int)strcspn(name, "."), name);
	}
}

HOTPATH_SKIP static void print_libraries(void)
{
	char symbol[64];

	for (unsigned i = 0; i < count; i++) {
		snprintf(symbol, sizeof(symbol), "%s_work", libraries[i].name);
		truth(symbol, libraries[i].calls);
		snprintf(symbol, sizeof(symbol), "%s_shared", libraries[i].name);
		truth(symbol, libraries[i].calls);
		snprintf(symbol, sizeof(symbol), "%s_constructor", libraries[i].name);
		truth(symbol, libraries[i].opened);
	}
	truth("@same_place", same_place);
}

int main(int argc, char **argv)
{
	COUNTED();
	uint64_t start = own_clock();
	pthread_t id, ids[LIBRARIES_MAX];

	if (argc < 4)
		return 2;
	threads = (unsigned)strtoul(argv[1], NULL, 10);
	rounds = (unsigned)strtoul(argv[2], NULL, 10);
	read_libraries(argv + 3);
	pthread_create(&id, NULL, busy, NULL);
	for (uintptr_t i = 0; i < threads; i++)
		pthread_create(&ids[i], NULL, in_turn, (void *)i);
	for (unsigned i = 0; i < threads; i++)
		pthread_join(ids[i], NULL);
	ended = true;
	pthread_join(id, NULL);
	print_libraries();
	counted_main(start);
	return 0;
}
