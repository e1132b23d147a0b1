/* SPDX-License-Identifier: MIT */
/* hotpath compare: is it slower than before? */
#include "command.h"
#include "compare_options.h"
#include "metric.h"
#include "output.h"
#include "source.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The report takes ownership of the model. */
static bool append(struct hp_side *side, const char *name, struct source *source)
{
	struct hp_run run = { .label = strdup(name), .report = source->saved };

	/* A segment has complete data. */
	if (!run.report.model)
		run.report = (struct hp_saved){ .model = source->model, .complete = true };
	if (!run.label || !hp_side_append(side, run)) {
		free(run.label);
		return false;
	}
	source->model = NULL;
	return true;
}

/* Whether a file is a program, by its first bytes: on some file systems all files are executable. */
static bool is_program(const char *path)
{
	struct stat status;
	char magic[4];
	/* Not from a pipe: what is read from it cannot be read again. */
	if (stat(path, &status) < 0 || !S_ISREG(status.st_mode) || access(path, X_OK) < 0)
		return false;

	int file = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t size = file < 0 ? 0 : read(file, magic, sizeof(magic));
	if (file >= 0)
		close(file);
	return size == sizeof(magic) &&
	       (memcmp(magic, "\177ELF", sizeof(magic)) == 0 || memcmp(magic, "#!", 2) == 0);
}

/* A program, or one with arguments. */
static bool is_command(const char *word)
{
	return is_program(word) || (strchr(word, ' ') && access(word, F_OK) < 0);
}

static int load(struct hp_side *side, const struct side_words *words)
{
	int status = STATUS_OK;

	for (size_t i = 0; i < words->count && status == STATUS_OK; i++) {
		struct source source = { 0 };
		if (is_command(words->items[i]))
			status = complain("compare: '%s' is a command, not a report; add '--runs "
					  "10' to run both sides",
					  words->items[i]);
		else if (source_open_any(&source, words->items[i]) != STATUS_OK)
			status = STATUS_ERROR;
		else if (!append(side, words->items[i], &source))
			status = complain("out of memory");
		source_free(&source);
	}
	return status;
}

static int load_both(struct hp_comparison *comparison, const struct side_words *base,
		     const struct side_words *head)
{
	int status = load(&comparison->base, base);

	return status == STATUS_OK ? load(&comparison->head, head) : status;
}

/* A command must be given as one word. */
static int check_command(const char *option, const struct side_words *words)
{
	if (words->count == 1)
		return STATUS_OK;
	return complain("compare: with --runs, --%s takes one command; quote it: '%s %s …'", option,
			words->items[0], words->items[1]);
}

static int run_both(struct hp_comparison *comparison, const struct run_plan *plan,
		    const struct side_words *base, const struct side_words *head)
{
	if (check_command("base", base) != STATUS_OK || check_command("head", head) != STATUS_OK)
		return STATUS_ERROR;
	comparison->base.command = base->items[0];
	comparison->head.command = head->items[0];
	return compare_run(comparison, plan);
}

static int fill_sides(const struct input *input, struct hp_comparison *comparison)
{
	struct side_words base, head;
	struct run_plan plan;
	int status = compare_sides_read(input, &base, &head);

	if (status == STATUS_OK)
		status = compare_plan_read(input, &plan);
	if (status == STATUS_OK)
		status = plan.runs ? run_both(comparison, &plan, &base, &head)
				   : load_both(comparison, &base, &head);
	free(base.items);
	free(head.items);
	return status;
}

static int write_comparison(const struct input *input, const struct hp_comparison *comparison,
			    const struct hp_compare_format *format)
{
	const char *path = input_option(input, "output-path");
	struct hp_compare_style style = { .id = input_option(input, "id") };
	struct hp_text text = HP_TEXT_INIT;
	struct hp_report_options fitted;

	output_fit(&fitted, path, STDOUT_FILENO);
	style.width = fitted.width;
	style.colour = fitted.colour;
	format->write(comparison, &style, &text);
	int status = output_write(&text, path, STDOUT_FILENO);
	hp_text_free(&text);
	return status;
}

static int judge(const struct input *input, struct hp_comparison *comparison,
		 const struct hp_compare_format *format)
{
	if (hp_compare(comparison))
		return complain("out of memory");
	int status = write_comparison(input, comparison, format);
	if (status != STATUS_OK)
		return status;
	return hp_compare_fails(comparison) ? STATUS_WORSE : STATUS_OK;
}

