/* SPDX-License-Identifier: MIT */
/* Finds a program as the shell does. */
#include "program_path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_program(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0;
}

bool program_find(const char *name, char path[PATH_MAX])
{
	const char *folders = getenv("PATH");

	if (strchr(name, '/')) {
		int size = snprintf(path, PATH_MAX, "%s", name);
		return size < PATH_MAX && is_program(path);
	}
	while (folders && *folders) {
		int length = (int)(strchrnul(folders, ':') - folders);
		int size = snprintf(path, PATH_MAX, "%.*s%s%s", length, folders, length ? "/" : "",
				    name);
		if (size < PATH_MAX && is_program(path))
			return true;
		folders += length + (folders[length] == ':');
	}
	return false;
}
