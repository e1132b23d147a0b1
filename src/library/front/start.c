/* SPDX-License-Identifier: MIT */
/*
 * Programs that the program starts. Some would not run, or would print a message, with our libraries in LD_PRELOAD.
 * So the file is examined first, and our libraries are removed for those; what cannot be measured is noted for the
 * end of the run.
 */
#include "start.h"

#include "loading.h"
#include "own_file.h"
#include "process/lifecycle.h"
#include "process/seccomp.h"
#include "process/segment_file.h"
#include "process/settings.h"

#include <alloca.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define PRELOAD "LD_PRELOAD="
#define OPTIONS "ASAN_OPTIONS="
#define SELF "/proc/self/"
#define DESCRIPTORS SELF "fd/"

enum {
	/* Maximum size of the list of programs that could not be measured; names may repeat. */
	UNSEEN_MAX = 64 * 1024,
};

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

/* In the first folder that is there: where segments would be. Returns the descriptor. */
static int open_notes(const char *run)
{
	char folder[HP_PATH_MAX], name[64];
	int fd = -1;

	if (!hp_place_unseen(name, sizeof(name), run))
		return -1;
	for (unsigned nth = 0; fd < 0 && hp_place_folder(nth, folder); nth++) {
		int folder_fd = hotpath__open_folder(folder);
		if (folder_fd < 0)
			continue;
		fd = openat(folder_fd, name,
			    O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC,
			    0600);
		close(folder_fd);
	}
	return fd;
}

/* Write a digit, the path, and a newline; newlines in the path are replaced. */
static void write_note(int fd, enum hp_loading loading, char *path)
{
	char kind = (char)('0' + loading), folder[HP_PATH_MAX], end = '\n';
	struct iovec line[] = { { &kind, 1 }, { folder, 0 }, { path, strlen(path) }, { &end, 1 } };

	for (char *at = path; *at; at++)
		if ((unsigned char)*at < ' ')
			*at = '?';
	if (strncmp(path, SELF, strlen(SELF)) == 0) {
		ssize_t length = readlink(path, folder, sizeof(folder));
		line[1].iov_len = length > 0 ? (size_t)length : 0;
		line[2].iov_len = length > 0 ? 0 : line[2].iov_len;
	} else if (path[0] != '/' && getcwd(folder, sizeof(folder) - 1)) {
		strcat(folder, "/");
		line[1].iov_len = strlen(folder);
	}
	(void)!writev(fd, line, sizeof(line) / sizeof(*line));
}

void hotpath__note_unseen(enum hp_loading loading, char *path)
{
	const char *run = hotpath__settings()->run;
	struct stat info;
	int fd = run[0] ? open_notes(run) : -1;

	if (fd < 0)
		return;
	if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_size < UNSEEN_MAX)
		write_note(fd, loading, path);
	close(fd);
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
	return start->go(start, changed);
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
	return start->go(start, changed);
}

/* How a program would react to our libraries in LD_PRELOAD. */
static enum hp_loading look_at(const struct start *start, bool *asks_first)
{
	char path[HP_PATH_MAX];

	*asks_first = false;
	if (!find_file(start, path))
		return HP_LOADING_WORKS;
	enum hp_loading loading = hp_loading_find(path);
	if (loading)
		hotpath__note_unseen(loading, path);
	else
		*asks_first = hp_loading_asks_first(path);
	return loading;
}

/*
 * A seccomp filter is inherited by the started program: if it does not allow what our libraries do, they must be
 * removed, and we must not examine the file.
 */
static bool is_harmed(const struct start *start, const char *items, bool *asks_first)
{
	*asks_first = false;
	return !hotpath__may_all() || is_lost(items) ||
	       hp_loading_harms(look_at(start, asks_first));
}

int hotpath__start_program(const struct start *start, char *const environment[])
{
	size_t at = environment ? find_variable(environment, PRELOAD) : 0;
	int saved_errno = errno;
	bool asks_first;

	if (hotpath__is_foreign() || !environment || !environment[at] || !start->file ||
	    !names_ours(environment[at] + strlen(PRELOAD)))
		return start->go(start, environment);
	bool harmed = is_harmed(start, environment[at] + strlen(PRELOAD), &asks_first);
	errno = saved_errno;
	if (harmed)
		return start_without_ours(start, environment, at);
	if (asks_first)
		return start_with_option(start, environment);
	return start->go(start, environment);
}

/* LD_PRELOAD was passed on without this check. */
__attribute__((constructor)) static void note_foreign(void)
{
	char self[] = SELF "exe";

	if (hotpath__is_foreign())
		hotpath__note_unseen(HP_LOADING_LIBC, self);
}
