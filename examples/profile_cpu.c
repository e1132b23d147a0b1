/* SPDX-License-Identifier: MIT */
/* CPU-bound work: one expensive function and one cheap one, called in turn. */
#include <hotpath.h>

#include "own_clock.h"

/*
 * Keeps the compiler from replacing a loop by a formula: every value goes through memory. That is what an
 * iteration costs, so five times the iterations take about five times as long.
 */
static inline uint64_t black_box(uint64_t value)
{
	static volatile uint64_t box;

	box = box + value;
	return value;
}

static uint64_t heavy_work(uint32_t iterations)
{
	HOTPATH_MEASURE();
	uint64_t result = 1;

	for (uint32_t i = 0; i < iterations; i++) {
		result *= black_box(i) + 7;
		result ^= result >> 3;
	}
	return result;
}

static uint64_t light_work(uint32_t iterations)
{
	HOTPATH_MEASURE();
	uint64_t result = 0;

	for (uint32_t i = 0; i < iterations; i++)
		result += black_box(i);
	return result;
}

static uint64_t work(void)
{
	uint64_t total = 0;

	for (int i = 0; i < 1000; i++) {
		OWN_CLOCK("heavy_work", total += heavy_work(500000));
		OWN_CLOCK("light_work", total += light_work(100000));
	}
	return total;
}

int main(void)
{
	HOTPATH_MAIN();

	OWN_CLOCK("main", black_box(work()));
	return 0;
}
