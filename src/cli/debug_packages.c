/* SPDX-License-Identifier: MIT */
/*
 * Finds the Debian package that has the debug symbols of a file.
 *
 * dpkg keeps the paths of each package in a file of its own, one in a line. All of them are read, some ten megabytes: that
 * takes less time than starting dpkg-query, which does the same.
 */
#include "debug_packages.h"

#include "input_file.h"
#include "names/unnamed_files.h"
#include "text.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LISTS "/var/lib/dpkg/info"

enum {
	/* The largest list of a Debian package has a few megabytes. */
	LIST_MAX = 64 << 20,
	KNOWN_MAX = 32,
};

static bool has_line(const struct hp_text *list, const char *path)
{
	size_t length = strlen(path);

	for (const char *at = list->bytes; at && (at = strstr(at, path)); at += length)
		if ((at == list->bytes || at[-1] == '\n') && at[length] == '\n')
			return true;
	return false;
}

/* Packages from before /bin and /lib became links to /usr/bin and /usr/lib have the old paths. */
static bool has_path(const struct hp_text *list, const char *path)
{
	return has_line(list, path) ||
	       (strncmp(path, "/usr/", strlen("/usr/")) == 0 && has_line(list, path + 4));
}

static bool lists_path(int folder, const char *name, const char *path)
{
	struct hp_text list = HP_TEXT_INIT;
	int file = openat(folder, name, O_RDONLY | O_CLOEXEC);
	bool found = file >= 0 && input_read(file, LIST_MAX, &list) == 0 && has_path(&list, path);

	if (file >= 0)
		close(file);
	hp_text_free(&list);
	return found;
}

static bool is_list(const char *name)
{
	const char *end = strrchr(name, '.');

	return end && strcmp(end, ".list") == 0;
}

/* The package of debug symbols by the name of a list: "liblzma5:amd64.list". */
static char *debug_package(const char *list)
{
	int length = (int)strcspn(list, ":");
	char *package = NULL;

	if (!list[length])
		length = (int)(strrchr(list, '.') - list);
	/* The C library has had such a package since before others did. */
	bool is_libc = length == (int)strlen("libc6") && strncmp(list, "libc6", 5) == 0;
	if (asprintf(&package, "%.*s-%s", length, list, is_libc ? "dbg" : "dbgsym") < 0)
		return NULL;
	return package;
}

static char *search(const char *path)
{
	DIR *lists = opendir(LISTS);
	char *found = NULL;

	for (struct dirent *entry; lists && !found && (entry = readdir(lists));)
		if (is_list(entry->d_name) && lists_path(dirfd(lists), entry->d_name, path))
			found = debug_package(entry->d_name);
	if (lists)
		closedir(lists);
	return found;
}

/* The processes of a run lack the symbols of the same few files. */
static char *find(const char *path)
{
	static struct {
		char *path;
		char *package;
	} known[KNOWN_MAX];
	static size_t count;
	size_t i = 0;

	while (i < count && strcmp(known[i].path, path) != 0)
		i++;
	if (i == KNOWN_MAX)
		return NULL;
	if (i == count) {
		known[i].path = strdup(path);
		if (!known[i].path)
			return NULL;
		known[i].package = search(path);
		count++;
	}
	return known[i].package ? strdup(known[i].package) : NULL;
}

void debug_packages_use(void)
{
	hp_debug_package = find;
}
