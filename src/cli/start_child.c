/* SPDX-License-Identifier: MIT */
/*
 * Starts a child process; errors of exec come back through a pipe. By vfork: to copy our page tables would take a tenth of
 * what `hotpath run` needs for a program that does nothing.
 */
#include "start_child.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Whether a program is in PATH; a folder that cannot be searched is skipped. */
static bool is_found(const char *name)
{
	const char *path = getenv("PATH");
	char candidate[4096];

	while (path && *path) {
		int length = (int)(strchrnul(path, ':') - path);
		int size = snprintf(candidate, sizeof(candidate), "%.*s/%s", length, path, name);
		if (size > 0 && (size_t)size < sizeof(candidate) && access(candidate, F_OK) == 0)
			return true;
		path += length + (path[length] == ':');
	}
	return false;
}

/* execvp also returns EACCES if a folder in PATH cannot be searched. */
static int reason_of(int error, const char *name)
{
	return error == EACCES && !strchr(name, '/') && !is_found(name) ? ENOENT : error;
}

/* In the child: become the program, or say through the pipe why not. */
static void become(char **argv, int (*prepare)(const void *given), const void *given, int report)
{
	int error = -prepare(given);

	if (!error) {
		execvp(argv[0], argv);
		error = reason_of(errno, argv[0]);
	}
	(void)!write(report, &error, sizeof(error));
	_exit(127);
}

/* 0 when the pipe was closed by a successful exec; otherwise the error that came through it. */
static int exec_error(int report)
{
	int error = 0;
	ssize_t got;

	do
		got = read(report, &error, sizeof(error));
	while (got < 0 && errno == EINTR);
	return got == sizeof(error) ? -error : 0;
}

int start_child(char **argv, int (*prepare)(const void *given), const void *given, pid_t *pid)
{
	int report[2];
	if (pipe2(report, O_CLOEXEC) < 0)
		return -errno;

	/* NOLINTBEGIN(clang-analyzer-*fork): the child does only what it may while it shares our memory. */
	pid_t child = vfork();
	if (child == 0)
		become(argv, prepare, given, report[1]);
	/* NOLINTEND(clang-analyzer-*fork) */
	int error = child < 0 ? -errno : 0;
	*pid = child;
	close(report[1]);
	if (!error)
		error = exec_error(report[0]);
	close(report[0]);
	if (error && child > 0)
		waitpid(child, NULL, 0);
	return error;
}
