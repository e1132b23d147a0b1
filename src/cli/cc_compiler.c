/* SPDX-License-Identifier: MIT */
/* Finds the compiler in a command line, and its family. */
#include "cc_compiler.h"

#include "file_name.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	/* More than the first lines of --version need. */
	ANSWER_MAX = 4096,
	NAME_MAX_KEPT = 64,
};

/* Programs that run the compiler that follows them. */
static const char *const launchers[] = { "ccache", "distcc", "sccache", "icecc" };

/* Known names. cc and c++ are missing, because they differ between systems. */
static const struct {
	const char *name;
	enum cc_family family;
} known[] = {
	{ "gcc", CC_FAMILY_GCC },
	{ "g++", CC_FAMILY_GCC },
	{ "clang", CC_FAMILY_CLANG },
	{ "clang++", CC_FAMILY_CLANG },
};

/* The name without folder and version: gcc of /usr/bin/gcc-12. */
static void bare_name(const char *path, char name[NAME_MAX_KEPT])
{
	snprintf(name, NAME_MAX_KEPT, "%s", hp_file_name(path));

	size_t length = strlen(name);
	while (length && (isdigit((unsigned char)name[length - 1]) || name[length - 1] == '.'))
		length--;
	if (length && name[length] && name[length - 1] == '-')
		length--;
	name[length] = '\0';
}

static bool ends_with(const char *text, const char *end)
{
	size_t length = strlen(text), end_length = strlen(end);

	return length >= end_length && strcmp(text + length - end_length, end) == 0;
}

/* Whether a name is this one, maybe after a target: aarch64-linux-gnu-gcc is gcc. */
static bool is_named(const char *name, const char *wanted)
{
	size_t rest = strlen(name) - strlen(wanted);

	return ends_with(name, wanted) && (rest == 0 || name[rest - 1] == '-');
}

static bool is_launcher(const char *path)
{
	for (size_t i = 0; i < sizeof(launchers) / sizeof(*launchers); i++)
		if (strcmp(hp_file_name(path), launchers[i]) == 0)
			return true;
	return false;
}

int cc_compiler_place(char *const *argv)
{
	int place = 0;

	while (argv[place] && is_launcher(argv[place]))
		place++;
	return argv[place] && argv[place][0] != '-' ? place : -1;
}

enum cc_family cc_family_of_name(const char *name)
{
	char bare[NAME_MAX_KEPT];

	bare_name(name, bare);
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (is_named(bare, known[i].name))
			return known[i].family;
	return CC_FAMILY_OTHER;
}

bool cc_is_cxx(const char *name)
{
	char bare[NAME_MAX_KEPT];

	bare_name(name, bare);
	return ends_with(bare, "++") || ends_with(bare, "cxx") || strcmp(bare, "mpiCC") == 0;
}

bool cc_is_for_aarch64(const char *name)
{
	const char *file = hp_file_name(name);
#if defined(__aarch64__)
	return !strstr(file, "x86_64-");
#else
	return strstr(file, "aarch64-") != NULL;
#endif
}

bool cc_is_for_musl(const char *name)
{
	return strstr(hp_file_name(name), "musl") != NULL;
}

/* In the child: print the version, in English, into the pipe. */
static void print_version(const char *path, int into)
{
	if (dup2(into, STDOUT_FILENO) >= 0 && dup2(into, STDERR_FILENO) >= 0 &&
	    setenv("LC_ALL", "C", 1) == 0)
		execl(path, path, "--version", (char *)NULL);
	_exit(127);
}

/* What comes through the pipe, as far as there is room. */
static void read_answer(int from, char answer[ANSWER_MAX])
{
	size_t length = 0;
	ssize_t got;

	while (length < ANSWER_MAX - 1 &&
	       (got = read(from, answer + length, ANSWER_MAX - 1 - length)) > 0)
		length += (size_t)got;
	answer[length] = '\0';
}

static void ask_version(const char *path, char answer[ANSWER_MAX])
{
	int ends[2];

	answer[0] = '\0';
	if (pipe2(ends, O_CLOEXEC) < 0)
		return;
	pid_t child = fork();
	if (child == 0)
		print_version(path, ends[1]);
	close(ends[1]);
	read_answer(ends[0], answer);
	close(ends[0]);
	if (child > 0)
		waitpid(child, NULL, 0);
}

enum cc_family cc_family_find(const char *name, const char *path)
{
	char target[PATH_MAX], answer[ANSWER_MAX];
	enum cc_family family = cc_family_of_name(name);

	if (family == CC_FAMILY_OTHER && realpath(path, target))
		family = cc_family_of_name(target);
	if (family != CC_FAMILY_OTHER)
		return family;

	ask_version(path, answer);
	if (strstr(answer, "clang"))
		return CC_FAMILY_CLANG;
	return strstr(answer, "GCC") || strstr(answer, "Free Software Foundation")
		       ? CC_FAMILY_GCC
		       : CC_FAMILY_OTHER;
}
