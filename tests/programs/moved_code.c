/* SPDX-License-Identifier: MIT */
/*
 * Code that is executed where no dynamic linker has put it, as some engines move what they bring: the pages are of the
 * program's file, and nothing else of that is around them. Prints its number and its CPU time.
 */
#include "compute.h"

#include <err.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGES = 65536 };

/* Alone on its pages, and without an address of anything else. */
__attribute__((noinline, section("moved"), aligned(PAGES))) static void spin(long long (*now)(void),
									     long long end)
{
	while (now() < end)
		for (volatile int i = 0; i < 100000; i++)
			;
}

__attribute__((used, section("moved"), aligned(PAGES))) static void behind(void) {}

int main(void)
{
	void (*moved)(long long (*)(void), long long) = spin;
	uintptr_t from;

	memcpy(&from, &moved, sizeof(from));
	/* Nothing of another file is in between. */
	void *to = mmap((void *)(from + ((uintptr_t)1 << 32)), PAGES, PROT_NONE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (to == MAP_FAILED)
		err(2, "mmap");
	to = mremap((void *)from, PAGES, PAGES, MREMAP_MAYMOVE | MREMAP_FIXED, to);
	if (to == MAP_FAILED)
		err(2, "mremap");
	memcpy(&moved, &to, sizeof(moved));
	moved(thread_used_ns, thread_used_ns() + 200 * 1000000LL);
	tell_used();
	return 0;
}
