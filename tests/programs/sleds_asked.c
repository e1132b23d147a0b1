/* SPDX-License-Identifier: MIT */
/*
 * A program that waits for commands, one in each line of its input, and answers each by a line. Nothing in it knows of the
 * profiler; others ask for its functions to be measured meanwhile.
 *
 *	work N     N calls of worker, each of which calls helper twice
 *	stay       two calls of stay, one after the other; each answers 1, and lasts until the next line
 *	fork       a child takes the commands from now on; the answer is its number
 *	end        ends it; a parent goes on then
 *	use        uses SIGURG itself; the answer is 0
 *	used       how many came
 *	forbid     code may not be changed any more; 1 if the system knows how to forbid that
 *	block      blocks all signals, by the system call
 *	filter     forbids to return from signal handlers, by a seccomp filter
 *	stack      1 if the thread has an alternate signal stack, by the kernel
 */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef PR_SET_MDWE
#define PR_SET_MDWE 65
#endif

#define PART __attribute__((noinline, noclone))

static volatile unsigned long done;
static volatile sig_atomic_t signals;

PART static void helper(void)
{
	done++;
}

PART static void worker(void)
{
	helper();
	helper();
	done++;
}

/* By the system call: what the C library has read ahead would be read again by a child. */
static bool read_line(char *line, size_t size)
{
	size_t length = 0;

	while (length < size - 1 && read(STDIN_FILENO, line + length, 1) == 1)
		if (line[length++] == '\n')
			break;
	line[length] = '\0';
	return length;
}

static void answer(long number)
{
	printf("%ld\n", number);
	fflush(stdout);
}

PART static void stay(void)
{
	char line[64];

	answer(1);
	done += read_line(line, sizeof(line));
}

static long stay_twice(void)
{
	stay();
	stay();
	return 0;
}

static void count(int signal)
{
	(void)signal;
	signals++;
}

static long work(long times)
{
	for (long i = 0; i < times; i++)
		worker();
	return times;
}

static long use_signal(void)
{
	struct sigaction action = { .sa_handler = count, .sa_flags = SA_RESTART };

	return sigaction(SIGURG, &action, NULL);
}

static long block_all(void)
{
	unsigned long all = ~0ul;

	return syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, NULL, sizeof(all));
}

/* Whoever returns from a handler is killed. */
static long forbid_returns(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigreturn, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(code) / sizeof(*code), code };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

static long has_signal_stack(void)
{
	stack_t stack;

	return syscall(SYS_sigaltstack, NULL, &stack) == 0 && !(stack.ss_flags & SS_DISABLE);
}

/* The number of the child in the child; in the parent, which waits until it has ended, 0. */
static long split(void)
{
	pid_t child = fork();

	if (child == 0)
		return getpid();
	waitpid(child, NULL, 0);
	return 0;
}

static long obey(const char *line)
{
	if (strncmp(line, "work ", 5) == 0)
		return work(atol(line + 5));
	if (strcmp(line, "stay\n") == 0)
		return stay_twice();
	if (strcmp(line, "fork\n") == 0)
		return split();
	if (strcmp(line, "use\n") == 0)
		return use_signal();
	if (strcmp(line, "used\n") == 0)
		return signals;
	if (strcmp(line, "forbid\n") == 0)
		return prctl(PR_SET_MDWE, 1, 0, 0, 0) == 0;
	if (strcmp(line, "block\n") == 0)
		return block_all();
	if (strcmp(line, "filter\n") == 0)
		return forbid_returns();
	return strcmp(line, "stack\n") == 0 ? has_signal_stack() : -1;
}

int main(void)
{
	char line[64];

	alarm(120);
	answer(getpid());
	while (read_line(line, sizeof(line)) && strcmp(line, "end\n") != 0)
		answer(obey(line));
	return 0;
}
