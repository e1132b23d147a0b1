/* SPDX-License-Identifier: MIT */
/*
 * Where our own libraries lie: beside the tool, wherever that was put.
 *
 *	installed     PREFIX/bin/hotpath         PREFIX/lib/libhotpath.so
 *	just built    BUILD/src/cli/hotpath      BUILD/src/library/libhotpath.so
 *	                                         BUILD/src/probes/alloc/libhotpath-alloc.so
 *
 * The way is relative, so that an installed tree can be moved.
 */
#include "library_path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* From the folder of the tool; an absolute one stands for itself. */
static const char *const folders[] = { HOTPATH_LIBRARY_FOLDER, "../library", "../probes/alloc" };

/* The folder of the tool, with the slash at its end. */
static bool own_folder(char path[PATH_MAX])
{
	ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);
	if (length <= 0)
		return false;

	path[length] = '\0';
	char *slash = strrchr(path, '/');
	if (!slash)
		return false;
	slash[1] = '\0';
	return true;
}

bool library_find(const char *name, char path[PATH_MAX])
{
	char own[PATH_MAX], candidate[PATH_MAX];
	if (!own_folder(own))
		return false;

	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
		const char *start = folders[i][0] == '/' ? "" : own;
		int length = snprintf(candidate, sizeof(candidate), "%s%s/%s", start, folders[i],
				      name);
		if (length > 0 && length < PATH_MAX && realpath(candidate, path))
			return true;
	}
	return false;
}
