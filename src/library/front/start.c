/* SPDX-License-Identifier: MIT */
/*
 * Programs that the program starts. Some would not run, or would print a message, with our libraries in LD_PRELOAD.
 * So the file is examined first, and our libraries are removed for those; what cannot be measured is noted for the
 * end of the run.
 */
#include "start.h"

#include "loading.h"
#include "own_file.h"
#include "place.h"
#include "process/lifecycle.h"
#include "process/registration.h"
#include "process/seccomp.h"

#include <alloca.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PRELOAD "LD_PRELOAD="
#define OPTIONS "ASAN_OPTIONS="
#define SELF "/proc/self/"
#define DESCRIPTORS SELF "fd/"

/* ---- the variable that names our libraries ---- */

/* The index of a variable, given as "NAME="; or of the NULL at the end. */
static size_t find_variable(char *const environment[], const char *name)
{
	size_t i = 0;

	while (environment[i] && strncmp(environment[i], name, strlen(name)) != 0)
		i++;
	return i;
}

static size_t count_variables(char *const environment[])
{
	size_t count = 0;

	while (environment[count])
		count++;
	return count;
}

/* The dynamic linker accepts both blanks and colons as separators. */
static size_t item_length(const char *item)
{
	return strcspn(item, " :");
}

static const char *next_item(const char *item)
{
	item += item_length(item);
	return item + strspn(item, " :");
}

/* Whether an item is a library of ours; copies it as a string to path. */
static bool is_own(const char *item, char path[HP_PATH_MAX])
{
	size_t length = item_length(item);

	if (length >= HP_PATH_MAX)
		return false;
	memcpy(path, item, length);
	path[length] = '\0';
	return hp_is_own_file(path);
}

static bool names_ours(const char *items)
{
	char path[HP_PATH_MAX];

	for (; *items; items = next_item(items))
		if (is_own(items, path))
			return true;
	return false;
}

/* Whether one of our libraries cannot be reached, because the program has changed its root. */
static bool is_lost(const char *items)
{
	char path[HP_PATH_MAX];

	for (; *items; items = next_item(items))
		if (is_own(items, path) && path[0] == '/' && access(path, F_OK) != 0)
			return true;
	return false;
}

/* Copy the items that are not ours; returns whether there are any. */
static bool copy_others(char *to, const char *items)
{
	char path[HP_PATH_MAX], *const first = to;

	for (; *items; items = next_item(items)) {
		size_t length = item_length(items);
		if (!length || is_own(items, path))
			continue;
		if (to != first)
			*to++ = ':';
		memcpy(to, items, length);
		to += length;
	}
	*to = '\0';
	return to != first;
}

/* ---- what would be started ---- */

static bool join(char path[HP_PATH_MAX], const char *folder, size_t length, const char *file)
{
	if (length + strlen(file) + 2 > HP_PATH_MAX)
		return false;
	memcpy(path, folder, length);
	path[length] = '/';
	strcpy(path + length + 1, file);
	return true;
}

/* As execvp looks for it. */
static bool search(const char *file, char path[HP_PATH_MAX])
{
	const char *folders = getenv("PATH");

	for (const char *at = folders ? folders : "/bin:/usr/bin";; at++) {
		size_t length = strcspn(at, ":");
		if (join(path, length ? at : ".", length ? length : 1, file) &&
		    access(path, X_OK) == 0)
			return true;
		at += length;
		if (!*at)
			return false;
	}
}

/* A descriptor as the kernel names it. */
static void name_descriptor(char *name, int fd)
{
	char digits[12];
	int count = 0;

	strcpy(name, DESCRIPTORS);
	name += strlen(name);
	do
		digits[count++] = (char)('0' + fd % 10);
	while (fd /= 10);
	while (count)
		*name++ = digits[--count];
	*name = '\0';
}

static bool find_file(const struct start *start, char path[HP_PATH_MAX])
{
	char folder[40];

	if (start->is_searched && !strchr(start->file, '/'))
		return search(start->file, path);
	if (start->file[0] == '/' || start->folder < 0) {
		path[0] = '\0';
		strncat(path, start->file, HP_PATH_MAX - 1);
		return true;
	}
	name_descriptor(folder, start->folder);
	if (start->file[0])
		return join(path, folder, strlen(folder), start->file);
	strcpy(path, folder);
	return true;
}

/* ---- what could not be measured ---- */

