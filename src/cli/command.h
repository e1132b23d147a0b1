/* SPDX-License-Identifier: MIT */
/* A command of the tool: its name, its options, and its function. */
#ifndef COMMAND_H
#define COMMAND_H

#include "options.h"

#include <stdbool.h>

/** How a command ends. */
enum {
	STATUS_OK = 0,
	/** Nothing was found. */
	STATUS_NOTHING = 1,
	/** A comparison found a regression. */
	STATUS_WORSE = 1,
	/** Wrong usage, or a file that cannot be read or written; one line was printed. */
	STATUS_ERROR = 2,
};

struct command {
	/** As typed. */
	const char *name;
	/** The arguments after the options, for the usage line; NULL for none. */
	const char *arguments;
	/** At most so many; -1 for any number. */
	int arguments_max;
	/** One line for the list of commands. */
	const char *help;
	/** A paragraph for --help. */
	const char *details;
	/** Adds more to --help, behind the options; NULL for nothing. */
	void (*add_help)(struct hp_text *text);
	/** Its own options, the last with a name of NULL; NULL for none. */
	const struct option *options;
	/** It prints a report, and takes the options of reports too. */
	bool reports;
	/** The command shows rows of a report, and takes the options about rows. */
	bool shows_rows;
	/** The command ignores HOTPATH_OUTPUT_PATH, which is for programs. */
	bool ignores_output_path;
	/** The first argument ends the options: the rest belongs to another program. */
	bool program_follows;
	/** Returns the exit status. */
	int (*run)(struct input *input);
};

extern const struct command command_arm;
extern const struct command command_attach;
extern const struct command command_cc;
extern const struct command command_run;
extern const struct command command_serve;
extern const struct command command_report;
extern const struct command command_compare;
extern const struct command command_console;
extern const struct command command_disarm;
extern const struct command command_list;
extern const struct command command_mcp;
extern const struct command command_doctor;
extern const struct command command_export;
extern const struct command command_top;
extern const struct command command_demo;

#endif
