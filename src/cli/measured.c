/* SPDX-License-Identifier: MIT */
/* Runs a program to its end under measurement, and reads the segments that it leaves. */
#include "measured.h"

#include "arithmetic.h"
#include "command.h"
#include "fold.h"
#include "format.h"
#include "now.h"
#include "output.h"
#include "probes.h"
#include "register_child.h"
#include "runs_prune.h"
#include "unseen.h"
#include "waits_mode.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
	/* Samples a second. */
	RATE_DEFAULT = 999,
	RATE_MAX = 10000,
};

/* The mode is passed in the environment, because the program may be linked with the probe. */
static int set_alloc(const char *command, const char *mode, enum hp_alloc_mode *found)
{
	if (hp_alloc_mode_find(mode, found) && *found != HP_ALLOC_NONE)
		return setenv("HOTPATH_ALLOC", mode, 1);
	complain("%s: --alloc: '%s' is not live, freed or count", command, mode);
	return -EINVAL;
}

static int set_waits(const char *command, const char *list)
{
	unsigned parts;

	if (hp_waits_parse(list, &parts))
		return setenv("HOTPATH_WAITS", list, 1);
	complain("%s: --waits: '%s' is not a list of " HP_WAITS_NAMES, command, list);
	return -EINVAL;
}

bool recording_is_off(void)
{
	const char *off = getenv("HOTPATH_OFF");

	return off && strcmp(off, "1") == 0;
}

/* The recorder says what is wrong with an invalid number, and uses the default, too. */
int recording_rate(void)
{
	const char *rate = getenv("HOTPATH_CPU_RATE");
	int number;

	return rate && hp_parse_count(rate, &number) && number >= 1 && number <= RATE_MAX
		       ? number
		       : RATE_DEFAULT;
}

static int set_cpu(const char *command, const char *rate)
{
	int number;

	if (rate && (!hp_parse_count(rate, &number) || number < 1 || number > RATE_MAX)) {
		complain("%s: --rate: '%s' is not a number from 1 to %d", command, rate, RATE_MAX);
		return -EINVAL;
	}
	if (rate && setenv("HOTPATH_CPU_RATE", rate, 1))
		return -ENOMEM;
	return setenv("HOTPATH_CPU", "1", 1);
}

/* Decide whether to sample: options come first, then HOTPATH_CPU, then the default. --rate implies --cpu. */
static int read_cpu(const struct input *input, struct recording *recording)
{
	const char *rate = input_option(input, "rate"), *variable = getenv("HOTPATH_CPU");
	bool is_wanted = rate || input_option(input, "cpu"),
	     is_refused = input_option(input, "no-cpu");

	if (is_wanted && is_refused) {
		complain("%s: --no-cpu contradicts --cpu and --rate", input->command->name);
		return -EINVAL;
	}
	if (is_refused)
		recording->cpu = false;
	else if (is_wanted || input_option(input, "all"))
		recording->cpu = true;
	/* The recorder says what is wrong with an invalid value, and does not sample. */
	else if (variable && *variable)
		recording->cpu = hp_parse_switch(variable, &recording->cpu) && recording->cpu;
	else
		recording->cpu_is_default = recording->cpu;
	if (is_refused)
		return setenv("HOTPATH_CPU", "0", 1);
	return recording->cpu ? set_cpu(input->command->name, rate) : 0;
}

static int set_max_overhead(const char *command, const char *percent)
{
	int number;

	if (hp_parse_count(percent, &number) && number <= 100)
		return setenv("HOTPATH_MAX_OVERHEAD", percent, 1);
	complain("%s: --max-overhead: '%s' is not a whole number from 0 to 100", command, percent);
	return -EINVAL;
}

/* The value of an option that --all gives as well. */
static const char *option_or_all(const struct input *input, const char *name, const char *of_all)
{
	const char *value = input_option(input, name);

	return value || !input_option(input, "all") ? value : of_all;
}

