/* SPDX-License-Identifier: MIT */
/* Measures in the constructors and destructors of objects that outlive main and their threads. */
#include <hotpath.h>

#include "truth.h"

#include <thread>

enum {
	THREADS = 50,
};

static uint64_t lives, ends;

static void live()
{
	HOTPATH_MEASURE_AS("live");
	__atomic_add_fetch(&lives, 1, __ATOMIC_RELAXED);
}

static void end()
{
	HOTPATH_MEASURE_AS("end");
	__atomic_add_fetch(&ends, 1, __ATOMIC_RELAXED);
}

struct measured {
	bool last = false;
	measured() { live(); }
	~measured()
	{
		end();
		if (!last)
			return;
		truth("live", lives);
		truth("end", ends);
		fflush(stdout);
	}
	measured(const measured &) = delete;
	measured &operator=(const measured &) = delete;
};

static measured global;

int main()
{
	global.last = true;
	for (int i = 0; i < THREADS; i++)
		std::thread([] {
			static thread_local measured own;
			live();
			(void)own;
		}).join();
	return 0;
}
