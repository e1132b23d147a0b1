/* SPDX-License-Identifier: MIT */
/* Why a program could not be started, in words that say what to do. */
#ifndef NOT_STARTED_H
#define NOT_STARTED_H

enum {
	/** As the shell has them. */
	STATUS_NOT_EXECUTABLE = 126,
	STATUS_NOT_FOUND = 127,
};

/**
 * Say so in one line on standard error.
 *
 * @param program
 *         As it was named: it is looked for as the shell does.
 * @param error
 *         The errno, of exec or from before it.
 * @return
 *         STATUS_NOT_FOUND or STATUS_NOT_EXECUTABLE.
 */
int not_started(const char *program, int error);

#endif
