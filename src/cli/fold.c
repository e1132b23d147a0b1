/* SPDX-License-Identifier: MIT */
/* Folds a run with many processes: one model for each program in place of their segments. */
#include "fold.h"

#include "format.h"
#include "output.h"
#include "place.h"
#include "process/found_run.h"
#include "run_images.h"
#include "source.h"
#include "whole_report.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	KEEP_DEFAULT = 32,
};

static size_t read_keep(void)
{
	const char *text = getenv("HOTPATH_KEEP");
	int number;

	if (!text || !*text)
		return KEEP_DEFAULT;
	if (hp_parse_count(text, &number))
		return (size_t)number;
	complain("HOTPATH_KEEP: '%.40s' is not a number; using %d", text, KEEP_DEFAULT);
	return KEEP_DEFAULT;
}

/* An invalid number is reported once. */
size_t fold_keep(void)
{
	static size_t keep = SIZE_MAX;

	if (keep == SIZE_MAX)
		keep = read_keep();
	return keep;
}

/* ---- whether it is due ---- */

static void count_folder(const char *folder, uint64_t since_unix_ns, struct segment_count *count)
{
	char run[HP_RUN_MAX];
	uint64_t start;
	uint32_t pid;
	DIR *stream = opendir(folder);

	for (struct dirent *entry; stream && (entry = readdir(stream));)
		if (hp_place_parse(entry->d_name, &pid, &start)) {
			count->all++;
			count->newer += start >= since_unix_ns;
		} else if (hp_place_run(entry->d_name, run, sizeof(run))) {
			count->registers++;
		}
	if (stream)
		closedir(stream);
}

struct segment_count fold_count(uint64_t since_unix_ns)
{
	struct segment_count count = { 0, 0, 0 };
	char folder[HP_PATH_MAX];

	for (unsigned nth = 0; hp_place_folder(nth, folder); nth++)
		count_folder(folder, since_unix_ns, &count);
	return count;
}

bool fold_is_due(const struct segment_count *count)
{
	return count->all > 4 * fold_keep();
}

bool fold_is_worth(const struct segment_count *count)
{
	return fold_is_due(count) || count->newer > fold_keep();
}

bool fold_leaves_many(const struct segment_count *count)
{
	size_t keep = fold_keep(), more = keep / 4;

	return count->all - count->newer > keep + more || count->registers > count->all + more;
}

/* ---- one segment ---- */

static struct hp_model *find_program(const struct fold *fold, const char *program)
{
	for (size_t i = 0; i < fold->models.count; i++)
		if (strcmp(hp_model_process(fold->models.items[i]).program, program) == 0)
			return fold->models.items[i];
	return NULL;
}

/* The row of what the process of a segment was before it executed this program; NULL if there is none. */
static struct hp_process *find_row(const struct fold *fold, const struct hp_found *found)
{
	for (size_t i = fold->rows.count; i-- > 0;) {
		struct hp_process *row = &fold->rows.items[i];
		if (row->pid == found->pid &&
		    hp_found_is_start(row->start_unix_ns, found->process_unix_ns))
			return row;
	}
	return NULL;
}

/* Add what the next program of a process has used to its row. */
static void add_image(struct hp_process *row, struct hp_model *model)
{
	const struct image_use before = { .images = 1,
					  .samples = row->samples,
					  .user_ns = row->user_ns,
					  .system_ns = row->system_ns };

	image_take_off(model, &before);
	struct hp_process image = run_row_of(model);
	row->samples += image.samples;
	row->is_sampled |= image.is_sampled;
	row->user_ns += image.user_ns;
	row->system_ns += image.system_ns;
	row->has_times |= image.has_times;
	hp_process_clear(&image);
}

static bool add_row(struct fold *fold, struct hp_model *model, const struct hp_found *found)
{
	struct hp_process *known = find_row(fold, found);

	if (known) {
		add_image(known, model);
		return true;
	}
	struct hp_process row = run_row_of(model);
	row.start_unix_ns = found->process_unix_ns;
	if (row.program && hp_processes_append(&fold->rows, row))
		return true;
	hp_process_clear(&row);
	return false;
}

