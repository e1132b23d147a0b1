/* SPDX-License-Identifier: MIT */
/*
 * The clock: the processor's counter where it can be trusted, CLOCK_MONOTONIC otherwise.
 *
 * On aarch64 the counter is part of the architecture and states its own frequency. On x86-64 the kernel
 * says whether the TSC is sound by using it itself; its frequency is found by comparison.
 */
#include "clock.h"

#include "seccomp.h"

#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

bool hotpath__monotonic;

uint64_t hotpath__monotonic_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

/* The best of a few tries: the thread may be interrupted between the two readings. */
struct hp_moment hotpath__clock_moment(void)
{
	struct hp_moment best = { 0, 0 };
	uint64_t closest = UINT64_MAX;

	for (int i = 0; i < 5; i++) {
		uint64_t before = hotpath__ticks();
		uint64_t ns = hotpath__monotonic_ns();
		uint64_t between = hotpath__ticks() - before;

		if (between < closest) {
			closest = between;
			best = (struct hp_moment){ before + between / 2, ns };
		}
	}
	return best;
}

#if defined(__aarch64__)

static bool counter_sound(void)
{
	return true;
}

static uint64_t counter_frequency(struct hp_moment start)
{
	uint64_t frequency;

	__asm__("mrs %0, cntfrq_el0" : "=r"(frequency));
	(void)start;
	return frequency;
}

#elif defined(__x86_64__)

/* For a counter of unknown frequency: ticks per second between two moments. */
static uint64_t rate_between(struct hp_moment a, struct hp_moment b)
{
	double ns = (double)(b.monotonic_ns - a.monotonic_ns);

	return ns > 0 ? (uint64_t)((double)(b.ticks - a.ticks) * 1e9 / ns) : 0;
}

static bool counter_sound(void)
{
	static const char path[] =
		"/sys/devices/system/clocksource/clocksource0/current_clocksource";
	char source[8] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return false;
	ssize_t size = read(fd, source, sizeof(source) - 1);
	close(fd);
	return size >= 3 && memcmp(source, "tsc", 3) == 0 && (size == 3 || source[3] == '\n');
}

/* The two moments are exact to about 10 ns each, so 100 µs between them give the rate to two parts in ten thousand. It is
   computed again later. Most of the time has passed already, while the segment was created. */
static uint64_t counter_frequency(struct hp_moment start)
{
	struct hp_moment now;

	do
		now = hotpath__clock_moment();
	while (now.monotonic_ns - start.monotonic_ns < 100000);
	return rate_between(start, now);
}

#else

static bool counter_sound(void)
{
	return false;
}

static uint64_t counter_frequency(struct hp_moment start)
{
	(void)start;
	return 0;
}

#endif

struct hp_moment hotpath__clock_choose(bool monotonic)
{
	hotpath__monotonic = monotonic || !counter_sound();
	return hotpath__clock_moment();
}

void hotpath__clock_init(struct hp_header *header, struct hp_moment start)
{
	uint64_t frequency = UINT64_C(1000000000);

	if (!hotpath__monotonic)
		frequency = counter_frequency(start);
	if (!frequency) {
		start = hotpath__clock_choose(true);
		frequency = UINT64_C(1000000000);
	}
	header->start = start;
	header->clock = hotpath__monotonic ? HP_CLOCK_MONOTONIC : HP_CLOCK_COUNTER;
	header->ticks_per_second = frequency;
	header->latest = header->start;
}

void hotpath__clock_update(struct hp_header *header)
{
	hotpath__set_moment(&header->latest, hotpath__clock_moment());
#if defined(__x86_64__)
	if (header->clock == HP_CLOCK_COUNTER &&
	    header->latest.monotonic_ns - header->start.monotonic_ns > 10000000)
		store(&header->ticks_per_second, rate_between(header->start, header->latest),
		      RELAXED);
#endif
}
