/* SPDX-License-Identifier: MIT */
/*
 * Finds libraries and helper programs relative to the tool.
 *
 *	installed     PREFIX/bin/hotpath         PREFIX/lib/libhotpath.so
 *	                                         PREFIX/libexec/hotpath/hotpath-demo
 *	                                         PREFIX/libexec/hotpath/assembler/as
 *	just built    BUILD/src/cli/hotpath      BUILD/src/library/libhotpath.so
 *	                                         BUILD/src/probes/alloc/libhotpath-alloc.so, and others
 *	                                         BUILD/src/demo/hotpath-demo
 *	                                         BUILD/src/assembler/as
 *
 * Paths are relative, so that an installed tree can be moved.
 */
#include "library_path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Relative to the folder of the tool, unless absolute. */
static const char *const library_folders[] = {
	HOTPATH_LIBRARY_FOLDER, "../library", "../probes/alloc", "../probes/uv", "../probes/glib",
	"../probes/waits",	NULL
};
static const char *const program_folders[] = { HOTPATH_LIBEXEC_FOLDER, "../demo", "..", NULL };

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

static bool find(const char *const *folders, const char *name, char path[PATH_MAX])
{
	char own[PATH_MAX], candidate[PATH_MAX];
	if (!own_folder(own))
		return false;

	for (size_t i = 0; folders[i]; i++) {
		const char *start = folders[i][0] == '/' ? "" : own;
		int length = snprintf(candidate, sizeof(candidate), "%s%s/%s", start, folders[i],
				      name);
		if (length > 0 && length < PATH_MAX && realpath(candidate, path))
			return true;
	}
	return false;
}

bool library_find(const char *name, char path[PATH_MAX])
{
	return find(library_folders, name, path);
}

bool helper_find(const char *name, char path[PATH_MAX])
{
	return find(program_folders, name, path);
}