/* The model is the fold's from then on, or freed. Returns false when memory ran out. */
static bool add_model(struct fold *fold, struct hp_model *model, const struct hp_found *found)
{
	struct hp_model *known = find_program(fold, hp_model_process(model).program);
	bool done = add_row(fold, model, found);

	if (done && !known)
		return models_append(&fold->models, model);
	done = done && hp_model_merge(known, model) == 0;
	if (done)
		hp_threads_collapse(&known->threads);
	hp_model_free(model);
	return done;
}

static void fold_segment(struct fold *fold, const struct run_source *source, size_t at)
{
	static const struct hp_processes unknown = { NULL, 0, 0 };
	struct hp_model *model = run_segment(source, at, &unknown);

	if (model && !add_model(fold, model, &source->list->items[at]))
		complain("out of memory: the report is incomplete");
	hp_found_remove(&source->list->items[at]);
}

/* The process that the run began with stands for the run in lists. */
static bool is_first(const struct run_source *source, const struct hp_found *found)
{
	return source->measured && found->pid == (uint32_t)source->measured->child.pid;
}

static bool can_fold(const struct run_source *source, const struct hp_found *found)
{
	return run_has(source, found) && !found->live && !found->is_empty &&
	       !is_first(source, found);
}

/* The oldest first: what a process was before comes before what it was then. */
void fold_segments(struct fold *fold, const struct run_source *source)
{
	const struct hp_found_list *list = source->list;
	size_t newer = 0, keep = fold_keep();

	for (size_t at = 0; at < list->count; at++)
		newer += can_fold(source, &list->items[at]);
	for (size_t at = list->count; at-- > 0 && newer > keep;) {
		if (!can_fold(source, &list->items[at]))
			continue;
		fold_segment(fold, source, at);
		newer--;
	}
}

/* ---- the file ---- */

/* The path of the folded report of a run, in the folder that has its register. */
static bool find_path(const char *run, char path[PATH_MAX])
{
	char folder[HP_PATH_MAX], name[64];

	if (!hp_place_folded(name, sizeof(name), run))
		return false;
	for (unsigned nth = 0; hp_place_folder(nth, folder); nth++) {
		int file = hp_place_open(folder, geteuid());
		if (file < 0)
			continue;
		close(file);
		int length = snprintf(path, PATH_MAX, "%s/%s", folder, name);
		return length > 0 && length < PATH_MAX;
	}
	return false;
}

/* The models and rows of what was folded are borrowed by one that has them. */
void fold_save(const struct fold *fold, const char *run)
{
	struct hp_model whole = { .program = (char[]){ "" },
				  .arguments = (char[]){ "" },
				  .caller = (char[]){ "" },
				  .tree = fold->rows,
				  .members = fold->models.items,
				  .member_count = fold->models.count };
	char path[PATH_MAX];
	if (!fold->models.count || !find_path(run, path))
		return;

	/* The file is for its user alone, as segments are. */
	mode_t mask = umask(077);
	(void)whole_report_save(&whole, path);
	umask(mask);
}

void fold_load(struct fold *fold, const char *run)
{
	struct source source;
	char path[PATH_MAX];

	*fold = (struct fold){ .rows = { NULL, 0, 0 } };
	if (!find_path(run, path) || access(path, R_OK))
		return;
	if (source_open(&source, path)) {
		source_free(&source);
		return;
	}
	struct hp_model *whole = source.model;
	fold->rows = whole->tree;
	fold->models = (struct models){ whole->members, whole->member_count };
	whole->tree = (struct hp_processes){ NULL, 0, 0 };
	whole->members = NULL;
	whole->member_count = 0;
	source_free(&source);
}

uint64_t fold_version(const char *run)
{
	char path[PATH_MAX];
	struct stat file;

	if (!find_path(run, path) || stat(path, &file))
		return 0;
	return (uint64_t)file.st_mtim.tv_sec * 1000000000 + (uint64_t)file.st_mtim.tv_nsec;
}

void fold_remove(const char *run)
{
	char path[PATH_MAX];

	if (find_path(run, path))
		unlink(path);
}

void fold_clear(struct fold *fold)
{
	models_free(&fold->models);
	hp_processes_clear(&fold->rows);
}
