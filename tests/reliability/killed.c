/* SPDX-License-Identifier: MIT */
/*
 * A program that dies in every way, and keeps a count of its own of every call that returned.
 *
 *	killed run FILE WAY          run threads, and die: "exit", "_exit", "segv", ... or wait for it
 *	killed strike FILE SIGNAL N  send a signal to it at a moment that depends on N
 *	killed counts FILE           print the counts as JSON
 *
 * The counts are in a shared mapping of FILE, so they survive whatever the report must survive. A call
 * is counted right after its function returned: a thread may die between the two, so for each function
 * the report shows as many calls, and at most one more for each thread.
 */
#include <hotpath.h>

#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
	THREADS = 6,
	/* The first of them never leave their outermost call, the others end and are followed by new ones. */
	LASTING = 3,
	ROUNDS = 200,
	/* Calls of the quickest function before the program dies by itself: of a thread, and of all. */
	ENOUGH_EACH = 100,
	ENOUGH = 50000,
	STATUS = 7,
};

enum function { QUICK, MIDDLE, OUTER, RECURSIVE, RETURNING, OPERATION, FUNCTIONS };

static const char *const names[FUNCTIONS] = { "quick",	   "middle",	"outer",
					      "recursive", "returning", "operation" };

/* One writer each. */
struct counts {
	uint64_t calls[THREADS][FUNCTIONS];
};

struct shared {
	pid_t pid;
	/* At this moment, and when the program decided to die. */
	struct counts now;
	struct counts before;
};

#define load(pointer) __atomic_load_n((pointer), __ATOMIC_RELAXED)
#define store(pointer, value) __atomic_store_n((pointer), (value), __ATOMIC_RELAXED)

static struct shared *shared;

static void spin(unsigned rounds)
{
	for (volatile unsigned i = 0; i < rounds; i++)
		;
}

static void count(unsigned slot, enum function function)
{
	uint64_t *calls = &shared->now.calls[slot][function];

	store(calls, load(calls) + 1);
}

__attribute__((noinline)) static void quick(void)
{
	HOTPATH_MEASURE();
}

__attribute__((noinline)) static void middle(unsigned slot, unsigned rounds)
{
	HOTPATH_MEASURE();
	spin(rounds);
	quick();
	count(slot, QUICK);
}

__attribute__((noinline)) static void recursive(unsigned slot, unsigned depth)
{
	HOTPATH_MEASURE();
	if (depth) {
		recursive(slot, depth - 1);
		count(slot, RECURSIVE);
	}
}

__attribute__((noinline)) static const char *returning(void)
{
	HOTPATH_MEASURE();
	HOTPATH_RETURN("a text");
}

static void operation(unsigned slot)
{
	struct hotpath_span span;

	HOTPATH_SPAN_BEGIN(span, "operation");
	quick();
	count(slot, QUICK);
	HOTPATH_SPAN_END(span);
	count(slot, OPERATION);
}

__attribute__((noinline)) static void outer(unsigned slot)
{
	HOTPATH_MEASURE();
	for (unsigned round = 0; round < ROUNDS || slot < LASTING; round++) {
		quick();
		count(slot, QUICK);
		middle(slot, round % 50);
		count(slot, MIDDLE);
		recursive(slot, round % 9);
		count(slot, RECURSIVE);
		returning();
		count(slot, RETURNING);
		operation(slot);
	}
}

static void *work(void *slot)
{
	outer((unsigned)(uintptr_t)slot);
	count((unsigned)(uintptr_t)slot, OUTER);
	return NULL;
}

/* One thread after the other, each in the same slot. */
static void *keep_working(void *slot)
{
	pthread_t thread;

	while (pthread_create(&thread, NULL, work, slot) == 0)
		pthread_join(thread, NULL);
	return NULL;
}

/* Every thread is at work, and much has been done. */
static bool enough(unsigned more)
{
	uint64_t all = 0;

	for (unsigned slot = 0; slot < THREADS; slot++) {
		uint64_t calls = load(&shared->now.calls[slot][QUICK]);
		if (calls < ENOUGH_EACH)
			return false;
		all += calls;
	}
	return all >= ENOUGH + more;
}

static void remember(void)
{
	for (unsigned slot = 0; slot < THREADS; slot++)
		for (unsigned function = 0; function < FUNCTIONS; function++)
			shared->before.calls[slot][function] = load(
				&shared->now.calls[slot][function]);
}

/* ---- ways to die ---- */

static void by_exit(void)
{
	exit(STATUS);
}

