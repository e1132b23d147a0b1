/* SPDX-License-Identifier: MIT */
/* hotpath run: run a program, and show what it has measured, whatever became of it. */
#include "alloc_mode.h"
#include "command.h"
#include "format.h"
#include "output.h"
#include "preload.h"
#include "probes.h"
#include "report.h"
#include "run_child.h"
#include "source.h"
#include "unmatched.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	/* As a shell does. */
	STATUS_NOT_EXECUTABLE = 126,
	STATUS_NOT_FOUND = 127,
	/* Segments of ended programs that are kept besides those of this run. */
	KEEP_ENDED = 32,
	/* Samples a second. */
	RATE_MAX = 10000,
};

/** The models of one run, oldest first. */
struct models {
	struct hp_model **items;
	size_t count;
};

static struct hp_exit exit_of(const struct child *child)
{
	bool exited = WIFEXITED(child->wait_status);

	return (struct hp_exit){
		.clean = exited,
		.status = exited ? WEXITSTATUS(child->wait_status) : -1,
		.signal = exited ? 0 : WTERMSIG(child->wait_status),
	};
}

/* A newer segment of the same process: the program has become another one by exec. */
static bool was_replaced(const struct hp_found_list *list, size_t at, const char *run)
{
	for (size_t i = 0; i < at; i++)
		if (list->items[i].pid == list->items[at].pid &&
		    strcmp(list->items[i].run, run) == 0)
			return true;
	return false;
}

static void add_known(struct hp_model *model, const struct hp_found *found,
		      const struct child *child)
{
	/* Only the program itself knows whether it left by exit or by _exit. */
	model->exit.clean &= found->state == HP_STATE_EXITED;
	if (!model->memory.peak_rss_bytes)
		model->memory.peak_rss_bytes = child->peak_rss_bytes;
	/* What has only allocated does not say when it was last alive. */
	if (!model->exit.clean && !hp_model_has_calls(model))
		model->elapsed_ns = child->elapsed_ns;
}

static struct hp_model *read_one(const struct hp_found_list *list, size_t at, const char *run,
				 const struct child *child)
{
	static const struct hp_exit by_exec = { .clean = true, .status = -1 };
	const struct hp_found *found = &list->items[at];
	struct hp_exit ended = exit_of(child);
	const struct hp_exit *known = NULL;
	struct hp_error error = { "" };
	struct source source = { 0 };

	if (was_replaced(list, at, run))
		known = &by_exec;
	else if (found->pid == (uint32_t)child->pid)
		known = &ended;
	if (source_segment(&source, found->path, known, &error))
		complain("%s", error.text);
	struct hp_model *model = source.model;
	source.model = NULL;
	source_free(&source);
	if (model && known == &ended)
		add_known(model, found, child);
	/* What a shell allocates between fork and exec is nobody's question. */
	if (model && known == &by_exec && !hp_model_has_calls(model)) {
		hp_model_free(model);
		return NULL;
	}
	return model;
}

/* Processes that measured nothing are not worth a report, unless there is no other. */
static void drop_empty(struct models *models)
{
	size_t kept = 0;

	for (size_t i = 0; i < models->count; i++) {
		if (!hp_model_is_empty(models->items[i]) || (kept == 0 && i + 1 == models->count))
			models->items[kept++] = models->items[i];
		else
			hp_model_free(models->items[i]);
	}
	models->count = kept;
}

/* A model of a program of which nothing is known but its name. */
static struct hp_model *empty_model(const char *program, const struct child *child)
{
	const char *slash = strrchr(program, '/');
	struct hp_model *model = calloc(1, sizeof(*model));

	if (!model)
		return NULL;
	model->program = strdup(slash ? slash + 1 : program);
	model->caller = strdup(slash ? slash + 1 : program);
	model->pid = (uint32_t)child->pid;
	model->processes = 1;
	model->elapsed_ns = child->elapsed_ns;
	model->start_unix_ns = child->start_unix_ns;
	model->exit = exit_of(child);
	return model;
}

static void add_model(struct models *models, struct hp_model *model)
{
	if (model)
		models->items[models->count++] = model;
}

/* Who used next to no CPU time, or refused, left nothing to show. */
static struct hp_model *unsampled_model(const char *program, const struct child *child)
{
	struct hp_model *model = empty_model(program, child);

	if (model && getenv("HOTPATH_CPU"))
		hp_model_note(model,
			      "no CPU time was sampled: the program used too little of it, has the "
			      "signals for itself, or nothing could be loaded into it");
	return model;
}

/* What the processes of this run have left; at least one model, unless memory is out. */
static void read_models(struct models *models, const struct hp_found_list *list, const char *run,
			const char *program, const struct child *child)
{
	models->items = calloc(list->count + 1, sizeof(struct hp_model *));
	if (!models->items)
		return;
	for (size_t at = list->count; at-- > 0;)
		if (strcmp(list->items[at].run, run) == 0)
			add_model(models, read_one(list, at, run, child));
	drop_empty(models);
	if (models->count == 0)
		add_model(models, unsampled_model(program, child));
}

static void free_models(struct models *models)
{
	for (size_t i = 0; i < models->count; i++)
		hp_model_free(models->items[i]);
	free(models->items);
}

/* Into the first one. */
static void merge_models(struct models *models)
{
	for (size_t i = 1; i < models->count; i++) {
		if (hp_model_merge(models->items[0], models->items[i]))
			complain("out of memory: the report is incomplete");
		hp_model_free(models->items[i]);
	}
	if (models->count > 1)
		models->count = 1;
}