static int compare(struct input *input)
{
	const struct hp_compare_format *format;
	struct hp_comparison comparison = { 0 };

	int status = compare_options_read(input, &comparison.options);
	if (status == STATUS_OK)
		status = compare_format_read(input, &format);
	if (status == STATUS_OK)
		status = compare_budgets_read(input, &comparison.budgets);
	/* Check all other options first, because the programs may run for a long time. */
	if (status == STATUS_OK)
		status = output_check(input_option(input, "output-path"));
	if (status == STATUS_OK)
		status = fill_sides(input, &comparison);
	if (status == STATUS_OK)
		status = judge(input, &comparison, format);
	hp_comparison_clear(&comparison);
	return status;
}

/* List the metrics that a budget can use, by section. */
static void add_figures(struct hp_text *text)
{
	enum { COLUMN = 20 };

	hp_text_puts(text,
		     "\nmetrics of each section, as they are named in JSON and in budgets:\n");
	for (size_t i = 0; hp_subjects[i]; i++) {
		struct hp_text words = HP_TEXT_INIT;
		hp_metric_list(hp_subjects[i], &words);
		hp_text_printf(text, "  %-*s", COLUMN - 2, hp_subjects[i]->name);
		options_add_wrapped(text, words.bytes ? words.bytes : "", COLUMN, COLUMN);
		hp_text_free(&words);
	}
}

static const struct option options[] = {
	{ .name = "base",
	  .value = "WORD ...",
	  .takes_list = true,
	  .help = "the old version: one report per run or, with --runs, a command" },
	{ .name = "head",
	  .value = "WORD ...",
	  .takes_list = true,
	  .help = "the new version, given in the same way" },
	{ .name = "runs",
	  .value = "N",
	  .help = "run the commands BASE and HEAD N times each, in turns; at most 1000" },
	{ .name = "warmup",
	  .value = "N",
	  .help = "run each command N times before that, without counting it; the default is 1" },
	RECORDING_OPTIONS("", "; the default"),
	{ .name = "show-output", .help = "show what the commands print" },
	{ .name = "ignore-failure", .help = "compare even if a command fails" },
	{ .name = "save",
	  .value = "FOLDER",
	  .help = "keep the report of every run in FOLDER: base-01.json, head-01.json …" },
	{ .name = "threshold",
	  .value = "PERCENT",
	  .help = "the smallest change of a time that counts as slower or faster; the default is "
		  "5%" },
	{ .name = "min-share",
	  .value = "PERCENT",
	  .help = "do not judge functions with a smaller share of the total; the default is 1%" },
	{ .name = "fail-on",
	  .value = "WHAT",
	  .help = "when to exit with status 1: if something is slower (the default); if something "
		  "allocates more (alloc); if either is true or any other count is higher (any); "
		  "or only for budgets (none)" },
	{ .name = "budget",
	  .value = "FILE",
	  .help = "the file with the limits for head; the default is hotpath-budget.json, if it "
		  "exists; none for no limits" },
	{ .name = "percentiles",
	  .value = "LIST",
	  .help = "also compare these percentiles: up to 10 numbers from 0 to 100, such as "
		  "50,95,99.9" },
	{ .name = "report",
	  .value = "LIST",
	  .help = "what to compare: auto, all, or a list such as timing,alloc" },
	{ .name = "format",
	  .value = "FORMAT",
	  .help = "table, markdown, json, json-pretty or html (a page)" },
	{ .name = "id",
	  .value = "NAME",
	  .help = "the name of the benchmark, to tell several apart" },
	{ .name = "output-path",
	  .value = "FILE",
	  .help = "write to FILE; - is standard output, which is the default" },
	{ .name = NULL },
};

const struct command command_compare = {
	.name = "compare",
	.arguments = "BASE HEAD",
	.arguments_max = -1,
	.help = "Find out whether a program became slower.",
	.details = "Show what became slower, what allocates more, and what cannot be decided: "
		   "from JSON reports of one or several runs of each side, or by running two "
		   "commands. Exits with status 1 if something became worse or a limit is "
		   "exceeded.",
	.options = options,
	.add_help = add_figures,
	.run = compare,
};
