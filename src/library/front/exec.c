/* SPDX-License-Identifier: MIT */
/*
 * Intercepts the functions that start programs. All are reduced to the six that take an environment. system and popen
 * start a shell, which has these functions intercepted too.
 */
#include "front.h"
#include "start.h"

#include <alloca.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>

/** The other arguments of posix_spawn. */
struct spawn {
	const posix_spawn_file_actions_t *actions;
	const posix_spawnattr_t *attributes;
};

/* ---- those behind ours ---- */

static int go_execve(const struct start *start, char *const environment[])
{
	return NEXT(execve)(start->file, start->arguments, environment);
}

static int go_execvpe(const struct start *start, char *const environment[])
{
	return NEXT(execvpe)(start->file, start->arguments, environment);
}

static int go_fexecve(const struct start *start, char *const environment[])
{
	return NEXT(fexecve)(start->folder, start->arguments, environment);
}

static int go_execveat(const struct start *start, char *const environment[])
{
	return NEXT(execveat)(start->folder, start->file, start->arguments, environment,
			      start->flags);
}

static int go_spawn(const struct start *start, char *const environment[])
{
	const struct spawn *spawn = start->spawn;

	return NEXT(posix_spawn)(start->child, start->file, spawn->actions, spawn->attributes,
				 start->arguments, environment);
}

static int go_spawnp(const struct start *start, char *const environment[])
{
	const struct spawn *spawn = start->spawn;

	return NEXT(posix_spawnp)(start->child, start->file, spawn->actions, spawn->attributes,
				  start->arguments, environment);
}

/* ---- ours ---- */

static int start_file(const char *path, char *const arguments[], char *const environment[])
{
	const struct start start = {
		.go = go_execve, .folder = AT_FDCWD, .file = path, .arguments = arguments
	};

	return hotpath__start_program(&start, environment);
}

static int start_searched(const char *file, char *const arguments[], char *const environment[])
{
	const struct start start = { .go = go_execvpe,
				     .folder = AT_FDCWD,
				     .file = file,
				     .is_searched = true,
				     .arguments = arguments };

	return hotpath__start_program(&start, environment);
}

VISIBLE int execve(const char *path, char *const arguments[], char *const environment[])
{
	return start_file(path, arguments, environment);
}

VISIBLE int execv(const char *path, char *const arguments[])
{
	return start_file(path, arguments, environ);
}

VISIBLE int execvp(const char *file, char *const arguments[])
{
	return start_searched(file, arguments, environ);
}

VISIBLE int execvpe(const char *file, char *const arguments[], char *const environment[])
{
	return start_searched(file, arguments, environment);
}

VISIBLE int fexecve(int fd, char *const arguments[], char *const environment[])
{
	const struct start start = {
		.go = go_fexecve, .folder = fd, .file = "", .arguments = arguments
	};

	return hotpath__start_program(&start, environment);
}

VISIBLE int execveat(int folder, const char *path, char *const arguments[],
		     char *const environment[], int flags)
{
	const struct start start = { .go = go_execveat,
				     .folder = folder,
				     .file = path,
				     .arguments = arguments,
				     .flags = flags };

	return hotpath__start_program(&start, environment);
}

VISIBLE int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
			const posix_spawnattr_t *attributes, char *const arguments[],
			char *const environment[])
{
	const struct spawn spawn = { actions, attributes };
	pid_t own;
	const struct start start = { .go = go_spawn,
				     .folder = AT_FDCWD,
				     .file = path,
				     .arguments = arguments,
				     .spawn = &spawn,
				     .child = pid ? pid : &own };

	return hotpath__start_program(&start, environment);
}

VISIBLE int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
			 const posix_spawnattr_t *attributes, char *const arguments[],
			 char *const environment[])
{
	const struct spawn spawn = { actions, attributes };
	pid_t own;
	const struct start start = { .go = go_spawnp,
				     .folder = AT_FDCWD,
				     .file = file,
				     .is_searched = true,
				     .arguments = arguments,
				     .spawn = &spawn,
				     .child = pid ? pid : &own };

	return hotpath__start_program(&start, environment);
}

/* ---- with a list of arguments that ends with a NULL ---- */

/* Count the arguments, including the first and the NULL. */
static size_t count_arguments(const char *first, va_list *rest)
{
	size_t count = 1;

	while (first) {
		first = va_arg(*rest, const char *);
		count++;
	}
	return count;
}

/* A pointer to the list, because only that brings the caller's on: on aarch64 a list is passed as a copy. */
static void take_arguments(char **arguments, size_t count, const char *first, va_list *rest)
{
	arguments[0] = (char *)(uintptr_t)first;
	for (size_t i = 1; i < count; i++)
		arguments[i] = va_arg(*rest, char *);
}

/* Copy the variadic arguments of the current function to an array on its stack; rest continues after the NULL. */
#define ARGUMENTS(first, rest)                                                                     \
	va_start(rest, first);                                                                     \
	size_t count = count_arguments(first, &(rest));                                            \
	va_end(rest);                                                                              \
	char **arguments = alloca(count * sizeof(*arguments));                                     \
	va_start(rest, first);                                                                     \
	take_arguments(arguments, count, first, &(rest))

VISIBLE int execl(const char *path, const char *first, ...)
{
	va_list rest;

	ARGUMENTS(first, rest);
	va_end(rest);
	return start_file(path, arguments, environ);
}

VISIBLE int execlp(const char *file, const char *first, ...)
{
	va_list rest;

	ARGUMENTS(first, rest);
	va_end(rest);
	return start_searched(file, arguments, environ);
}

VISIBLE int execle(const char *path, const char *first, ...)
{
	va_list rest;

	ARGUMENTS(first, rest);
	char *const *environment = va_arg(rest, char *const *);
	va_end(rest);
	return start_file(path, arguments, environment);
}
