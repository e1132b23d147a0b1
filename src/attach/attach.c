/* SPDX-License-Identifier: MIT */
/* Attaches to a process that already runs, and samples it from outside. */
#include "attach.h"

#include "arithmetic.h"
#include "array.h"
#include "atomic.h"
#include "code_map.h"
#include "now.h"
#include "perf_events.h"
#include "process_facts.h"
#include "stack_walk.h"
#include "thread_lanes.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	/* How often samples are taken over, unless a ring fills up before. */
	PAUSE_MS = 100,
	/* To read the threads from /proc may take one part in so many of the time. */
	SHARE = 50,
	/* Threads may start while their events are opened, so they are listed again, until there is no new one. */
	ROUNDS = 8,
	/* Threads that end while their records are read. */
	ENDING_MAX = 256,
	/* Open files that are not for events: /proc, the segment, the files of modules. */
	FILES_FOR_OTHERS = 32,
};

#define THREADS_EACH_NS UINT64_C(250000000)

struct hp_attachment {
	uint32_t pid;
	uint32_t speaker;
	/* A descriptor of the process that poll reports the end of. */
	int handle;
	struct hp_segment_writer writer;
	struct hp_code_map code;
	struct hp_thread_lanes lanes;
	struct hp_perf_events events;
	struct pollfd *polls;
	struct hp_attach_end end;
	/* When the segment begins, 0 before that; CPU and system time of the process before that, and since then. */
	uint64_t began_ns;
	uint64_t cpu_before_ns;
	uint64_t system_before_ns;
	uint64_t cpu_ns;
	uint64_t system_ns;
	uint64_t threads_next_ns;
	/* When the process has executed another program; UINT64_MAX before that. */
	uint64_t executed_ns;
	/* Threads that have ended, of which there may be samples in the rings. */
	struct {
		uint32_t tid;
		uint64_t when_ns;
	} ending[ENDING_MAX];
	size_t ending_count;
};

static DIR *open_tasks(uint32_t pid)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/task", pid);
	return opendir(path);
}

/* ---- records ---- */

/* A moment of a record, which in a time namespace is by another CLOCK_MONOTONIC than ours: it is kept in the interval that it must
   be in. */
static uint64_t moment_of(const struct hp_attachment *attachment, uint64_t time_ns)
{
	return hp_max(attachment->began_ns, hp_min(time_ns, hp_now_ns()));
}

static void on_mapped(void *context, uint64_t start, uint64_t size, uint64_t offset,
		      const char *path)
{
	struct hp_attachment *attachment = context;
	const struct hp_mapped mapped = { start, start + size, offset, true, path };

	if (attachment->executed_ns == UINT64_MAX)
		hp_code_map_add(&attachment->code, &mapped);
}

static void on_named(void *context, uint32_t tid, const char *name)
{
	struct hp_attachment *attachment = context;

	hp_lanes_name(&attachment->lanes, tid, name);
}

static void on_executed(void *context, uint64_t time_ns)
{
	struct hp_attachment *attachment = context;

	attachment->executed_ns = hp_min(attachment->executed_ns, time_ns);
}

static void on_began(void *context, uint32_t tid, uint32_t parent, uint64_t time_ns)
{
	struct hp_attachment *attachment = context;

	hp_lanes_begin(&attachment->lanes, tid, parent, moment_of(attachment, time_ns));
}

/* Its last samples come after this record. */
static void on_ended(void *context, uint32_t tid, uint64_t time_ns)
{
	struct hp_attachment *attachment = context;

	if (attachment->ending_count == ENDING_MAX) {
		hp_lanes_end(&attachment->lanes, tid, moment_of(attachment, time_ns));
		return;
	}
	attachment->ending[attachment->ending_count].tid = tid;
	attachment->ending[attachment->ending_count++].when_ns = moment_of(attachment, time_ns);
}

static void on_sample(void *context, const struct hp_perf_sample *sample)
{
	struct hp_attachment *attachment = context;
	struct hp_sampled_stack stack;

	if (!attachment->began_ns || sample->time_ns >= attachment->executed_ns)
		return;
	hp_stack_walk(&attachment->code, sample, attachment->events.depth, &stack);
	if (sample->in_kernel)
		stack.end |= HP_STACK_SYSTEM;
	hp_lanes_sample(&attachment->lanes, sample->tid, sample->event, &stack,
			moment_of(attachment, sample->time_ns));
}

