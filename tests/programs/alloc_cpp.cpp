/* SPDX-License-Identifier: MIT */
/*
 * What C++ allocates: by every operator, in containers, and in calls that exceptions leave.
 *
 * usage: alloc_cpp [modest|threads]
 *	modest: asks for nothing that cannot be, as not every allocator can say so
 *	threads: all call operators for the first time at once
 */
extern "C" {
#include "alloc_truth.h"
}

#include <cstring>
#include <memory>
#include <new>
#include <stdexcept>
#include <vector>

#include <pthread.h>

namespace
{

struct alignas(256) aligned_type {
	char bytes[512];
};

struct plain_type {
	char bytes[40];
};

enum {
	THREADS = 8,
	EACH = 1000,
};

pthread_barrier_t all_there;
volatile size_t too_much = PTRDIFF_MAX;
void *volatile kept;

} // namespace

extern "C" {

ALONE static void by_new()
{
	plain_type *one = new plain_type;
	kept = one;
	delete one;
	char *many = new char[123];
	kept = many;
	delete[] many;
	kept = new int(7);
}

ALONE static void by_nothrow()
{
	char *one = new (std::nothrow) char[99];
	kept = one;
	delete[] one;
	kept = new (std::nothrow) plain_type;
}

ALONE static void by_aligned_new()
{
	aligned_type *one = new aligned_type;
	kept = one;
	delete one;
	aligned_type *many = new (std::nothrow) aligned_type[3];
	kept = many;
	delete[] many;
	kept = new aligned_type;
}

/* By an exception, which is allocated; and by one that is hidden. */
ALONE static void fails_to_allocate()
{
	bool caught = false;

	REQUIRE(!::operator new[](too_much, std::nothrow));

	try {
		kept = ::operator new[](too_much);
	} catch (const std::bad_alloc &) {
		caught = true;
	}
	REQUIRE(caught);
}

/* The block is one that the operator knows the size of. */
ALONE static void deletes(void *block)
{
	::operator delete(block);
}

ALONE static void *makes()
{
	return ::operator new(64);
}

ALONE static void throws(int more)
{
	kept = malloc(10);
	if (!more)
		throw more;
	throws(more - 1);
}

/* What is thrown is allocated by the C++ library, and freed by it. */
ALONE static int catches()
{
	try {
		throws(5);
	} catch (int value) {
		kept = malloc(1000);
		return value;
	}
	return -1;
}

ALONE static void *race(void *)
{
	pthread_barrier_wait(&all_there);
	for (int i = 0; i < EACH; i++) {
		char *many = new char[10];
		kept = many;
		delete[] many;
		aligned_type *one = new aligned_type;
		kept = one;
		delete one;
	}
	return nullptr;
}

SKIP static void races()
{
	uint64_t all = uint64_t(THREADS) * EACH;
	pthread_t threads[THREADS];

	pthread_barrier_init(&all_there, nullptr, THREADS);
	for (pthread_t &thread : threads)
		pthread_create(&thread, nullptr, race, nullptr);
	for (pthread_t &thread : threads)
		pthread_join(thread, nullptr);
	allocated("race", all * 522, all * 2), freed("race", all * 522, all * 2);
	live("race", 0, 0);
}

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "threads") == 0) {
		races();
		return 0;
	}
	if (argc == 1) {
		fails_to_allocate();
		balanced("fails_to_allocate");
	}
	by_new(), by_nothrow(), by_aligned_new();
	deletes(makes());
	REQUIRE(catches() == 0);
	{
		std::vector<plain_type> many(100);
		std::unique_ptr<plain_type> one(new plain_type);
		many.resize(200);
		kept = many.data();
	}
	allocated("by_new", 40 + 123 + sizeof(int), 3), freed("by_new", 163, 2);
	live("by_new", sizeof(int), 1);
	allocated("by_nothrow", 139, 2), freed("by_nothrow", 99, 1), live("by_nothrow", 40, 1);
	allocated("by_aligned_new", 5 * 512, 3), freed("by_aligned_new", 4 * 512, 2);
	live("by_aligned_new", 512, 1);
	allocated("makes", 64, 1), freed("makes", 0, 0), temporary("makes", 1), live("makes", 0, 0);
	freed("deletes", 64, 1);
	live("throws", 60, 6), live("catches", 1000, 1);
#ifdef __clang__
	/* Its functions do not say that an exception leaves them. */
	dropped("abandoned", 6);
#endif
	return 0;
}
}
