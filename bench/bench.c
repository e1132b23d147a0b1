/* SPDX-License-Identifier: MIT */
/*
 * What measuring costs, as ratios to the floor: two readings of the clock, taken in the same run, as times need them: on
 * x86-64 the second waits until what was before it is done.
 *
 * Each case is repeated and its best round counts, so that whatever else the machine does disturbs
 * little. The budgets are those of the design; a missed one is exit status 1.
 */
#include "budget.h"

#include <hotpath.h>

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	CALLS = 2000000,
	ROUNDS = 9,
	FUNCTIONS = 1000,
	THREADS = 64,
};

#define OFF_NS 1.5

#if defined(__aarch64__)
#define SPAN_BUDGET 1.10
#define FUNCTION_BUDGET 1.30
static inline uint64_t ticks(void)
{
	uint64_t value;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(value));
	return value;
}
#define ticks_after ticks
#elif defined(__x86_64__)
#define SPAN_BUDGET 1.50
#define FUNCTION_BUDGET 1.70
static inline uint64_t ticks(void)
{
	return __builtin_ia32_rdtsc();
}

static inline uint64_t ticks_after(void)
{
	unsigned processor;

	return __builtin_ia32_rdtscp(&processor);
}
#else
#define SPAN_BUDGET 1.50
#define FUNCTION_BUDGET 1.70
static inline uint64_t ticks(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_nsec;
}
#define ticks_after ticks
#endif

static double now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static __attribute__((noinline)) uint64_t plain(uint64_t x)
{
	__asm__ volatile("" : "+r"(x));
	return x * 31 + 7;
}

static __attribute__((noinline)) uint64_t measured(uint64_t x)
{
	HOTPATH_MEASURE();
	__asm__ volatile("" : "+r"(x));
	return x * 31 + 7;
}

static __attribute__((noinline)) uint64_t outer(uint64_t x)
{
	HOTPATH_MEASURE();
	return measured(measured(measured(x)));
}

static __attribute__((noinline)) uint64_t plain_outer(uint64_t x)
{
	return plain(plain(plain(x)));
}

static volatile uint64_t sink;

/* Nanoseconds of one call of a function, the loop included. */
static double time_of(uint64_t (*function)(uint64_t), unsigned calls)
{
	uint64_t x = sink;
	double start = now_ns();

	for (unsigned i = 0; i < calls; i++)
		x = function(x);
	double end = now_ns();
	sink = x;
	return (end - start) / calls;
}

static double floor_ns(void)
{
	uint64_t sum = 0;
	double start = now_ns();

	for (unsigned i = 0; i < CALLS; i++) {
		sum += ticks();
		sum += ticks_after();
	}
	double end = now_ns();
	sink += sum;
	return (end - start) / CALLS;
}

static double span_ns(void)
{
	return time_of(measured, CALLS) - time_of(plain, CALLS);
}

/* Of one span of four, three of them inside the other. */
static double nested_ns(void)
{
	return (time_of(outer, CALLS / 4) - time_of(plain_outer, CALLS / 4)) / 4;
}

static double best(double (*measure)(void))
{
	double least = measure();

	for (int i = 1; i < ROUNDS; i++) {
		double again = measure();
		if (again < least)
			least = again;
	}
	return least;
}

static pthread_barrier_t barrier;

static void *thread_span(void *result)
{
	pthread_barrier_wait(&barrier);
	*(double *)result = time_of(measured, CALLS) - time_of(plain, CALLS);
	return NULL;
}

