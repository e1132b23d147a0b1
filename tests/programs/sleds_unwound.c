/* SPDX-License-Identifier: MIT */
/* Functions with sleds, and who asks for the stack in the innermost one. It prints the names on the stack. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <execinfo.h>
#include <stdio.h>

#define NOINLINE __attribute__((noinline))

enum { FRAMES = 32 };

static volatile int sum;

NOINLINE void tell_stack(void)
{
	void *frames[FRAMES];
	int count = backtrace(frames, FRAMES);

	for (int i = 0; i < count; i++) {
		Dl_info info;
		if (dladdr(frames[i], &info) && info.dli_sname)
			puts(info.dli_sname);
	}
	sum++;
}

NOINLINE int inner(int value)
{
	if (value == 1)
		tell_stack();
	return value + sum;
}

NOINLINE int middle(int value)
{
	return inner(value) + 1;
}

NOINLINE int outer(int value)
{
	return middle(value) * 2;
}

int main(void)
{
	int result = 0;

	for (int i = 0; i < 100; i++)
		result += outer(i);
	return result == 0;
}
