/* SPDX-License-Identifier: MIT */
/*
 * Programs that use signals themselves, and must not notice that another one comes and goes.
 *
 * usage: signal_user sigprof|sigurg|sigurg-first|both|ignore|signalfd|sigwait|named|small-stack|blocked|sleeps
 *
 * Each computes for a while, so that there would be signals to notice, and prints what it saw; the same with
 * and without a profiler.
 */
#include <err.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t own, alien;
static volatile sig_atomic_t expected_code;

static void on_signal(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)context;
	if (info->si_code == expected_code)
		own++;
	else
		alien++;
}

static void handle(int signal)
{
	struct sigaction action = { .sa_sigaction = on_signal,
				    .sa_flags = SA_SIGINFO | SA_RESTART };
	struct sigaction before;

	if (sigaction(signal, &action, &before))
		err(2, "sigaction");
	if (before.sa_flags & SA_SIGINFO || before.sa_handler != SIG_DFL)
		printf("somebody handles signal %d\n", signal);
}

/* So many milliseconds of CPU time. */
static void compute(unsigned milliseconds)
{
	struct timespec now;
	clock_t clocks;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	long long end = now.tv_sec * 1000LL + now.tv_nsec / 1000000 + milliseconds;
	do {
		for (volatile int i = 0; i < 100000; i++)
			;
		clocks = clock();
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	} while (now.tv_sec * 1000LL + now.tv_nsec / 1000000 < end && clocks >= 0);
}

/* A profiler of its own, until it has had ten signals. */
static void sigprof(void)
{
	const struct itimerval timer = { { 0, 10000 }, { 0, 10000 } },
			       none = { { 0, 0 }, { 0, 0 } };

	expected_code = SI_KERNEL;
	handle(SIGPROF);
	setitimer(ITIMER_PROF, &timer, NULL);
	while (own < 10)
		compute(10);
	setitimer(ITIMER_PROF, &none, NULL);
	printf("own %s, alien %d\n", own >= 10 ? "10" : "too few", (int)alien);
}

static void raise_own(int signal)
{
	compute(50);
	for (int i = 0; i < 10; i++) {
		raise(signal);
		compute(10);
	}
	printf("own %d, alien %d\n", (int)own, (int)alien);
}

static void sigurg(void)
{
	compute(50);
	expected_code = SI_TKILL;
	handle(SIGURG);
	raise_own(SIGURG);
}

static void both(void)
{
	expected_code = SI_TKILL;
	handle(SIGURG);
	handle(SIGWINCH);
	raise_own(SIGURG);
	raise_own(SIGWINCH);
}

/* What daemons do first of all. */
static void ignore(void)
{
	for (int i = 1; i < NSIG; i++)
		signal(i, SIG_DFL);
	compute(100);
	for (int i = 1; i < NSIG; i++)
		signal(i, SIG_IGN);
	compute(100);
	printf("SIGURG was %s\n",
	       signal(SIGURG, SIG_DFL) == SIG_IGN ? "ignored" : "something else");
}

static sigset_t block_all(void)
{
	sigset_t all, blocked;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	pthread_sigmask(SIG_SETMASK, NULL, &blocked);
	return all;
}

static void use_signalfd(void)
{
	sigset_t all = block_all();
	int fd = signalfd(-1, &all, SFD_NONBLOCK | SFD_CLOEXEC);
	struct signalfd_siginfo info;

	for (int i = 0; i < 20; i++) {
		compute(10);
		raise(SIGUSR1);
		while (read(fd, &info, sizeof(info)) == sizeof(info)) {
			own += info.ssi_signo == SIGUSR1;
			alien += info.ssi_signo != SIGUSR1;
		}
	}
	close(fd);
	printf("own %d, alien %d\n", (int)own, (int)alien);
}

static void use_sigwait(void)
{
	const struct timespec at_once = { 0, 0 };
	sigset_t all = block_all();
	siginfo_t info;
	int signal;

	for (int i = 0; i < 20; i++) {
		compute(10);
		raise(SIGUSR1);
		if (sigwait(&all, &signal) == 0)
			own += signal == SIGUSR1;
		compute(10);
		alien += sigtimedwait(&all, &info, &at_once) >= 0;
	}
	printf("own %d, alien %d\n", (int)own, (int)alien);
}