/* Tell the register. A path of /proc/self is replaced by what it leads to, and a relative one gets its folder. */
static void note_unseen(enum hp_loading loading, pid_t pid, const char *path)
{
	char folder[HP_PATH_MAX];
	struct hotpath__unseen unseen = { loading, pid, folder, path };

	folder[0] = '\0';
	if (strncmp(path, SELF, strlen(SELF)) == 0) {
		ssize_t length = readlink(path, folder, sizeof(folder) - 1);
		folder[length > 0 ? length : 0] = '\0';
		unseen.file = length > 0 ? "" : path;
	} else if (path[0] != '/' && getcwd(folder, sizeof(folder) - 1)) {
		strcat(folder, "/");
	}
	hotpath__register_unseen(&unseen);
}

/* ---- the start ---- */

/* The kernel goes on counting from one program of a process to the next: only this one can tell what it has used. */
static int go(const struct start *start, char *const environment[])
{
	if (start->child)
		return start->go(start, environment);
	hotpath__note_executing();
	int result = start->go(start, environment);
	hotpath__note_staying();
	return result;
}

/* ---- with a changed environment ---- */

static int start_without_ours(const struct start *start, char *const environment[], size_t at)
{
	const char *items = environment[at] + strlen(PRELOAD);
	char *others = alloca(strlen(environment[at]) + 1);
	size_t count = count_variables(environment);
	char **changed = alloca((count + 1) * sizeof(*changed));

	strcpy(others, PRELOAD);
	memcpy(changed, environment, (count + 1) * sizeof(*changed));
	if (copy_others(others + strlen(PRELOAD), items))
		changed[at] = others;
	else
		memmove(changed + at, changed + at + 1, (count - at) * sizeof(*changed));
	return go(start, changed);
}

/* Append our option, because the last one wins, also over the user's. */
static int start_with_option(const struct start *start, char *const environment[])
{
	size_t at = find_variable(environment, OPTIONS), count = count_variables(environment);
	const char *before = environment[at] ? environment[at] : OPTIONS;
	char *options = alloca(strlen(before) + sizeof(":" HP_LOADING_ASAN_OPTION));
	char **changed = alloca((count + 2) * sizeof(*changed));

	strcpy(options, before);
	strcat(options, &":" HP_LOADING_ASAN_OPTION[!environment[at]]);
	memcpy(changed, environment, count * sizeof(*changed));
	changed[at] = options;
	changed[at == count ? count + 1 : count] = NULL;
	return go(start, changed);
}

/* What is known of a program before it is started. */
struct look {
	enum hp_loading loading;
	/* AddressSanitizer must be told that it is not first. */
	bool asks_first;
	char path[HP_PATH_MAX];
};

/* See how a program would react to our libraries in LD_PRELOAD. */
static void look_at(const struct start *start, struct look *look)
{
	if (!find_file(start, look->path))
		return;
	look->loading = hp_loading_find(look->path);
	if (!look->loading)
		look->asks_first = hp_loading_asks_first(look->path);
}

/*
 * A seccomp filter is inherited by the started program: if it does not allow what our libraries do, they must be
 * removed, and we must not examine the file.
 */
static bool is_harmed(const struct start *start, const char *items, struct look *look)
{
	if (!hotpath__may_all() || is_lost(items))
		return true;
	look_at(start, look);
	return hp_loading_harms(look->loading);
}

static int start_with(const struct start *start, char *const environment[], size_t at, bool harmed,
		      bool asks_first)
{
	if (harmed)
		return start_without_ours(start, environment, at);
	return asks_first ? start_with_option(start, environment) : go(start, environment);
}

int hotpath__start_program(const struct start *start, char *const environment[])
{
	size_t at = environment ? find_variable(environment, PRELOAD) : 0;
	int saved_errno = errno;
	struct look look;

	if (hotpath__is_foreign() || !environment || !environment[at] || !start->file ||
	    !names_ours(environment[at] + strlen(PRELOAD)))
		return go(start, environment);
	look.loading = HP_LOADING_WORKS;
	look.asks_first = false;
	bool harmed = is_harmed(start, environment[at] + strlen(PRELOAD), &look);
	/* exec does not return. Only afterwards it is known which process posix_spawn has made. */
	if (look.loading && !start->child)
		note_unseen(look.loading, getpid(), look.path);
	errno = saved_errno;
	int result = start_with(start, environment, at, harmed, look.asks_first);
	if (look.loading && start->child && result == 0)
		note_unseen(look.loading, *start->child, look.path);
	return result;
}

/* LD_PRELOAD was passed on without this check. */
__attribute__((constructor)) static void note_foreign(void)
{
	char path[HP_PATH_MAX];
	const struct hotpath__unseen self = { HP_LOADING_LIBC, getpid(), "", path };

	if (!hotpath__is_foreign())
		return;
	ssize_t length = readlink(SELF "exe", path, sizeof(path) - 1);
	path[length > 0 ? length : 0] = '\0';
	hotpath__register_foreign(&self);
}
