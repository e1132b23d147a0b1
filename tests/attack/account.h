/* SPDX-License-Identifier: MIT */
/*
 * The account that a program keeps of its own calls: words in a shared mapping of a file, which outlive the
 * program. A call is counted right after it returned. Each slot has one writer.
 */
#ifndef ACCOUNT_H
#define ACCOUNT_H

#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ACCOUNT_SLOTS = 64 };

/* harness.py knows these offsets. */
struct account {
	uint64_t pid;
	/* Set from outside: what is held goes on. */
	uint64_t go_on;
	/* Since the program began to measure, by its own clock. */
	uint64_t elapsed_ns;
	uint64_t steps;
	/* Calls of the function "work", and of functions "new_N". */
	uint64_t work[ACCOUNT_SLOTS];
	uint64_t fresh[ACCOUNT_SLOTS];
};

static struct account *account;

static inline void count(uint64_t *word)
{
	__atomic_store_n(word, __atomic_load_n(word, __ATOMIC_RELAXED) + 1, __ATOMIC_RELAXED);
}

/* 0, or -1 when the file cannot be shared. */
static inline int account_open(const char *path)
{
	int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	void *memory = MAP_FAILED;

	if (file >= 0 && ftruncate(file, sizeof(*account)) == 0)
		memory = mmap(NULL, sizeof(*account), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	if (file >= 0)
		close(file);
	account = memory;
	return memory == MAP_FAILED ? -1 : 0;
}

#endif
