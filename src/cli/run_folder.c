/* SPDX-License-Identifier: MIT */
/* The folder for the reports of all runs: base-01.json, head-01.json and so on. */
#include "run_folder.h"

#include "command.h"
#include "output.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int digits_of(int number)
{
	char text[16];

	return snprintf(text, sizeof(text), "%d", number);
}

bool run_folder_path(const char *folder, const char *side, int number, int last,
		     char path[PATH_MAX])
{
	int length = snprintf(path, PATH_MAX, "%s/%s-%0*d.json", folder, side, digits_of(last),
			      number);

	return length > 0 && length < PATH_MAX;
}

/*
 * Whether a file is a report of an earlier comparison that ours would not replace, because it had more runs or
 * another number of digits.
 */
static bool is_left_over(const char *name, int last)
{
	char *end;
	if (strncmp(name, "base-", 5) != 0 && strncmp(name, "head-", 5) != 0)
		return false;

	long number = strtol(name + 5, &end, 10);
	if (end == name + 5 || strcmp(end, ".json") != 0)
		return false;
	return number < 1 || number > last || end - (name + 5) != digits_of(last);
}

static int check_rest(const char *folder, int last)
{
	struct dirent *entry;
	DIR *open = opendir(folder);
	if (!open)
		return complain("compare: %s: %s", folder, strerror(errno));

	int status = STATUS_OK;
	while (status == STATUS_OK && (entry = readdir(open)))
		if (is_left_over(entry->d_name, last))
			status = complain("compare: '%s' contains %s from other runs; remove such "
					  "files, or name another folder",
					  folder, entry->d_name);
	closedir(open);
	return status;
}

int run_folder_make(const char *folder, int last)
{
	if (mkdir(folder, 0777) == 0)
		return STATUS_OK;
	if (errno != EEXIST)
		return complain("compare: cannot create '%s': %s", folder, strerror(errno));
	return check_rest(folder, last);
}
