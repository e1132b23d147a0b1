/* SPDX-License-Identifier: MIT */
/*
 * The benchmark of the profiler itself: what measuring costs, as ratios to the floor, which is two readings of the clock
 * taken in the same run.
 *
 * Each case is repeated and its best round counts, so that whatever else the machine does disturbs
 * little. The budgets are those of the design; a missed one is exit status 1.
 */
#include "budget.h"

#include "clock.h"
#include "process/machine.h"

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

/* The limit for a measured call while recording is switched off, in nanoseconds. */
#define OFF_NS 1.5

enum {
	/* A round is about a millisecond: on a busy machine, too, some are not interrupted. */
	CALLS = 20000,
	ROUNDS = 400,
	/* A second or more, so that the console looks several times. */
	LONG = 40000000,
	/* More than the recorder adds up at once, and hardly any with another duration. */
	CALLS_EACH = 100,
	FUNCTIONS = 1000,
	THREADS = 64,
};

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

static double measured_ns(void)
{
	return time_of(measured, CALLS);
}

static double plain_ns(void)
{
	return time_of(plain, CALLS);
}

/* The time of one call of four, three of which are inside the fourth. */
static double nested_ns(void)
{
	return time_of(outer, CALLS / 4) / 4;
}

static double plain_nested_ns(void)
{
	return time_of(plain_outer, CALLS / 4) / 4;
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
	*(double *)result = time_of(measured, CALLS);
	return NULL;
}

/* The time of a call while two threads call at once: that of the slower thread. */
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

/* Memory that the segment of this program takes. */
static double own_bytes(void)
{
	char command[512];

	snprintf(command, sizeof(command), "du -sB1 '%s' | cut -f1", getenv("HOTPATH_DIR"));
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
	printf("%f\n", own_bytes());
	hotpath_stop();
}

static struct hotpath_site sites[FUNCTIONS];
static char names[FUNCTIONS][16];

static void name_sites(void)
{
	for (int i = 0; i < FUNCTIONS; i++) {
		snprintf(names[i], sizeof(names[i]), "function_%d", i);
		sites[i] = (struct hotpath_site){ names[i],    __FILE__,
						  (uint32_t)i, HOTPATH_SITE_FUNCTION,
						  0,	       0 };
	}
}

static void call(int function, int times)
{
	for (int i = 0; i < times; i++) {
		struct hotpath_span span;
		hotpath_span_begin(&span, &sites[function]);
		hotpath_span_end(&span);
	}
}

/* How much the segment grows with each function that this thread calls, after another one has. */
static void *grow(void *bytes)
{
	call(0, CALLS_EACH);
	double one = own_bytes();
	for (int i = 1; i < FUNCTIONS; i++)
		call(i, CALLS_EACH);
	*(double *)bytes = (own_bytes() - one) / (FUNCTIONS - 1);
	return NULL;
}

static void print_function_memory(void)
{
	pthread_t thread;
	double bytes = 0;

	name_sites();
	hotpath_start(NULL);
	for (int i = 0; i < FUNCTIONS; i++)
		call(i, 1);
	pthread_create(&thread, NULL, grow, &bytes);
	pthread_join(thread, NULL);
	printf("%f\n", bytes);
	hotpath_stop();
}

static void *call_all(void *unused)
{
	for (int round = 0; round < 3; round++)
		for (int i = 0; i < FUNCTIONS; i++)
			call(i, 1);
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	return unused;
}

static void print_report(void)
{
	pthread_t threads[THREADS];

	name_sites();
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
	double one = run_program(on, program, "one 20000 400");
	double nested = run_program(on, program, "nested 20000 400");
	double turns = run_program(on, program, "turns 20000 400");
	double without = run_program(off, program, "nested 20000 400");
	row("an instrumented function", one, "ns", one / two_reads, "floor", FUNCTION_BUDGET);
	row("one of nested ones", nested, "ns", nested / two_reads, "floor", FUNCTION_BUDGET);
	row("the same without the call tree", without, "ns", without / two_reads, "floor",
	    FUNCTION_BUDGET);
	row("one of several callers in turn", turns, "ns", turns / two_reads, "floor", 1.6);
	if (system("command -v uftrace > /dev/null") == 0) {
		double theirs = run_program("", uftrace, "one 20000 10");
		print_row("an instrumented function, by uftrace", theirs, "ns", theirs / one,
			  "ours", 6, theirs >= 6 * one);
	}
}

