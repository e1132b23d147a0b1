/* SPDX-License-Identifier: MIT */
/* What it costs to be watched, and to watch: the console in a terminal of its own. */
#include "budget.h"

#include <pthread.h>
#include <pty.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	ROUNDS = 7,
	WARM_UP_SECONDS = 3,
	SECONDS = 10,
};

/* A console, its terminal, and who reads what it draws. */
struct console {
	pid_t pid;
	int terminal;
	pthread_t reader;
	volatile unsigned long drawn;
};

static void *read_all(void *context)
{
	struct console *console = context;
	char bytes[65536];
	ssize_t got;

	while ((got = read(console->terminal, bytes, sizeof(bytes))) > 0)
		console->drawn += (unsigned long)got;
	return NULL;
}

static bool start(struct console *console, const char *tool, pid_t program, const char *refresh_ms)
{
	struct winsize size = { .ws_row = 50, .ws_col = 160 };
	char pid[16];

	snprintf(pid, sizeof(pid), "%d", (int)program);
	console->drawn = 0;
	console->pid = forkpty(&console->terminal, NULL, NULL, &size);
	if (console->pid == 0) {
		setenv("TERM", "xterm-256color", 1);
		setenv("LC_ALL", "C.UTF-8", 1);
		execl(tool, tool, "console", "--refresh-ms", refresh_ms, pid, (char *)NULL);
		_exit(127);
	}
	if (console->pid < 0 || pthread_create(&console->reader, NULL, read_all, console))
		return false;
	/* It has something to show. */
	for (int i = 0; i < 1000 && console->drawn < 1000; i++)
		usleep(10000);
	return console->drawn >= 1000;
}

static void stop(struct console *console)
{
	kill(console->pid, SIGTERM);
	waitpid(console->pid, NULL, 0);
	pthread_join(console->reader, NULL);
	close(console->terminal);
}

static void lower(double *least, double value)
{
	if (!*least || value < *least)
		*least = value;
}

/* This program is the one that is watched. */
void bench_watched(const char *tool, double (*one_call)(void))
{
	double alone = 0, watched = 0;

	for (int i = 0; i < ROUNDS; i++) {
		struct console console;
		lower(&alone, one_call());
		if (!start(&console, tool, getpid(), "100"))
			break;
		lower(&watched, one_call());
		stop(&console);
	}
	row("a measured call, watched every 100 ms", watched, "ns", alone ? watched / alone : 0,
	    "alone", 1.02);
}

static double number_in(pid_t pid, const char *what, const char *filter)
{
	char command[256];

	snprintf(command, sizeof(command), "%s /proc/%d/%s", filter, (int)pid, what);
	return number_from(command);
}

static double cpu_ns(pid_t pid)
{
	return number_in(pid, "schedstat", "cut -d' ' -f1");
}

static void watch(const char *tool, pid_t program)
{
	double percent = 0, megabytes = 0;
	struct console console;

	if (start(&console, tool, program, "500")) {
		sleep(WARM_UP_SECONDS);
		double before = cpu_ns(console.pid);
		sleep(SECONDS);
		percent = (cpu_ns(console.pid) - before) / 1e9 / SECONDS * 100;
		megabytes = number_in(console.pid, "status", "sed -n 's/VmHWM:[^0-9]*//p'") / 1024;
		stop(&console);
	}
	row("the console, 500 functions x 32 threads", percent, "%", percent / 2, "2 %", 1);
	row("its memory", megabytes, "MB", megabytes / 30, "30 MB", 1);
}

void bench_watching(const char *tool, const char *crowd)
{
	char folder[] = "/dev/shm/hotpath-bench-XXXXXX", command[128];

	if (!mkdtemp(folder))
		return;
	setenv("HOTPATH_DIR", folder, 1);
	pid_t program = fork();
	if (program == 0) {
		execl(crowd, crowd, (char *)NULL);
		_exit(127);
	}
	sleep(1);
	watch(tool, program);
	kill(program, SIGKILL);
	waitpid(program, NULL, 0);
	unsetenv("HOTPATH_DIR");
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	if (system(command))
		perror(folder);
}
