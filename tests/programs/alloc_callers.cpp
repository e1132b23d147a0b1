// SPDX-License-Identifier: MIT
// Allocates by the operators of C++, with stacks that are known.
#include <cstdlib>

#define ALONE __attribute__((noinline))
#define KEEP(block) __asm__ volatile("" : : "r"(block) : "memory")

struct wide {
	char bytes[300];
};

ALONE static void by_new()
{
	wide *block = new wide;

	KEEP(block);
}

ALONE static void by_array()
{
	wide *block = new wide[3];

	KEEP(block);
}

ALONE static void both()
{
	by_new();
	by_array();
	KEEP(0);
}

int main()
{
	for (int i = 0; i < 10; i++)
		both();
	return 0;
}
