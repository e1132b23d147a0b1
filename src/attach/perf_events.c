/* SPDX-License-Identifier: MIT */
/* The kernel's performance events of all threads of another process: how they are opened and closed. */
#include "perf_events.h"

#include "arithmetic.h"
#include "array.h"
#include "perf_ring.h"
#include "segment.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
	/* Bytes of a ring, a power of two; less if all rings together had more, but not less than for many CPUs. */
	RING_BYTES = 8 << 20,
	RINGS_BYTES = 64 << 20,
	RING_BYTES_MANY = 2 << 20,
	/* Pages of a ring, at least. */
	RING_PAGES_LEAST = 8,
	/* Bytes of the stack in a sample: at most and, where rings are small or the rate is high, at least. */
	STACK_BYTES = 16 << 10,
	STACK_BYTES_LEAST = 256,
	/* A ring has room for the samples of one part in so many of a second, should we not get a processor. */
	RING_PARTS = 8,
};

static int open_event(struct perf_event_attr *attributes, pid_t tid, int cpu)
{
	int fd = (int)syscall(SYS_perf_event_open, attributes, tid, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/* All events of a ring must use the same clock. */
static struct perf_event_attr attributes_for(uint64_t config)
{
	return (struct perf_event_attr){ .type = PERF_TYPE_SOFTWARE,
					 .size = sizeof(struct perf_event_attr),
					 .config = config,
					 .use_clockid = 1,
					 .clockid = CLOCK_MONOTONIC,
					 .exclude_hv = 1 };
}

/* ---- rings ---- */

/* The kernel wakes us up when a ring is full to a quarter. */
static int open_ring(struct hp_perf_ring *ring, int cpu, size_t size)
{
	struct perf_event_attr attributes = attributes_for(PERF_COUNT_SW_DUMMY);
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	attributes.exclude_kernel = 1;
	attributes.watermark = 1;
	attributes.wakeup_watermark = (uint32_t)(size / 4);
	*ring = (struct hp_perf_ring){ .cpu = cpu, .size = size };
	ring->fd = open_event(&attributes, 0, cpu);
	if (ring->fd < 0)
		return ring->fd;
	ring->page = mmap(NULL, page + ring->size, PROT_READ | PROT_WRITE, MAP_SHARED, ring->fd, 0);
	if (ring->page != MAP_FAILED) {
		ring->bytes = (const char *)ring->page + page;
		return 0;
	}
	close(ring->fd);
	return -ENOBUFS;
}

static void close_rings(struct hp_perf_events *events)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	for (size_t i = 0; i < events->ring_count; i++) {
		munmap(events->rings[i].page, page + events->rings[i].size);
		close(events->rings[i].fd);
	}
	events->ring_count = 0;
}

/* CPUs that are switched off have no events. */
static int open_rings(struct hp_perf_events *events, size_t size)
{
	int error = 0, cpus = (int)sysconf(_SC_NPROCESSORS_CONF);

	for (int cpu = 0; cpu < cpus && (!error || error == -ENODEV); cpu++) {
		struct hp_perf_ring *ring = &events->rings[events->ring_count];
		error = open_ring(ring, cpu, size);
		if (error)
			continue;
		events->polls[events->ring_count++] = (struct pollfd){ .fd = ring->fd,
								       .events = POLLIN };
	}
	return error == -ENODEV && events->ring_count ? 0 : error;
}

static size_t ring_bytes(size_t cpus)
{
	size_t size = RING_BYTES;

	while (size > RING_BYTES_MANY && size * cpus > RINGS_BYTES)
		size /= 2;
	return size;
}

/* Rings are locked memory, of which a user may have only so much. All have the same size. */
static int open_largest(struct hp_perf_events *events, size_t cpus)
{
	size_t least = RING_PAGES_LEAST * (size_t)sysconf(_SC_PAGESIZE);
	int error = -ENOBUFS;

	for (size_t size = ring_bytes(cpus); error == -ENOBUFS && size >= least; size /= 2) {
		error = open_rings(events, size);
		if (error)
			close_rings(events);
	}
	return error;
}

/* How much of the stack can be in a sample without a loss of samples. */
static uint32_t stack_bytes(const struct hp_perf_events *events)
{
	uint64_t samples = UINT64_C(1000000000) / events->period_ns / RING_PARTS + 1;
	uint64_t room = events->rings[0].size / samples / sizeof(uint64_t) * sizeof(uint64_t);

	if (!HP_PERF_REGISTERS)
		return 0;
	return (uint32_t)hp_max(STACK_BYTES_LEAST, hp_min(room, STACK_BYTES));
}

static uint16_t kernel_depth(void)
{
	unsigned long depth = 127;
	char text[32] = "";
	FILE *file = fopen("/proc/sys/kernel/perf_event_max_stack", "re");

	if (file) {
		if (fgets(text, sizeof(text), file))
			depth = strtoul(text, NULL, 10);
		fclose(file);
	}
	return (uint16_t)(depth < HP_STACK_DEPTH_MAX ? depth : HP_STACK_DEPTH_MAX);
}

int hp_perf_open(struct hp_perf_events *events, uint32_t pid, uint64_t period_ns)
{
	size_t cpus = (size_t)sysconf(_SC_NPROCESSORS_CONF);

	*events = (struct hp_perf_events){ .pid = pid,
					   .period_ns = period_ns,
					   .depth = kernel_depth() };
	events->rings = calloc(cpus, sizeof(*events->rings));
	events->polls = calloc(cpus, sizeof(*events->polls));
	events->copy = malloc(HP_PERF_RECORD_MAX);
	if (!events->rings || !events->polls || !events->copy)
		return -ENOMEM;
	int error = open_largest(events, cpus);
	if (!error)
		events->stack_bytes = stack_bytes(events);
	return error;
}

/* ---- events ---- */

static struct perf_event_attr sampling(const struct hp_perf_events *events)
{
	struct perf_event_attr attributes = attributes_for(PERF_COUNT_SW_TASK_CLOCK);

	attributes.sample_period = events->period_ns;
	attributes.sample_type = HP_PERF_SAMPLE_TYPE;
	attributes.sample_id_all = 1;
	attributes.sample_max_stack = events->depth;
	attributes.inherit = 1;
	attributes.exclude_kernel = events->without_kernel;
	/* The stack of the program is wanted, also when the kernel was at work for it. */
	attributes.exclude_callchain_kernel = 1;
	attributes.mmap = attributes.mmap2 = 1;
	attributes.comm = attributes.comm_exec = 1;
	attributes.task = 1;
	if (events->stack_bytes) {
		attributes.sample_type |= HP_PERF_SAMPLE_STACK;
		attributes.sample_regs_user = HP_PERF_REGISTERS;
		attributes.sample_stack_user = events->stack_bytes;
	}
	return attributes;
}

/*
 * Whether the kernel may accept less. Ordinary users may not see the kernel where perf_event_paranoid is 2, as it is by default;
 * and some kernels have no stacks in samples, which is seen with the first event.
 */
static bool asks_for_less(struct hp_perf_events *events, int error)
{
	if ((error == -EACCES || error == -EPERM) && !events->without_kernel)
		return events->without_kernel = true;
	if ((error != -EINVAL && error != -ENOSYS && error != -EOPNOTSUPP) || events->event_count ||
	    !events->stack_bytes)
		return false;
	events->stack_bytes = 0;
	return true;
}

/* A thread that is refused even without the kernel says nothing about the others. */
static int open_on(struct hp_perf_events *events, uint32_t tid, int cpu)
{
	bool was_without_kernel = events->without_kernel;
	int fd;

	do {
		struct perf_event_attr attributes = sampling(events);
		fd = open_event(&attributes, (pid_t)tid, cpu);
	} while (fd < 0 && asks_for_less(events, fd));
	if (fd < 0)
		events->without_kernel = was_without_kernel;
	return fd;
}

static int keep_event(struct hp_perf_events *events, int fd, uint32_t tid, int ring)
{
	struct hp_perf_event event = { .fd = fd, .tid = tid };

	if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, ring) || ioctl(fd, PERF_EVENT_IOC_ID, &event.id))
		return -errno;
	if (!hp_array_reserve(&events->events, events->event_count, &events->event_room,
			      sizeof(event)))
		return -ENOMEM;
	/* The kernel counts ids up, so the list is sorted by them. */
	events->events[events->event_count++] = event;
	return 0;
}