/* The first thread stays as a zombie until its process is waited for: the kernel still tells what it has used. */
static void see_first_thread(struct hp_attachment *attachment)
{
	DIR *tasks = open_tasks(attachment->pid);
	struct hp_task_stat task;

	if (tasks && hp_task_stat_read(dirfd(tasks), attachment->pid, &task))
		hp_lanes_see(&attachment->lanes, &task, hp_now_ns());
	if (tasks)
		closedir(tasks);
}

static void end_threads(struct hp_attachment *attachment)
{
	for (size_t i = 0; i < attachment->ending_count; i++) {
		if (attachment->ending[i].tid == attachment->pid && attachment->began_ns)
			see_first_thread(attachment);
		hp_lanes_end(&attachment->lanes, attachment->ending[i].tid,
			     attachment->ending[i].when_ns);
	}
	attachment->ending_count = 0;
}

static void read_records(struct hp_attachment *attachment)
{
	const struct hp_perf_listener listener = { attachment,	on_sample, on_mapped, on_named,
						   on_executed, on_began,  on_ended };
	struct hp_header *header = hp_segment_writer_header(&attachment->writer);

	hp_perf_read(&attachment->events, &listener);
	end_threads(attachment);
	store(&header->counters[HP_COUNTER_lost_samples], attachment->events.lost, RELAXED);
}

/* ---- /proc ---- */

/* Read the times of all threads. A thread that has ended and is still listed was told of by its record. */
static void read_threads(struct hp_attachment *attachment)
{
	uint64_t now = hp_now_ns();
	DIR *tasks = open_tasks(attachment->pid);
	struct hp_task_stat task;

	for (const struct dirent *entry; tasks && (entry = readdir(tasks));) {
		uint32_t tid = (uint32_t)strtoul(entry->d_name, NULL, 10);
		if (tid && hp_task_stat_read(dirfd(tasks), tid, &task) && !strchr("ZX", task.state))
			hp_lanes_see(&attachment->lanes, &task, now);
	}
	if (tasks) {
		closedir(tasks);
		hp_lanes_end_unseen(&attachment->lanes, now);
	}
	uint64_t took = hp_now_ns() - now;
	attachment->threads_next_ns = now + hp_max(took * SHARE, THREADS_EACH_NS);
}

/* CPU time of the process since we attached; and what of it has no sample. */
static void account(struct hp_attachment *attachment)
{
	struct hp_header *header = hp_segment_writer_header(&attachment->writer);
	uint64_t cpu = hp_process_cpu_ns(attachment->pid);
	uint64_t system = hp_process_system_ns(attachment->pid);
	uint64_t seen = attachment->lanes.samples * attachment->lanes.period_ns, now = hp_now_ns();

	attachment->cpu_ns = hp_max(attachment->cpu_ns, hp_minus(cpu, attachment->cpu_before_ns));
	attachment->system_ns = hp_max(attachment->system_ns,
				       hp_minus(system, attachment->system_before_ns));
	store(&header->cpu_unseen_ns, hp_minus(attachment->cpu_ns, seen), RELAXED);
	store(&header->cpu_system_ns, attachment->system_ns, RELAXED);
	store(&header->latest.ticks, now, RELAXED);
	store(&header->latest.monotonic_ns, now, RELAXED);
}

static void take_over(struct hp_attachment *attachment)
{
	read_records(attachment);
	if (attachment->executed_ns != UINT64_MAX)
		return;
	account(attachment);
	if (hp_now_ns() < attachment->threads_next_ns)
		return;
	hp_process_memory(attachment->speaker, hp_segment_writer_header(&attachment->writer));
	read_threads(attachment);
}

/* ---- beginning ---- */

/* Events of the threads that run now. Those that have used most CPU time come first, should there be too many. */
static int by_cpu(const void *left, const void *right)
{
	const struct hp_task_stat *a = left, *b = right;
	uint64_t ours = a->user_ns + a->system_ns, theirs = b->user_ns + b->system_ns;

	return (ours < theirs) - (ours > theirs);
}

static int list_threads(uint32_t pid, struct hp_task_stat **list, size_t *count)
{
	DIR *tasks = open_tasks(pid);
	size_t room = 0;
	int error = tasks ? 0 : -ESRCH;

	*list = NULL;
	*count = 0;
	for (const struct dirent *entry; tasks && !error && (entry = readdir(tasks));) {
		uint32_t tid = (uint32_t)strtoul(entry->d_name, NULL, 10);
		if (!tid)
			continue;
		if (!hp_array_reserve(list, *count, &room, sizeof(**list)))
			error = -ENOMEM;
		else if (hp_task_stat_read(dirfd(tasks), tid, &(*list)[*count]))
			++*count;
	}
	if (tasks)
		closedir(tasks);
	if (*count)
		qsort(*list, *count, sizeof(**list), by_cpu);
	return error;
}