/* Read that it came, wait for it, and find nothing more. */
static void use_named(int fd, const sigset_t *set)
{
	struct signalfd_siginfo info;
	int signal;

	for (int i = 0; i < 10; i++) {
		compute(10);
		raise(SIGURG);
		own += read(fd, &info, sizeof(info)) == sizeof(info) && info.ssi_signo == SIGURG;
		raise(SIGURG);
		own += sigwait(set, &signal) == 0 && signal == SIGURG;
		alien += read(fd, &info, sizeof(info)) == sizeof(info);
	}
}

/* As servers wake each other: by this very signal, which they wait for in more than one way; and their children. */
static void named(void)
{
	sigset_t set;
	int status = 1;

	sigemptyset(&set);
	sigaddset(&set, SIGURG);
	compute(50);
	sigprocmask(SIG_BLOCK, &set, NULL);
	int fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	use_named(fd, &set);
	pid_t child = fork();
	if (child == 0) {
		own = alien = 0;
		use_named(fd, &set);
		_exit(own == 20 && alien == 0 ? 0 : 2);
	}
	waitpid(child, &status, 0);
	compute(50);
	printf("own %d, alien %d, child %d\n", (int)own, (int)alien, WEXITSTATUS(status));
	close(fd);
}

/* A stack that is as small as the kernel takes it, and must not be left. */
static void small_stack(void)
{
	enum { BELOW = 1 << 16, MOST = 1 << 16 };
	char *room = malloc(BELOW + MOST);
	stack_t stack = { .ss_sp = room + BELOW, .ss_size = 1024 };
	size_t spilled = 0;

	memset(room, 'x', BELOW + MOST);
	while (sigaltstack(&stack, NULL))
		stack.ss_size += 256;
	compute(200);
	for (size_t i = 0; i < BELOW; i++)
		spilled += room[i] != 'x';
	printf("spilled %zu\n", spilled);
}

/* A critical section that must not be disturbed. */
static void blocked(void)
{
	sigset_t pending;

	block_all();
	compute(200);
	sigpending(&pending);
	printf("pending %d\n", sigismember(&pending, SIGURG) || sigismember(&pending, SIGWINCH));
}

/* Calls that are not restarted after a signal, and one that is. */
static void sleeps(void)
{
	const struct timespec little = { 0, 50000 };
	int epoll = epoll_create1(EPOLL_CLOEXEC), ends[2], interrupted = 0;
	struct epoll_event event;
	char byte = 0;

	if (epoll < 0 || pipe(ends))
		err(2, "no descriptors");
	for (int i = 0; i < 500; i++) {
		compute(1);
		interrupted += nanosleep(&little, NULL) != 0;
		compute(1);
		interrupted += poll(NULL, 0, 1) != 0;
		interrupted += epoll_wait(epoll, &event, 1, 1) != 0;
		interrupted += write(ends[1], &byte, 1) != 1 || read(ends[0], &byte, 1) != 1;
	}
	printf("interrupted %d\n", interrupted);
}

static void sigurg_first(void)
{
	expected_code = SI_TKILL;
	handle(SIGURG);
	raise_own(SIGURG);
}

static const struct {
	const char *name;
	void (*run)(void);
} uses[] = {
	{ "sigprof", sigprof },	    { "sigurg", sigurg }, { "sigurg-first", sigurg_first },
	{ "both", both },	    { "ignore", ignore }, { "signalfd", use_signalfd },
	{ "sigwait", use_sigwait }, { "named", named },	  { "small-stack", small_stack },
	{ "blocked", blocked },	    { "sleeps", sleeps },
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc == 2 && i < sizeof(uses) / sizeof(*uses); i++)
		if (strcmp(argv[1], uses[i].name) == 0) {
			uses[i].run();
			return 0;
		}
	errx(2,
	     "usage: signal_user sigprof|sigurg|sigurg-first|both|ignore|signalfd|sigwait|named|small-stack|blocked|sleeps");
}
