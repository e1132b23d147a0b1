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
#include <stdint.h>

enum hp_format {
	HP_FORMAT_TABLE,
	HP_FORMAT_JSON,
	HP_FORMAT_JSON_PRETTY,
	/** Written by the tool alone, which has the page. */
	HP_FORMAT_HTML,
	HP_FORMAT_NONE,
};

enum {
	HP_PERCENTILES_MAX = 10,
	HP_OPTION_TEXT = 1024,
	HP_LIMIT_UNSET = -1,
	/* Room for the one line that says what is wrong with a value. */
	HP_PROBLEM_SIZE = 512,
};

/** The sections that a limit is for: all, or those of a kind, in the order of their table; the more specific one wins. */
enum hp_limits {
	HP_LIMIT_ALL,
	HP_LIMIT_KINDS,
	HP_LIMITS = HP_LIMIT_KINDS + 28,
};

struct hp_report_options {
	/** Percentiles, rising, without repetition. */
	double percentiles[HP_PERCENTILES_MAX];
	unsigned percentile_count;
	enum hp_format format;
	/** Rows of sections, by enum hp_limits, 0 for all; HP_LIMIT_UNSET for each section's own default. */
	int limits[HP_LIMITS];
	/** A file; "-" standard output; empty for the default of whoever prints. */
	char output_path[HP_OPTION_TEXT];
	/** "auto", "all", a list of sections, "auto,-timing". */
	char sections[HP_OPTION_TEXT];
	/** Show only functions whose name contains this, or matches /this/. Empty for all. */
	char focus[HP_OPTION_TEXT];
	/** Leave out the functions that this matches in the same way. Empty for none. */
	char exclude[HP_OPTION_TEXT];
	/** The column to sort by; empty for each section's own. */
	char sort[HP_OPTION_TEXT];
	/** Leave out the caller's row: the others are 100 %. */
	bool exclude_wrapper;
	/** Show and sort by exclusive time. */
	bool time_exclusive;
	/** Show allocations by their number rather than their bytes; and with the calls inside. */
	bool alloc_count;
	bool alloc_cumulative;
	/** The number of stacks below a row of live blocks. */
	int stacks;
	/** Show CPU time with the calls inside. */
	bool cpu_inclusive;
	/** Set by the code that prints, not by users: colour, and the width to fit, 0 for any. */
	bool colour;
	unsigned width;
	/** Add what is needed to load the report again without loss: every row, and histograms. */
	bool complete;
	/**
	 * CPU time was sampled by default, not because somebody asked for it: without samples, one line replaces the
	 * section.
	 */
	bool cpu_is_default;
	/** The report is for the console: all rows, also those of zeros, which may change, and in any order. */
	bool in_console;
	/** The report is for the page: without stacks, of which it has flame graphs, and with coarse histograms of times. */
	bool in_page;
};

/** One option: its name, its setter, and its help. */
struct hp_report_option {
	/** Name on the command line: "time-exclusive". */
	const char *name;
	/** Name in the environment: "HOTPATH_TIME_EXCLUSIVE"; empty when there is none. */
	const char *variable;
	/** The option selects rows or their figures, not the layout of a report. */
	bool of_rows;
	/** The option has no value; in the environment, 0 or 1. */
	bool is_switch;
	/** Limits only, which have no setter: an enum hp_limits. */
	uint8_t limit;
	/** Returns 0, or -EINVAL with the problem, without the name of the option. */
	int (*set)(struct hp_report_options *options, const char *value,
		   char problem[HP_PROBLEM_SIZE]);
	/** The value in the help: "LIST"; empty for a switch. */
	const char *value;
	/** Empty when the option is another name of the next. */
	const char *help;
};

/** All options; ends with an empty name. */
extern const struct hp_report_option *const hp_report_option_table;

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
 * Set options from the environment. An invalid value is skipped; an empty one is ignored.
 *
 * @param warn
 *         Called with one line for each bad value, such as "HOTPATH_LIMIT: …".
 */
void hp_report_options_environment(struct hp_report_options *options,
				   void (*warn)(const char *line));

struct hp_kind;

/** The limit of the sections of a kind, or that of all, as with a kind of NULL; HP_LIMIT_UNSET if neither is set. */
int hp_report_limit(const struct hp_report_options *options, const struct hp_kind *kind);

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

/** Selects rows: those in focus that are not excluded. */
struct hp_filter {
	struct hp_focus focus;
	struct hp_focus exclude;
};

/** Make a filter ready. The options, which were checked when they were set, must outlive it. */
void hp_filter_open(struct hp_filter *filter, const struct hp_report_options *options);
bool hp_filter_passes(const struct hp_filter *filter, const char *name);
void hp_filter_close(struct hp_filter *filter);

/** One item of a comma-separated list. Longer items are truncated, which makes them invalid. */
struct hp_item {
	char text[64];
};

/** Take the next item off a list, without the spaces around it; false at the end. */
bool hp_item_next(const char **list, struct hp_item *item);

#endif
