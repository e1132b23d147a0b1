/* SPDX-License-Identifier: MIT */
/* Reads the state and times of the threads of a running process from /proc. */
#include "proc_tasks.h"

#include "arithmetic.h"
#include "array.h"
#include "blocked.h"
#include "lower_bound.h"
#include "now.h"
#include "task_stat.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/*
 * The least time over which a share is computed. The CPU time of a thread that runs is only as new as the last tick of the
 * kernel's clock, so two readings with less between them may see nothing of a busy thread.
 */
#define SHARE_NS UINT64_C(40000000)

/* Remembered per thread. A tid may be reused, but not with the same start time. */
struct hp_task_seen {
	uint32_t tid;
	uint64_t start;
	uint64_t user_ns;
	uint64_t system_ns;
	/* When the next share begins, and the CPU time until then; the last share, and the most of all. */
	uint64_t since_ns;
	uint64_t cpu_ns;
	double share;
	double max;
};

static enum hp_thread_state state_of(char letter)
{
	switch (letter) {
	case 't':
		return HP_THREAD_STOPPED;
	case 'x':
		return HP_THREAD_ENDED;
	default:
		return letter && strchr("RSDTIZX", letter) ? (enum hp_thread_state)letter
							   : HP_THREAD_UNKNOWN;
	}
}

/* ---- all of them ---- */

static bool read_folder(struct hp_tasks *tasks, DIR *folder)
{
	size_t room = 0;

	for (const struct dirent *entry; (entry = readdir(folder));) {
		uint32_t tid = (uint32_t)strtoul(entry->d_name, NULL, 10);
		struct hp_task_stat task;
		if (!tid || !hp_task_stat_read(dirfd(folder), tid, &task))
			continue;
		if (!hp_array_reserve(&tasks->items, tasks->count, &room, sizeof(task)))
			return false;
		tasks->items[tasks->count++] = task;
	}
	return true;
}

static int by_tid(const void *left, const void *right)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	return (a > b) - (a < b);
}

static_assert(offsetof(struct hp_task_stat, tid) == 0 && offsetof(struct hp_task_seen, tid) == 0,
	      "they are sorted and found by what they begin with");

/* A process that is gone has none. */
static bool read_tasks(struct hp_tasks *tasks, uint32_t pid)
{
	char path[32];

	*tasks = (struct hp_tasks){ .pid = pid,
				    .now_ns = hp_clock_ns(CLOCK_MONOTONIC),
				    .ticks_per_second = (uint64_t)sysconf(_SC_CLK_TCK) };
	tasks->suspended_ns = hp_clock_ns(CLOCK_BOOTTIME) - tasks->now_ns;
	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/task", pid);
	DIR *folder = opendir(path);
	if (!folder)
		return true;
	bool done = read_folder(tasks, folder);
	closedir(folder);
	if (tasks->count)
		qsort(tasks->items, tasks->count, sizeof(*tasks->items), by_tid);
	return done;
}

/* When a thread began, by CLOCK_MONOTONIC. */
static uint64_t start_ns(const struct hp_tasks *tasks, const struct hp_task_stat *task)
{
	uint64_t ns = task->start * (UINT64_C(1000000000) / tasks->ticks_per_second);

	return hp_minus(ns, tasks->suspended_ns);
}

/* ---- what it was before ---- */

static const struct hp_task_seen *seen_before(const struct hp_task_history *history,
					      const struct hp_task_stat *task)
{
	const struct hp_task_seen *seen = history->count ? bsearch(&task->tid, history->items,
								   history->count,
								   sizeof(*history->items), by_tid)
							 : NULL;

	return seen && seen->start == task->start ? seen : NULL;
}

static uint64_t cpu_of(const struct hp_task_stat *task)
{
	return task->user_ns + task->system_ns;
}

/* Remember the times of a thread that is seen for the first time. */
static struct hp_task_seen first_seen(const struct hp_tasks *tasks, const struct hp_task_stat *task)
{
	return (struct hp_task_seen){ .since_ns = tasks->now_ns,
				      .cpu_ns = cpu_of(task),
				      .share = HP_CPU_PERCENT_UNKNOWN,
				      .max = HP_CPU_PERCENT_UNKNOWN };
}

/* Compute the share since the last one. If that was a moment ago, it stays. */
static void renew_share(struct hp_task_seen *seen, const struct hp_tasks *tasks,
			const struct hp_task_stat *task)
{
	uint64_t elapsed = hp_minus(tasks->now_ns, seen->since_ns), cpu = cpu_of(task);

	if (elapsed < SHARE_NS)
		return;
	seen->share = cpu < seen->cpu_ns ? HP_CPU_PERCENT_UNKNOWN
					 : hp_cpu_percent(cpu - seen->cpu_ns, elapsed);
	seen->max = seen->share > seen->max ? seen->share : seen->max;
	seen->since_ns = tasks->now_ns;
	seen->cpu_ns = cpu;
}

