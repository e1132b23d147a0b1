/* SPDX-License-Identifier: MIT */
/* The names of a process: its executable, its arguments, and its title. */
#ifndef HP_PROCESS_NAME_H
#define HP_PROCESS_NAME_H

#include "text.h"

struct hp_process_name {
	/** The file name of its executable. */
	const char *program;
	/** The original arguments; "" if there were none. */
	const char *arguments;
	/** The first word of its present command line, which programs overwrite with a title; NULL if not known. */
	const char *title;
};

/** Whether its title differs from the name of its executable. */
bool hp_process_has_title(const struct hp_process_name *name);

/** Whether the user may mean this process by a name: its program, its title, or the file name in the title. */
bool hp_process_is(const struct hp_process_name *name, const char *wanted);

/**
 * Write "nginx -c site.conf [nginx: worker process]", with what is not printable replaced.
 *
 * @param most
 *         Longer arguments are cut off after so many bytes; 0 for all of them.
 */
void hp_process_put(struct hp_text *text, const struct hp_process_name *name, size_t most);

#endif
