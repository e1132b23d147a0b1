/* SPDX-License-Identifier: MIT */
/*
 * Counts how often the macros call the library, before recording starts, while it goes on and when it has stopped, with
 * measurements that begin in one of these times and end in another.
 *
 * Each session leaves a report in FOLDER and a line with what that must hold. What is wrong with the number of calls is
 * a line on standard error.
 *
 * usage: off_on FOLDER skips|passes|off [LIBRARY]
 *	skips	while nothing is recorded, the library is not called
 *	passes	it is called all the same: another recorder in this process may want to know
 *	off	starting to record does nothing
 *	LIBRARY	is loaded while recording, and has a measured function, plugin_work
 */
#include <hotpath/abi.h>

static unsigned passed_on;
#define COUNTED(call) (__atomic_fetch_add(&passed_on, 1, __ATOMIC_RELAXED), (call))
#define hotpath_span_begin(span, site) COUNTED((hotpath_span_begin)(span, site))
#define hotpath_span_end(span) COUNTED((hotpath_span_end)(span))
#define hotpath_operation_begin(span, site) COUNTED((hotpath_operation_begin)(span, site))
#define hotpath_operation_end(span) COUNTED((hotpath_operation_end)(span))
#define hotpath_poll_begin(poll, future) COUNTED((hotpath_poll_begin)(poll, future))
#define hotpath_poll_end(poll) COUNTED((hotpath_poll_end)(poll))
#define hotpath_channel_send(channel, bytes) COUNTED((hotpath_channel_send)(channel, bytes))
#define hotpath_channel_recv(channel) COUNTED((hotpath_channel_recv)(channel))
#define hotpath_stream_yield(stream, bytes) COUNTED((hotpath_stream_yield)(stream, bytes))
#define hotpath_value_set(site, value) COUNTED((hotpath_value_set)(site, value))
#define hotpath_value_set_as(site, key, value) COUNTED((hotpath_value_set_as)(site, key, value))
#define hotpath_gauge_set(site, value) COUNTED((hotpath_gauge_set)(site, value))
#define hotpath_gauge_add(site, value) COUNTED((hotpath_gauge_add)(site, value))
#define hotpath_log(value) COUNTED((hotpath_log)(value))

#include <hotpath.h>

#include "truth.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum {
	THREAD_CALLS = 1000,
	/* Library calls of everything(), a beginning and an end being two. */
	EVERYTHING = 13,
};

static const char *folder;
static bool skips, off, failed;
static void (*plugin_work)(void);
/* Calls of this session, which its report must have. */
static unsigned heres, by_hands, plugin_works;

static void check(bool right, const char *what)
{
	if (right)
		return;
	fprintf(stderr, "FAILED: %s: %u calls of the library\n", what, passed_on);
	failed = true;
}

/* How many calls of the library there were since the last time that this was asked. */
static unsigned calls_since(void)
{
	return __atomic_exchange_n(&passed_on, 0, __ATOMIC_RELAXED);
}

/* So many calls if those are passed on that come while nothing is recorded. */
static void check_idle(unsigned calls, const char *what)
{
	check(passed_on == (skips ? 0 : calls), what);
	calls_since();
}

__attribute__((noinline)) static int here(int n)
{
	HOTPATH_MEASURE();
	heres++;
	HOTPATH_RETURN(n);
}

/* As a program that was built with a header which did not look at the flag. */
__attribute__((noinline)) static void by_hand(void)
{
	static struct hotpath_site site = { "by_hand", __FILE__, __LINE__, HOTPATH_SITE_FUNCTION,
					    0,	       0 };
	struct hotpath_span span;

	(hotpath_span_begin)(&span, &site);
	(hotpath_span_end)(&span);
	by_hands++;
}

__attribute__((noinline)) static void poll_one(struct hotpath_future *future)
{
	HOTPATH_FUTURE_POLL(future);
}

/* One of each macro that looks at the flag. */
static void everything(void)
{
	static struct hotpath_span operation;
	static struct hotpath_channel channel;
	static struct hotpath_stream stream;
	static struct hotpath_future future;
	char key[] = "made";

	here(1);
	HOTPATH_SPAN_BEGIN(operation, "operation");
	HOTPATH_SPAN_END(operation);
	HOTPATH_CHANNEL_SEND(&channel, 1);
	HOTPATH_CHANNEL_RECV(&channel);
	HOTPATH_STREAM_YIELD(&stream, 1);
	poll_one(&future);
	HOTPATH_DBG(heres);
	HOTPATH_VAL("key", heres);
	HOTPATH_VAL(key, heres);
	HOTPATH_GAUGE_SET("gauge", 1);
	HOTPATH_GAUGE_ADD("gauge", 1);
	by_hand();
	if (plugin_work)
		plugin_work();
	plugin_works++;
}

