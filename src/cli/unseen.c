/* SPDX-License-Identifier: MIT */
/* Collects programs that a run has started but that could not be measured, for a note at its end. */
#include "unseen.h"

#include "arithmetic.h"
#include "file_name.h"
#include "obstacle.h"
#include "place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	/* No recorder writes more. */
	TEXT_MAX = 128 * 1024,
	/* In one line. */
	NAMES_SHOWN = 8,
};

/* A program, by the name of its file, and why it was not measured. */
struct unseen {
	char *name;
	enum obstacle obstacle;
};

struct unseen_list {
	struct unseen *items;
	size_t count;
};

/* Read a file, which must be a regular file that we own; NULL otherwise. */
static char *read_text(int fd)
{
	char *text = NULL;
	struct stat info;
	size_t length = 0;
	ssize_t got = 0;

	if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == geteuid())
		text = malloc(TEXT_MAX + 1);
	while (text && length < TEXT_MAX && (got = read(fd, text + length, TEXT_MAX - length)) > 0)
		length += (size_t)got;
	if (text)
		text[length] = '\0';
	return text;
}

char *unseen_take(const char *run)
{
	char folder[HP_PATH_MAX], name[64], *text = NULL;

	if (!hp_place_unseen(name, sizeof(name), run))
		return NULL;
	for (unsigned nth = 0; !text && hp_place_folder(nth, folder); nth++) {
		int folder_fd = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		int fd = folder_fd < 0 ? -1
				       : openat(folder_fd, name,
						O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
		if (fd >= 0) {
			text = read_text(fd);
			close(fd);
			unlinkat(folder_fd, name, 0);
		}
		if (folder_fd >= 0)
			close(folder_fd);
	}
	return text;
}

static bool is_known(const struct unseen_list *list, const char *name, enum obstacle obstacle)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->items[i].obstacle == obstacle && strcmp(list->items[i].name, name) == 0)
			return true;
	return false;
}

/* Programs that are linked with the recorder measure themselves, and are left out. */
static void add(struct unseen_list *list, const char *path, enum obstacle obstacle)
{
	const char *name = hp_file_name(path);

	if (is_known(list, name, obstacle) || obstacle_has_recorder(path))
		return;
	struct unseen *items = reallocarray(list->items, list->count + 1, sizeof(*items));
	if (!items)
		return;
	list->items = items;
	items[list->count] = (struct unseen){ strdup(name), obstacle };
	list->count += items[list->count].name != NULL;
}

/* Parse lines, each with a digit for the obstacle and a path. */
static void read_lines(struct unseen_list *list, const char *text)
{
	char path[HP_PATH_MAX];

	for (const char *line = text; *line; line += *line == '\n') {
		size_t length = strcspn(line, "\n");
		int obstacle = line[0] - '0';
		if (length > 1 && length <= sizeof(path) && obstacle > OBSTACLE_NONE &&
		    obstacle < OBSTACLES) {
			memcpy(path, line + 1, length - 1);
			path[length - 1] = '\0';
			add(list, path, (enum obstacle)obstacle);
		}
		line += length;
	}
}

static void note(struct hp_model *model, const struct unseen_list *list)
{
	char *names = NULL;
	size_t size, shown = hp_min(list->count, NAMES_SHOWN);
	FILE *stream = open_memstream(&names, &size);
	if (!stream)
		return;

	for (size_t i = 0; i < shown; i++)
		fprintf(stream, "%s%s (%s)", i ? ", " : "", list->items[i].name,
			obstacle_word(list->items[i].obstacle));
	if (shown < list->count)
		fprintf(stream, " and %zu more", list->count - shown);
	if (fclose(stream) == 0)
		hp_model_note(model, "%zu program%s could not be measured: %s", list->count,
			      list->count == 1 ? "" : "s", names);
	free(names);
}

void unseen_note(struct hp_model *model, const char *text)
{
	struct unseen_list list = { NULL, 0 };

	if (text)
		read_lines(&list, text);
	if (list.count)
		note(model, &list);
	for (size_t i = 0; i < list.count; i++)
		free(list.items[i].name);
	free(list.items);
}
