/* SPDX-License-Identifier: MIT */
/* What the kernel tells of a thread in /proc: its state, its name and its times. */
#include "task_stat.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A small file of a thread; false when there is none. */
static bool read_file(int folder, uint32_t tid, const char *name, char *text, size_t size)
{
	char path[64];

	snprintf(path, sizeof(path), "%" PRIu32 "/%s", tid, name);
	int file = openat(folder, path, O_RDONLY | O_CLOEXEC);
	ssize_t length = file < 0 ? -1 : read(file, text, size - 1);
	if (file >= 0)
		close(file);
	text[length > 0 ? length : 0] = '\0';
	return length > 0;
}

/* A field after the name, by its number in proc(5); the first one is 3. */
static const char *field(const char *text, unsigned number)
{
	for (unsigned i = 3; i < number && text; i++) {
		text = strchr(text, ' ');
		text = text ? text + 1 : NULL;
	}
	return text ? text : "";
}

static uint64_t number_in(const char *text, unsigned number)
{
	return strtoull(field(text, number), NULL, 10);
}

/* "7 (a name) S 1 …": the name may have brackets and spaces in it. */
static bool parse_stat(struct hp_task_stat *task, const char *text)
{
	enum {
		STATE = 3,
		PARENT = 4,
		FLAGS = 9,
		USER = 14,
		SYSTEM = 15,
		CHILDREN_USER = 16,
		CHILDREN_SYSTEM = 17,
		START = 22,
		EXIT = 52
	};
	uint64_t tick_ns = UINT64_C(1000000000) / (uint64_t)sysconf(_SC_CLK_TCK);
	const char *name = strchr(text, '('), *rest = strrchr(text, ')');

	if (!name || !rest || rest < name || rest[1] != ' ')
		return false;
	snprintf(task->name, sizeof(task->name), "%.*s", (int)(rest - name - 1), name + 1);
	rest += 2;
	task->state = *field(rest, STATE);
	task->parent_pid = (uint32_t)number_in(rest, PARENT);
	task->flags = (uint32_t)number_in(rest, FLAGS);
	task->user_ns = number_in(rest, USER) * tick_ns;
	task->system_ns = number_in(rest, SYSTEM) * tick_ns;
	task->children_user_ns = number_in(rest, CHILDREN_USER) * tick_ns;
	task->children_system_ns = number_in(rest, CHILDREN_SYSTEM) * tick_ns;
	task->start = number_in(rest, START);
	task->exit_code = (int)number_in(rest, EXIT);
	return true;
}

static bool read_stat(int folder, uint32_t tid, struct hp_task_stat *task)
{
	char text[1024];

	*task = (struct hp_task_stat){ .tid = tid };
	return read_file(folder, tid, "stat", text, sizeof(text)) && parse_stat(task, text);
}

/* Replace the times, which are whole clock ticks, by parts of the exact run time. */
static void split(struct hp_task_stat *task, uint64_t exact)
{
	uint64_t ticks = task->user_ns + task->system_ns;
	double share = ticks ? (double)task->user_ns / (double)ticks : 1;

	task->user_ns = (uint64_t)((double)exact * share);
	task->system_ns = exact - task->user_ns;
}

bool hp_task_stat_read(int folder, uint32_t tid, struct hp_task_stat *task)
{
	char text[256], *rest;

	if (!read_stat(folder, tid, task))
		return false;
	if (!read_file(folder, tid, "schedstat", text, sizeof(text)))
		return true;
	uint64_t exact = strtoull(text, &rest, 10);
	task->queue_ns = strtoull(rest, NULL, 10);
	if (exact)
		split(task, exact);
	return true;
}

bool hp_task_stat_process(uint32_t pid, struct hp_task_stat *process)
{
	int folder = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool done = folder >= 0 && read_stat(folder, pid, process);

	if (folder >= 0)
		close(folder);
	return done;
}
