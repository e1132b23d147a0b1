/* SPDX-License-Identifier: MIT */
/*
 * The bounds of a thread's stack, without asking libc, which would allocate.
 *
 * The upper bound is the thread descriptor (pthread_self), which the C library puts at the top of a thread's stack;
 * for the main thread, the random bytes of AT_RANDOM that the kernel puts there. The lower bound is found by an ioctl
 * that Linux has since 6.11. Without that, the stack is assumed to have the default size, until a call comes from
 * below it: then the list of mappings is read, once.
 */
#include "calls/stack.h"

#include "process/maps.h"
#include "process/platform.h"
#include "process/seccomp.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/auxv.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

/* The assumed size of a stack without a limit, in bytes. */
#define UNLIMITED ((rlim_t)1 << 33)

/* struct procmap_query of the kernel: asks for the mapping that covers an address. */
struct query {
	uint64_t size;
	uint64_t flags;
	uint64_t address;
	uint64_t start;
	uint64_t end;
	uint64_t rest[8];
};

#define QUERY _IOWR('f', 17, struct query)

/* The start of the mapping that covers an address; 0 when the kernel does not have the ioctl. */
static uintptr_t ask_mapping(uintptr_t address)
{
	struct query query = { .size = sizeof(query), .address = address };
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	bool known = fd >= 0 && ioctl(fd, QUERY, &query) == 0;

	if (fd >= 0)
		close(fd);
	return known ? (uintptr_t)query.start : 0;
}

/* The mapping that covers an address, from /proc/self/maps; NULL when there is none. The lock is held. */
static const struct mapping *find_mapping(uintptr_t address)
{
	static struct mapping mapping;

	return hotpath__maps_find(address, &mapping) ? &mapping : NULL;
}

static uintptr_t size_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_STACK, &limit) || limit.rlim_cur > UNLIMITED)
		return (uintptr_t)UNLIMITED;
	return (uintptr_t)limit.rlim_cur;
}

/* The stack of a task that clone made, of which the C library knows nothing: the whole mapping around it. The lock
   is held. */
static void find_task_stack(struct thread *me, uintptr_t sp)
{
	const struct mapping *around = find_mapping(sp);

	if (!around)
		return;
	me->bounds_known = true;
	me->stack_low = around->start;
	me->frames[0].height = around->end - around->start;
}

/* In a child that was forked by another thread, the main thread runs on the stack of that thread. */
void hotpath__find_stack(struct thread *me, uintptr_t sp)
{
	uintptr_t size = size_limit(), top = (uintptr_t)pthread_self();
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
	if (hotpath__me && hotpath__me->busy == SHARED && !hotpath__own_stack(me, sp))
		find_task_stack(me, sp);
}

void hotpath__extend_stack(struct thread *me)
{
	uintptr_t top = me->stack_low + me->frames[0].height;
	struct guard guard;

	if (me->bounds_known)
		return;
	me->bounds_known = true;
	hotpath__lock(&guard);
	const struct mapping *around = find_mapping(top);
	uintptr_t low = around ? around->start : 0;
	hotpath__unlock(&guard);
	if (!low || low >= me->stack_low)
		return;
	for (struct frame *frame = me->frames; frame <= me->top; frame++)
		frame->height += me->stack_low - low;
	me->stack_low = low;
}