static int add_threads(struct hp_attachment *attachment)
{
	struct hp_task_stat *list;
	size_t count;
	int error = list_threads(attachment->pid, &list, &count);

	for (size_t i = 0; i < count && !error; i++)
		error = hp_perf_add_thread(&attachment->events, list[i].tid);
	free(list);
	return error;
}

/* An event is an open file: there is one for each thread and CPU. Returns up to which descriptor events may be opened. */
static int raise_file_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return FILES_FOR_OTHERS;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
	getrlimit(RLIMIT_NOFILE, &limit);
	return (int)hp_min(limit.rlim_cur, INT_MAX) - FILES_FOR_OTHERS;
}

static int open_events(struct hp_attachment *attachment, uint64_t period_ns)
{
	size_t before = 0;
	int files_max = raise_file_limit();
	int error = hp_perf_open(&attachment->events, attachment->pid, period_ns);

	attachment->events.files_max = files_max;
	for (unsigned i = 0; i < ROUNDS && !error; i++) {
		error = add_threads(attachment);
		if (!error && attachment->events.tid_count == before)
			break;
		before = attachment->events.tid_count;
	}
	if (error || attachment->events.event_count)
		return error;
	return attachment->events.left_out ? -EMFILE : -ESRCH;
}

/* The first is the end of the process. */
static bool make_polls(struct hp_attachment *attachment)
{
	const struct hp_perf_events *events = &attachment->events;

	attachment->polls = calloc(events->ring_count + 1, sizeof(*attachment->polls));
	if (!attachment->polls)
		return false;
	attachment->polls[0] = (struct pollfd){ .fd = attachment->handle, .events = POLLIN };
	memcpy(attachment->polls + 1, events->polls, events->ring_count * sizeof(*events->polls));
	return true;
}

static bool begin_segment(struct hp_attachment *attachment, uint32_t rate_hz, const char *run,
			  struct hp_attach_problem *problem)
{
	struct hp_segment_writer *writer = &attachment->writer;
	int error = hp_segment_writer_create(writer, attachment->pid);

	if (error) {
		snprintf(problem->text, sizeof(problem->text),
			 "cannot keep a segment in %.128s: %s (set HOTPATH_DIR)", writer->path,
			 error == -HP_PLACE_FOREIGN ? HP_PLACE_RULE : strerror(-error));
		return false;
	}
	struct hp_header *header = hp_segment_writer_header(writer);
	header->attached = 1;
	snprintf(header->run, sizeof(header->run), "%s", run);
	header->cpu_source = HP_CPU_PERF;
	header->cpu_rate = rate_hz;
	header->cpu_period_ns = attachment->lanes.period_ns;
	hp_process_describe(attachment->pid, attachment->speaker, writer);
	hp_process_memory(attachment->speaker, header);
	/* Pairs with the reader's ACQUIRE: the header is complete. */
	store(&header->state, HP_STATE_RUNNING, RELEASE);
	return true;
}

/* All figures begin when all events are open, which takes some time if there are many threads. */
static bool begin(struct hp_attachment *attachment, uint32_t rate_hz, const char *run,
		  struct hp_attach_problem *problem)
{
	attachment->handle = (int)syscall(SYS_pidfd_open, (pid_t)attachment->pid, 0);
	int error = open_events(attachment, attachment->lanes.period_ns);
	if (error) {
		hp_process_refused(attachment->pid, error, problem);
		return false;
	}
	if (!begin_segment(attachment, rate_hz, run, problem))
		return false;
	/* Samples so far do not count. */
	read_records(attachment);
	attachment->began_ns = hp_segment_writer_header(&attachment->writer)->start.ticks;
	attachment->cpu_before_ns = hp_process_cpu_ns(attachment->pid);
	attachment->system_before_ns = hp_process_system_ns(attachment->pid);
	read_threads(attachment);
	if (make_polls(attachment) && hp_code_map_read(&attachment->code))
		return true;
	hp_process_refused(attachment->pid, -errno, problem);
	return false;
}

static void free_all(struct hp_attachment *attachment)
{
	hp_perf_close(&attachment->events);
	hp_lanes_free(&attachment->lanes);
	hp_code_map_free(&attachment->code);
	hp_segment_writer_close(&attachment->writer);
	if (attachment->handle >= 0)
		close(attachment->handle);
	free(attachment->polls);
	free(attachment);
}