/* How much of the exact time was spent in the kernel is estimated; still, neither part becomes less from one reading to the next. */
static void keep_rising(struct hp_task_stat *task, const struct hp_task_seen *before)
{
	uint64_t now = cpu_of(task);

	if (!before || now < before->user_ns + before->system_ns)
		return;
	task->system_ns = hp_min(hp_max(task->system_ns, before->system_ns), now - before->user_ns);
	task->user_ns = now - task->system_ns;
}

static struct hp_task_seen look_at(const struct hp_task_history *history,
				   const struct hp_tasks *tasks, struct hp_task_stat *task)
{
	const struct hp_task_seen *before = history->pid == tasks->pid ? seen_before(history, task)
								       : NULL;
	struct hp_task_seen seen = before ? *before : first_seen(tasks, task);

	keep_rising(task, before);
	renew_share(&seen, tasks, task);
	seen.tid = task->tid;
	seen.start = task->start;
	seen.user_ns = task->user_ns;
	seen.system_ns = task->system_ns;
	return seen;
}

/* Replace the history by this reading; shares has the present and the peak CPU share of each thread. */
static bool remember(struct hp_task_history *history, struct hp_tasks *tasks, double *shares)
{
	struct hp_task_seen *items = calloc(tasks->count + 1, sizeof(*items));
	if (!items)
		return false;
	for (size_t i = 0; i < tasks->count; i++) {
		items[i] = look_at(history, tasks, &tasks->items[i]);
		if (shares) {
			shares[2 * i] = items[i].share;
			shares[2 * i + 1] = items[i].max;
		}
	}
	free(history->items);
	*history = (struct hp_task_history){ tasks->pid, tasks->now_ns, items, tasks->count };
	return true;
}

bool hp_task_history_begin(struct hp_task_history *history, uint32_t pid)
{
	struct hp_tasks tasks;

	*history = (struct hp_task_history){ 0 };
	bool done = read_tasks(&tasks, pid) && remember(history, &tasks, NULL);
	free(tasks.items);
	return done;
}

void hp_task_history_clear(struct hp_task_history *history)
{
	free(history->items);
	*history = (struct hp_task_history){ 0 };
}

/* ---- what it is in the model ---- */

static bool has_lower_tid(const void *thread, const void *tid)
{
	return ((const struct hp_thread *)thread)->tid < *(const uint32_t *)tid;
}

/*
 * The thread that has this tid now. An ended thread only matches if it is still in /proc, not if its tid was reused.
 */
static struct hp_thread *find_thread(const struct hp_threads *threads, size_t sorted,
				     const struct hp_tasks *tasks, const struct hp_task_stat *task)
{
	struct hp_thread *ending = NULL;
	size_t first = hp_lower_bound(&task->tid, threads->items, sorted, sizeof(*threads->items),
				      has_lower_tid);

	for (size_t i = first; i < sorted; i++) {
		struct hp_thread *thread = &threads->items[i];
		if (thread->tid != task->tid)
			break;
		if (thread->state != HP_THREAD_ENDED)
			return thread;
		if (start_ns(tasks, task) <= thread->ended_ns)
			ending = thread;
	}
	return ending;
}

/* Add a thread that has never recorded anything. */
static struct hp_thread *add_thread(struct hp_threads *threads, const struct hp_tasks *tasks,
				    const struct hp_task_stat *task)
{
	struct hp_thread thread = hp_thread_new(tasks->pid, task->tid);
	uint64_t start = start_ns(tasks, task);

	thread.recorded_ns = hp_minus(tasks->now_ns, start);
	thread.name = strdup(task->name);
	if (thread.name && hp_threads_append(threads, thread))
		return &threads->items[threads->count - 1];
	free(thread.name);
	return NULL;
}

/* The times of a process that was attached to are in its segment. */
static bool update(struct hp_thread *thread, const struct hp_task_stat *task, const double *shares,
		   bool is_attached)
{
	if (thread->state == HP_THREAD_ENDED)
		return true;
	thread->state = state_of(task->state);
	if (!is_attached)
		hp_thread_set_times(thread, task->user_ns, task->system_ns, task->queue_ns);
	thread->cpu_now = shares[0];
	/* The peak of its whole life is at least the average, however it was in the time that it was watched. */
	thread->cpu_max = shares[1] >= 0 && shares[1] < thread->cpu_avg ? thread->cpu_avg
									: shares[1];
	if (thread->is_named && thread->name[0])
		return true;
	free(thread->name);
	thread->name = strdup(task->name);
	return thread->name != NULL;
}

