/* SPDX-License-Identifier: MIT */
/*
 * A signal at every instruction of a measured call, or every few, and a handler that measures too.
 *
 * usage: signal_steps STRIDE known|fresh [jump]
 *	fresh: a function that was not measured before, both in the call and in the handler
 *	jump: the handler leaves by siglongjmp
 */
#include <hotpath.h>

#include "stepper.h"
#include "truth.h"

#include <setjmp.h>
#include <string.h>

enum {
	SITES = 4000,
	/* Where single steps do not lead out of a loop, as with the exclusive loads of some processors. */
	ROUNDS_MAX = 1000,
};

static struct hotpath_site sites[SITES];
static uint32_t used;
static bool fresh, jump;
static sigjmp_buf outside;
static uint64_t begun, completed, left, handled;

/* Many functions of one name, told apart by their line. */
__attribute__((noinline)) static void measured(uint64_t *before, uint64_t *after)
{
	struct hotpath_span span;

	++*before;
	hotpath_span_begin(&span, &sites[fresh ? used++ : 0]);
	hotpath_span_end(&span);
	++*after;
}

static void handler(int number)
{
	uint64_t ignored = 0;

	(void)number;
	measured(&ignored, &handled);
	if (jump)
		siglongjmp(outside, 1);
}

static void child(void)
{
	HOTPATH_MAIN();

	signal(SIGUSR1, handler);
	for (uint32_t i = 0; i < SITES; i++)
		sites[i] =
			(struct hotpath_site){ "measured", "x.c", i, HOTPATH_SITE_FUNCTION, 0, 0 };
	measured(&begun, &completed);
	while (stepper_more() && stepper->rounds < ROUNDS_MAX) {
		HOTPATH_MEASURE_AS("around");
		if (sigsetjmp(outside, 1)) {
			left++;
		} else {
			stepper_enter();
			measured(&begun, &completed);
			stepper_leave();
		}
	}
	measured(&begun, &completed);
	truth("@around", stepper->rounds);
	truth("@begun", begun + handled);
	truth("@completed", completed + handled);
	truth("@left", left);
	truth("@handled", handled);
}

static void send(pid_t thread)
{
	stepper_go_on(thread, SIGUSR1);
}

int main(int argc, char **argv)
{
	fresh = argc > 2 && strcmp(argv[2], "fresh") == 0;
	jump = argc > 3 && strcmp(argv[3], "jump") == 0;
	pid_t pid = stepper_fork();
	if (pid)
		return stepper_drive(pid, send, argc > 1 ? strtoul(argv[1], NULL, 10) : 1);
	stepper_traced();
	child();
	return 0;
}
