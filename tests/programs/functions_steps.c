/* SPDX-License-Identifier: MIT */
/*
 * A signal at every instruction of a call, or every few, and a handler that calls functions too.
 *
 * usage: functions_steps STRIDE known|fresh [jump|other-stack]
 *	fresh: a function that was not called before, both in the piece and in the handler
 *	jump: the handler leaves by siglongjmp
 */
#include "functions.h"

#include "stepper.h"

#include <setjmp.h>
#include <string.h>

enum {
	/* Where single steps do not lead out of a loop, as with the exclusive loads of some processors. */
	ROUNDS_MAX = 1000,
	STACK = 64 * 1024,
};

static bool fresh, jump;
static sigjmp_buf outside;
static volatile uint64_t begun, completed, left, handled, sum;

/* Functions that do the same, of which there are enough. */
/* clang-format off */
#define ONE(name) NOINLINE static void name(void) { sum++; }
#define EACH(do, name)                                                                             \
	do(name##0) do(name##1) do(name##2) do(name##3) do(name##4)                                \
	do(name##5) do(name##6) do(name##7) do(name##8) do(name##9)
#define TEN(name) EACH(ONE, name)
#define NAME(name) name,
#define NAME_TEN(name) EACH(NAME, name)
TEN(measured_a0) TEN(measured_a1) TEN(measured_a2) TEN(measured_a3) TEN(measured_a4)
TEN(measured_a5) TEN(measured_a6) TEN(measured_a7) TEN(measured_a8) TEN(measured_a9)
TEN(measured_b0) TEN(measured_b1) TEN(measured_b2) TEN(measured_b3) TEN(measured_b4)
TEN(measured_b5) TEN(measured_b6) TEN(measured_b7) TEN(measured_b8) TEN(measured_b9)
static void (*const functions[])(void) = {
	NAME_TEN(measured_a0) NAME_TEN(measured_a1) NAME_TEN(measured_a2) NAME_TEN(measured_a3)
	NAME_TEN(measured_a4) NAME_TEN(measured_a5) NAME_TEN(measured_a6) NAME_TEN(measured_a7)
	NAME_TEN(measured_a8) NAME_TEN(measured_a9)
	NAME_TEN(measured_b0) NAME_TEN(measured_b1) NAME_TEN(measured_b2) NAME_TEN(measured_b3)
	NAME_TEN(measured_b4) NAME_TEN(measured_b5) NAME_TEN(measured_b6) NAME_TEN(measured_b7)
	NAME_TEN(measured_b8) NAME_TEN(measured_b9)
};
/* clang-format on */
static unsigned used;

HOTPATH_SKIP static void call(volatile uint64_t *before, volatile uint64_t *after)
{
	unsigned count = sizeof(functions) / sizeof(functions[0]);
	unsigned next = fresh ? used++ % count : 0;

	++*before;
	functions[next]();
	++*after;
}

HOTPATH_SKIP static void handler(int number)
{
	uint64_t ignored = 0;

	(void)number;
	call(&ignored, &handled);
	if (jump)
		siglongjmp(outside, 1);
}

NOINLINE static void around(void)
{
	if (sigsetjmp(outside, 1)) {
		left++;
		return;
	}
	stepper_enter();
	call(&begun, &completed);
	stepper_leave();
}

HOTPATH_SKIP static void child(bool other_stack)
{
	static char room[STACK];
	stack_t stack = { .ss_sp = room, .ss_size = STACK };
	struct sigaction action = { .sa_handler = handler,
				    .sa_flags = other_stack ? SA_ONSTACK : 0 };

	sigaltstack(&stack, NULL);
	sigaction(SIGUSR1, &action, NULL);
	call(&begun, &completed);
	while (stepper_more() && stepper->rounds < ROUNDS_MAX)
		around();
	call(&begun, &completed);
	truth("@around", stepper->rounds);
	truth("@begun", begun + handled);
	truth("@completed", completed + handled);
	truth("@left", left);
	truth("@handled", handled);
}

HOTPATH_SKIP static void send(pid_t thread)
{
	stepper_go_on(thread, SIGUSR1);
}

HOTPATH_SKIP int main(int argc, char **argv)
{
	const char *how = argc > 3 ? argv[3] : "";

	fresh = argc > 2 && strcmp(argv[2], "fresh") == 0;
	jump = strcmp(how, "jump") == 0;
	pid_t pid = stepper_fork();
	if (pid)
		return stepper_drive(pid, send, argc > 1 ? strtoul(argv[1], NULL, 10) : 1);
	stepper_traced();
	child(strcmp(how, "other-stack") == 0);
	return 0;
}