/* Of a span on each of two threads at once: the slower one. */
static double two_threads_ns(void)
{
	pthread_t threads[2];
	double results[2];

	pthread_barrier_init(&barrier, NULL, 2);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, thread_span, &results[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	pthread_barrier_destroy(&barrier);
	return results[0] > results[1] ? results[0] : results[1];
}

/* ---- cases that need a process of their own: each prints one number ---- */

static double measured_ns(void)
{
	return time_of(measured, CALLS);
}

static double plain_ns(void)
{
	return time_of(plain, CALLS);
}

/* Memory that the segments in a folder take. */
static double folder_bytes(const char *folder)
{
	char command[512];

	snprintf(command, sizeof(command), "du -sB1 '%s' | cut -f1", folder);
	return number_from(command);
}

static void print_memory(unsigned long calls)
{
	hotpath_start(NULL);
	for (unsigned long left = calls; left;) {
		unsigned now = left < CALLS ? (unsigned)left : CALLS;
		time_of(measured, now);
		left -= now;
	}
	printf("%f\n", folder_bytes(getenv("HOTPATH_DIR")));
	hotpath_stop();
}

static struct hotpath_site sites[FUNCTIONS];
static char names[FUNCTIONS][16];

static void *call_all(void *unused)
{
	for (int round = 0; round < 3; round++)
		for (int i = 0; i < FUNCTIONS; i++) {
			struct hotpath_span span;
			hotpath_span_begin(&span, &sites[i]);
			hotpath_span_end(&span);
		}
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	return unused;
}

static void print_report(void)
{
	pthread_t threads[THREADS];

	for (int i = 0; i < FUNCTIONS; i++) {
		snprintf(names[i], sizeof(names[i]), "function_%d", i);
		sites[i] = (struct hotpath_site){ names[i],    __FILE__,
						  (uint32_t)i, HOTPATH_SITE_FUNCTION,
						  0,	       0 };
	}
	hotpath_start(NULL);
	pthread_barrier_init(&barrier, NULL, THREADS + 1);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, call_all, NULL);
	pthread_barrier_wait(&barrier);
	double start = now_ns();
	hotpath_stop();
	printf("%f\n", (now_ns() - start) / 1e6);
	pthread_barrier_wait(&barrier);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

/* Run this program again for one case. */
static double run_case(const char *settings, const char *arguments)
{
	char self[512];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);

	self[length > 0 ? length : 0] = '\0';
	return run_program(settings, self, arguments);
}

/* ---- the cases ---- */

/* What a call of a function costs that the compiler instrumented; with uftrace instead when it is there. */
static void bench_functions(double two_reads, const char *library, const char *program)
{
	char on[1024], off[1100], uftrace[1100];

	snprintf(on, sizeof(on), "HOTPATH_RUN=bench 'LD_PRELOAD=%s'", library);
	snprintf(off, sizeof(off), "HOTPATH_TREE=0 %s", on);
	snprintf(uftrace, sizeof(uftrace), "uftrace record --no-pager -d $d/data %s", program);
	double one = run_program(on, program, "one 2000000");
	double nested = run_program(on, program, "nested 2000000");
	double turns = run_program(on, program, "turns 2000000");
	double without = run_program(off, program, "nested 2000000");
	row("an instrumented function", one, "ns", one / two_reads, "floor", FUNCTION_BUDGET);
	row("one of nested ones", nested, "ns", nested / two_reads, "floor", FUNCTION_BUDGET);
	row("the same without the call tree", without, "ns", without / two_reads, "floor",
	    FUNCTION_BUDGET);
	row("one of several callers in turn", turns, "ns", turns / two_reads, "floor", 1.6);
	if (system("command -v uftrace > /dev/null") == 0) {
		double theirs = run_program("", uftrace, "one 200000");
		print_row("an instrumented function, by uftrace", theirs, "ns", theirs / one,
			  "ours", 6, theirs >= 6 * one);
	}
}

/* What is kept of allocations, and what that may cost. */
static const struct {
	const char *mode;
	double budget;
} alloc_modes[] = { { "count", 1.25 }, { "freed", 1.60 }, { "live", 4.00 } };

static double run_allocating(const char *probe, const char *mode, const char *program,
			     const char *arguments)
{
	char settings[1100] = "";

	if (mode)
		snprintf(settings, sizeof(settings),
			 "HOTPATH_RUN=bench HOTPATH_ALLOC=%s 'LD_PRELOAD=%s'", mode, probe);
	return run_program(settings, program, arguments);
}

