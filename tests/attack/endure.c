/* SPDX-License-Identifier: MIT */
/*
 * A program from which something is taken while it runs. It does one step after the other, prints what came
 * of each, and keeps an account of its calls.
 *
 *	endure ACCOUNT STEP[=NUMBER]...
 *
 * What it does and prints depends on nothing but its steps: with and without the profiler it is the same.
 */
#include <hotpath.h>

#include "account.h"
#include "filter.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>

enum {
	MEGABYTE = 1 << 20,
	THREAD_STACK = 256 * 1024,
	/* Calls of each thread. */
	THREAD_CALLS = 200,
	HELD_CALLS = 100,
	/* Seconds, should nobody be there any more who tells it to go on. */
	PATIENCE = 300,
	DESCRIPTORS = 4096,
};

static struct timespec begun;
static char *const *arguments;

/* ---- what is measured ---- */

__attribute__((noinline)) static void work(void)
{
	HOTPATH_MEASURE();
}

#define NEW(n)                                                                                     \
	__attribute__((noinline)) static void new_##n(void)                                        \
	{                                                                                          \
		HOTPATH_MEASURE();                                                                 \
	}
#define NAME(n) new_##n,
#define EIGHT(what, n)                                                                             \
	what(n##0) what(n##1) what(n##2) what(n##3) what(n##4) what(n##5) what(n##6) what(n##7)
#define ALL(what)                                                                                  \
	EIGHT(what, 1)                                                                             \
	EIGHT(what, 2)                                                                             \
	EIGHT(what, 3) EIGHT(what, 4) EIGHT(what, 5) EIGHT(what, 6) EIGHT(what, 7) EIGHT(what, 8)

ALL(NEW)

static void (*const news[])(void) = { ALL(NAME) };

static void call_known(unsigned slot, unsigned long calls)
{
	for (unsigned long i = 0; i < calls; i++) {
		work();
		count(&account->work[slot]);
	}
}

static void call_new(unsigned slot)
{
	for (size_t i = 0; i < sizeof(news) / sizeof(*news); i++) {
		news[i]();
		count(&account->fresh[slot]);
	}
}

/* By one system call, that of writing. */
static void say(const char *step, const char *result)
{
	char line[200];
	int length = snprintf(line, sizeof(line), "%s: %s\n", step, result);

	if (write(STDOUT_FILENO, line, (size_t)length) != length)
		_exit(4);
}

/* ---- steps: 0, or an errno ---- */

static int calls(unsigned long number)
{
	call_known(0, number);
	return 0;
}

static int new_functions(unsigned long number)
{
	(void)number;
	call_new(0);
	return 0;
}

static void *in_thread(void *slot)
{
	call_known((unsigned)(uintptr_t)slot, THREAD_CALLS);
	call_new((unsigned)(uintptr_t)slot);
	return NULL;
}

/* So many at once; what was begun is ended in any case. */
static int threads_of(unsigned long number, size_t stack)
{
	pthread_t all[ACCOUNT_SLOTS];
	pthread_attr_t attributes;
	unsigned begun_threads = 0;
	int error = number < ACCOUNT_SLOTS ? 0 : EINVAL;

	pthread_attr_init(&attributes);
	if (stack)
		pthread_attr_setstacksize(&attributes, stack);
	while (!error && begun_threads < number) {
		error = pthread_create(&all[begun_threads], &attributes, in_thread,
				       (void *)(uintptr_t)(begun_threads + 1));
		begun_threads += !error;
	}
	while (begun_threads)
		pthread_join(all[--begun_threads], NULL);
	pthread_attr_destroy(&attributes);
	return error;
}

static int threads(unsigned long number)
{
	return threads_of(number, THREAD_STACK);
}

/* With stacks of the usual size, 8 MB. */
static int wide_threads(unsigned long number)
{
	return threads_of(number, 0);
}

static int allocate(unsigned long megabytes)
{
	volatile char *block = malloc(megabytes * MEGABYTE);

	if (!block)
		return errno;
	block[0] = block[megabytes * MEGABYTE - 1] = 1;
	free((char *)block);
	return 0;
}

static int map(unsigned long megabytes)
{
	void *memory = mmap(NULL, megabytes * MEGABYTE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return errno;
	return munmap(memory, megabytes * MEGABYTE) ? errno : 0;
}

static int limit(int what, unsigned long number)
{
	const struct rlimit both = { number, number };

	return setrlimit(what, &both) ? errno : 0;
}

static int memory(unsigned long megabytes)
{
	return limit(RLIMIT_AS, megabytes * MEGABYTE);
}

static int descriptors(unsigned long number)
{
	return limit(RLIMIT_NOFILE, number);
}

static int file_size(unsigned long bytes)
{
	return limit(RLIMIT_FSIZE, bytes);
}

static int lock(unsigned long flags)
{
	return mlockall((int)flags) ? errno : 0;
}

/* As many as there may be, which is what is printed. */
static int open_all(unsigned long number)
{
	static int all[DESCRIPTORS];
	unsigned count_open = 0;
	char text[16];

	(void)number;
	while (count_open < DESCRIPTORS && (all[count_open] = open("/dev/null", O_RDONLY)) >= 0)
		count_open++;
	snprintf(text, sizeof(text), "%u", count_open);
	say("descriptors", text);
	while (count_open)
		close(all[--count_open]);
	return 0;
}

/* The number holds what happens, and for which system call: "1000 * action + number". */
static int forbid(unsigned long number)
{
	return filter_one((unsigned)(number % 1000), (enum filter_action)(number / 1000), false);
}

/* The same without the function of the C library. */
static int forbid_raw(unsigned long number)
{
	return filter_one((unsigned)(number % 1000), (enum filter_action)(number / 1000), true);
}

static int allow_needed(unsigned long number)
{
	(void)number;
	return filter_all_but_needed();
}

static int strict(unsigned long number)
{
	(void)number;
	return filter_strict();
}

static void tell_time(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	__atomic_store_n(
		&account->elapsed_ns,
		(uint64_t)((now.tv_sec - begun.tv_sec) * 1000000000 + now.tv_nsec - begun.tv_nsec),
		__ATOMIC_RELAXED);
}

/* Goes on calling until it is told to go on. */
static int hold(unsigned long number)
{
	(void)number;
	while (!__atomic_load_n(&account->go_on, __ATOMIC_RELAXED)) {
		call_known(0, HELD_CALLS);
		tell_time();
		usleep(1000);
	}
	return 0;
}

/* Calls all new functions on new threads again and again, so that the segment grows while it is held. */
static int hold_growing(unsigned long number)
{
	int error = 0;

	while (!error && !__atomic_load_n(&account->go_on, __ATOMIC_RELAXED)) {
		call_known(0, HELD_CALLS);
		error = threads(number);
	}
	return error;
}

/* The same program once more, from the step behind this one: filters and limits stay. */
static int again(unsigned long number)
{
	char *rest[64];
	size_t length = 2;
	size_t step = 2;

	(void)number;
	while (strcmp(arguments[step], "again") != 0)
		step++;
	rest[0] = arguments[0];
	rest[1] = arguments[1];
	while (arguments[++step] && length + 1 < sizeof(rest) / sizeof(*rest))
		rest[length++] = arguments[step];
	rest[length] = NULL;
	execv(rest[0], rest);
	return errno;
}

static int leave(unsigned long number)
{
	exit((int)number);
}

/* This thread alone, as a program must that may not do more. */
static int leave_at_once(unsigned long number)
{
	syscall(SYS_exit, (int)number);
	return EINVAL;
}

static const struct {
	const char *name;
	int (*take)(unsigned long number);
} steps[] = {
	{ "calls", calls },
	{ "new", new_functions },
	{ "threads", threads },
	{ "wide-threads", wide_threads },
	{ "malloc", allocate },
	{ "map", map },
	{ "memory", memory },
	{ "descriptors", descriptors },
	{ "file-size", file_size },
	{ "lock", lock },
	{ "open", open_all },
	{ "forbid", forbid },
	{ "forbid-raw", forbid_raw },
	{ "allow-needed", allow_needed },
	{ "strict", strict },
	{ "hold", hold },
	{ "hold-growing", hold_growing },
	{ "again", again },
	{ "exit", leave },
	{ "exit-at-once", leave_at_once },
};

static bool take(const char *step)
{
	size_t length = strcspn(step, "=");
	unsigned long number = step[length] ? strtoul(step + length + 1, NULL, 10) : 0;

	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++)
		if (strlen(steps[i].name) == length && strncmp(step, steps[i].name, length) == 0) {
			int error = steps[i].take(number);
			say(step, error ? strerrorname_np(error) : "ok");
			return true;
		}
	return false;
}

int main(int argc, char **argv)
{
	HOTPATH_MAIN();

	if (argc < 3 || account_open(argv[1])) {
		fprintf(stderr, "usage: endure ACCOUNT STEP[=NUMBER]...\n");
		return 2;
	}
	arguments = argv;
	alarm(PATIENCE);
	clock_gettime(CLOCK_MONOTONIC, &begun);
	account->pid = (uint64_t)getpid();
	for (int i = 2; i < argc; i++) {
		if (!take(argv[i]))
			return 2;
		count(&account->steps);
	}
	return 0;
}
