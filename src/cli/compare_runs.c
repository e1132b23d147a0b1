/* SPDX-License-Identifier: MIT */
/* Runs the commands that are compared, alternating between base and head. */
#include "compare_runs.h"

#include "command.h"
#include "interrupt.h"
#include "output.h"
#include "preload.h"
#include "progress.h"
#include "run_folder.h"
#include "run_model.h"
#include "whole_report.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define SHELL "/bin/sh"

/** One of the two versions of the program. */
struct version {
	const char *name;
	struct hp_side *side;
	/** The environment that its program needs. */
	struct preload preload;
	/** Whether that includes the allocation probe. */
	bool has_probe;
};

struct session {
	const struct run_plan *plan;
	struct version versions[2];
	/** The real path of the shell. */
	char shell[PATH_MAX];
	struct progress progress;
	/** The name of the first run; empty before it. */
	char first[HP_RUN_MAX];
};

/** Number of a run of one side, from 1; and whether it is a warm-up. */
struct turn {
	int number;
	bool is_warmup;
};

static bool is_assignment(const char *word, size_t length)
{
	const char *equals = memchr(word, '=', length);

	if (!equals || equals == word)
		return false;
	for (const char *c = word; c < equals; c++)
		if (!isalnum((unsigned char)*c) && *c != '_')
			return false;
	return true;
}

/* The program of a simple command; the shell itself if the command needs one. */
static void find_program(const char *command, char *program, size_t size)
{
	size_t length;

	do {
		command += strspn(command, " \t\n");
		length = strcspn(command, " \t\n");
	} while (is_assignment(command, length) && *(command += length));
	bool simple = length > 0 && length < size &&
		      strcspn(command, "\"'`$\\;&|()<>*?[~#") >= length;
	snprintf(program, size, "%.*s", simple ? (int)length : (int)strlen(SHELL),
		 simple ? command : SHELL);
}

/* Each program has its own environment, because what one needs may harm the other. */
static int prepare(struct session *session)
{
	struct recording recording = session->plan->recording;
	struct preload before;
	bool done = preload_keep(&before);

	for (int i = 0; i < 2 && done; i++) {
		struct version *version = &session->versions[i];
		char program[PATH_MAX];
		find_program(version->side->command, program, sizeof(program));
		version->has_probe = preload_libraries(program, &recording);
		done = preload_keep(&version->preload) && preload_restore(&before);
	}
	preload_free(&before);
	if (!realpath(SHELL, session->shell))
		session->shell[0] = '\0';
	return done ? STATUS_OK : complain("out of memory");
}

/* "run 2", "warm-up run 1". */
static const char *name_turn(const struct turn *turn, char *name, size_t size)
{
	snprintf(name, size, "%srun %d", turn->is_warmup ? "warm-up " : "", turn->number);
	return name;
}

static void show_progress(struct session *session, const struct version *version,
			  const struct turn *turn)
{
	int count = turn->is_warmup ? session->plan->warmups : session->plan->runs;
	char what[64], digits[16];

	int width = snprintf(digits, sizeof(digits), "%d", count);
	snprintf(what, sizeof(what), "%s%s  %*d/%d", turn->is_warmup ? "warm-up " : "",
		 version->name, width, turn->number, count);
	progress_show(&session->progress, what);
}

static void describe_end(int wait_status, char *text, size_t size)
{
	int status = WEXITSTATUS(wait_status);

	if (WIFSIGNALED(wait_status))
		snprintf(text, size, "was killed by signal %d (%s)", WTERMSIG(wait_status),
			 strsignal(WTERMSIG(wait_status)));
	else if (status == 126 || status == 127)
		snprintf(text, size, "could not be started (status %d)", status);
	else if (status > 128 && status - 128 < NSIG)
		snprintf(text, size, "ended with status %d (128 + signal %d, %s)", status,
			 status - 128, strsignal(status - 128));
	else
		snprintf(text, size, "ended with status %d", status);
}

/* A failed run is an error: its times mean nothing. */
static int check_end(struct session *session, const struct version *version,
		     const struct turn *turn, int wait_status)
{
	const struct run_plan *plan = session->plan;
	char end[128], run[32];
	if (wait_status == 0 || plan->ignore_failure)
		return STATUS_OK;

	describe_end(wait_status, end, sizeof(end));
	progress_end(&session->progress);
	return complain("compare: %s %s in %s of '%s'; use %s--ignore-failure to compare anyway",
			version->name, end, name_turn(turn, run, sizeof(run)),
			version->side->command,
			plan->show_output ? "" : "--show-output to see why, or ");
}

/* Why nothing was measured, and what to do; never what the user has done already. */
static const char *advice(const struct recording *recording)
{
	const char *off = getenv("HOTPATH_OFF");

	if (off && strcmp(off, "1") == 0)
		return "HOTPATH_OFF=1 is set, which switches recording off";
	if (recording->cpu)
		return "it may have ended before the first sample: give it more work, or set a "
		       "higher --rate";
	if (recording->alloc != HP_ALLOC_NONE)
		return "link it with libhotpath, build it with 'hotpath cc', or add --cpu";
	return "link it with libhotpath, build it with 'hotpath cc', or add --alloc or --cpu; "
	       "'hotpath doctor' checks whether segments can be written";
}