/* The memory that following blocks takes, as a share of that in use: of twice as many less that of as many. */
static void bench_followed(const char *probe, const char *program, const char *what, unsigned size)
{
	char few[64], many[64], name[64];

	snprintf(few, sizeof(few), "live 500000 %u", size);
	snprintf(many, sizeof(many), "live 1000000 %u", size);
	snprintf(name, sizeof(name), "memory to follow blocks %s", what);
	double heap = run_allocating(probe, NULL, program, many) -
		      run_allocating(probe, NULL, program, few);
	double with = run_allocating(probe, "live", program, many) -
		      run_allocating(probe, "live", program, few);
	row(name, (with - heap) / 1024, "KB", (with - heap) / heap, "heap", 0.10);
}

static void bench_allocations(const char *probe, const char *program)
{
	static const char *const threads[] = { "pairs 2000000 1", "pairs 2000000 2" };

	for (unsigned two = 0; two < 2; two++) {
		double bare = run_allocating(probe, NULL, program, threads[two]);
		for (unsigned i = 0; i < sizeof(alloc_modes) / sizeof(*alloc_modes); i++) {
			char name[64];
			const char *mode = alloc_modes[i].mode;
			double with = run_allocating(probe, mode, program, threads[two]);
			snprintf(name, sizeof(name), "malloc(64) and free, %s%s", mode,
				 two ? ", two threads" : "");
			row(name, with, "ns", with / bare, "without", alloc_modes[i].budget);
		}
	}
	bench_followed(probe, program, "of 64 bytes", 64);
	bench_followed(probe, program, "of many sizes", 0);
}

/* At least ten times what we add, when it is there. */
static void bench_heaptrack(const char *probe, const char *program)
{
	char heaptrack[1100];

	if (system("command -v heaptrack > /dev/null") != 0)
		return;
	snprintf(heaptrack, sizeof(heaptrack), "heaptrack -o $d/data %s", program);
	double bare = run_allocating(probe, NULL, program, "pairs 200000 1");
	double ours = run_allocating(probe, "live", program, "pairs 200000 1") - bare;
	char numbers[1200];
	snprintf(numbers, sizeof(numbers),
		 "sh -c '%s pairs 200000 1 2>/dev/null | grep -x [0-9.]*'", heaptrack);
	double theirs = run_program("", numbers, "") - bare;
	print_row("what heaptrack adds to malloc(64) and free", theirs, "ns", theirs / ours,
		  "live's", 10, theirs >= 10 * ours);
}

static void bench_calls(double two_reads)
{
	hotpath_start(NULL);
	double one = best(span_ns), nested = best(nested_ns), two = best(two_threads_ns);
	hotpath_stop();
	double off = run_case("HOTPATH_OFF=1", "measured"), bare = run_case("", "plain");

	printf("| %-44s | %9.2f ns | %-19s | %5s | %-6s |\n", "floor: two readings of the clock",
	       two_reads, "1", "", "");
	row("a measured call", one, "ns", one / two_reads, "floor", SPAN_BUDGET);
	row("one of nested calls", nested, "ns", nested / two_reads, "floor", SPAN_BUDGET);
	row("a measured call, two threads at once", two, "ns", two / one, "one thread", 1.05);
	/* The branch may be hidden completely. */
	print_row("what HOTPATH_OFF=1 leaves of a measured call", off - bare, "ns",
		  (off - bare) / OFF_NS, "1.5 ns", 1, off > 0 && bare > 0 && off - bare <= OFF_NS);
}

static void bench_memory(void)
{
	double million = run_case("", "memory 1000000") / 1024;
	double billion = run_case("", "memory 1000000000") / 1024;

	row("memory after 10^6 calls, one function", million, "KB", million / 160, "160 KB", 1);
	row("memory after 10^9 calls", billion, "KB", billion / million, "10^6", 1);
}

static void bench_report(void)
{
	double table = run_case("HOTPATH_OUTPUT_FORMAT=table", "report");
	double json = run_case("HOTPATH_OUTPUT_FORMAT=json", "report");

	row("exit report, 1000 functions x 64 threads", table, "ms", table / 50, "50 ms", 1);
	row("the same as JSON", json, "ms", json / 50, "50 ms", 1);
}

