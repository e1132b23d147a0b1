/* SPDX-License-Identifier: MIT */
/* Finds runs of which nothing is left but the files beside their segments. */
#include "runs_prune.h"

#include "fold.h"
#include "place.h"
#include "process/register.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool has_segments(const struct hp_found_list *list, const char *run)
{
	for (size_t i = 0; i < list->count; i++)
		if (strcmp(list->items[i].run, run) == 0)
			return true;
	return false;
}

/* A run is called after the tool that made it. Our own is over. */
static bool goes_on(const char *run)
{
	pid_t tool = (pid_t)strtol(run, NULL, 10);

	return tool != getpid() && tool > 0 && (kill(tool, 0) == 0 || errno == EPERM);
}

void run_remove(const char *run)
{
	hp_register_remove(run);
	fold_remove(run);
}

void run_prune(const struct hp_found_list *list, const char *run)
{
	if (!has_segments(list, run) && !goes_on(run))
		run_remove(run);
}

static void prune_folder(const char *path, const struct hp_found_list *list)
{
	int folder = hp_place_open(path, geteuid());
	DIR *stream = folder >= 0 ? fdopendir(folder) : NULL;

	if (!stream) {
		if (folder >= 0)
			close(folder);
		return;
	}
	for (struct dirent *entry; (entry = readdir(stream));) {
		char run[HP_RUN_MAX];
		if (hp_place_run(entry->d_name, run, sizeof(run)))
			run_prune(list, run);
	}
	closedir(stream);
}

void runs_prune(const struct hp_found_list *list)
{
	char path[HP_PATH_MAX];

	for (unsigned nth = 0; hp_place_folder(nth, path); nth++)
		prune_folder(path, list);
}
