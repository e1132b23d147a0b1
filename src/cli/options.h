/* SPDX-License-Identifier: MIT */
/*
 * The command line: one table of options for each command gives its parser and its --help.
 *
 * `--name value`, `--name=value`, `-l value` and `-lvalue` are understood; `--` ends the options. A value that
 * may be left out is only understood behind `=`, since the next word may be something else. One that takes a list has
 * all words up to the next option, or the one behind `=`.
 */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "report_options.h"
#include "text.h"

#include <stdbool.h>

struct command;

enum {
	OPTIONS_MAX = 48,
};

struct option {
	/** Without the dashes. */
	const char *name;
	/** What the value looks like, for --help; NULL for a switch. */
	const char *value;
	/** The value if none is given; NULL if one is required. */
	const char *value_default;
	const char *help;
	/** An alias, or NULL. */
	const char *other_name;
	/** The environment variable that says the same, or NULL. */
	const char *variable;
	/** It belongs to the report and is kept in input.report. */
	bool of_report;
	/** It has at least one value, and as many as follow. */
	bool takes_list;
};

/** An option as it was given. */
struct option_use {
	/** Which one of input.options. */
	int option;
	/** "" for a switch. */
	const char *value;
};

/** A command line, taken apart. */
struct input {
	const struct command *command;
	/** The command's own options, those of reports if it prints one, and --help. */
	struct option options[OPTIONS_MAX];
	int option_count;
	/** The options that were given, in that order. */
	struct option_use *uses;
	int use_count;
	/** Report options, from the environment and the command line. */
	struct hp_report_options report;
	/** What is not an option; ends with NULL. */
	char **arguments;
	int argument_count;
};

/**
 * Take a command line apart.
 *
 * @param argv
 *         What follows the name of the command, ending with NULL; rearranged.
 * @return
 *         0, or a negative errno after one line on standard error. With --help, no value is checked.
 */
int options_parse(const struct command *command, char **argv, struct input *input);

/** The value of an option, "" for a switch; the last one given, NULL when there is none. */
const char *input_option(const struct input *input, const char *name);

/**
 * The values of an option that takes a list, or may be given more than once, one after the other.
 *
 * @param at
 *         Where to go on; 0 at first.
 * @return
 *         The next value, or NULL after the last.
 */
const char *input_next(const struct input *input, const char *name, int *at);

/** Write words to a --help, with line breaks before the margin. The text is at a column now; further lines are indented. */
void options_add_wrapped(struct hp_text *text, const char *words, size_t column, size_t indent);

/** Write the --help of a command. */
void options_help(const struct command *command, struct hp_text *text);

#endif
