/* SPDX-License-Identifier: MIT */
/* The command line of an assembler. */
#ifndef HP_ASSEMBLER_COMMAND_H
#define HP_ASSEMBLER_COMMAND_H

#include "text.h"

#include <limits.h>
#include <stdbool.h>

struct command {
	/** The command line of the real assembler: its name, the options, and NULL; four places are free behind them. */
	char **words;
	int count;
	/** The place of the file in the words; 0 if it is the standard input. */
	int input;
	/** The options that name a processor, as given: -march and -mcpu; NULL for none. */
	const char *processor[2];
	/** The object to make; NULL if it is not named. */
	const char *output;
	/** The command assembles exactly one file, and no option keeps us from adding sleds. */
	bool is_plain;
	/** The rules of `hotpath cc`, decoded; NULL if there are none. */
	struct hp_text selection;
};

/** Read the arguments, and take out those that are for us. Returns 0, or a negative errno. */
int hp_command_read(struct command *command, char **argv);
void hp_command_free(struct command *command);

/** Find the assembler to run: what HOTPATH_ASSEMBLER names, or else `as` in PATH that is not this program. */
bool hp_real_assembler(char path[PATH_MAX]);

#endif
