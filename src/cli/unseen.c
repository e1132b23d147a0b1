/* SPDX-License-Identifier: MIT */
/* Collects programs that a run has started but that could not be measured, for a note at its end. */
#include "unseen.h"

#include "arithmetic.h"
#include "file_name.h"
#include "obstacle.h"
#include "run_register.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
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

static void make_printable(char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < ' ')
			*text = '?';
}

static void read_records(struct unseen_list *list, const struct hp_register *found)
{
	struct hp_record record;
	const char *texts;
	size_t at = 0;

	while ((texts = hp_register_next(found->bytes, found->size, &at, &record))) {
		char path[HP_RECORD_MAX];
		if (record.type != HP_RECORD_UNSEEN || !record.executable_size ||
		    record.detail <= OBSTACLE_NONE || record.detail >= OBSTACLES)
			continue;
		memcpy(path, texts, record.executable_size);
		path[record.executable_size] = '\0';
		make_printable(path);
		add(list, path, (enum obstacle)record.detail);
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

void unseen_note(struct hp_model *model, const struct hp_register *found)
{
	struct unseen_list list = { NULL, 0 };

	read_records(&list, found);
	if (list.count)
		note(model, &list);
	for (size_t i = 0; i < list.count; i++)
		free(list.items[i].name);
	free(list.items);
}
