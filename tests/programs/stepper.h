/* SPDX-License-Identifier: MIT */
/*
 * Something happens at every instruction of a piece of code.
 *
 * The piece runs in a child, again and again; its parent traces it, lets it do one instruction more than
 * the last time, and then does what it likes.
 *
 *	child:   stepper_traced(); stepper_enter(); piece(); stepper_leave();   while (stepper_more())
 *	parent:  stepper_drive(child, hit, stride), until a piece has ended before the hit
 */
#ifndef STEPPER_H
#define STEPPER_H

#include <hotpath.h>

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

struct stepper {
	/* The child is in the piece of code. */
	volatile bool inside;
	volatile bool finished;
	volatile uint64_t rounds;
	/* For the program's own use. */
	volatile int turn;
};

static struct stepper *stepper;

/** As fork; the child does not outlive its parent. */
HOTPATH_SKIP static inline pid_t stepper_fork(void)
{
	stepper = mmap(NULL, sizeof(*stepper), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		       -1, 0);
	if (stepper == MAP_FAILED)
		abort();
	pid_t child = fork();
	if (child == 0)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	return child;
}

/** In the thread of the child that runs the piece; ends it where nobody may be traced. */
HOTPATH_SKIP static inline void stepper_traced(void)
{
	if (ptrace(PTRACE_TRACEME, 0, 0, 0))
		_exit(77);
}

HOTPATH_SKIP static inline bool stepper_more(void)
{
	return !stepper->finished;
}

HOTPATH_SKIP static inline void stepper_enter(void)
{
	stepper->rounds++;
	raise(SIGSTOP);
	stepper->inside = true;
}

HOTPATH_SKIP static inline void stepper_leave(void)
{
	stepper->inside = false;
}

/** Continues the thread, maybe with a signal. */
HOTPATH_SKIP static inline void stepper_go_on(pid_t thread, int number)
{
	ptrace(PTRACE_CONT, thread, 0, number);
}

/** In the parent. hit continues the thread; returns the status with which the child ended. */
HOTPATH_SKIP static inline int stepper_drive(pid_t child, void (*hit)(pid_t thread),
					     uint64_t stride)
{
	uint64_t steps = 0, wanted = 0;
	pid_t thread;
	int status;

	while ((thread = waitpid(-1, &status, __WALL)) != child || WIFSTOPPED(status)) {
		int number = WIFSTOPPED(status) ? WSTOPSIG(status) : 0;
		if (number == SIGSTOP)
			steps = 0;
		if (steps && !stepper->inside)
			stepper->finished = true;
		if (stepper->finished || (number != SIGSTOP && number != SIGTRAP)) {
			stepper_go_on(thread, number == SIGSTOP || number == SIGTRAP ? 0 : number);
		} else if (stepper->inside && steps++ == wanted) {
			wanted += stride;
			hit(thread);
		} else {
			ptrace(PTRACE_SINGLESTEP, thread, 0, 0);
		}
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

#endif
