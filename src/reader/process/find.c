/* SPDX-License-Identifier: MIT */
/*
 * Finds segments: the files in the folders that programs of this user would use; and for root, those of programs that
 * started as root and became other users.
 */
#include "reader.h"

#include "arithmetic.h"
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

/* The beginning of a segment's file: the header, and most of what it refers to. */
struct beginning {
	union {
		struct hp_header header;
		char bytes[HP_HEADER_SIZE + 1024];
	};
	size_t size;
};

/* Read from the beginning that is in memory already, or else from the file. */
static size_t read_at(int fd, const struct beginning *beginning, uint64_t at, void *bytes,
		      size_t size)
{
	if (at <= beginning->size && size <= beginning->size - at) {
		memcpy(bytes, beginning->bytes + at, size);
		return size;
	}
	ssize_t got = pread(fd, bytes, size, (off_t)at);
	return got > 0 ? (size_t)got : 0;
}

/* A string of a segment's file. */
static char *read_string(int fd, const struct beginning *beginning, uint64_t at)
{
	struct hp_string string;
	char bytes[4096];

	if (at < HP_HEADER_SIZE ||
	    read_at(fd, beginning, at, &string, sizeof(string)) != sizeof(string))
		return strdup("");
	size_t length = hp_min(string.length, sizeof(bytes));
	return strndup(bytes, read_at(fd, beginning, at + sizeof(string), bytes, length));
}

static void take_header(int fd, const struct beginning *beginning, struct hp_found *found)
{
	const struct hp_header *header = &beginning->header;

	found->state = header->state;
	found->parent_pid = header->parent_pid;
	found->was_root = header->was_root;
	found->is_attached = header->attached;
	found->is_empty = !header->site_count && !header->lane_count;
	found->is_forked = header->forked;
	found->is_elsewhere = !hp_life_knows_pid(header);
	memcpy(found->run, header->run, sizeof(found->run) - 1);
	free(found->program);
	free(found->arguments);
	free(found->executable);
	free(found->title);
	found->executable = read_string(fd, beginning, header->executable);
	found->program = read_string(fd, beginning, header->program);
	found->arguments = read_string(fd, beginning, header->arguments);
	found->title = read_string(fd, beginning, header->title);
	/* Old segments do not have it. */
	if (header->process_unix_ns)
		found->process_unix_ns = header->process_unix_ns;
}

static void read_header(int fd, const char *name, struct hp_found *found)
{
	struct beginning first;
	/* The lock first: when it is free, the header that is read afterwards is the last one. */
	bool is_held = hp_life_is_held(fd);
	ssize_t size = pread(fd, first.bytes, sizeof(first.bytes), 0);

	first.size = size > 0 ? (size_t)size : 0;
	bool is_valid = size >= 0 &&
			!hp_check_header(first.bytes, hp_min(first.size, HP_HEADER_SIZE));
	found->live = is_held || hp_life_goes_on_unlocked(is_valid ? &first.header : NULL, name);
	if (is_valid)
		take_header(fd, &first, found);
	else
		found->is_other_version = hp_check_is_other_version(first.bytes, first.size);
}

/* Read the present title of a process, without trailing blanks, as in the segment. */
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

/** A search: since when segments count, and the list of those that were found. */
struct search {
	struct hp_found_list *list;
	/** Segments that were made before are not read, nor found. */
	uint64_t since_unix_ns;
};

/** A folder that is searched, after checking that only its owner can write to it. */
struct folder {
	const char *path;
	int file;
	uint32_t user;
};

/* Open a file, which must belong to the folder's owner. If it may not be read, only its existence is known. */
static bool open_file(const struct folder *folder, const char *name, int *file, struct stat *info)
{
	*file = hp_segment_open_in(folder->file, name, folder->user);
	if (*file >= 0)
		return fstat(*file, info) == 0;
	return *file == -EACCES && fstatat(folder->file, name, info, AT_SYMLINK_NOFOLLOW) == 0;
}

static bool read_file(const struct folder *folder, const char *name, uint64_t since_unix_ns,
		      struct hp_found *found)
{
	struct stat info;
	int file;

