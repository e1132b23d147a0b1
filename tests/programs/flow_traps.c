/* SPDX-License-Identifier: MIT */
/*
 * Channels, streams, futures and gauges across whatever may happen to a program.
 *
 * usage: flow_traps fork|sessions FOLDER|killed|threads|timer
 */
#include "flows.h"

#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>

static struct hotpath_channel jobs;
static struct hotpath_stream lines;
static struct hotpath_future work;

static void make_all(void)
{
	HOTPATH_CHANNEL_NEW(&jobs, "jobs", 100);
	HOTPATH_STREAM_NEW(&lines, "lines");
	HOTPATH_FUTURE_NEW(&work, "work");
}

static void send_and_receive(int sends, int receives)
{
	for (int i = 0; i < sends; i++)
		HOTPATH_CHANNEL_SEND(&jobs, 10);
	for (int i = 0; i < receives; i++)
		HOTPATH_CHANNEL_RECV(&jobs);
}

static void yield_and_poll(int yields, int polls)
{
	for (int i = 0; i < yields; i++)
		HOTPATH_STREAM_YIELD(&lines, 5);
	for (int i = 0; i < polls; i++) {
		HOTPATH_FUTURE_POLL(&work);
		HOTPATH_GAUGE_ADD("level", 1);
	}
}

/* ---- fork: what the parent made is used in the child too, before and after that has channels of its own ---- */

static void child(void)
{
	struct hotpath_channel own[2];

	send_and_receive(5, 3);
	yield_and_poll(4, 2);
	for (int i = 0; i < 2; i++) {
		HOTPATH_CHANNEL_NEW(&own[i], "own", 0);
		HOTPATH_CHANNEL_SEND(&own[i], 1);
	}
	HOTPATH_CHANNEL_RECV(&own[0]);
	send_and_receive(1, 2);
	HOTPATH_FUTURE_READY(&work);
	HOTPATH_STREAM_END(&lines);
	HOTPATH_CHANNEL_CLOSE(&jobs);
	_exit(0);
}

static void forked(void)
{
	make_all();
	send_and_receive(7, 4);
	yield_and_poll(2, 1);
	fflush(stdout);
	pid_t pid = fork();
	if (pid == 0)
		child();
	waitpid(pid, NULL, 0);
	send_and_receive(1, 0);
	yield_and_poll(1, 3);
	HOTPATH_FUTURE_READY(&work);
	truth("@child", (uint64_t)pid);
}

/* ---- sessions: what is open goes on ---- */

static void session(const char *folder, int number)
{
	struct hotpath_options options = HOTPATH_OPTIONS_INIT;
	char path[256];

	snprintf(path, sizeof(path), "%s/%d", folder, number);
	options.output_path = path;
	options.format = HOTPATH_FORMAT_JSON;
	hotpath_start(&options);
	if (number == 1)
		make_all();
	send_and_receive(number == 1 ? 7 : 1, number == 1 ? 2 : 3);
	yield_and_poll(number == 1 ? 3 : 2, number);
	hotpath_stop();
}

static void sessions(const char *folder)
{
	for (int i = 1; i <= 3; i++)
		session(folder, i);
}

/* ---- killed: what was counted stays ---- */

static uint64_t sent[4];

static void *send_for_ever(void *slot)
{
	for (uint64_t *mine = slot;;) {
		HOTPATH_CHANNEL_SEND(&jobs, 10);
		__atomic_store_n(mine, *mine + 1, __ATOMIC_RELAXED);
		HOTPATH_CHANNEL_RECV(&jobs);
	}
	return NULL;
}

static uint64_t sent_by_all(void)
{
	uint64_t sum = 0;

	for (int i = 0; i < 4; i++)
		sum += __atomic_load_n(&sent[i], __ATOMIC_RELAXED);
	return sum;
}

static void killed(void)
{
	pthread_t thread;

	make_all();
	for (int i = 0; i < 4; i++)
		pthread_create(&thread, NULL, send_for_ever, &sent[i]);
	while (sent_by_all() < 200000)
		;
	truth("@sent", sent_by_all());
	fflush(stdout);
	kill(getpid(), SIGKILL);
}

/* ---- threads: short ones, eight at once ---- */

static void *send_few(void *unused)
{
	send_and_receive(10, 10);
	yield_and_poll(3, 0);
	HOTPATH_GAUGE_ADD("threads", 1);
	return unused;
}

static void threads(void)
{
	pthread_t all[8];

	make_all();
	for (int i = 0; i < 125; i++) {
		for (int j = 0; j < 8; j++)
			pthread_create(&all[j], NULL, send_few, NULL);
		for (int j = 0; j < 8; j++)
			pthread_join(all[j], NULL);
	}
}

/* ---- timer: a signal handler does the same as what it interrupts ---- */

static volatile uint64_t handled;

static void handler(int number)
{
	(void)number;
	send_and_receive(1, 1);
	yield_and_poll(1, 1);
	handled++;
}

static void timer(void)
{
	struct itimerval often = { { 0, 20 }, { 0, 20 } }, never = { { 0, 0 }, { 0, 0 } };
	uint64_t rounds = 0;

	make_all();
	signal(SIGALRM, handler);
	setitimer(ITIMER_REAL, &often, NULL);
	for (; handled < 3000; rounds++) {
		send_and_receive(1, 1);
		yield_and_poll(1, 1);
	}
	setitimer(ITIMER_REAL, &never, NULL);
	truth("@each", rounds + handled);
}

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
	{ "fork", forked }, { "killed", killed }, { "threads", threads }, { "timer", timer }
};

static int run(const char *name)
{
	HOTPATH_MAIN();

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		if (strcmp(name, cases[i].name) == 0)
			cases[i].run();
	return 0;
}

int main(int argc, char **argv)
{
	if (argc > 2)
		sessions(argv[2]);
	return argc == 2 ? run(argv[1]) : 0;
}
