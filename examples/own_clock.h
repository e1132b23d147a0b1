/* SPDX-License-Identifier: MIT */
/*
 * The example's own measurement, with which a test compares the report.
 *
 * With EXAMPLE_EXPECT=FILE in the environment, "name nanoseconds" is written to FILE for each name
 * when the program ends. Not needed to use hotpath.
 */
#ifndef OWN_CLOCK_H
#define OWN_CLOCK_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static struct {
	const char *name;
	uint64_t ns;
} own_clocks[8];

static inline uint64_t own_clock_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static inline void own_clock_write(void)
{
	const char *path = getenv("EXAMPLE_EXPECT");
	FILE *file = path ? fopen(path, "w") : NULL;

	if (!file)
		return;
	for (size_t i = 0; own_clocks[i].name; i++)
		fprintf(file, "%s %" PRIu64 "\n", own_clocks[i].name, own_clocks[i].ns);
	fclose(file);
}

static inline void own_clock_add(const char *name, uint64_t since)
{
	uint64_t ns = own_clock_now() - since;
	size_t i = 0;

	while (own_clocks[i].name && strcmp(own_clocks[i].name, name) != 0)
		i++;
	if (i == 0 && !own_clocks[0].name)
		atexit(own_clock_write);
	own_clocks[i].name = name;
	own_clocks[i].ns += ns;
}

/** Do something, and add the time it took to that of a name. */
#define OWN_CLOCK(name, ...)                                                                       \
	do {                                                                                       \
		uint64_t own_clock_start = own_clock_now();                                        \
		__VA_ARGS__;                                                                       \
		own_clock_add(name, own_clock_start);                                              \
	} while (0)

#endif