static int nothing_measured(struct session *session, const struct version *version,
			    const struct turn *turn)
{
	char run[32];

	progress_end(&session->progress);
	return complain("compare: %s measured nothing in %s of '%s'; %s", version->name,
			name_turn(turn, run, sizeof(run)), version->side->command,
			advice(&session->plan->recording));
}

static int save(struct session *session, const struct version *version, const struct turn *turn,
		const struct hp_model *model)
{
	char path[PATH_MAX];

	if (!run_folder_path(session->plan->folder, version->name, turn->number,
			     session->plan->runs, path)) {
		progress_end(&session->progress);
		return complain("compare: the path of '%s' is too long", session->plan->folder);
	}
	int status = whole_report_save(model, path);
	if (status != STATUS_OK)
		progress_end(&session->progress);
	return status;
}

/* On success the side owns the model; otherwise it is freed. */
static int keep(struct session *session, const struct version *version, const struct turn *turn,
		struct hp_model *model)
{
	struct hp_run run = { .report = { .model = model, .complete = true } };
	int status = STATUS_OK;

	if (session->plan->folder)
		status = save(session, version, turn, model);
	if (status == STATUS_OK && (asprintf(&run.label, "run %d", turn->number) < 0 ||
				    !hp_side_append(version->side, run))) {
		progress_end(&session->progress);
		status = complain("out of memory");
	} else if (status == STATUS_OK) {
		return STATUS_OK;
	}
	hp_model_free(model);
	return status;
}

static int take_model(struct session *session, const struct version *version,
		      const struct turn *turn, const struct measured *measured)
{
	struct run_source source = { measured->run, &measured->list, measured,
				     version->side->command };
	struct hp_model *model = run_model(&source);
	if (!model)
		return STATUS_ERROR;
	if (!hp_model_is_empty(model))
		return keep(session, version, turn, model);
	hp_model_free(model);
	return nothing_measured(session, version, turn);
}

/* Take the result of a run that has ended, unless we were asked to end. */
static int take_run(struct session *session, const struct version *version, const struct turn *turn,
		    const struct measured *measured)
{
	interrupt_note(measured->child.asked_to_end);
	if (interrupt_seen())
		return STATUS_ERROR;
	int status = check_end(session, version, turn, measured->child.wait_status);
	return status != STATUS_OK || turn->is_warmup
		       ? status
		       : take_model(session, version, turn, measured);
}

static int run_once(struct session *session, const struct version *version, const struct turn *turn)
{
	char *argv[] = { (char[]){ SHELL }, (char[]){ "-c" }, (char *)version->side->command,
			 NULL };
	struct measured measured = {
		.manner = { .without_input = true,
			    .without_output = !session->plan->show_output,
			    .in_group = true },
		.shell = session->shell,
		.asked = session->plan->recording,
		.alloc = version->has_probe ? session->plan->recording.alloc : HP_ALLOC_NONE,
	};

	if (interrupt_seen())
		return STATUS_ERROR;
	show_progress(session, version, turn);
	if (!preload_restore(&version->preload))
		return complain("out of memory");
	int error = measured_run(argv, &measured);
	if (!session->first[0])
		memcpy(session->first, measured.run, sizeof(session->first));
	if (error) {
		progress_end(&session->progress);
		return complain("cannot run '%s': %s", SHELL, strerror(-error));
	}
	measured_find(&measured, false);
	int status = take_run(session, version, turn, &measured);
	measured_remove(&measured);
	measured_free(&measured);
	progress_step(&session->progress);
	return status;
}

static int run_turns(struct session *session, int count, bool is_warmup)
{
	for (int number = 1; number <= count; number++) {
		const struct turn turn = { number, is_warmup };
		for (int i = 0; i < 2; i++) {
			int status = run_once(session, &session->versions[i], &turn);
			if (status != STATUS_OK)
				return status;
		}
	}
	return STATUS_OK;
}

/* All runs. A request to end takes effect between two runs, or after the current one. */
static int run_all(struct session *session)
{
	const struct run_plan *plan = session->plan;

	progress_begin(&session->progress, 2 * (size_t)(plan->warmups + plan->runs),
		       !plan->show_output);
	interrupts_begin();
	int status = run_turns(session, plan->warmups, true);
	if (status == STATUS_OK)
		status = run_turns(session, plan->runs, false);
	progress_end(&session->progress);
	if (session->first[0])
		measured_remove_since(session->first);
	interrupts_end();
	return interrupt_seen() ? end_by_signal(interrupt_seen()) : status;
}

int compare_run(struct hp_comparison *comparison, const struct run_plan *plan)
{
	struct session session = {
		.plan = plan,
		.versions = { { .name = "base", .side = &comparison->base },
			      { .name = "head", .side = &comparison->head } },
	};
	int status = plan->folder ? run_folder_make(plan->folder, plan->runs) : STATUS_OK;

	if (status == STATUS_OK)
		status = prepare(&session);
	if (status == STATUS_OK)
		status = run_all(&session);
	for (int i = 0; i < 2; i++)
		preload_free(&session.versions[i].preload);
	return status;
}
