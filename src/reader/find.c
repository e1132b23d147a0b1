/* SPDX-License-Identifier: MIT */
/*
 * Which segments there are: the files in the folders that programs of this user would use; and for root, those in folders
 * of others whose programs were root when they began.
 */
#include "reader.h"

#include "check.h"
#include "life.h"
#include "place.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool hp_is_process_id(const char *name)
{
	size_t digits = strspn(name, "0123456789");

	return digits > 0 && digits < 10 && name[digits] == '\0';
}

/* A string of a segment's file. */
static char *read_string(int fd, uint64_t at)
{
	struct hp_string string;
	char bytes[4096];

	if (at < HP_HEADER_SIZE || pread(fd, &string, sizeof(string), (off_t)at) != sizeof(string))
		return strdup("");
	size_t length = string.length < sizeof(bytes) ? string.length : sizeof(bytes);
	ssize_t got = pread(fd, bytes, length, (off_t)(at + sizeof(string)));
	return strndup(bytes, got > 0 ? (size_t)got : 0);
}

static void read_header(int fd, struct hp_found *found)
{
	union {
		struct hp_header header;
		char bytes[HP_HEADER_SIZE];
	} first;
	ssize_t size = pread(fd, first.bytes, sizeof(first), 0);

	if (size < 0 || hp_check_header(first.bytes, (size_t)size))
		return;
	found->state = first.header.state;
	found->parent_pid = first.header.parent_pid;
	found->was_root = first.header.was_root;
	found->is_empty = !first.header.site_count && !first.header.lane_count;
	found->is_elsewhere = !hp_life_knows_pid(&first.header);
	memcpy(found->run, first.header.run, sizeof(found->run) - 1);
	free(found->program);
	free(found->arguments);
	free(found->executable);
	free(found->title);
	found->executable = read_string(fd, first.header.executable);
	found->program = read_string(fd, first.header.program);
	found->arguments = read_string(fd, first.header.arguments);
	found->title = read_string(fd, first.header.title);
	/* Of old segments it is not known. */
	if (first.header.process_unix_ns)
		found->process_unix_ns = first.header.process_unix_ns;
}

/* What a process calls itself now; as in the segment, blanks behind it are none of it. */
static void read_title(struct hp_found *found)
{
	char path[32], title[4096] = "";

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/cmdline", found->pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length = fd >= 0 ? read(fd, title, sizeof(title) - 1) : 0;
	if (fd >= 0)
		close(fd);
	if (length <= 0)
		return;
	title[length] = '\0';
	for (size_t end = strlen(title); end && title[end - 1] == ' ';)
		title[--end] = '\0';
	free(found->title);
	found->title = strdup(title);
}

static bool look(const char *folder, const char *name, struct hp_found *found)
{
	struct stat info;

	if (!hp_place_parse(name, &found->pid, &found->start_unix_ns) ||
	    asprintf(&found->path, "%s/%s", folder, name) < 0)
		return false;
	found->program = strdup("");
	found->arguments = strdup("");
	found->executable = strdup("");
	found->title = strdup("");
	found->process_unix_ns = found->start_unix_ns;
	int fd = open(found->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd >= 0) {
		if (fstat(fd, &info) == 0)
			found->bytes = (uint64_t)info.st_blocks * 512;
		read_header(fd, found);
		found->live = hp_life_goes_on(fd, name);
		close(fd);
	}
	if (found->live && !found->is_elsewhere)
		read_title(found);
	return true;
}

static void forget(struct hp_found *found)
{
	free(found->path);
	free(found->program);
	free(found->arguments);
	free(found->executable);
	free(found->title);
}

static int add(struct hp_found_list *list, const struct hp_found *found)
{
	struct hp_found *items = realloc(list->items, (list->count + 1) * sizeof(*items));

	if (!items)
		return -ENOMEM;
	items[list->count++] = *found;
	list->items = items;
	return 0;
}

static int look_through(const char *folder, struct hp_found_list *list)
{
	DIR *stream = opendir(folder);
	int error = 0;

	/* Missing, or not ours: no program of this user wrote there. */
	if (!stream)
		return errno == ENOMEM ? -ENOMEM : 0;
	for (struct dirent *entry; !error && (entry = readdir(stream));) {
		struct hp_found found = { 0 };
		if (!look(folder, entry->d_name, &found))
			continue;
		error = add(list, &found);
		if (error)
			forget(&found);
	}
	closedir(stream);
	return error;
}

/* ---- of programs that were root ---- */

static bool is_known(const struct hp_found_list *list, const char *path)
{
	for (size_t i = 0; i < list->count; i++)
		if (strcmp(list->items[i].path, path) == 0)
			return true;
	return false;
}

/* Keep what is to be found; run is NULL for any. */
static void keep_dropped(struct hp_found_list *list, size_t from, const char *run)
{
	size_t kept = from;

	for (size_t i = from; i < list->count; i++) {
		struct hp_found found = list->items[i];
		struct hp_found_list before = { list->items, from };
		bool wanted = found.was_root && (!run || strcmp(found.run, run) == 0);
		if (wanted && !is_known(&before, found.path))
			list->items[kept++] = found;
		else
			forget(&found);
	}
	list->count = kept;
}

/* A real folder, of the user that its name tells, and of nobody else. */
static bool is_folder_of(const char *folder, uint32_t user)
{
	struct stat info;

	return lstat(folder, &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == user &&
	       (info.st_mode & 0022) == 0;
}

static int look_at_others(const char *parent, struct hp_found_list *list, const char *run)
{
	DIR *stream = opendir(parent);
	int error = 0;

	if (!stream)
		return 0;
	for (struct dirent *entry; !error && (entry = readdir(stream));) {
		char folder[HP_PATH_MAX];
		size_t before = list->count;
		uint32_t user;
		if (!hp_place_user(entry->d_name, &user) || user == geteuid())
			continue;
		snprintf(folder, sizeof(folder), "%s/%s", parent, entry->d_name);
		if (!is_folder_of(folder, user))
			continue;
		error = look_through(folder, list);
		keep_dropped(list, before, run);
	}
	closedir(stream);
	return error;
}

static int find_dropped(struct hp_found_list *list, const char *run)
{
	if (geteuid() != 0)
		return 0;
	int error = look_at_others("/dev/shm", list, run);
	return error ? error : look_at_others("/tmp", list, run);
}

static int newest_first(const void *a, const void *b)
{
	const struct hp_found *x = a, *y = b;

	return (x->start_unix_ns < y->start_unix_ns) - (x->start_unix_ns > y->start_unix_ns);
}

static void sort(struct hp_found_list *list)
{
	if (list->count)
		qsort(list->items, list->count, sizeof(*list->items), newest_first);
}

int hp_find_dropped(struct hp_found_list *list, const char *run)
{
	int error = find_dropped(list, run);

	sort(list);
	return error;
}

int hp_find_segments(struct hp_found_list *list)
{
	const char *chosen = getenv("HOTPATH_DIR");
	char folder[HP_PATH_MAX];
	int error = 0;

	*list = (struct hp_found_list){ NULL, 0 };
	for (unsigned nth = 0; !error && hp_place_folder(nth, folder); nth++)
		error = look_through(folder, list);
	if (!error && !(chosen && *chosen))
		error = find_dropped(list, NULL);
	sort(list);
	return error;
}

struct hp_process_name hp_found_name(const struct hp_found *found)
{
	return (struct hp_process_name){ found->program, found->arguments, found->title };
}

void hp_found_list_free(struct hp_found_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		forget(&list->items[i]);
	free(list->items);
	*list = (struct hp_found_list){ NULL, 0 };
}