static void start(const char *name)
{
	struct hotpath_options options = HOTPATH_OPTIONS_INIT;
	char path[256];

	snprintf(path, sizeof(path), "%s/%s.json", folder, name);
	options.output_path = path;
	options.format = HOTPATH_FORMAT_JSON;
	heres = by_hands = plugin_works = 0;
	if (hotpath_start(&options))
		exit(1);
}

static void stop(const char *name)
{
	hotpath_stop();
	printf("{\"name\":\"%s\",\"calls\":{\"here\":%u", name, heres);
	if (by_hands)
		printf(",\"by_hand\":%u", by_hands);
	if (plugin_work && plugin_works)
		printf(",\"plugin_work\":%u", plugin_works);
	printf("}}\n");
	fflush(stdout);
}

/* POSIX has it so: an object pointer that is a function's. */
static void open_library(const char *path)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	void *symbol = library ? dlsym(library, "plugin_work") : NULL;

	if (!symbol)
		exit(1);
	memcpy(&plugin_work, &symbol, sizeof(symbol));
}

/* A call and an operation that begin before the start end after it: nobody recorded their beginning. */
static void begin_before_start(const char *library)
{
	struct hotpath_span operation;

	HOTPATH_BLOCK("began before", {
		HOTPATH_SPAN_BEGIN(operation, "operation began before");
		start("before");
		here(2);
		calls_since();
	})
	check_idle(1, "the end of a call that began before the start");
	HOTPATH_SPAN_END(operation);
	check(passed_on == 0, "the end of an operation that began before the start");
	if (library)
		open_library(library);
	everything();
	stop("before");
}

/* A call and an operation that begin before the stop end after it: the recorder knows them as open. */
static void end_after_stop(void)
{
	struct hotpath_span operation;

	start("after");
	here(3);
	HOTPATH_BLOCK("ends after", {
		HOTPATH_SPAN_BEGIN(operation, "operation ends after");
		stop("after");
		calls_since();
	})
	check(calls_since() == !off, "the end of a call that began before the stop");
	HOTPATH_SPAN_END(operation);
	check(calls_since() == !off, "the end of an operation that began before the stop");
}

static pthread_barrier_t barrier;

/* It is there before the start, measures without a break from then on, and is told of the stop. */
static void *thread(void *unused)
{
	here(4);
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	for (int i = 0; i < THREAD_CALLS; i++)
		here(i);
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	here(5);
	return unused;
}

static void other_thread(void)
{
	pthread_t id;

	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&id, NULL, thread, NULL);
	pthread_barrier_wait(&barrier);
	check_idle(3, "a thread before the start");
	start("thread");
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	check(passed_on == (off ? 0 : 3 * THREAD_CALLS), "a thread after the start");
	stop("thread");
	calls_since();
	pthread_barrier_wait(&barrier);
	pthread_join(id, NULL);
	check_idle(3, "a thread after the stop");
}

/* Called in a child; ends it. */
static void be_child(const char *name, bool recording)
{
	calls_since();
	here(6);
	check(passed_on == (recording || !skips ? 3 : 0), name);
	start(name);
	everything();
	calls_since();
	stop(name);
	here(7);
	check_idle(3, "a child after its stop");
	_exit(failed);
}

static void await(pid_t child)
{
	int status = -1;

	if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
		failed = true;
}

static void fork_children(void)
{
	pid_t child = fork();

	if (child == 0)
		be_child("forked_idle", false);
	await(child);
	start("parent");
	here(8);
	child = fork();
	if (child == 0)
		be_child("forked_recording", !off);
	await(child);
	stop("parent");
	calls_since();
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 1;
	folder = argv[1];
	off = strcmp(argv[2], "off") == 0;
	skips = off || strcmp(argv[2], "skips") == 0;
	everything();
	check_idle(EVERYTHING, "nothing started yet");
	begin_before_start(argc > 3 ? argv[3] : NULL);
	calls_since();
	everything();
	check_idle(EVERYTHING, "stopped");
	end_after_stop();
	other_thread();
	fork_children();
	everything();
	check_idle(EVERYTHING, "stopped for good");
	return failed;
}
