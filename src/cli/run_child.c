/* SPDX-License-Identifier: MIT */
/*
 * A program run to its end in our place: it gets the signals that we get.
 *
 * While it runs our own signals are blocked and taken one by one: no handler, no race.
 *
 *	sender                     told by            what we do
 *	another process, by kill   SI_USER, SI_QUEUE  send it to the program
 *	terminal: ^C, ^\, hangup   SI_KERNEL          nothing: the program has it too
 *	the program ended          SIGCHLD            collect it
 *
 * Stopping by ^Z is left to the system: it stops both, and the shell continues both.
 */
#include "run_child.h"

#include "start_child.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

/* What is passed on, and the real-time signals with them. */
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

/** What the program is to find as we found it, and HOTPATH_RUN unless that is NULL. */
struct surroundings {
	sigset_t mask;
	struct sigaction on_child;
	const char *run;
};

static int restore(const void *given)
{
	const struct surroundings *found = given;

	sigaction(SIGCHLD, &found->on_child, NULL);
	sigprocmask(SIG_SETMASK, &found->mask, NULL);
	return found->run && setenv("HOTPATH_RUN", found->run, 1) ? -errno : 0;
}

static void pass_on(pid_t pid, const siginfo_t *info)
{
	if (info->si_code == SI_USER)
		kill(pid, info->si_signo);
	else if (info->si_code == SI_QUEUE)
		sigqueue(pid, info->si_signo, info->si_value);
}

static void await(struct child *child, const sigset_t *signals)
{
	struct rusage usage = { 0 };
	siginfo_t info;

	while (wait4(child->pid, &child->wait_status, WNOHANG, &usage) == 0)
		if (sigwaitinfo(signals, &info) > 0 && info.si_signo != SIGCHLD)
			pass_on(child->pid, &info);
	child->peak_rss_bytes = (uint64_t)usage.ru_maxrss * 1024;
}

/* What came for the program while it ended must not end us before the report. */
static void discard_pending(const sigset_t *signals)
{
	const struct timespec at_once = { 0, 0 };

	while (sigtimedwait(signals, NULL, &at_once) > 0)
		continue;
}

int run_child(char **argv, const char *run, struct child *child)
{
	/* Where ended children are ignored, waitpid would learn nothing of this one. */
	const struct sigaction collect = { .sa_handler = SIG_DFL };
	struct surroundings found = { .run = run };
	sigset_t signals;

	fill_signals(&signals);
	sigaction(SIGCHLD, &collect, &found.on_child);
	sigprocmask(SIG_BLOCK, &signals, &found.mask);

	child->start_unix_ns = now(CLOCK_REALTIME);
	uint64_t begin = now(CLOCK_MONOTONIC);
	int error = start_child(argv, restore, &found, &child->pid);
	if (!error)
		await(child, &signals);
	child->elapsed_ns = now(CLOCK_MONOTONIC) - begin;

	discard_pending(&signals);
	sigprocmask(SIG_SETMASK, &found.mask, NULL);
	return error;
}

int run_child_end(const struct child *child)
{
	if (WIFEXITED(child->wait_status))
		return WEXITSTATUS(child->wait_status);

	/* The core that matters is the program's. */
	const struct rlimit no_core = { 0, 0 };
	const struct sigaction by_default = { .sa_handler = SIG_DFL };
	int number = WTERMSIG(child->wait_status);
	sigset_t only;

	setrlimit(RLIMIT_CORE, &no_core);
	sigaction(number, &by_default, NULL);
	sigemptyset(&only);
	sigaddset(&only, number);
	sigprocmask(SIG_UNBLOCK, &only, NULL);
	raise(number);
	/* The first process of a container does not die by its own signals. */
	return 128 + number;
}
