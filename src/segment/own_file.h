/* SPDX-License-Identifier: MIT */
/* Which files are the recorder and its probes; both the sampler and the reader of samples need to know. */
#ifndef HP_OWN_FILE_H
#define HP_OWN_FILE_H

#include <stdbool.h>
#include <string.h>

/** Whether a path is that of a library of ours, judged by its file name. */
static inline bool hp_is_own_file(const char *path)
{
	static const char ours[] = "libhotpath";
	const char *slash = strrchr(path, '/');

	return strncmp(slash ? slash + 1 : path, ours, sizeof(ours) - 1) == 0;
}

#endif
