/* SPDX-License-Identifier: MIT */
/* Options of `hotpath compare`, from the command line. */
#include "compare_options.h"

#include "command.h"
#include "compare_page.h"
#include "format.h"
#include "input_file.h"
#include "nearest.h"
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BUDGET_USUAL "hotpath-budget.json"
/* Some thousand lines are a megabyte. */
#define BUDGET_MAX ((size_t)16 << 20)

enum {
	WARMUPS_USUAL = 1,
	WORDS_MAX = 40,
	THRESHOLD_MAX = 10000,
};

/** What a word may be. */
struct words {
	const char *items[WORDS_MAX];
	size_t count;
};

static void add_word(struct words *words, const char *word)
{
	if (words->count < WORDS_MAX)
		words->items[words->count++] = word;
}

/* Complain about an unknown word, with a suggestion or the valid ones. */
static int unknown_word(const char *option, const char *word, const struct words *words)
{
	struct hp_nearest nearest = { NULL, 0 };
	char known[512] = "";

	for (size_t i = 0; i < words->count; i++) {
		size_t used = strlen(known);
		hp_nearest_try(&nearest, word, words->items[i]);
		snprintf(known + used, sizeof(known) - used, "%s%s", i ? ", " : "",
			 words->items[i]);
	}
	if (nearest.name)
		return complain("compare: --%s: unknown value '%s'; did you mean '%s'?", option,
				word, nearest.name);
	return complain("compare: --%s: unknown value '%s'; choose from %s", option, word, known);
}

/* "5", "5%" or "0.5 %". */
static bool read_percent(const char *word, double most, double *percent)
{
	char number[32];
	size_t length = strlen(word);

	if (length && word[length - 1] == '%')
		length--;
	while (length && word[length - 1] == ' ')
		length--;
	snprintf(number, sizeof(number), "%.*s", (int)length, word);
	return length < sizeof(number) && hp_parse_decimal(number, percent) && *percent <= most;
}

static int read_share(const struct input *input, const char *option, double most, double *percent)
{
	const char *word = input_option(input, option);

	if (!word || read_percent(word, most, percent))
		return STATUS_OK;
	return complain("compare: --%s: '%s' is not a percentage, such as 5%%", option, word);
}

static int read_fail_on(const struct input *input, enum hp_fail_on *fail_on)
{
	static const struct words names = { .items = { [HP_FAIL_ON_SLOWER] = "slower",
						       [HP_FAIL_ON_ALLOC] = "alloc",
						       [HP_FAIL_ON_ANY] = "any",
						       [HP_FAIL_ON_NONE] = "none" },
					    .count = HP_FAIL_ON_NONE + 1 };
	const char *word = input_option(input, "fail-on");
	if (!word)
		return STATUS_OK;

	for (size_t i = 0; i < names.count; i++) {
		if (strcmp(names.items[i], word) == 0) {
			*fail_on = (enum hp_fail_on)i;
			return STATUS_OK;
		}
	}
	return unknown_word("fail-on", word, &names);
}

static int read_percentiles(const struct input *input, struct hp_compare_options *options)
{
	const char *list = input_option(input, "percentiles");
	struct hp_report_options report;
	char problem[HP_PROBLEM_SIZE + 32];
	if (!list)
		return STATUS_OK;

	hp_report_options_init(&report);
	if (hp_report_option_set(&report, "percentiles", list, problem, sizeof(problem)))
		return complain("compare: --%s", problem);
	memcpy(options->percentiles, report.percentiles, sizeof(report.percentiles));
	options->percentile_count = report.percentile_count;
	return STATUS_OK;
}

static int unknown_subject(const char *word)
{
	struct words names = { .count = 0 };

	for (size_t i = 0; hp_subjects[i]; i++)
		add_word(&names, hp_subjects[i]->name);
	add_word(&names, "all");
	add_word(&names, "auto");
	return unknown_word("report", word, &names);
}

/* Add the subjects that a word means; false when it means none. */
static bool add_subjects(const char *word, uint32_t *subjects)
{
	bool all = strcmp(word, "all") == 0, found = all || strcmp(word, "auto") == 0;

	for (size_t i = 0; hp_subjects[i]; i++) {
		if (!all && strcmp(hp_subjects[i]->name, word) != 0)
			continue;
		*subjects |= UINT32_C(1) << i;
		found = true;
	}
	return found;
}

static int read_subjects(const struct input *input, uint32_t *subjects)
{
	const char *list = input_option(input, "report");
	struct hp_item item;

	while (list && hp_item_next(&list, &item))
		if (!add_subjects(item.text, subjects))
			return unknown_subject(item.text);
	return STATUS_OK;
}

int compare_options_read(const struct input *input, struct hp_compare_options *options)
{
	double threshold;

	hp_compare_options_init(options);
	threshold = options->threshold * 100;
	int status = read_share(input, "threshold", THRESHOLD_MAX, &threshold);
	options->threshold = threshold / 100;
	if (status == STATUS_OK)
		status = read_share(input, "min-share", 100, &options->min_share);
	if (status == STATUS_OK)
		status = read_fail_on(input, &options->fail_on);
	if (status == STATUS_OK)
		status = read_percentiles(input, options);
	return status == STATUS_OK ? read_subjects(input, &options->subjects) : status;
}