int recording_read(const struct input *input, struct recording *recording)
{
	const char *command = input->command->name;
	const char *alloc = option_or_all(input, "alloc", "live");
	const char *probe_list = input_option(input, "probes");
	const char *waits = option_or_all(input, "waits", "all");
	const char *max_overhead = input_option(input, "max-overhead");

	recording->waits = waits != NULL;
	if ((alloc && set_alloc(command, alloc, &recording->alloc)) || read_cpu(input, recording) ||
	    (waits && set_waits(command, waits)) ||
	    (max_overhead && set_max_overhead(command, max_overhead)) ||
	    (probe_list && !probes_parse(command, probe_list, &recording->probes)))
		return STATUS_ERROR;
	return STATUS_OK;
}

/* A name that is unique among all runs on this machine. */
static void name_run(char name[HP_RUN_MAX], uint64_t began_unix_ns)
{
	snprintf(name, HP_RUN_MAX, "%d-%" PRIu64, (int)getpid(), began_unix_ns);
}

int measured_run(char **argv, struct measured *measured)
{
	measured->began_unix_ns = hp_clock_ns(CLOCK_REALTIME);
	measured->began_ns = hp_now_ns();
	name_run(measured->run, measured->began_unix_ns);
	measured->manner.run = measured->run;
	int error = run_child(argv, &measured->manner, &measured->child);
	if (!error)
		register_child(measured->run, &measured->child);
	return error;
}

/* The time of day may have been set back since the program began. */
uint64_t measured_since(const struct measured *measured)
{
	uint64_t began = hp_clock_ns(CLOCK_REALTIME) - (hp_now_ns() - measured->began_ns);

	return hp_min(began, measured->began_unix_ns);
}

void measured_find(struct measured *measured, bool all)
{
	struct hp_error reason;
	uint64_t since = all ? 0 : measured_since(measured);
	/* If a folder cannot be used, the measured programs have said so already. */
	int error = hp_find_segments_since(&measured->list, since, &reason);

	measured->has_all = all;
	if (error != -ENOMEM)
		error = hp_find_dropped(&measured->list, measured->run);
	if (error)
		complain("cannot look for segments: %s", strerror(-error));
}

static bool is_of_run(const struct measured *measured, const struct hp_found *found)
{
	return strcmp(found->run, measured->run) == 0;
}

void measured_prune(const struct measured *measured)
{
	size_t ended = 0, keep = fold_keep();

	for (size_t i = 0; i < measured->list.count; i++) {
		struct hp_found *found = &measured->list.items[i];
		if (found->live)
			continue;
		/* Empty segments of this run are removed. */
		if (is_of_run(measured, found) ? found->is_empty : ended++ >= keep) {
			hp_found_remove(found);
			found->run[0] = '\0';
		}
	}
	if (measured->has_all)
		runs_prune(&measured->list);
	else
		run_prune(&measured->list, measured->run);
}

void measured_remove(const struct measured *measured)
{
	for (size_t i = 0; i < measured->list.count; i++)
		if (is_of_run(measured, &measured->list.items[i]))
			hp_found_remove(&measured->list.items[i]);
	run_remove(measured->run);
}

/*
 * Whether a run was made by this process at or after the first one: names end with a time of fixed width, so they
 * sort by time.
 */
static bool is_since(const char *run, const char *first)
{
	size_t process = strcspn(first, "-") + 1;

	return strncmp(run, first, process) == 0 && strcmp(run, first) >= 0;
}

void measured_remove_since(const char *first)
{
	struct hp_found_list list;
	struct hp_error ignored;

	/* On failure, the list has what was found before. */
	(void)hp_find_segments(&list, &ignored);
	for (size_t i = 0; i < list.count; i++)
		if (is_since(list.items[i].run, first)) {
			hp_found_remove(&list.items[i]);
			list.items[i].run[0] = '\0';
		}
	runs_prune(&list);
	hp_found_list_free(&list);
}

void measured_free(struct measured *measured)
{
	hp_found_list_free(&measured->list);
	measured->list = (struct hp_found_list){ NULL, 0 };
}
