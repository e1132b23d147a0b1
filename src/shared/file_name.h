/* SPDX-License-Identifier: MIT */
/* The last component of a path. */
#ifndef HP_FILE_NAME_H
#define HP_FILE_NAME_H

#include <string.h>

/** The part of a path after its last slash: the whole path if it has none, "" if it ends with one. */
static inline const char *hp_file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

#endif
