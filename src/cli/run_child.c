/* SPDX-License-Identifier: MIT */
/*
 * Runs a program to its end, and forwards our signals to it.
 *
 * While it runs, our signals are blocked and taken one by one by sigwaitinfo: no handler, no race.
 *
 *	sender                     told by            what we do
 *	another process, by kill   SI_USER, SI_QUEUE  send it to the program
 *	terminal: ^C, ^\, hangup   SI_KERNEL          nothing: the program has it too
 *	the program ended          SIGCHLD            collect it
 *
 * In a process group of its own the program gets no signals from the terminal, and all of them from us.
 *
 * Stopping by ^Z is left to the system: it stops both, and the shell continues both.
 */
#include "run_child.h"

#include "start_child.h"
#include "task_stat.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	MOMENT_NS = 5000000,
	MOMENTS = 200,
};

/* The signals that are forwarded, besides the real-time signals. */
static const int passed_on[] = {
	SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGTERM, SIGCONT, SIGWINCH,
};

static uint64_t now(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void fill_signals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGCHLD);
	for (size_t i = 0; i < sizeof(passed_on) / sizeof(*passed_on); i++)
		sigaddset(set, passed_on[i]);
	for (int number = SIGRTMIN; number <= SIGRTMAX; number++)
		sigaddset(set, number);
}

/** The environment of the program: the signal mask and actions that we had, and the caller's wishes. */
struct surroundings {
	sigset_t mask;
	struct sigaction on_child;
	const struct child_manner *manner;
};

/* Redirect a standard descriptor to /dev/null. */
static int close_off(int descriptor, int mode)
{
	int nowhere = open("/dev/null", mode | O_CLOEXEC);

	return nowhere < 0 || dup2(nowhere, descriptor) < 0 ? -errno : 0;
}

static int apply(const struct child_manner *manner)
{
	int error = manner->without_input ? close_off(STDIN_FILENO, O_RDONLY) : 0;

	if (!error && manner->without_output)
		error = close_off(STDOUT_FILENO, O_WRONLY);
	if (!error && manner->without_output)
		error = close_off(STDERR_FILENO, O_WRONLY);
	if (!error && manner->in_group && setsid() < 0)
		error = -errno;
	return error;
}

static int restore(const void *given)
{
	const struct surroundings *found = given;
	int error = apply(found->manner);

	sigaction(SIGCHLD, &found->on_child, NULL);
	sigprocmask(SIG_SETMASK, &found->mask, NULL);
	return error;
}

/* Start the program with our environment, in which HOTPATH_RUN has the value for it meanwhile. */
static int start(char **argv, const struct surroundings *found, pid_t *pid)
{
	const char *value = getenv("HOTPATH_RUN");
	char *before = value ? strdup(value) : NULL;
	int error = 0;

	if (found->manner->run &&
	    ((value && !before) || setenv("HOTPATH_RUN", found->manner->run, 1)))
		error = -ENOMEM;
	if (!error)
		error = start_child(argv, restore, found, pid);
	if (before)
		setenv("HOTPATH_RUN", before, 1);
	else if (!value)
		unsetenv("HOTPATH_RUN");
	free(before);
	return error;
}

static bool asks_to_end(int number)
{
	return number == SIGINT || number == SIGTERM || number == SIGHUP || number == SIGQUIT;
}

static void note(struct child *child, int number)
{
	if (!child->asked_to_end && asks_to_end(number))
		child->asked_to_end = number;
}

/* Continue the group too: a stopped process would not notice the signal. */
static void pass_on_to_group(const struct child *child, int number)
{
	bool again = asks_to_end(number) && child->asked_to_end;

	kill(-child->pid, again ? SIGKILL : number);
	if (asks_to_end(number))
		kill(-child->pid, SIGCONT);
}

static void pass_on(pid_t pid, const siginfo_t *info)
{
	if (info->si_code == SI_USER)
		kill(pid, info->si_signo);
	else if (info->si_code == SI_QUEUE)
		sigqueue(pid, info->si_signo, info->si_value);
}

static uint64_t nanoseconds(const struct timeval *time)
{
	return (uint64_t)time->tv_sec * 1000000000 + (uint64_t)time->tv_usec * 1000;
}