static void write_models(const struct models *models, const struct hp_report_options *options,
			 struct hp_text *text)
{
	for (size_t i = 0; i < models->count; i++) {
		const struct hp_model *model = models->items[i];
		if (models->count > 1 && options->format == HP_FORMAT_TABLE) {
			hp_text_printf(text, "%s== ", i ? "\n" : "");
			hp_text_put_printable(text, model->program ? model->program : "?");
			hp_text_printf(text, " (pid %" PRIu32 ") ==\n", model->pid);
		}
		hp_report_write(model, options, text);
	}
}

static void report(struct input *input, const struct hp_found_list *list, const char *run,
		   const struct child *child)
{
	struct hp_report_options *options = &input->report;
	struct hp_text text = HP_TEXT_INIT;
	struct models models = { NULL, 0 };

	read_models(&models, list, run, input->arguments[0], child);
	if (input_option(input, "merge"))
		merge_models(&models);
	warn_unmatched(input, models.items, models.count);
	output_fit(options, options->output_path, STDERR_FILENO);
	write_models(&models, options, &text);
	/* What cannot be written was said; the status is the program's all the same. */
	(void)output_write(&text, options->output_path, STDERR_FILENO);
	hp_text_free(&text);
	free_models(&models);
}

/* Segments are kept in memory: those of old runs must not pile up there. */
static void prune(const struct hp_found_list *list, const char *run)
{
	unsigned ended = 0;

	for (size_t i = 0; i < list->count; i++) {
		const struct hp_found *found = &list->items[i];
		if (!found->live && strcmp(found->run, run) != 0 && ended++ >= KEEP_ENDED)
			unlink(found->path);
	}
}

/* Told apart from every other run of this machine. */
static void name_run(char name[HP_RUN_MAX])
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	snprintf(name, HP_RUN_MAX, "%d-%lld%09ld", (int)getpid(), (long long)now.tv_sec,
		 now.tv_nsec);
}

/* The mode is for the program, which may bring the probe itself. */
static int set_alloc(const char *mode)
{
	enum hp_alloc_mode found = HP_ALLOC_NONE;

	if (hp_alloc_mode_find(mode, &found) && found != HP_ALLOC_NONE)
		return setenv("HOTPATH_ALLOC", mode, 1);
	complain("run: --alloc: '%s' is not live, freed or count", mode);
	return -EINVAL;
}

/* Whoever says how often wants it at all. */
static int set_cpu(const char *rate)
{
	int number;

	if (rate && (!hp_parse_count(rate, &number) || number < 1 || number > RATE_MAX)) {
		complain("run: --rate: '%s' is not a number from 1 to %d", rate, RATE_MAX);
		return -EINVAL;
	}
	if (rate && setenv("HOTPATH_CPU_RATE", rate, 1))
		return -ENOMEM;
	return setenv("HOTPATH_CPU", "1", 1);
}

static int run_program(struct input *input)
{
	const char *alloc = input_option(input, "alloc"), *rate = input_option(input, "rate");
	const char *probe_list = input_option(input, "probes");
	bool cpu = rate || input_option(input, "cpu");
	struct hp_found_list list = { NULL, 0 };
	struct child child = { 0 };
	unsigned wanted = 0;
	char run[HP_RUN_MAX];
	if (input->argument_count == 0)
		return complain("run: which program? 'hotpath run --help' tells the use");
	if ((alloc && set_alloc(alloc)) || (cpu && set_cpu(rate)) ||
	    (probe_list && !probes_parse(probe_list, &wanted)))
		return STATUS_ERROR;

	name_run(run);
	preload_libraries(input->arguments[0], alloc, cpu, wanted);
	int error = run_child(input->arguments, run, &child);
	if (error) {
		complain("cannot run '%s': %s", input->arguments[0], strerror(-error));
		return error == -ENOENT ? STATUS_NOT_FOUND : STATUS_NOT_EXECUTABLE;
	}

	/* Nobody may be left to read the report. */
	signal(SIGPIPE, SIG_IGN);
	error = hp_find_segments(&list);
	if (error)
		complain("cannot look for segments: %s", strerror(-error));
	report(input, &list, run, &child);
	prune(&list, run);
	hp_found_list_free(&list);
	return run_child_end(&child);
}

static const struct option options[] = {
	{ .name = "alloc",
	  .value = "MODE",
	  .value_default = "live",
	  .help = "show what is allocated too: count (how often and how much), freed (and what was "
		  "freed) or live (and what never was, which is the default)" },
	{ .name = "cpu",
	  .help = "show where CPU time goes too, and what functions spend their time with" },
	{ .name = "rate",
	  .value = "HZ",
	  .help = "so many samples a second of CPU time, up to 10000; the default is 999" },
	{ .name = "probes",
	  .value = "LIST",
	  .help = "show what libraries do for the program too: uv (requests, handles and loops of "
		  "libuv), glib (queues, tasks and main loops of GLib)" },
	{ .name = "merge", .help = "one report of all processes, in place of one each" },
	{ .name = NULL },
};

const struct command command_run = {
	.name = "run",
	.arguments = "[--] PROGRAM [ARGUMENT …]",
	.arguments_max = -1,
	.help = "Run a program and show its report, whatever becomes of it.",
	.details = "Run a program and show on standard error what it, and the processes it "
		   "started, have measured: also when it crashed or was killed. Its input, output, "
		   "signals and exit status are passed through.",
	.options = options,
	.reports = true,
	.program_follows = true,
	.run = run_program,
};
