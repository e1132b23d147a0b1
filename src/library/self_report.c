/* SPDX-License-Identifier: MIT */
/*
 * A program's report of itself: reader and views, asked by the recorder.
 *
 * It runs inside the program, when it ends or asks for it. The report must do no harm: no SIGPIPE or SIGXFSZ, no
 * changed errno, and only one warning if it cannot be written.
 */
#include "reporter.h"

#include "names/stripped.h"
#include "reader.h"
#include "report.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Who asked for the report; one does at a time. */
static const struct hotpath__host *host;

static void warn(struct hp_text *text)
{
	if (!text->failed)
		host->warn(text->bytes);
	hp_text_free(text);
}

static void set(struct hp_report_options *options, const char *name, const char *value)
{
	char problem[256];

	if (value && hp_report_option_set(options, name, value, problem, sizeof(problem)))
		host->warn(problem);
}

static void set_percentiles(struct hp_report_options *options, const struct hotpath_options *chosen)
{
	unsigned count = chosen->percentile_count < HOTPATH_PERCENTILES_MAX
				 ? chosen->percentile_count
				 : HOTPATH_PERCENTILES_MAX;
	struct hp_text list = HP_TEXT_INIT;

	for (unsigned i = 0; i < count; i++)
		hp_text_printf(&list, "%s%.6f", i ? "," : "", chosen->percentiles[i]);
	set(options, "percentiles", list.bytes);
	hp_text_free(&list);
}

/* The program's options; the environment wins, unless it is not trusted (setuid). */
static void collect_options(struct hp_report_options *options, const struct hotpath_options *chosen)
{
	static const char *const formats[] = { "table", "json", "json-pretty", "none" };

	hp_report_options_init(options);
	if ((unsigned)chosen->format < sizeof(formats) / sizeof(*formats))
		set(options, "format", formats[chosen->format]);
	if (chosen->limit)
		options->limits[HP_LIMIT_ALL] = chosen->limit < 0 ? 0 : chosen->limit;
	set(options, "output-path", chosen->output_path);
	set(options, "report", chosen->sections);
	set_percentiles(options, chosen);
	if (!getauxval(AT_SECURE))
		hp_report_options_environment(options, host->warn);
	if (options->format == HP_FORMAT_HTML) {
		host->warn("html is written by the tool: 'hotpath run --format html PROGRAM'; this "
			   "report is a table");
		options->format = HP_FORMAT_TABLE;
	}
}

/* Do not write to a standard stream that the program closed and reused for something else. */
static int stream(int fd)
{
	if (host->is_stream(fd))
		return fd;
	errno = EPIPE;
	return -1;
}

static int open_output(const struct hp_report_options *options)
{
	if (!options->output_path[0])
		return stream(STDERR_FILENO);
	if (strcmp(options->output_path, "-") == 0)
		return stream(STDOUT_FILENO);
	return open(options->output_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
}

static void fit_terminal(struct hp_report_options *options, int fd)
{
	const char *no_colour = getenv("NO_COLOR"), *terminal = getenv("TERM");
	struct winsize size;

	if (!isatty(fd))
		return;
	options->colour = !(no_colour && *no_colour) && terminal && strcmp(terminal, "dumb") != 0;
	if (ioctl(fd, TIOCGWINSZ, &size) == 0)
		options->width = size.ws_col;
}

static void print(const struct hp_model *model, struct hp_report_options *options)
{
	struct hp_text text = HP_TEXT_INIT;
	int fd = open_output(options), error = -errno;

	if (fd >= 0) {
		fit_terminal(options, fd);
		hp_report_write(model, options, &text);
		error = text.failed ? -ENOMEM : host->write(fd, text.bytes, text.length);
		if (fd > STDERR_FILENO && close(fd) && !error)
			error = -errno;
	}
	hp_text_free(&text);
	if (error && error != -EPIPE) {
		hp_text_printf(&text, "cannot write the report to %s: %s",
			       options->output_path[0] ? options->output_path : "standard error",
			       strerror(-error));
		warn(&text);
	}
}

static void note_moment(struct hp_model *model)
{
	unsigned count = host->threads_in_calls;

	if (count)
		hp_model_note(model,
			      "%u other thread%s in a measured call when recording ended: this "
			      "report stands at that moment",
			      count, count == 1 ? " was" : "s were");
}

/* Explain what the environment requests but the program lacks: probes are separate libraries. */
static void explain(struct hp_model *model)
{
	hp_machine_read(&model->machine);
	hp_note_stripped(model);
	note_moment(model);
	if (host->wants_alloc && model->memory.mode == HP_ALLOC_NONE)
		hp_model_miss(&model->missing.alloc,
			      "No allocations were recorded: the program was not linked with "
			      "hotpath-alloc, nor started by 'hotpath run --alloc'");
	if (host->wants_cpu && !hp_cpu_was_asked_for(&model->cpu))
		hp_model_miss(&model->missing.cpu,
			      "No CPU time was sampled: sampling could not begin");
}

static void print_report(const struct hotpath__host *asked_by, const void *segment, size_t size,
			 const struct hotpath_options *chosen)
{
	int cancel_state;
	/* It has come to its end: whether by exit is not known yet. */
	struct hp_exit ended = { .running = false, .clean = true, .status = -1, .signal = 0 };
	const struct hp_header *header = segment;
	struct hp_report_options options;
	struct hp_text reason = HP_TEXT_INIT;
	int saved_errno = errno;
	struct hp_error error;

	host = asked_by;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
	collect_options(&options, chosen);
	if (options.format != HP_FORMAT_NONE) {
		if (header->exit_status)
			ended.status = (int)header->exit_status - 1;
		struct hp_model *model = hp_model_read(segment, size, &ended,
						       hp_report_shows_tree(&options), &error);
		if (model) {
			explain(model);
			print(model, &options);
		} else {
			hp_text_printf(&reason, "no report: %s", error.text);
			warn(&reason);
		}
		hp_model_free(model);
	}
	pthread_setcancelstate(cancel_state, NULL);
	errno = saved_errno;
}

__attribute__((visibility("default")))
const struct hotpath__reporter hotpath_reporter = { sizeof(hotpath_reporter), HOTPATH_VERSION,
						    print_report };
