/* SPDX-License-Identifier: MIT */
/*
 * Where a thread's stack lies, without asking libc, which would allocate.
 *
 * The C library keeps a thread's own data at the top of its stack; the kernel put the main thread's there.
 * How far it reaches down, Linux 6.11 and later tell quickly. Before that it is taken to be as large as
 * stacks are by default, until a call comes from below: then the list of mappings is read, once.
 */
#include "recorder.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/auxv.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

/* A stack without a limit is taken to be so large. */
#define UNLIMITED ((rlim_t)1 << 33)

/* As the kernel defines it: which mapping covers an address. */
struct query {
	uint64_t size;
	uint64_t flags;
	uint64_t address;
	uint64_t start;
	uint64_t end;
	uint64_t rest[8];
};

#define QUERY _IOWR('f', 17, struct query)

/* Where the mapping begins that covers an address; 0 when the kernel is too old to say. */
static uintptr_t ask_mapping(uintptr_t address)
{
	struct query query = { .size = sizeof(query), .address = address };
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	bool known = fd >= 0 && ioctl(fd, QUERY, &query) == 0;

	if (fd >= 0)
		close(fd);
	return known ? (uintptr_t)query.start : 0;
}

/* What has been read of a line "start-end rest": the first two are numbers, of base 16. */
struct line {
	uintptr_t numbers[2];
	unsigned field;
};

/* Read on; whether the mapping of this line, now that it is known, covers the address. */
static bool read_on(struct line *line, char c, uintptr_t address)
{
	if (c == '\n') {
		*line = (struct line){ { 0, 0 }, 0 };
	} else if (line->field < 2 && (c == '-' || c == ' ')) {
		line->field++;
		return line->field == 2 && line->numbers[0] <= address &&
		       address < line->numbers[1];
	} else if (line->field < 2) {
		unsigned digit = c >= 'a' ? (unsigned)(c - 'a') + 10 : (unsigned)(c - '0');
		line->numbers[line->field] = line->numbers[line->field] << 4 | digit;
	}
	return false;
}

/* The same from the list of all mappings. The lock is held. */
static uintptr_t find_mapping(uintptr_t address)
{
	char *text = hotpath__recorder->scratch;
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	struct line line = { { 0, 0 }, 0 };
	uintptr_t found = 0;
	ssize_t size;

	while (fd >= 0 && !found && (size = read(fd, text, HP_PATH_MAX)) > 0)
		for (ssize_t i = 0; i < size && !found; i++)
			if (read_on(&line, text[i], address))
				found = line.numbers[0];
	if (fd >= 0)
		close(fd);
	return found;
}

static uintptr_t size_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_STACK, &limit) || limit.rlim_cur > UNLIMITED)
		return (uintptr_t)UNLIMITED;
	return (uintptr_t)limit.rlim_cur;
}

/* A child that was forked by another thread is a main thread on the stack of that one. */
void hotpath__find_stack(struct thread *me)
{
	uintptr_t size = size_limit(), top = (uintptr_t)pthread_self(),
		  sp = hotpath__stack_pointer();
	uintptr_t low = ask_mapping(top);
	bool below = low ? sp >= low && sp < top : top - sp < size;

	me->bounds_known = low != 0;
	if (me->tid == (uint32_t)getpid() && !below) {
		top = (uintptr_t)getauxval(AT_RANDOM);
		low = 0;
		me->bounds_known = true;
	}
	me->stack_low = low ? low : top > size ? top - size : 0;
	me->frames[0].height = top - me->stack_low;
}

void hotpath__extend_stack(struct thread *me)
{
	uintptr_t top = me->stack_low + me->frames[0].height;
	struct guard guard;

	if (me->bounds_known)
		return;
	me->bounds_known = true;
	hotpath__lock(&guard);
	uintptr_t low = find_mapping(top);
	hotpath__unlock(&guard);
	if (!low || low >= me->stack_low)
		return;
	for (struct frame *frame = me->frames; frame <= me->top; frame++)
		frame->height += me->stack_low - low;
	me->stack_low = low;
}
