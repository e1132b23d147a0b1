/* SPDX-License-Identifier: MIT */
/* The target of a watch: the segment that the user named, and later ones of the same program. */
#include "target.h"

#include "segment.h"
#include "task_stat.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* How far the clock may have been set since a process began. */
#define CLOCK_STEP_NS UINT64_C(1000000000)

static int fail(struct hp_error *error, int why, const char *format, const char *name)
	__attribute__((format(printf, 3, 0)));

static int fail(struct hp_error *error, int why, const char *format, const char *name)
{
	snprintf(error->text, sizeof(error->text), format, name);
	return why;
}

void hp_target_free(struct hp_target *target)
{
	free(target->path);
	free(target->program);
	free(target->executable);
	*target = (struct hp_target){ NULL };
}

int hp_target_take(struct hp_target *target, const struct hp_found *found)
{
	*target = (struct hp_target){ .path = strdup(found->path),
				      .program = strdup(found->program),
				      .executable = strdup(found->executable),
				      .user = found->user,
				      .start_unix_ns = found->start_unix_ns };
	if (target->path && target->program && target->executable)
		return 0;
	hp_target_free(target);
	return -ENOMEM;
}

/* Explain why a process without a visible segment cannot be watched. */
static int not_measured(const char *name, struct hp_error *error)
{
	if (kill((pid_t)strtoul(name, NULL, 10), 0) == 0)
		return fail(error, -ESRCH,
			    "process %1$s is not being measured; 'hotpath attach %1$s' does so",
			    name);
	if (errno == EPERM)
		return fail(error, -EACCES, "process %s belongs to another user", name);
	return fail(error, -ESRCH, "process %s does not exist", name);
}

/* When a process began, by CLOCK_REALTIME, to a tick of the kernel's clock. */
static uint64_t began_unix_ns(const struct hp_task_stat *process)
{
	uint64_t tick_ns = UINT64_C(1000000000) / (uint64_t)sysconf(_SC_CLK_TCK);
	struct timespec boot = { 0, 0 }, now = { 0, 0 };

	clock_gettime(CLOCK_BOOTTIME, &boot);
	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)(now.tv_sec - boot.tv_sec) * UINT64_C(1000000000) + (uint64_t)now.tv_nsec -
	       (uint64_t)boot.tv_nsec + process->start * tick_ns;
}

/* Whether `hotpath attach` has left this process, and it runs on: not another one that got its number. */
static bool runs_on(const struct hp_found *found)
{
	struct hp_task_stat process;

	return found->is_attached && found->state == HP_STATE_STOPPED && !found->is_elsewhere &&
	       hp_task_stat_process(found->pid, &process) && !strchr("ZX", process.state) &&
	       began_unix_ns(&process) <= found->start_unix_ns + CLOCK_STEP_NS;
}

/* Explain why a process that was measured cannot be watched. */
static int no_longer_measured(const char *name, bool goes_on, struct hp_error *error)
{
	return fail(error, -ESRCH,
		    goes_on ? "process %1$s runs on, but is no longer measured; 'hotpath report "
			      "%1$s' shows its report, 'hotpath attach %1$s' measures it again"
			    : "process %1$s has ended; 'hotpath report %1$s' shows its report",
		    name);
}

static int find_process(struct hp_target *target, const char *name,
			const struct hp_found_list *list, struct hp_error *error)
{
	uint32_t pid = (uint32_t)strtoul(name, NULL, 10);
	bool was_measured = false, goes_on = false;

	for (size_t i = 0; i < list->count; i++) {
		if (list->items[i].pid == pid && list->items[i].live)
			return hp_target_take(target, &list->items[i]);
		if (list->items[i].pid == pid) {
			was_measured = true;
			goes_on = goes_on || runs_on(&list->items[i]);
		}
	}
	return was_measured ? no_longer_measured(name, goes_on, error) : not_measured(name, error);
}

/* Compare by name or, if the user gave a path, by path. */
static bool is_program(const struct hp_found *found, const char *name, const char *path)
{
	struct hp_process_name process = hp_found_name(found);

	return hp_process_is(&process, name) || (path && strcmp(found->executable, path) == 0);
}

static int find_program(struct hp_target *target, const char *name,
			const struct hp_found_list *list, struct hp_error *error)
{
	char *path = strchr(name, '/') ? realpath(name, NULL) : NULL;
	const struct hp_found *found = NULL;

	for (size_t i = 0; !found && i < list->count; i++)
		if (list->items[i].live && is_program(&list->items[i], name, path))
			found = &list->items[i];
	free(path);
	if (found)
		return hp_target_take(target, found);
	return fail(error, -ESRCH,
		    "no measured program '%s' is running; start it with 'hotpath run'", name);
}

/* Check the first bytes of a file; a file that may not be read is an error. */
static int is_segment_file(const char *name, bool *is_segment, struct hp_error *error)
{
	char magic[sizeof(HP_MAGIC)] = "";
	int file = open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

	*is_segment = file >= 0 && pread(file, magic, sizeof(magic), 0) == (ssize_t)sizeof(magic) &&
		      memcmp(magic, HP_MAGIC, sizeof(magic)) == 0;
	if (file >= 0)
		close(file);
	else if (errno == EACCES && strchr(name, '/'))
		return fail(error, -EACCES, "%s: Permission denied", name);
	return 0;
}

static int take_file(struct hp_target *target, const char *path)
{
	*target = (struct hp_target){ .path = strdup(path),
				      .program = strdup(""),
				      .executable = strdup(""),
				      .user = HP_ANY_USER,
				      .is_file = true };
	if (target->path && target->program && target->executable)
		return 0;
	hp_target_free(target);
	return -ENOMEM;
}

int hp_target_find(struct hp_target *target, const char *name, struct hp_error *error)
{
	struct hp_found_list list = { NULL, 0 };
	bool is_segment = false;
	int failed = hp_is_process_id(name) ? 0 : is_segment_file(name, &is_segment, error);

	if (failed)
		return failed;
	if (is_segment)
		return take_file(target, name);
	failed = hp_find_segments(&list, error);
	if (failed)
		return failed;
	failed = hp_is_process_id(name) ? find_process(target, name, &list, error)
					: find_program(target, name, &list, error);
	hp_found_list_free(&list);
	return failed;
}

static bool is_later_start(const struct hp_found *found, const struct hp_target *target)
{
	return found->live && found->start_unix_ns > target->start_unix_ns &&
	       strcmp(found->program, target->program) == 0 &&
	       strcmp(found->executable, target->executable) == 0;
}

bool hp_target_next(const struct hp_target *target, struct hp_target *next)
{
	struct hp_found_list list = { NULL, 0 };
	const struct hp_found *found = NULL;
	struct hp_error ignored;

	if (target->is_file || hp_find_segments(&list, &ignored))
		return false;
	for (size_t i = 0; !found && i < list.count; i++)
		if (is_later_start(&list.items[i], target))
			found = &list.items[i];
	bool taken = found && hp_target_take(next, found) == 0;
	hp_found_list_free(&list);
	return taken;
}
