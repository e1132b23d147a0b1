/* SPDX-License-Identifier: MIT */
/* Samples the program of a run from outside, because our library cannot be loaded into it. */
#include "run_outside.h"

#include "attach.h"
#include "loading.h"
#include "output.h"
#include "task_stat.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static bool never(void)
{
	return false;
}

/* Whether a program that was executed in place of the other one needs us, too. */
static bool is_needed(pid_t program)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)program);
	return hp_loading_find(path) != HP_LOADING_WORKS;
}

/* A program may be so short that it has ended before it could be attached to. */
static bool has_ended(pid_t program)
{
	struct hp_task_stat process;

	return !hp_task_stat_process((uint32_t)program, &process) || strchr("ZX", process.state);
}

/* Returns whether the program has executed another one. */
static bool follow(pid_t program, const struct measured *measured)
{
	struct hp_attach_problem problem;
	struct hp_attachment *attachment = hp_attach((uint32_t)program, (uint32_t)recording_rate(),
						     measured->run, &problem);

	if (!attachment) {
		if (!measured->asked.cpu_is_default && !has_ended(program))
			complain("cannot sample from outside: %s", problem.text);
		return false;
	}
	struct hp_attach_end end = hp_attach_run(attachment, 0, never);
	hp_attach_close(attachment);
	return end.why == HP_ATTACH_EXECUTED;
}

pid_t outside_begin(pid_t program, const struct measured *measured)
{
	pid_t tool = getpid(), sampler = measured->asked.is_outside ? fork() : -1;

	if (sampler != 0)
		return sampler;
	/* If the tool is killed, nobody reads what would be sampled. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() == tool)
		while (follow(program, measured) && is_needed(program))
			;
	_exit(0);
}

void outside_end(pid_t sampler)
{
	while (sampler > 0 && waitpid(sampler, NULL, 0) < 0 && errno == EINTR)
		;
}