enum { TWO_READS, PLAIN, MEASURED, PLAIN_NESTED, NESTED, TWO_THREADS, WAYS };
static double (*const ways[WAYS])(void) = {
	[TWO_READS] = floor_ns,		  [PLAIN] = plain_ns,	[MEASURED] = measured_ns,
	[PLAIN_NESTED] = plain_nested_ns, [NESTED] = nested_ns, [TWO_THREADS] = two_threads_ns,
};

/* The best round of each, not of differences: a plain call that was disturbed would make one too small. They take
   turns, because machines are slower at some times than at others. */
static void take_turns(double bests[WAYS])
{
	for (int round = 0; round < ROUNDS; round++)
		for (int i = 0; i < WAYS; i++) {
			double ns = ways[i]();
			if (!round || ns < bests[i])
				bests[i] = ns;
		}
}

/* Returns the floor. */
static double bench_calls(void)
{
	double bests[WAYS];

	hotpath_start(NULL);
	take_turns(bests);
	hotpath_stop();
	double two_reads = bests[TWO_READS], one = bests[MEASURED] - bests[PLAIN];
	double nested = bests[NESTED] - bests[PLAIN_NESTED];
	double two = bests[TWO_THREADS] - bests[PLAIN];
	double off = run_case("HOTPATH_OFF=1", "measured"), bare = run_case("", "plain");

	printf("| %-44s | %9.2f ns | %-19s | %5s | %-6s |\n", "floor: two readings of the clock",
	       two_reads, "1", "", "");
	row("a measured call", one, "ns", one / two_reads, "floor", SPAN_BUDGET);
	row("one of nested calls", nested, "ns", nested / two_reads, "floor", NESTED_BUDGET);
	row("a measured call, two threads at once", two, "ns", two / one, "one thread", 1.05);
	/* The branches may be hidden completely, so that it is 0. */
	print_row("what HOTPATH_OFF=1 leaves of a measured call", off - bare, "ns",
		  (off - bare) / OFF_NS, "1.5 ns", 1, off > 0 && bare > 0 && off - bare <= OFF_NS);
	return two_reads;
}

static void bench_memory(void)
{
	double million = run_case("", "memory 1000000") / 1024;
	double billion = run_case("", "memory 1000000000") / 1024;

	row("memory after 10^6 calls, one function", million, "KB", million / 160, "160 KB", 1);
	row("memory after 10^9 calls", billion, "KB", billion / million, "10^6", 1);
	double function = run_case("", "functions") / 1024;
	row("memory of one more function on a thread", function, "KB", function / 2, "2 KB", 1);
}

static void bench_report(void)
{
	double table = run_case("HOTPATH_OUTPUT_FORMAT=table", "report");
	double json = run_case("HOTPATH_OUTPUT_FORMAT=json", "report");

	row("exit report, 1000 functions x 64 threads", table, "ms", table / 60, "60 ms", 1);
	row("the same as JSON", json, "ms", json / 60, "60 ms", 1);
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

static double long_span_ns(void)
{
	return time_of(measured, LONG);
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

/* Figures are of one processor: what it is stands above them. */
static void print_machine(void)
{
	struct hp_machine machine;

	hp_machine_read(&machine);
	printf("%s, %s, cores: %u, Linux %s\n", machine.cpu, machine.arch, machine.cores,
	       machine.kernel);
}

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "measured") == 0)
		printf("%f\n", best(measured_ns));
	else if (argc > 1 && strcmp(argv[1], "plain") == 0)
		printf("%f\n", best(plain_ns));
	else if (argc > 1 && strcmp(argv[1], "functions") == 0)
		print_function_memory();
	else if (argc > 2 && strcmp(argv[1], "memory") == 0)
		print_memory(strtoul(argv[2], NULL, 10));
	else if (argc > 1 && strcmp(argv[1], "report") == 0)
		print_report();
	else {
		setenv("HOTPATH_OUTPUT_FORMAT", "none", 1);
		/* The benchmark takes minutes: print each row as soon as it is known. */
		setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
		print_machine();
		head();
		double two_reads = bench_calls();
		bench_many(two_reads);
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
		if (argc > 11)
			bench_starting(&(struct starting){ argv[1], argv[6], argv[9], argv[10],
							   argv[11] });
		if (argc > 13)
			bench_waits(argv[12], argv[13]);
		if (argc > 15)
			bench_glib_queue(argv[14], argv[15]);
		bench_size(argc > 1 ? argv[1] : NULL);
		rule();
	}
	return missed;
}