	if (!hp_place_parse(name, &found->pid, &found->start_unix_ns) ||
	    found->start_unix_ns < since_unix_ns ||
	    asprintf(&found->path, "%s/%s", folder->path, name) < 0)
		return false;
	if (!open_file(folder, name, &file, &info)) {
		free(found->path);
		return false;
	}
	found->user = folder->user;
	found->program = strdup("");
	found->arguments = strdup("");
	found->executable = strdup("");
	found->title = strdup("");
	found->process_unix_ns = found->start_unix_ns;
	found->bytes = (uint64_t)info.st_blocks * 512;
	/* A file that may not be read may be in use. */
	found->live = file < 0;
	if (file >= 0) {
		read_header(file, name, found);
		close(file);
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

/* Returns 0, or a negative errno, which may be that of hp_place_open. */
static int search_folder(const char *path, uint32_t user, const struct search *search)
{
	struct folder folder = { path, hp_place_open(path, user), user };
	DIR *stream = folder.file >= 0 ? fdopendir(folder.file) : NULL;
	int error = 0;

	if (!stream) {
		error = -errno;
		if (folder.file >= 0)
			close(folder.file);
		return error;
	}
	for (struct dirent *entry; !error && (entry = readdir(stream));) {
		struct hp_found found = { 0 };
		if (!read_file(&folder, entry->d_name, search->since_unix_ns, &found))
			continue;
		error = add(search->list, &found);
		if (error)
			forget(&found);
	}
	closedir(stream);
	return error;
}

/* The same for a default folder: if it is missing or belongs to someone else, no program of that user wrote there. */
static int search_default(const char *path, uint32_t user, const struct search *search)
{
	return search_folder(path, user, search) == -ENOMEM ? -ENOMEM : 0;
}

/* ---- of programs that were root ---- */

static bool is_known(const struct hp_found_list *list, const char *path)
{
	for (size_t i = 0; i < list->count; i++)
		if (strcmp(list->items[i].path, path) == 0)
			return true;
	return false;
}

/* The folder that the user has chosen; NULL for none. */
static const char *chosen_folder(void)
{
	const char *chosen = secure_getenv("HOTPATH_DIR");

	return chosen && *chosen ? chosen : NULL;
}

/* Whether the folder that was chosen has the register of a run; all runs belong to no choice. */
static bool is_chosen(const char *run)
{
	char path[HP_PATH_MAX], name[HP_RUN_MAX + 16];
	const char *chosen = chosen_folder();

	return !chosen ||
	       (hp_place_register(name, sizeof(name), run) &&
		snprintf(path, sizeof(path), "%s/%s", chosen, name) < (int)sizeof(path) &&
		access(path, F_OK) == 0);
}

/* Keep only the segments of a run (of those that were chosen if NULL) whose program dropped root privileges. */
static void keep_dropped(struct hp_found_list *list, size_t from, const char *run)
{
	size_t kept = from;

	for (size_t i = from; i < list->count; i++) {
		struct hp_found found = list->items[i];
		struct hp_found_list before = { list->items, from };
		bool wanted = found.was_root &&
			      (run ? strcmp(found.run, run) == 0 : is_chosen(found.run));
		if (wanted && !is_known(&before, found.path))
			list->items[kept++] = found;
		else
			forget(&found);
	}
	list->count = kept;
}

static int search_others(const char *parent, const struct search *search, const char *run)
{
	DIR *stream = opendir(parent);
	int error = 0;

	if (!stream)
		return 0;
	for (struct dirent *entry; !error && (entry = readdir(stream));) {
		char folder[HP_PATH_MAX];
		size_t before = search->list->count;
		uint32_t user;
		if (!hp_place_user(entry->d_name, &user) || user == geteuid())
			continue;
		snprintf(folder, sizeof(folder), "%s/%s", parent, entry->d_name);
		error = search_default(folder, user, search);
		keep_dropped(search->list, before, run);
	}
	closedir(stream);
	return error;
}

static int find_dropped(const struct search *search, const char *run)
{
	if (geteuid() != 0)
		return 0;
	int error = search_others("/dev/shm", search, run);
	return error ? error : search_others("/tmp", search, run);
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
	const struct search search = { list, 0 };
	int error = is_chosen(run) ? 0 : find_dropped(&search, run);

	sort(list);
	return error;
}

static int find_by_default(const struct search *search)
{
	char folder[HP_PATH_MAX];
	int error = 0;

	for (unsigned nth = 0; !error && hp_place_default(nth, folder); nth++)
		error = search_default(folder, geteuid(), search);
	return error;
}

static int explain(int why, const char *folder, struct hp_error *error)
{
	const char *reason = why == -HP_PLACE_FOREIGN ? HP_PLACE_RULE : strerror(-why);

	if (why == -ELOOP)
		reason = "it is a symbolic link";
	snprintf(error->text, sizeof(error->text), "cannot look for segments in %.128s: %s", folder,
		 reason);
	return why == -HP_PLACE_FOREIGN ? -EPERM : why;
}

int hp_find_segments_since(struct hp_found_list *list, uint64_t since_unix_ns,
			   struct hp_error *error)
{
	const struct search search = { list, since_unix_ns };
	const char *chosen = chosen_folder();

	*list = (struct hp_found_list){ NULL, 0 };
	int why = chosen ? search_folder(chosen, geteuid(), &search) : find_by_default(&search);
	if (!why)
		why = find_dropped(&search, NULL);
	sort(list);
	if (!why || (chosen && why == -ENOENT))
		return 0;
	return explain(why, chosen ? chosen : "any folder", error);
}

int hp_find_segments(struct hp_found_list *list, struct hp_error *error)
{
	return hp_find_segments_since(list, 0, error);
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