int compare_format_read(const struct input *input, const struct hp_compare_format **format)
{
	const char *name = input_option(input, "format");
	struct words names = { .count = 0 };

	*format = name ? hp_compare_format_find(name) : hp_compare_formats[0];
	if (name && strcmp(name, compare_page.name) == 0)
		*format = &compare_page;
	if (*format)
		return STATUS_OK;
	for (size_t i = 0; hp_compare_formats[i]; i++)
		add_word(&names, hp_compare_formats[i]->name);
	add_word(&names, compare_page.name);
	return unknown_word("format", name, &names);
}

static bool take_words(const struct input *input, const char *option, const char *instead,
		       struct side_words *words)
{
	const char *word;
	int at = 0;

	words->items = calloc((size_t)input->use_count + 1, sizeof(*words->items));
	if (!words->items)
		return false;
	while ((word = input_next(input, option, &at)))
		words->items[words->count++] = word;
	if (instead)
		words->items[words->count++] = instead;
	return true;
}

int compare_sides_read(const struct input *input, struct side_words *base, struct side_words *head)
{
	char **given = input->arguments;
	bool pair = input->argument_count == 2;

	*base = *head = (struct side_words){ NULL, 0 };
	if (input->argument_count && (input_option(input, "base") || input_option(input, "head")))
		return complain("compare: unexpected argument '%s' in addition to --base and "
				"--head",
				given[0]);
	if (input->argument_count > 2 && input_option(input, "runs"))
		return complain("compare: unexpected argument '%s'; with --runs, quote each "
				"command: '%s …'",
				given[2], given[0]);
	if (input->argument_count > 2)
		return complain("compare: unexpected argument '%s'; for several reports per side, "
				"use --base %s … --head …",
				given[2], given[0]);
	if (input->argument_count == 1)
		return complain("compare: nothing to compare with; use 'hotpath compare %s HEAD'",
				given[0]);
	if (!take_words(input, "base", pair ? given[0] : NULL, base) ||
	    !take_words(input, "head", pair ? given[1] : NULL, head))
		return complain("out of memory");
	if (base->count && head->count)
		return STATUS_OK;
	if (!base->count && !head->count)
		return complain("compare: nothing to compare; see 'hotpath compare --help'");
	return complain("compare: no %s given; add '--%s FILE …'", base->count ? "head" : "base",
			base->count ? "head" : "base");
}

static int read_number(const struct input *input, const char *option, int least, int *number)
{
	const char *word = input_option(input, option);

	if (!word || (hp_parse_count(word, number) && *number >= least && *number <= HP_RUNS_MAX))
		return STATUS_OK;
	return complain("compare: --%s: '%s' is not a number from %d to %d", option, word, least,
			HP_RUNS_MAX);
}

/* Options about running programs are an error if reports are given. */
static int check_no_runs(const struct input *input)
{
	static const char *const of_runs[] = {
		"warmup", "all",	  "alloc",  "cpu",	   "no-cpu",	     "waits",
		"rate",	  "max-overhead", "probes", "show-output", "ignore-failure", "save"
	};

	for (size_t i = 0; i < sizeof(of_runs) / sizeof(*of_runs); i++)
		if (input_option(input, of_runs[i]))
			return complain("compare: --%s only applies to commands that are run; add "
					"--runs N",
					of_runs[i]);
	return STATUS_OK;
}

int compare_plan_read(const struct input *input, struct run_plan *plan)
{
	*plan = (struct run_plan){
		.warmups = WARMUPS_USUAL,
		.show_output = input_option(input, "show-output"),
		.ignore_failure = input_option(input, "ignore-failure"),
		.folder = input_option(input, "save"),
	};
	if (!input_option(input, "runs"))
		return check_no_runs(input);
	int status = read_number(input, "runs", 1, &plan->runs);
	if (status == STATUS_OK)
		status = read_number(input, "warmup", 0, &plan->warmups);
	return status == STATUS_OK ? recording_read(input, &plan->recording) : status;
}

static int read_budgets(const char *path, int file, struct hp_budgets *budgets)
{
	struct hp_text text = HP_TEXT_INIT;
	struct hp_error error = { "" };
	int failed = input_read(file, BUDGET_MAX, &text);

	if (failed)
		snprintf(error.text, sizeof(error.text), "%s", strerror(-failed));
	else
		failed = hp_budgets_read(text.bytes ? text.bytes : "", text.length, budgets,
					 &error);
	hp_text_free(&text);
	budgets->path = path;
	return failed ? complain("%s: %s", path, error.text) : STATUS_OK;
}

int compare_budgets_read(const struct input *input, struct hp_budgets *budgets)
{
	const char *named = input_option(input, "budget"), *path = named ? named : BUDGET_USUAL;
	if (named && strcmp(named, "none") == 0)
		return STATUS_OK;

	int file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (file < 0 && !named && errno == ENOENT)
		return STATUS_OK;
	if (file < 0)
		return complain("%s: %s", path, strerror(errno));
	int status = read_budgets(path, file, budgets);
	close(file);
	return status;
}