struct hp_attachment *hp_attach(uint32_t pid, uint32_t rate_hz, const char *run,
				struct hp_attach_problem *problem)
{
	struct hp_attachment *attachment = calloc(1, sizeof(*attachment));

	snprintf(problem->text, sizeof(problem->text), "out of memory");
	if (!attachment)
		return NULL;
	attachment->pid = pid;
	attachment->speaker = attachment->code.pid = hp_process_speaker(pid);
	attachment->handle = -1;
	attachment->end = (struct hp_attach_end){ .why = HP_ATTACH_LEFT, .status = -1 };
	attachment->executed_ns = UINT64_MAX;
	attachment->code.writer = attachment->lanes.writer = &attachment->writer;
	attachment->lanes.period_ns = UINT64_C(1000000000) / rate_hz;
	if (hp_process_check(pid, problem) && begin(attachment, rate_hz, run, problem))
		return attachment;
	if (attachment->writer.base)
		unlink(attachment->writer.path);
	free_all(attachment);
	return NULL;
}

/* ---- running ---- */

static int pause_ms(uint64_t until_ns)
{
	uint64_t left = until_ns ? hp_minus(until_ns, hp_now_ns()) / 1000000 : PAUSE_MS;

	return (int)hp_min(left + 1, PAUSE_MS);
}

static struct hp_attach_end exit_of(const struct hp_attachment *attachment)
{
	struct hp_attach_end end = { .why = HP_ATTACH_EXITED, .status = -1 };
	int status;

	if (!hp_process_ended(attachment->pid, attachment->handle, &status))
		return end;
	if (WIFSIGNALED(status))
		end.signal = WTERMSIG(status);
	else
		end.status = WEXITSTATUS(status);
	return end;
}

/* Without a descriptor of the process, which old kernels and filters refuse, only /proc tells that it has ended. */
static bool has_ended(const struct hp_attachment *attachment)
{
	struct hp_task_stat process;

	if (attachment->handle >= 0)
		return attachment->polls[0].revents;
	return !hp_task_stat_process(attachment->pid, &process) || strchr("ZX", process.state);
}

struct hp_attach_end hp_attach_run(struct hp_attachment *attachment, uint64_t until_ns,
				   bool (*is_over)(void))
{
	struct pollfd *polls = attachment->polls;
	struct hp_attach_end *end = &attachment->end;

	while (!is_over() && (!until_ns || hp_now_ns() < until_ns)) {
		if (poll(polls, attachment->events.ring_count + 1, pause_ms(until_ns)) < 0)
			polls[0].revents = 0;
		bool is_last = has_ended(attachment);
		take_over(attachment);
		if (attachment->executed_ns != UINT64_MAX)
			return *end = (struct hp_attach_end){ .why = HP_ATTACH_EXECUTED,
							      .status = -1 };
		if (is_last)
			return *end = exit_of(attachment);
	}
	return *end;
}

const char *hp_attach_path(const struct hp_attachment *attachment)
{
	return attachment->writer.path;
}

uint64_t hp_attach_left_out(const struct hp_attachment *attachment)
{
	return attachment->events.left_out;
}

void hp_attach_unpatched(struct hp_attachment *attachment)
{
	struct hp_header *header = hp_segment_writer_header(&attachment->writer);

	store(&header->counters[HP_COUNTER_unpatched], 1, RELAXED);
}

/* A process that was killed has no state of its own: it could not have written one either. */
static enum hp_state last_state(const struct hp_attach_end *end)
{
	if (end->why == HP_ATTACH_LEFT)
		return HP_STATE_STOPPED;
	return end->signal ? HP_STATE_RUNNING : HP_STATE_EXITED;
}

void hp_attach_close(struct hp_attachment *attachment)
{
	struct hp_header *header = hp_segment_writer_header(&attachment->writer);
	const struct hp_attach_end *end = &attachment->end;

	attachment->threads_next_ns = 0;
	take_over(attachment);
	if (attachment->executed_ns != UINT64_MAX)
		hp_lanes_leave(&attachment->lanes);
	store(&header->end_ticks, moment_of(attachment, attachment->executed_ns), RELAXED);
	store(&header->exit_status, (uint32_t)(end->status + 1), RELAXED);
	/* Pairs with the reader's ACQUIRE: no more will come. */
	store(&header->state, last_state(end), RELEASE);
	free_all(attachment);
}