/* Run a command of the shell. Returns its time in seconds, and the memory in megabytes that it had at most. */
static double run_command(const char *command, double *megabytes)
{
	struct rusage usage = { .ru_maxrss = 0 };
	double begin = now_ns();
	pid_t child = fork();
	int status = -1;

	if (child == 0) {
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		_exit(127);
	}
	if (child < 0 || wait4(child, &status, 0, &usage) != child || status != 0)
		return 0;
	*megabytes = (double)usage.ru_maxrss / 1024;
	return (now_ns() - begin) / 1e9;
}

/* A saved report with 10^6 samples, in 50 000 different stacks of 30 frames, in every format. */
static void bench_export(const char *tool, const char *made_profile)
{
	static const char *const formats[] = { "flamegraph", "firefox", "pprof", "speedscope",
					       "folded" };
	char saved[] = "/tmp/hotpath-bench-XXXXXX", command[1024];
	double slowest = 0, largest = 0, megabytes = 0;
	int file = mkstemp(saved);

	snprintf(command, sizeof(command), "exec '%s' saved 50000 > %s", made_profile, saved);
	bool done = file >= 0 && run_command(command, &megabytes) > 0;
	for (size_t i = 0; done && i < sizeof(formats) / sizeof(*formats); i++) {
		snprintf(command, sizeof(command), "exec '%s' export --format %s -o /dev/null %s",
			 tool, formats[i], saved);
		double seconds = run_command(command, &megabytes);
		done = seconds > 0;
		slowest = seconds > slowest ? seconds : slowest;
		largest = megabytes > largest ? megabytes : largest;
	}
	if (file >= 0)
		close(file);
	unlink(saved);
	row("export of 10^6 samples, the slowest format", done ? slowest : 0, "s", slowest / 5,
	    "5 s", 1);
	row("memory for that, the largest", done ? largest : 0, "MB", largest / 200, "200 MB", 1);
}

/* Long enough to be looked at several times. */
static double long_span_ns(void)
{
	return time_of(measured, 20 * CALLS);
}

static void bench_console(const char *tool, const char *crowd)
{
	hotpath_start(NULL);
	bench_watched(tool, long_span_ns);
	hotpath_stop();
	bench_watching(tool, crowd);
}

static void bench_size(const char *library)
{
	struct stat info;

	if (library && stat(library, &info) == 0) {
		double kilobytes = (double)info.st_size / 1024;
		row("libhotpath.so, stripped", kilobytes, "KB", kilobytes / 250, "250 KB", 1);
	}
}

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "measured") == 0)
		printf("%f\n", best(measured_ns));
	else if (argc > 1 && strcmp(argv[1], "plain") == 0)
		printf("%f\n", best(plain_ns));
	else if (argc > 2 && strcmp(argv[1], "memory") == 0)
		print_memory(strtoul(argv[2], NULL, 10));
	else if (argc > 1 && strcmp(argv[1], "report") == 0)
		print_report();
	else {
		setenv("HOTPATH_OUTPUT_FORMAT", "none", 1);
		head();
		double two_reads = best(floor_ns);
		bench_calls(two_reads);
		bench_flows(two_reads);
		if (argc > 2)
			bench_functions(two_reads, argv[1], argv[2]);
		if (argc > 4) {
			bench_allocations(argv[3], argv[4]);
			bench_heaptrack(argv[3], argv[4]);
		}
		if (argc > 5)
			bench_sampling(argv[1], argv[5]);
		bench_memory();
		bench_report();
		if (argc > 7)
			bench_export(argv[6], argv[7]);
		if (argc > 8)
			bench_console(argv[6], argv[8]);
		if (argc > 10)
			bench_starting(argv[1], argv[9], argv[10]);
		if (argc > 12)
			bench_glib_queue(argv[11], argv[12]);
		bench_size(argc > 1 ? argv[1] : NULL);
		rule();
	}
	return missed;
}
