/* SPDX-License-Identifier: MIT */
/* The source of a report: a run, the segment of a process, a segment file, or saved reports. */
#include "source.h"

#include "command.h"
#include "debuginfod.h"
#include "file_name.h"
#include "input_file.h"
#include "life.h"
#include "names/lines.h"
#include "names/stripped.h"
#include "output.h"
#include "place.h"
#include "process/found_run.h"
#include "process/proc_tasks.h"
#include "run_model.h"
#include "run_segments.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* A saved report of ten thousand functions takes some megabytes. */
#define SAVED_MAX ((size_t)1 << 30)

static bool is_running(const char *path)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	bool running = fd >= 0 && hp_life_goes_on(fd, hp_file_name(path));

	if (fd >= 0)
		close(fd);
	return running;
}

static bool is_read_once;

void source_read_once(void)
{
	is_read_once = true;
}

/*
 * The present CPU share of threads needs two readings: read /proc, wait, then copy the segment again for the second.
 */
static bool read_twice(struct source *source, const char *path, uint32_t user,
		       struct hp_task_history *tasks)
{
	static const struct timespec between = { 0, 100000000 };
	const struct hp_header *header = source->image.bytes;
	struct hp_image image;
	struct hp_error ignored;

	if (is_read_once || !hp_life_knows_pid(header))
		return true;
	if (!hp_task_history_begin(tasks, header->pid))
		return false;
	nanosleep(&between, NULL);
	if (hp_image_read(path, user, &image, &ignored) == 0) {
		hp_image_free(&source->image);
		source->image = image;
	}
	return true;
}

static uint32_t pid_of(const struct hp_image *image)
{
	return ((const struct hp_header *)image->bytes)->pid;
}

/* The model of a program that runs, with what the kernel knows of its threads at the moment of the copy: to make a model takes
   longer than that. */
static struct hp_model *read_running(struct source *source, const char *path, uint32_t user,
				     struct hp_error *reason)
{
	static const struct hp_exit running = { .running = true, .status = -1 };
	struct hp_task_history own = { 0 }, *history = source->tasks ? source->tasks : &own;
	struct hp_tasks tasks = { .pid = 0 };
	struct hp_model *model = NULL;

	snprintf(reason->text, sizeof(reason->text), "out of memory");
	bool done = source->tasks || read_twice(source, path, user, history);
	if (done && hp_life_knows_pid(source->image.bytes))
		done = hp_tasks_take(&tasks, pid_of(&source->image));
	if (done)
		model = hp_model_read(source->image.bytes, source->image.size, &running, true,
				      reason);
	if (model && tasks.pid && !hp_tasks_apply(model, &tasks, history)) {
		hp_model_free(model);
		model = NULL;
	}
	hp_tasks_clear(&tasks);
	hp_task_history_clear(&own);
	return model;
}

/* Add what is not in a segment. Returns false when memory ran out. */
static bool complete(struct hp_model *model)
{
	if (!hp_note_stripped(model) || !debuginfod_note(model))
		return false;
	hp_lines_fill(model);
	hp_machine_read(&model->machine);
	hp_provenance_read(&model->provenance);
	return true;
}

int source_segment(struct source *source, const char *path, uint32_t user,
		   const struct hp_exit *exit, struct hp_error *error)
{
	struct hp_error reason = { "out of memory" };
	int failed = hp_image_read(path, user, &source->image, error);
	if (failed)
		return failed;

	source->model = !exit && is_running(path)
				? read_running(source, path, user, &reason)
				: hp_model_read(source->image.bytes, source->image.size, exit, true,
						&reason);
	if (source->model && complete(source->model))
		return 0;
	snprintf(error->text, sizeof(error->text), "%.128s: %.120s", path, reason.text);
	return -EINVAL;
}

