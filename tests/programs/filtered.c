/* SPDX-License-Identifier: MIT */
/*
 * A program that sets a seccomp filter which ends it for any call that is not allowed, and goes on: with functions that were
 * not called before, with more threads and with allocations.
 *
 * usage: filtered WAY WORK allow CALL ...     kills for all but these system calls, by their numbers
 *        filtered WAY WORK deny CALL ...      kills for these
 *
 * WAY is prctl, seccomp or strict, which takes no calls. WORK is a list of letters: f calls functions, t does so on new
 * threads, p in a forked process, a allocates, d calls deeply, c computes, x becomes the program named by the variable BECOME.
 * Ends by exit, or in strict mode by the one call that there is for it.
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define UNMEASURED __attribute__((no_instrument_function))

enum { CALLS_MAX = 200, THREADS = 3 };

static volatile unsigned long sink;

UNMEASURED static void fail(const char *what)
{
	dprintf(STDERR_FILENO, "filtered: %s: %s\n", what, strerror(errno));
	exit(2);
}

/* One instruction to compare with each call, and one to end for it. */
UNMEASURED static void make_filter(struct sock_filter *code, struct sock_fprog *program, int deny,
				   char **calls, int count)
{
	int at = 0;

	code[at++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
						  offsetof(struct seccomp_data, nr));
	for (int i = 0; i < count; i++) {
		code[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
							  (unsigned)atoi(calls[i]), 0, 1);
		code[at++] = (struct sock_filter)BPF_STMT(
			BPF_RET | BPF_K, deny ? SECCOMP_RET_KILL_PROCESS : SECCOMP_RET_ALLOW);
	}
	code[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, deny ? SECCOMP_RET_ALLOW
									: SECCOMP_RET_KILL_PROCESS);
	*program = (struct sock_fprog){ (unsigned short)at, code };
}

UNMEASURED static void set_filter(const char *way, int deny, char **calls, int count)
{
	static struct sock_filter code[2 * CALLS_MAX + 2];
	struct sock_fprog program;

	if (count > CALLS_MAX)
		fail("too many calls");
	make_filter(code, &program, deny, calls, count);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		fail("no_new_privs");
	if (strcmp(way, "prctl") == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0))
		fail("prctl");
	if (strcmp(way, "seccomp") == 0 &&
	    syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program))
		fail("seccomp");
	if (strcmp(way, "strict") == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT, 0, 0, 0))
		fail("strict");
}

#define FUNCTION(n)                                                                                \
	__attribute__((noinline)) static void new_##n(void)                                        \
	{                                                                                          \
		sink += n;                                                                         \
	}
#define EACH(m) m(1) m(2) m(3) m(4) m(5) m(6) m(7) m(8) m(9)
EACH(FUNCTION)
#define CALL(n) new_##n();

__attribute__((noinline)) static void calls_others(void)
{
	for (int i = 0; i < 100; i++) {
		EACH(CALL)
	}
}

__attribute__((noinline)) static void allocates(void)
{
	for (size_t size = 1; size < 2000; size++) {
		char *block = malloc(size);
		if (!block)
			fail("malloc");
		block[size - 1] = 1;
		sink += (unsigned long)block[size - 1];
		free(block);
	}
}

__attribute__((noinline)) static unsigned long goes_deep(int depth)
{
	return depth ? goes_deep(depth - 1) + sink : 0;
}

/* For some 50 milliseconds of most processors. */
__attribute__((noinline)) static void computes(void)
{
	for (unsigned long i = 0; i < 50000000; i++)
		sink += i;
}

__attribute__((noinline)) static void works(const char *work)
{
	if (strchr(work, 'f'))
		calls_others();
	if (strchr(work, 'a'))
		allocates();
	if (strchr(work, 'd'))
		sink += goes_deep(3000);
	if (strchr(work, 'c'))
		computes();
}

UNMEASURED static void *run(void *work)
{
	works(work);
	return NULL;
}

UNMEASURED static void run_threads(char *work)
{
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++)
		if ((errno = pthread_create(&threads[i], NULL, run, work)))
			fail("pthread_create");
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

UNMEASURED static void run_process(const char *work)
{
	int status = 1;
	pid_t pid = fork();

	if (pid == 0) {
		works(work);
		exit(0);
	}
	if (waitpid(pid, &status, 0) != pid || status)
		exit(5);
}

__attribute__((noinline)) static void begins(void)
{
	sink++;
}

UNMEASURED int main(int argc, char **argv)
{
	const char *become = getenv("BECOME");

	if (argc < 3 || (argc == 3) != (strcmp(argv[1], "strict") == 0))
		fail("usage");
	begins();
	set_filter(argv[1], argc > 3 && strcmp(argv[3], "deny") == 0, argv + 4, argc - 4);
	works(argv[2]);
	if (strchr(argv[2], 't'))
		run_threads(argv[2]);
	if (strchr(argv[2], 'p'))
		run_process(argv[2]);
	if (write(STDOUT_FILENO, "lives\n", 6) != 6)
		return 3;
	if (strchr(argv[2], 'x')) {
		execl(become, become, NULL);
		return 4;
	}
	if (argc == 3)
		syscall(SYS_exit, 0);
	return 0;
}
