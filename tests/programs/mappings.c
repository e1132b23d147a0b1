// SPDX-License-Identifier: MIT
// Memory that is mapped outside of malloc, in as many ways as there are. The first argument is one of them.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MB = 1 << 20, THREADS = 8 };

static char *touch(char *at, size_t size)
{
	if (at == MAP_FAILED)
		exit(3);
	memset(at, 1, size);
	return at;
}

static char *map(size_t size)
{
	return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

// 40 MB to the end, of which 8 are in use.
static void reserved(void)
{
	touch(map(40 * MB), 8 * MB);
}

// 64 MB in use, and nothing at the end.
static void gone(void)
{
	munmap(touch(map(64 * MB), 64 * MB), 64 * MB);
}

// The middle of 48 MB is unmapped, and half of the rest replaced: by no memory of ours, in the end 24 MB are left.
static void parts(void)
{
	char *at = touch(map(48 * MB), 48 * MB);

	munmap(at + 16 * MB, 16 * MB);
	if (mmap(at + 32 * MB, 8 * MB, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
		exit(3);
	munmap(at + 40 * MB, 8 * MB);
	// Invalid calls of munmap fail, and change nothing.
	if (munmap(at + 1, 4096) == 0 || errno != EINVAL || munmap(at, 0) == 0 || errno != EINVAL)
		exit(4);
}

// 16 MB grow to 32, which move, and shrink to 24.
static void moved(void)
{
	char *at = touch(map(16 * MB), 16 * MB), *wall = map(MB);

	(void)wall;
	at = mremap(at, 16 * MB, 32 * MB, MREMAP_MAYMOVE);
	at = mremap(touch(at, 32 * MB), 32 * MB, 24 * MB, 0);
	if (at == MAP_FAILED || mremap(at + 1, MB, MB, 0) != MAP_FAILED || errno != EINVAL)
		exit(4);
	munmap(wall, MB);
}

// A file of 20 MB, all of it read.
static void file(void)
{
	FILE *made = tmpfile();
	volatile char sum = 0;

	if (!made || ftruncate(fileno(made), 20 * MB) != 0)
		exit(3);
	char *at = mmap(NULL, 20 * MB, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(made), 0);
	touch(at, 20 * MB);
	for (size_t i = 0; i < 20 * MB; i += 4096)
		sum += at[i];
}

// Threads with 2 MB of their stacks in use, at the end too.
static pthread_barrier_t barrier;

static void *deep(void *unused)
{
	volatile char room[2 * MB];

	for (size_t i = 0; i < sizeof(room); i += 1024)
		room[i] = 1;
	char *volatile block = malloc(100);
	free(block);
	pthread_barrier_wait(&barrier);
	pause();
	return unused;
}

static void stacks(void)
{
	pthread_t threads[THREADS];

	pthread_barrier_init(&barrier, NULL, THREADS + 1);
	for (unsigned i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, deep, NULL);
	pthread_barrier_wait(&barrier);
}

// Variables of 12 MB.
static char large[12 * MB];

static void variables(void)
{
	touch(large, sizeof(large));
}

// Blocks of 32 MB, many of them.
static void blocks(void)
{
	for (unsigned i = 0; i < 32; i++)
		touch(malloc(MB / 2), MB / 2), touch(malloc(MB / 2), MB / 2);
}

static void killed(void)
{
	reserved();
	kill(getpid(), SIGKILL);
}

// A child inherits 40 MB, and unmaps what it gets itself. In a handler 8 MB are mapped.
static void on_signal(int number)
{
	(void)number;
	touch(map(8 * MB), 8 * MB);
}

static void forked(void)
{
	reserved();
	if (fork() == 0) {
		char *volatile block = malloc(10);
		free(block);
		gone();
		exit(0);
	}
	wait(NULL);
}

static void handled(void)
{
	signal(SIGUSR1, on_signal);
	raise(SIGUSR1);
}

static const struct {
	const char *name;
	void (*call)(void);
} ways[] = {
	{ "reserved", reserved },   { "gone", gone },	    { "parts", parts },
	{ "moved", moved },	    { "file", file },	    { "stacks", stacks },
	{ "variables", variables }, { "blocks", blocks },   { "killed", killed },
	{ "forked", forked },	    { "handled", handled },
};

int main(int count, char **arguments)
{
	char *volatile block = malloc(100);

	errno = 0;
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++)
		if (count > 1 && strcmp(arguments[1], ways[i].name) == 0)
			ways[i].call();
	exit(block ? 0 : 1);
}
