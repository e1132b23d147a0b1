/* SPDX-License-Identifier: MIT */
/* What C++ has: exceptions through functions, objects older than main, names of every kind. */
#include "functions.h"

#include <stdexcept>
#include <thread>

enum {
	ROUNDS = 500,
	DEPTH = 3,
	THREADS = 20,
};

static volatile int sum;

namespace outer
{
namespace
{
NOINLINE void hidden()
{
	COUNTED_AS("outer::(anonymous-namespace)::hidden");
	sum++;
}
} // namespace

struct thrower {
	NOINLINE void throws()
	{
		COUNTED_AS("outer::thrower::throws");
		throw std::runtime_error("far");
	}
	NOINLINE virtual int through(int more)
	{
		COUNTED_AS("outer::thrower::through");
		if (more)
			return through(more - 1) + 1;
		throws();
		return 0;
	}
	NOINLINE virtual ~thrower() { COUNTED_AS("outer::thrower::~thrower"); }
};

NOINLINE int overloaded(int value)
{
	COUNTED_AS("outer::overloaded(int)");
	return value + sum;
}

NOINLINE int overloaded(double value)
{
	COUNTED_AS("outer::overloaded(double)");
	return static_cast<int>(value) + sum;
}

template <typename T> NOINLINE T twice(T value)
{
	if (sizeof(T) == 1) {
		COUNTED_AS("outer::twice<char>");
	} else {
		COUNTED_AS("outer::twice<long>");
	}
	return static_cast<T>(value + value);
}
} // namespace outer

/* One level catches, and lets it go on. */
NOINLINE static void rethrows(outer::thrower &object)
{
	COUNTED_AS("rethrows");

	try {
		sum += object.through(DEPTH);
	} catch (const std::exception &) {
		outer::hidden();
		throw;
	}
}

NOINLINE static void catches()
{
	COUNTED_AS("catches");
	outer::thrower object;

	try {
		rethrows(object);
	} catch (const std::runtime_error &) {
		outer::hidden();
	}
}

/* Older than main, and there after it. */
struct lasting {
	bool first;
	NOINLINE explicit lasting(bool is_first) : first(is_first)
	{
		COUNTED_AS("lasting::lasting");
	}
	NOINLINE ~lasting()
	{
		end();
		if (first)
			print();
	}
	NOINLINE void end() { COUNTED_AS("lasting::end"); }
	HOTPATH_SKIP static void print()
	{
		/* The destructor that runs now. */
		truth("lasting::~lasting", THREADS + 1);
		counted_print(0);
	}
	lasting(const lasting &) = delete;
	lasting &operator=(const lasting &) = delete;
};

static lasting global(true);

NOINLINE static void own_thread()
{
	COUNTED_AS("own_thread");
	static thread_local lasting own(false);

	own.end();
}

int main()
{
	COUNTED_AS("main");
	auto lambda = [](int value) NOINLINE {
		COUNTED_AS("main::{lambda(int)#1}::operator()");
		sum += value;
	};

	for (int i = 0; i < ROUNDS; i++) {
		catches();
		lambda(i);
		sum += outer::overloaded(i) + outer::overloaded(0.5);
		sum += outer::twice<char>(1) + static_cast<int>(outer::twice<long>(2));
	}
	for (int i = 0; i < THREADS; i++)
		std::thread(own_thread).join();
	return 0;
}