/* Wait for a signal. Returns false if there was none, or only that a child has ended. */
static bool take_signal(const struct child_manner *manner, const sigset_t *signals, siginfo_t *info)
{
	const struct timespec second = { 1, 0 };
	if (!manner->every_second)
		return sigwaitinfo(signals, info) > 0 && info->si_signo != SIGCHLD;

	int number = sigtimedwait(signals, info, &second);
	if (number < 0 && errno == EAGAIN)
		manner->every_second(manner->context);
	return number > 0 && number != SIGCHLD;
}

/* The process stays: others may still ask for its times. */
static bool has_ended(const struct child *child)
{
	siginfo_t info = { .si_pid = 0 };

	return waitid(P_PID, (id_t)child->pid, &info, WEXITED | WNOHANG | WNOWAIT) || info.si_pid;
}

static void await(struct child *child, const struct child_manner *manner, const sigset_t *signals)
{
	siginfo_t info;

	while (!has_ended(child)) {
		if (!take_signal(manner, signals, &info))
			continue;
		if (manner->in_group)
			pass_on_to_group(child, info.si_signo);
		else
			pass_on(child->pid, &info);
		note(child, info.si_signo);
	}
}

static void collect(struct child *child, const struct child_manner *manner)
{
	struct rusage usage = { 0 };
	struct hp_task_stat process = { .tid = 0 };

	if (manner->ended)
		manner->ended(manner->context);
	hp_task_stat_process((uint32_t)child->pid, &process);
	wait4(child->pid, &child->wait_status, 0, &usage);
	child->peak_rss_bytes = (uint64_t)usage.ru_maxrss * 1024;
	child->user_ns = nanoseconds(&usage.ru_utime);
	child->system_ns = nanoseconds(&usage.ru_stime);
	child->children_user_ns = process.children_user_ns;
	child->children_system_ns = process.children_system_ns;
}

/* Wait briefly for other processes of the group, which may be about to end, then kill them. */
static void await_group(pid_t group)
{
	const struct timespec moment = { 0, MOMENT_NS };

	for (int i = 0; i < 2 * MOMENTS && kill(-group, 0) == 0; i++) {
		if (i == MOMENTS)
			kill(-group, SIGKILL);
		nanosleep(&moment, NULL);
	}
}

/* Discard signals that arrived while the program ended: they must not end us before the report. */
static void discard_pending(struct child *child, const sigset_t *signals)
{
	const struct timespec at_once = { 0, 0 };
	int number;

	while ((number = sigtimedwait(signals, NULL, &at_once)) > 0)
		note(child, number);
}

int run_child(char **argv, const struct child_manner *manner, struct child *child)
{
	/* If SIGCHLD is ignored, waitpid would not report the child's status. */
	const struct sigaction by_default = { .sa_handler = SIG_DFL };
	struct surroundings found = { .manner = manner };
	sigset_t signals;

	fill_signals(&signals);
	sigaction(SIGCHLD, &by_default, &found.on_child);
	sigprocmask(SIG_BLOCK, &signals, &found.mask);

	child->asked_to_end = 0;
	child->start_unix_ns = now(CLOCK_REALTIME);
	uint64_t begin = now(CLOCK_MONOTONIC);
	int error = start(argv, &found, &child->pid);
	if (!error && manner->started)
		manner->started(manner->context, child->pid);
	if (!error)
		await(child, manner, &signals);
	child->elapsed_ns = now(CLOCK_MONOTONIC) - begin;
	if (!error)
		collect(child, manner);

	discard_pending(child, &signals);
	if (!error && manner->in_group && child->asked_to_end)
		await_group(child->pid);
	sigprocmask(SIG_SETMASK, &found.mask, NULL);
	return error;
}

int end_by_signal(int number)
{
	/* No core dump of our own: the program's is the one that matters. */
	const struct rlimit no_core = { 0, 0 };
	const struct sigaction by_default = { .sa_handler = SIG_DFL };
	sigset_t only;

	setrlimit(RLIMIT_CORE, &no_core);
	sigaction(number, &by_default, NULL);
	sigemptyset(&only);
	sigaddset(&only, number);
	sigprocmask(SIG_UNBLOCK, &only, NULL);
	raise(number);
	/* As the first process of a container (PID 1) we do not die by our own signals. */
	return 128 + number;
}

int run_child_end(const struct child *child)
{
	if (WIFEXITED(child->wait_status))
		return WEXITSTATUS(child->wait_status);
	return end_by_signal(WTERMSIG(child->wait_status));
}