static int add_event(struct hp_perf_events *events, uint32_t tid, const struct hp_perf_ring *ring)
{
	int fd = open_on(events, tid, ring->cpu);

	if (fd < 0)
		return fd;
	int error = fd <= events->files_max ? keep_event(events, fd, tid, ring->fd) : -EMFILE;
	if (error)
		close(fd);
	return error;
}

static void drop_thread(struct hp_perf_events *events, uint32_t tid)
{
	while (events->event_count && events->events[events->event_count - 1].tid == tid)
		close(events->events[--events->event_count].fd);
}

static bool has_thread(const struct hp_perf_events *events, uint32_t tid)
{
	for (size_t i = 0; i < events->tid_count; i++)
		if (events->tids[i] == tid)
			return true;
	return false;
}

int hp_perf_add_thread(struct hp_perf_events *events, uint32_t tid)
{
	int error = 0;

	if (has_thread(events, tid))
		return 0;
	if (!hp_array_reserve(&events->tids, events->tid_count, &events->tid_room, sizeof(tid)))
		return -ENOMEM;
	for (size_t i = 0; i < events->ring_count && (!error || error == -ENODEV); i++)
		error = add_event(events, tid, &events->rings[i]);
	if (!error || error == -ENODEV) {
		events->tids[events->tid_count++] = tid;
		return 0;
	}
	drop_thread(events, tid);
	if (error != -EMFILE && error != -ENFILE)
		return error == -ESRCH ? 0 : error;
	events->tids[events->tid_count++] = tid;
	events->left_out++;
	return 0;
}

void hp_perf_close(struct hp_perf_events *events)
{
	for (size_t i = 0; i < events->event_count; i++)
		close(events->events[i].fd);
	close_rings(events);
	free(events->events);
	free(events->tids);
	free(events->rings);
	free(events->polls);
	free(events->copy);
	*events = (struct hp_perf_events){ 0 };
}
