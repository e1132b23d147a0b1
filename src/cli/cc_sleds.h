/* SPDX-License-Identifier: MIT */
/* What `hotpath cc` adds to a command line so that functions have sleds. */
#ifndef CC_SLEDS_H
#define CC_SLEDS_H

#include "cc_arguments.h"
#include "cc_compiler.h"
#include "cc_rules.h"

#include <limits.h>
#include <stdbool.h>

struct cc_sleds {
	/** The options, and NULL; none if the command needs none. */
	const char *words[10];
	/** Memory of two of them. */
	char folder[PATH_MAX + 4];
	char *selection;
};

/** Whether a command makes code that is to have sleds. */
bool cc_sleds_are_needed(const struct cc_request *request, enum cc_family family);

/** For what there are no sleds in a command, as the end of a sentence; NULL when there are. */
const char *cc_sleds_obstacle(const struct cc_request *request, enum cc_family family);

/** Fill in the options. Returns 0, or a negative errno: -ENOENT when the assembler is not installed. */
int cc_sleds_choose(struct cc_sleds *sleds, const struct cc_request *request, enum cc_family family,
		    const struct cc_rules *rules);
void cc_sleds_free(struct cc_sleds *sleds);

/** Whether the processor that a compiler makes code for, by its name, is one with sleds. */
bool cc_sleds_exist_for(const char *compiler);

/** Tell our assembler which one to run, if the compiler has one of its own. */
void cc_sleds_name_assembler(const char *compiler, enum cc_family family);

#endif
