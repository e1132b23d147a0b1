/* SPDX-License-Identifier: MIT */
/* Reads a run again and again: a process that has ended is read once. */
#include "run_again.h"

#include "array.h"
#include "fold.h"
#include "now.h"
#include "output.h"
#include "process/found_run.h"
#include "process/register.h"
#include "task_stat.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SECOND_NS UINT64_C(1000000000)

/* ---- lists of members ---- */

static void clear_list(struct run_kept_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->items[i].path);
	free(list->items);
	*list = (struct run_kept_list){ NULL, 0, 0 };
}

void run_again_note(struct run_again *again, const char *path, struct hp_model *member)
{
	struct run_kept_list *list = again ? &again->next : NULL;
	char *copy = again ? strdup(path) : NULL;

	if (!copy ||
	    !hp_array_reserve(&list->items, list->count, &list->room, sizeof(*list->items))) {
		free(copy);
		return;
	}
	list->items[list->count++] = (struct run_kept){ copy, member };
}

static bool has_member(const struct hp_model *run, const struct hp_model *member)
{
	for (size_t i = 0; i < run->member_count; i++)
		if (run->members[i] == member)
			return true;
	return false;
}

/* Models that were not worth a report are freed already. */
static void drop_freed(struct run_kept_list *list, const struct hp_model *run)
{
	size_t kept = 0;

	for (size_t i = 0; i < list->count; i++) {
		if (run && has_member(run, list->items[i].member))
			list->items[kept++] = list->items[i];
		else
			free(list->items[i].path);
	}
	list->count = kept;
}

/* ---- taking ---- */

/* The sum stays as it is. */
static struct hp_model *take(struct run_again *again, struct run_kept *kept)
{
	struct hp_model *run = again->model, *member = kept->member;
	size_t left = 0;

	for (size_t i = 0; i < run->member_count; i++)
		if (run->members[i] != member)
			run->members[left++] = run->members[i];
	run->member_count = left;
	kept->member = NULL;
	return member;
}

struct hp_model *run_again_take(struct run_again *again, const struct hp_found *found)
{
	for (size_t i = 0; again && i < again->before.count; i++) {
		struct run_kept *kept = &again->before.items[i];
		if (kept->member && strcmp(kept->path, found->path) == 0)
			return kept->member->exit.running || found->live ? NULL : take(again, kept);
	}
	return NULL;
}

static bool is_listed(const struct hp_found_list *list, const char *path)
{
	for (size_t i = 0; i < list->count; i++)
		if (strcmp(list->items[i].path, path) == 0)
			return true;
	return false;
}

bool run_again_take_gone(struct run_again *again, const struct hp_found_list *list,
			 struct models *models)
{
	for (size_t i = 0; again && i < again->before.count; i++) {
		struct run_kept *kept = &again->before.items[i];
		if (!kept->member || is_listed(list, kept->path))
			continue;
		struct hp_model *member = take(again, kept);
		member->exit.running = false;
		run_again_note(again, kept->path, member);
		if (!models_append(models, member))
			return false;
	}
	return true;
}

/* ---- threads ---- */

struct hp_task_history *run_again_tasks(struct run_again *again, uint32_t pid)
{
	for (size_t i = 0; again && i < again->task_count; i++)
		if (again->tasks[i].pid == pid)
			return &again->tasks[i];
	if (!again || !hp_array_reserve(&again->tasks, again->task_count, &again->task_room,
					sizeof(*again->tasks)))
		return NULL;
	again->tasks[again->task_count] = (struct hp_task_history){ .pid = pid };
	return &again->tasks[again->task_count++];
}

/* Drop the readings of processes that have ended since. */
static void drop_old_tasks(struct run_again *again)
{
	size_t kept = 0;

	for (size_t i = 0; i < again->task_count; i++) {
		if (again->tasks[i].when_ns >= again->began_ns)
			again->tasks[kept++] = again->tasks[i];
		else
			hp_task_history_clear(&again->tasks[i]);
	}
	again->task_count = kept;
}

/* ---- for who watches ---- */

static void forget(void *reading)
{
	struct run_again *again = reading;

	if (!again)
		return;
	clear_list(&again->before);
	clear_list(&again->next);
	hp_model_free(again->model);
	again->began_ns = UINT64_MAX;
	drop_old_tasks(again);
	free(again->tasks);
	free(again);
}

/* If the run could not be read, its last model stays, with the members that were not taken. */
static void finish(struct run_again *again, struct hp_model *model)
{
	drop_old_tasks(again);
	drop_freed(&again->next, model);
	clear_list(&again->before);
	again->before = again->next;
	again->next = (struct run_kept_list){ NULL, 0, 0 };
	if (!model)
		return;
	hp_model_free(again->model);
	again->model = model;
}

static struct hp_model *read_listed(struct run_again *again, const char *run,
				    const struct hp_found_list *list, struct hp_error *error)
{
	const struct run_source source = { .run = run, .list = list, .again = again };
	struct hp_model *model = NULL;

	again->began_ns = hp_now_ns();
	complaints_keep(error);
	if (hp_found_run(list, run))
		model = run_model(&source);
	else
		complain("no segment of run %.40s is left", run);
	complaints_keep(NULL);
	finish(again, model);
	return model;
}

static struct hp_model *read_run(void **reading, const char *run, struct hp_error *error)
{
	struct hp_found_list list = { NULL, 0 };
	struct hp_model *model = NULL;

	if (!*reading)
		*reading = calloc(1, sizeof(struct run_again));
	if (!*reading)
		snprintf(error->text, sizeof(error->text), "out of memory");
	else if (hp_find_segments(&list, error) == 0)
		model = read_listed(*reading, run, &list, error);
	hp_found_list_free(&list);
	return model;
}

static struct hp_model *choose(const struct hp_model *run, const char *wanted,
			       struct hp_error *error)
{
	complaints_keep(error);
	struct hp_model *part = run_choose_copy(run, wanted);
	complaints_keep(NULL);
	return part;
}

/* Records of processes and of their ends; and what was folded of them. */
static uint64_t version(const char *run)
{
	return hp_register_bytes(run) + fold_version(run) * 31;
}

/* A run is called after the tool that has started it, and the moment. Another process with that number is younger. */
static bool has_tool(const char *run)
{
	uint64_t tick_ns = SECOND_NS / (uint64_t)sysconf(_SC_CLK_TCK);
	uint64_t boot_ns = hp_clock_ns(CLOCK_REALTIME) - hp_clock_ns(CLOCK_BOOTTIME);
	struct hp_task_stat now;
	char *end;
	unsigned long pid = strtoul(run, &end, 10);
	uint64_t moment_ns = *end == '-' ? strtoull(end + 1, NULL, 10) : 0;

	if (!moment_ns || pid > INT_MAX || !hp_task_stat_process((uint32_t)pid, &now))
		return false;
	return now.state != 'Z' && now.state != 'X' && boot_ns + now.start * tick_ns <= moment_ns;
}

/* A tool may start several runs, one after the other. */
static bool goes_on(const char *run)
{
	struct hp_processes processes = { NULL, 0, 0 };
	bool does = has_tool(run) && hp_register_read(run, &processes) == 0 && processes.count &&
		    processes.items[0].end < HP_PROCESS_EXITED;

	hp_processes_clear(&processes);
	return does;
}

const struct hp_run_reader run_reader = { read_run, choose,  run_lasting_word,
					  version,  goes_on, forget };