int source_read_alike(struct source *source, const struct hp_image *earlier, struct hp_error *error)
{
	const struct hp_header *then = earlier->bytes, *now = source->image.bytes;

	/* The model of several processes is not that of the segment. */
	if (!then || !now || source->model->tree.count || now->session != then->session ||
	    now->ticks_per_second == then->ticks_per_second)
		return 0;
	const struct hp_mapped_read how = { .ticks_per_second = then->ticks_per_second };
	const struct hp_exit exit = source->model->exit;
	struct hp_tasks tasks = { .pid = 0 };
	bool done = !exit.running || !hp_life_knows_pid(now) || hp_tasks_take(&tasks, now->pid);
	struct hp_model *model = hp_model_read_mapped(source->image.bytes, source->image.size,
						      &exit, &how, error);
	if (model) {
		hp_model_free(source->model);
		source->model = model;
		done = done && (!tasks.pid || hp_tasks_apply(model, &tasks, NULL)) &&
		       complete(model);
	}
	hp_tasks_clear(&tasks);
	if (model && !done)
		snprintf(error->text, sizeof(error->text), "out of memory");
	return !model ? -EINVAL : done ? 0 : -ENOMEM;
}

static int open_segment(struct source *source, const char *path, uint32_t user)
{
	struct hp_error error = { "" };

	return source_segment(source, path, user, NULL, &error) ? complain("%s", error.text)
								: STATUS_OK;
}

static int open_found(struct source *source, const struct hp_found *found)
{
	return open_segment(source, found->path, found->user);
}

static int open_saved(struct source *source, const char *path, int file)
{
	struct hp_text text = HP_TEXT_INIT;
	struct hp_error error = { "" };

	int failed = input_read(file, SAVED_MAX, &text);
	if (failed)
		snprintf(error.text, sizeof(error.text), "%s", strerror(-failed));
	else
		failed = hp_saved_read(text.bytes, text.length, &source->saved, &error);
	hp_text_free(&text);
	if (failed)
		return complain("%s: %s", path, error.text);
	source->model = source->saved.model;
	return STATUS_OK;
}

/* The first bytes tell a segment from a saved report. */
static int open_file(struct source *source, const char *path)
{
	char magic[sizeof(HP_MAGIC)] = "";
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (file < 0)
		return complain("%s: %s", path, strerror(errno));

	bool segment = pread(file, magic, sizeof(magic), 0) == (ssize_t)sizeof(magic) &&
		       memcmp(magic, HP_MAGIC, sizeof(magic)) == 0;
	int status = segment ? open_segment(source, path, HP_ANY_USER)
			     : open_saved(source, path, file);
	close(file);
	return status;
}

static const struct hp_found *find_process(const struct hp_found_list *list, uint32_t pid)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->items[i].pid == pid)
			return &list->items[i];
	return NULL;
}

static int no_segments(void)
{
	char folder[HP_PATH_MAX];

	if (!hp_place_folder(0, folder))
		folder[0] = '\0';
	complain("no segments in %s; 'hotpath run PROGRAM' creates one", folder);
	return STATUS_NOTHING;
}

/* ---- runs ---- */

/* A run is all its processes, also those that left no segment. One that left a single segment has its latest calls, too. */
static int open_run(struct source *source, const struct hp_found_list *list,
		    const struct hp_found *found)
{
	bool has_others = hp_found_has_others(list, found);
	const struct run_source run = { .run = found->run,
					.list = list,
					.image = has_others ? NULL : &source->image };

	if (!found->run[0])
		return open_found(source, found);
	source->model = run_model(&run);
	return source->model ? STATUS_OK : STATUS_ERROR;
}

/* One process of a run, as the run knows it. What it was before exec, only its segment knows. */
static int open_member(struct source *source, const struct hp_found_list *list,
		       const struct hp_found *found)
{
	const struct run_source run = { .run = found->run, .list = list, .image = &source->image };

	size_t at = (size_t)(found - list->items);

	if (!found->run[0] || hp_found_is_replaced(list, at))
		return open_found(source, found);
	source->model = hp_found_has_replaced(list, at) ? run_images(&run, found)
							: run_process(&run, found);
	return source->model ? STATUS_OK : STATUS_ERROR;
}

static int open_newest(struct source *source, const struct hp_found_list *list)
{
	return list->count ? open_run(source, list, &list->items[0]) : no_segments();
}

