/* SPDX-License-Identifier: MIT */
/* To know that another thread of the program waits, and not only that it will: the kernel tells which system call it is in. */
#ifndef WAIT_INSIDE_H
#define WAIT_INSIDE_H

#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static inline int own_tid(void)
{
	return (int)syscall(SYS_gettid);
}

/* The number of the system call that a thread waits in, and its first argument; -1 when it runs. */
static inline long system_call_of(int tid, uintptr_t *argument)
{
	char path[64], line[128] = "", *rest = line;

	snprintf(path, sizeof(path), "/proc/self/task/%d/syscall", tid);
	FILE *file = fopen(path, "re");
	if (!file || !fgets(line, sizeof(line), file))
		exit(77);
	fclose(file);
	long number = line[0] == 'r' ? -1 : strtol(line, &rest, 10);
	*argument = strtoul(rest, NULL, 16);
	return number;
}

/** Wait until a thread is in this system call; of a futex, in the one that is in this object. */
static inline void until_inside(const int *tid, long number, const void *object, size_t size)
{
	uintptr_t argument = 0;
	int thread;

	while (!(thread = __atomic_load_n(tid, __ATOMIC_ACQUIRE)))
		sched_yield();
	while (system_call_of(thread, &argument) != number ||
	       (object && argument - (uintptr_t)object >= size))
		sched_yield();
}

#endif
