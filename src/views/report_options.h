/* SPDX-License-Identifier: MIT */
/*
 * What a report shows and how: one table of options, set by code, environment or command line.
 *
 * "percentiles" is the option --percentiles of the tool and HOTPATH_PERCENTILES in the environment;
 * both are set in the same way, so they accept the same values and complain in the same words.
 */
#ifndef HP_REPORT_OPTIONS_H
#define HP_REPORT_OPTIONS_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

enum hp_format {
	HP_FORMAT_TABLE,
	HP_FORMAT_JSON,
	HP_FORMAT_JSON_PRETTY,
	HP_FORMAT_NONE,
};

enum {
	HP_PERCENTILES_MAX = 10,
	HP_OPTION_TEXT = 1024,
	HP_LIMIT_DEFAULT = 15,
	HP_TREE_LIMIT_DEFAULT = 60,
	HP_THREADS_LIMIT_DEFAULT = 5,
	HP_LIMIT_UNSET = -1,
	/* Room for the one line that says what is wrong with a value. */
	HP_PROBLEM_SIZE = 256,
};

struct hp_report_options {
	/** Rising, without repetition. */
	double percentiles[HP_PERCENTILES_MAX];
	unsigned percentile_count;
	enum hp_format format;
	/** Rows of every section, 0 for all; HP_LIMIT_UNSET for each section's own default. */
	int limit;
	/** Rows of the timing section; wins over limit when set. */
	int timing_limit;
	/** The same of the call tree, of allocations, of live blocks, of threads and of CPU time. */
	int tree_limit;
	int alloc_limit;
	int live_limit;
	int threads_limit;
	int cpu_limit;
	/** A file; "-" standard output; empty for the default of whoever prints. */
	char output_path[HP_OPTION_TEXT];
	/** "auto", "all", a list of sections, "auto,-timing". */
	char sections[HP_OPTION_TEXT];
	/** Only functions whose name contains this, or matches /this/. Empty for all. */
	char focus[HP_OPTION_TEXT];
	/** Not the functions that this matches in the same way. Empty for none. */
	char exclude[HP_OPTION_TEXT];
	/** The column to sort by; empty for each section's own. */
	char sort[HP_OPTION_TEXT];
	/** Show and sort by exclusive time. */
	bool time_exclusive;
	/** Show allocations by their number rather than their bytes; and with the calls inside. */
	bool alloc_count;
	bool alloc_cumulative;
	/** Show CPU time with the calls inside. */
	bool cpu_inclusive;
	/** Not options of the user: set by whoever prints. Colour; the width to fit, 0 for any. */
	bool colour;
	unsigned width;
	/** Add what is needed to load the report again without loss: every row, and histograms. */
	bool complete;
};

/** One option: for help texts, and how it is set. */
struct hp_report_option {
	/** As on the command line: "time-exclusive". */
	const char *name;
	/** What the value looks like: "LIST"; NULL for a switch: 0 or 1 in the environment. */
	const char *value;
	/** As in the environment: "HOTPATH_TIME_EXCLUSIVE"; NULL when it has none. */
	const char *variable;
	const char *help;
	/** It says what rows there are and what they tell, not how a report is laid out. */
	bool of_rows;
	/** Other names that are understood, on the command line and in the environment; or NULL. */
	const char *other_name;
	const char *other_variable;
	/** Returns 0, or -EINVAL with the problem, without the name of the option. */
	int (*set)(struct hp_report_options *options, const char *value,
		   char problem[HP_PROBLEM_SIZE]);
};

/** The table of options; ends with a name of NULL. */
extern const struct hp_report_option hp_report_option_table[];

/** Everything at its default. */
void hp_report_options_init(struct hp_report_options *options);

/**
 * Set one option.
 *
 * @param name
 *         As on the command line.
 * @param value
 *         NULL for a switch that is on.
 * @param problem
 *         Receives one line that says what is wrong with the value and what is right, such as
 *         "percentiles: '101' is not between 0 and 100".
 * @return
 *         0; -ENOENT for an unknown name; -EINVAL for a bad value, and then the option is as it
 *         was.
 */
int hp_report_option_set(struct hp_report_options *options, const char *name, const char *value,
			 char *problem, size_t size);

/**
 * Set what the environment says. A bad value is skipped; an empty one is as good as none.
 *
 * @param warn
 *         Called with one line for each bad value, such as "HOTPATH_LIMIT: …".
 */
void hp_report_options_environment(struct hp_report_options *options,
				   void (*warn)(const char *line));

/** A focus that is ready to be matched with names. */
struct hp_focus {
	const char *substring;
	bool is_regex;
	regex_t regex;
};

/**
 * Make a focus ready.
 *
 * @param wanted
 *         A substring, or a /regex/ (POSIX, extended). It must outlive the focus.
 * @param problem
 *         Receives what is wrong with the regex.
 * @return
 *         0, or -EINVAL.
 */
int hp_focus_open(struct hp_focus *focus, const char *wanted, char problem[HP_PROBLEM_SIZE]);
bool hp_focus_matches(const struct hp_focus *focus, const char *name);
void hp_focus_close(struct hp_focus *focus);

/** One item of a comma-separated list; longer ones are cut off, and thereby no valid ones. */
struct hp_item {
	char text[64];
};

/** Take the next item off a list, without the spaces around it; false at the end. */
bool hp_item_next(const char **list, struct hp_item *item);

#endif
