/* SPDX-License-Identifier: MIT */
/* What a process is called: by its executable, its arguments, and by itself. */
#ifndef HP_PROCESS_NAME_H
#define HP_PROCESS_NAME_H

#include "text.h"

struct hp_process_name {
	/** The file name of its executable. */
	const char *program;
	/** As it was started; "" when there were none. */
	const char *arguments;
	/** The first word of its command line by now, which programs write a title over; NULL when not known. */
	const char *title;
};

/** Whether its title is another name than that of its executable. */
bool hp_process_has_title(const struct hp_process_name *name);

/** Whether that is what the user calls it: its program, or its title, or the file name in that. */
bool hp_process_is(const struct hp_process_name *name, const char *wanted);

/**
 * Write "nginx -c site.conf [nginx: worker process]", with what is not printable replaced.
 *
 * @param most
 *         Longer arguments are cut off after so many bytes; 0 for all of them.
 */
void hp_process_put(struct hp_text *text, const struct hp_process_name *name, size_t most);

#endif