/* Whether a thread that was not there is there now: it began after the others were read. */
static bool is_new(uint32_t pid, uint32_t tid)
{
	char path[48];

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/task/%" PRIu32, pid, tid);
	return access(path, F_OK) == 0;
}

/* Threads that have a lane but are not in /proc any more have ended. */
static void end_others(struct hp_threads *threads, const struct hp_tasks *tasks)
{
	for (size_t i = 0; i < threads->count; i++) {
		struct hp_thread *thread = &threads->items[i];
		if (thread->state != HP_THREAD_ENDED &&
		    !bsearch(&thread->tid, tasks->items, tasks->count, sizeof(*tasks->items),
			     by_tid) &&
		    !is_new(tasks->pid, thread->tid))
			thread->state = HP_THREAD_ENDED;
	}
}

static bool take_over(struct hp_threads *threads, const struct hp_tasks *tasks,
		      const double *shares, bool is_attached)
{
	size_t sorted = threads->count;

	for (size_t i = 0; i < tasks->count; i++) {
		const struct hp_task_stat *task = &tasks->items[i];
		struct hp_thread *thread = find_thread(threads, sorted, tasks, task);
		if (!thread)
			thread = add_thread(threads, tasks, task);
		if (!thread || !update(thread, task, &shares[2 * i], is_attached))
			return false;
	}
	if (tasks->count)
		end_others(threads, tasks);
	hp_threads_sort(threads);
	return true;
}

/* Take the number of a line such as "VmRSS:	    1234 kB"; false if it has another key. */
static bool take_number(const char *line, const char *key, uint64_t *number)
{
	size_t length = strlen(key);

	if (strncmp(line, key, length) != 0)
		return false;
	*number = strtoull(line + length, NULL, 10);
	return true;
}

static void read_memory(struct hp_tasks *tasks)
{
	char path[32], line[256];
	uint64_t kilobytes;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/status", tasks->pid);
	FILE *file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file)) {
		if (take_number(line, "VmRSS:", &kilobytes))
			tasks->rss_bytes = kilobytes * 1024;
		if (take_number(line, "VmHWM:", &kilobytes))
			tasks->peak_rss_bytes = kilobytes * 1024;
	}
	if (file)
		fclose(file);
}

/* What the kernel has counted so far. */
static void read_io(struct hp_tasks *tasks)
{
	char path[32], line[64];
	uint64_t number;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/io", tasks->pid);
	FILE *file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		if (take_number(line, "rchar:", &number) || take_number(line, "wchar:", &number))
			tasks->io_bytes += number;
	if (file)
		fclose(file);
}

/* What could not be read does not change. */
static void set_memory(struct hp_model *model, const struct hp_tasks *tasks)
{
	struct hp_memory *memory = &model->memory;
	struct hp_io_total *io = &model->io;

	if (tasks->rss_bytes)
		memory->rss_bytes = tasks->rss_bytes;
	if (tasks->peak_rss_bytes)
		memory->peak_rss_bytes = tasks->peak_rss_bytes;
	if (tasks->io_bytes > io->before_bytes)
		io->counted_bytes = tasks->io_bytes - io->before_bytes;
}

/* ---- all of it ---- */

bool hp_tasks_take(struct hp_tasks *tasks, uint32_t pid)
{
	bool done = read_tasks(tasks, pid);

	read_memory(tasks);
	read_io(tasks);
	return done;
}

void hp_tasks_clear(struct hp_tasks *tasks)
{
	free(tasks->items);
	*tasks = (struct hp_tasks){ .pid = 0 };
}

bool hp_tasks_apply(struct hp_model *model, struct hp_tasks *tasks, struct hp_task_history *history)
{
	struct hp_task_history none = { 0 };
	double *shares = calloc(2 * tasks->count + 1, sizeof(*shares));
	bool done = shares && remember(history ? history : &none, tasks, shares) &&
		    take_over(&model->threads, tasks, shares, model->is_attached) &&
		    hp_blocked_see(model);

	set_memory(model, tasks);
	hp_task_history_clear(&none);
	free(shares);
	return done;
}

bool hp_tasks_read(struct hp_model *model, struct hp_task_history *history)
{
	struct hp_tasks tasks;
	bool done = hp_tasks_take(&tasks, model->pid) && hp_tasks_apply(model, &tasks, history);

	hp_tasks_clear(&tasks);
	return done;
}
