/* SPDX-License-Identifier: MIT */
/*
 * A forked child starts and stops recording for itself, while its parent records or before it does.
 *
 * usage: fork_start FOLDER     of the reports
 */
#include <hotpath.h>

#include "truth.h"

#include <sys/wait.h>

static const char *folder;

__attribute__((noinline)) static void measured(void)
{
	HOTPATH_MEASURE();
}

static void measure(int times)
{
	for (int i = 0; i < times; i++)
		measured();
}

/* The folder gets a report of that name; the file is one of the options, so it must last. */
static void start(const char *name)
{
	static char path[256];
	struct hotpath_options options = HOTPATH_OPTIONS_INIT;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	options.format = HOTPATH_FORMAT_JSON;
	options.output_path = path;
	hotpath_start(&options);
}

static void child(const char *name, int times)
{
	if (fork() == 0) {
		measure(3);
		start(name);
		measure(times);
		_exit(hotpath_stop() ? 1 : 0);
	}
	wait(NULL);
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return 1;
	folder = argv[1];
	child("before", 100);
	start("parent");
	measure(10);
	child("during", 200);
	measure(5);
	hotpath_stop();
	child("after", 300);
	return 0;
}
