/* SPDX-License-Identifier: MIT */
/* Throws exceptions through measured functions of C++ and of C, and catches them far away. */
#include <hotpath.h>

#include "throw.h"
#include "truth.h"

#include <stdexcept>

enum {
	ROUNDS = 2000,
	DEPTH = 3,
};

static uint64_t throws, afters;

void throw_here()
{
	HOTPATH_MEASURE_AS("throw_here");

	throws++;
	throw std::runtime_error("through C");
}

static void after()
{
	HOTPATH_MEASURE_AS("after");

	afters++;
}

static void catches()
{
	HOTPATH_MEASURE_AS("catches");

	try {
		throw_through(DEPTH);
	} catch (const std::runtime_error &) {
		after();
	}
}

int main()
{
	HOTPATH_MAIN();
	uint64_t start = own_clock();

	for (int i = 0; i < ROUNDS; i++)
		catches();
	truth("throw_here", throws);
	truth("throw_through", throws * (DEPTH + 1));
	truth("after", afters);
	truth("catches", ROUNDS);
	truth("@elapsed", own_clock() - start);
	return 0;
}
