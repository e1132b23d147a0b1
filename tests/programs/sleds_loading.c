/* SPDX-License-Identifier: MIT */
/* A program that loads and unloads a library again and again, and tells how long that took. */
#include <dlfcn.h>
#include <stdio.h>
#include <time.h>

enum {
	ROUNDS = 100,
};

static long long now_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000LL + time.tv_nsec;
}

__attribute__((noinline)) static int load(const char *path)
{
	int failed = 0;

	for (int i = 0; i < ROUNDS; i++) {
		void *library = dlopen(path, RTLD_NOW);
		failed |= !library || dlclose(library);
	}
	return failed;
}

int main(int argc, char **argv)
{
	long long start = now_ns();
	int failed = argc > 1 ? load(argv[1]) : 1;

	printf("@wall %lld\n", now_ns() - start);
	return failed;
}