/* Several segments tell themselves which process was the first. */
static bool stands_for_run(const struct hp_found_list *list, const struct hp_found *found)
{
	return hp_found_has_others(list, found) ? hp_found_is_root(list, found)
						: run_began_with(found->run, found->pid);
}

int source_open_found(struct source *source, const struct hp_found_list *list,
		      const struct hp_found *found)
{
	*source = (struct source){ 0 };
	return stands_for_run(list, found) ? open_run(source, list, found)
					   : open_member(source, list, found);
}

static int open_process(struct source *source, const struct hp_found_list *list, const char *name)
{
	const struct hp_found *found = find_process(list, (uint32_t)strtoul(name, NULL, 10));
	if (found)
		return source_open_found(source, list, found);

	complain("no segment of process %s; 'hotpath list' shows all segments", name);
	return STATUS_NOTHING;
}

/* A run by its name, unless there is a file by that name. Returns false if there is no such run. */
static bool open_named_run(struct source *source, const char *name, int *status)
{
	struct hp_found_list list = { NULL, 0 };
	struct hp_error ignored;
	const struct hp_found *found = NULL;

	if (access(name, F_OK) != 0 && hp_find_segments(&list, &ignored) == 0)
		found = hp_found_run(&list, name);
	if (found)
		*status = open_run(source, &list, found);
	hp_found_list_free(&list);
	return found;
}

static int open_found_by(struct source *source, const char *name)
{
	struct hp_found_list list = { NULL, 0 };
	struct hp_error error = { "" };

	if (hp_find_segments(&list, &error))
		return complain("%s", error.text);
	int status = name ? open_process(source, &list, name) : open_newest(source, &list);
	hp_found_list_free(&list);
	return status;
}

int source_open_any(struct source *source, const char *name)
{
	int status = STATUS_OK;

	*source = (struct source){ 0 };
	if (!name || hp_is_process_id(name))
		return open_found_by(source, name);
	return open_named_run(source, name, &status) ? status : open_file(source, name);
}

int source_open(struct source *source, const char *name)
{
	struct hp_error error = { "" };
	int status = source_open_any(source, name);

	if (status != STATUS_OK || !source->saved.model)
		return status;
	return hp_saved_check_schema(&source->saved, &error) ? complain("%s: %s", name, error.text)
							     : STATUS_OK;
}

/* ---- several, or a part ---- */

static int open_several(struct source *source, char *const *names, size_t count)
{
	struct hp_model **models = calloc(count, sizeof(*models));
	int status = STATUS_OK;
	size_t done = 0;

	if (!models)
		return complain("out of memory");
	for (; done < count && status == STATUS_OK; done++) {
		struct source one;
		status = source_open(&one, names[done]);
		models[done] = one.model;
		if (one.saved.model && !one.saved.complete)
			status = complain("%s was not written by --save: it has no "
					  "histograms, so it cannot be made one with others",
					  names[done]);
		one.model = NULL;
		source_free(&one);
		if (status == STATUS_OK && models[done] && !run_add_row(models[done]))
			status = complain("out of memory");
	}
	if (status == STATUS_OK) {
		source->model = hp_model_sum(models, count);
		return source->model ? STATUS_OK : complain("out of memory");
	}
	for (size_t i = 0; i < done; i++)
		hp_model_free(models[i]);
	free(models);
	return status;
}

int source_open_all(struct source *source, char *const *names, const char *process)
{
	size_t count = 0;

	*source = (struct source){ 0 };
	while (names[count])
		count++;
	int status = count > 1 ? open_several(source, names, count) : source_open(source, names[0]);
	if (status != STATUS_OK || !process)
		return status;
	source->model = run_choose(source->model, process);
	source->saved.model = source->saved.model ? source->model : NULL;
	return source->model ? STATUS_OK : STATUS_NOTHING;
}

void source_free(struct source *source)
{
	hp_model_free(source->model);
	hp_image_free(&source->image);
	*source = (struct source){ 0 };
}
