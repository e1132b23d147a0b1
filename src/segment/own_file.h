/* SPDX-License-Identifier: MIT */
/* Which files are the recorder and its probes: who samples must know, and who reads the samples. */
#ifndef HP_OWN_FILE_H
#define HP_OWN_FILE_H

#include <stdbool.h>
#include <string.h>

/** Whether a path is that of a library of ours, by its name. */
static inline bool hp_is_own_file(const char *path)
{
	static const char ours[] = "libhotpath";
	const char *slash = strrchr(path, '/');

	return strncmp(slash ? slash + 1 : path, ours, sizeof(ours) - 1) == 0;
}

#endif