/* The C library writes what is left when all handlers of the end have run: that takes until much more was done. */
static ssize_t write_slowly(void *cookie, const char *text, size_t size)
{
	static uint64_t until[THREADS];

	(void)cookie;
	(void)text;
	for (unsigned slot = 0; slot < THREADS; slot++)
		until[slot] = load(&shared->now.calls[slot][QUICK]) + ENOUGH_EACH;
	for (unsigned slot = 0; slot < THREADS; slot++)
		while (load(&shared->now.calls[slot][QUICK]) < until[slot])
			sched_yield();
	return (ssize_t)size;
}

static void *exit_from_here(void *unused)
{
	FILE *slow = fopencookie(NULL, "w", (cookie_io_functions_t){ .write = write_slowly });

	if (slow && fputc('x', slow) == 'x')
		exit(STATUS);
	return unused;
}

/* While the main thread waits, as all others run on. */
static void by_exit_elsewhere(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, exit_from_here, NULL) == 0)
		pthread_join(thread, NULL);
	abort();
}

static void by_underscore_exit(void)
{
	_exit(STATUS);
}

static void by_quick_exit(void)
{
	quick_exit(STATUS);
}

static void by_segv(void)
{
	/* Not NULL, which a sanitizer would see. */
	volatile int *forbidden = mmap(NULL, sizeof(*forbidden), PROT_NONE,
				       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	*forbidden = 1;
}

static void by_exec(void)
{
	execl("/bin/sh", "sh", "-c", "exit 7", (char *)NULL);
	abort();
}

static void by_signal(void)
{
	for (;;)
		pause();
}

static void by_return(void) {}

static const struct {
	const char *name;
	void (*die)(void);
} ways[] = {
	{ "exit", by_exit },
	{ "exit_elsewhere", by_exit_elsewhere },
	{ "_exit", by_underscore_exit },
	{ "quick_exit", by_quick_exit },
	{ "abort", abort },
	{ "segv", by_segv },
	{ "exec", by_exec },
	{ "KILL", by_signal },
	{ "TERM", by_signal },
	{ "return", by_return },
};

static int run(const char *way)
{
	HOTPATH_MAIN();
	const struct rlimit no_core = { 0, 0 };
	pthread_t thread;

	setrlimit(RLIMIT_CORE, &no_core);
	store(&shared->pid, getpid());
	for (uintptr_t slot = 0; slot < THREADS; slot++)
		if (pthread_create(&thread, NULL, keep_working, (void *)slot))
			return 1;
	while (!enough(0))
		sched_yield();
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		if (strcmp(way, ways[i].name) == 0) {
			remember();
			ways[i].die();
			return STATUS;
		}
	}
	return 1;
}

/* The moment depends on how far the program has come, and then on a number of turns of a loop. */
static int strike(const char *signal_name, unsigned nth)
{
	int number = strcmp(signal_name, "KILL") == 0 ? SIGKILL : SIGTERM;

	/* Should it never come so far. */
	alarm(60);
	while (!load(&shared->pid) || !enough(nth * 977))
		sched_yield();
	spin(nth * 7919 % 20011);
	return kill(load(&shared->pid), number) != 0;
}

static void print_counts(const char *key, const struct counts *counts)
{
	printf("\"%s\":{", key);
	for (unsigned function = 0; function < FUNCTIONS; function++) {
		uint64_t calls = 0;
		for (unsigned slot = 0; slot < THREADS; slot++)
			calls += counts->calls[slot][function];
		printf("%s\"%s\":%" PRIu64, function ? "," : "", names[function], calls);
	}
	printf("}");
}

static int print(void)
{
	printf("{\"pid\":%d,\"threads\":%d,", (int)shared->pid, THREADS);
	print_counts("now", &shared->now);
	printf(",");
	print_counts("before", &shared->before);
	printf("}\n");
	return 0;
}

static int share(const char *path)
{
	int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	void *memory = MAP_FAILED;

	if (file >= 0 && ftruncate(file, sizeof(*shared)) == 0)
		memory = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	shared = memory;
	return memory == MAP_FAILED ? -1 : 0;
}

int main(int argc, char **argv)
{
	if (argc < 3 || share(argv[2])) {
		fprintf(stderr, "usage: killed run|strike|counts FILE ...\n");
		return 2;
	}
	if (strcmp(argv[1], "run") == 0 && argc == 4)
		return run(argv[3]);
	if (strcmp(argv[1], "strike") == 0 && argc == 5)
		return strike(argv[3], (unsigned)atoi(argv[4]));
	return print();
}
