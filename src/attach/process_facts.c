/* SPDX-License-Identifier: MIT */
/* Facts about a process that is attached to, from /proc. */
#include "process_facts.h"

#include "atomic.h"
#include "file_name.h"
#include "now.h"
#include "task_stat.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The answer of an ioctl of a pidfd, since Linux 6.15: it has the exit code, also after somebody has waited for the
   process. */
struct pidfd_info_exit {
	uint64_t mask;
	uint64_t cgroup;
	uint32_t ids[11];
	int32_t exit_code;
};

#define PIDFD_INFO_ONCE_EXITED (UINT64_C(1) << 3)
#define PIDFD_INFO_REQUEST _IOWR(0xFF, 11, struct pidfd_info_exit)

/* The flag of threads of the kernel, PF_KTHREAD, which no header for programs has. */
#define KERNEL_THREAD UINT32_C(0x00200000)

static int open_file(uint32_t pid, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/%s", pid, name);
	return open(path, O_RDONLY | O_CLOEXEC);
}

static size_t read_file(uint32_t pid, const char *name, char *text, size_t size)
{
	int file = open_file(pid, name);
	ssize_t length = file < 0 ? 0 : read(file, text, size - 1);

	if (file >= 0)
		close(file);
	text[length > 0 ? length : 0] = '\0';
	return length > 0 ? (size_t)length : 0;
}

/* A number of /proc/PID/status, such as that of "\nVmRSS:"; 0 when there is none. */
static uint64_t status_number(const char *status, const char *key)
{
	const char *at = strstr(status, key);

	return at ? strtoull(at + strlen(key), NULL, 10) : 0;
}

/* ---- whether it can be attached to ---- */

/* The link count of /proc/PID/task is that of the threads, and two. */
static bool has_other_threads(uint32_t pid)
{
	char path[64];
	struct stat info;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/task", pid);
	return stat(path, &info) == 0 && info.st_nlink > 3;
}

bool hp_process_check(uint32_t pid, struct hp_attach_problem *problem)
{
	struct hp_task_stat process;
	char status[4096];
	const size_t room = sizeof(problem->text);

	if (!hp_task_stat_process(pid, &process) ||
	    !read_file(pid, "status", status, sizeof(status)))
		return snprintf(problem->text, room, "process %" PRIu32 " does not exist", pid),
		       false;
	uint64_t group = status_number(status, "\nTgid:");
	if (group != pid)
		return snprintf(problem->text, room,
				"%" PRIu32 " is a thread of process %" PRIu64
				"; attach to that process",
				pid, group),
		       false;
	if (process.flags & KERNEL_THREAD)
		return snprintf(problem->text, room,
				"process %" PRIu32 " (%s) is part of the kernel", pid,
				process.name),
		       false;
	if (strchr("ZX", process.state) && !has_other_threads(pid))
		return snprintf(problem->text, room,
				"process %" PRIu32
				" (%s) has ended; its parent has not waited for it",
				pid, process.name),
		       false;
	return true;
}

uint32_t hp_process_speaker(uint32_t pid)
{
	struct hp_task_stat task;
	char path[32];

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/task", pid);
	DIR *tasks = hp_task_stat_process(pid, &task) && strchr("ZX", task.state) ? opendir(path)
										  : NULL;
	uint32_t speaker = pid;
	for (const struct dirent *entry; tasks && (entry = readdir(tasks));) {
		uint32_t tid = (uint32_t)strtoul(entry->d_name, NULL, 10);
		if (tid && tid != pid)
			speaker = tid;
	}
	if (tasks)
		closedir(tasks);
	return speaker;
}

/* ---- why the kernel refuses ---- */

/* Whether this process may have an event of its own: 0, or a negative errno. */
static int try_own_event(void)
{
	struct perf_event_attr attributes = { .type = PERF_TYPE_SOFTWARE,
					      .size = sizeof(attributes),
					      .config = PERF_COUNT_SW_TASK_CLOCK,
					      .disabled = 1,
					      .exclude_kernel = 1,
					      .exclude_hv = 1 };
	int fd = (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	int error = fd < 0 ? -errno : 0;

	if (fd >= 0)
		close(fd);
	return error;
}

static const char *why_none(int error)
{
	switch (error) {
	case -ENOSYS:
		return "the kernel has no perf events, or a container hides them";
	case -EACCES:
		return "/proc/sys/kernel/perf_event_paranoid forbids perf events to ordinary users; "
		       "set it to 2, or run this as root";
	case -EPERM:
		return "perf events are forbidden here, as in many containers; allow the system call "
		       "perf_event_open, or run this outside of the container";
	default:
		return strerror(-error);
	}
}

/* Own events are allowed, so it is about this process. */
static const char *why_not_this(uint32_t pid, int error)
{
	char path[32];
	struct stat info;

	snprintf(path, sizeof(path), "/proc/%" PRIu32, pid);
	switch (error) {
	case -EACCES:
	case -EPERM:
		if (stat(path, &info) == 0 && info.st_uid != geteuid())
			return "it belongs to another user, or has other privileges; run this as that "
			       "user or as root";
		return "it does not let others look at it; run this as root";
	case -ENOBUFS:
		return "the memory that a user may have for perf events is used up "
		       "(/proc/sys/kernel/perf_event_mlock_kb)";
	case -EMFILE:
	case -ENFILE:
		return "too many open files; raise the limit with 'ulimit -n'";
	default:
		return strerror(-error);
	}
}

void hp_process_refused(uint32_t pid, int error, struct hp_attach_problem *problem)
{
	int own = try_own_event();

	snprintf(problem->text, sizeof(problem->text), "cannot attach to process %" PRIu32 ": %s",
		 pid, own ? why_none(own) : why_not_this(pid, error));
}

/* ---- the header ---- */

/* The kernel appends " (deleted)" if the file is gone, which is cut off. */
static void describe_executable(uint32_t pid, struct hp_segment_writer *writer,
				const char *first_word)
{
	static const char gone[] = " (deleted)";
	struct hp_header *header = hp_segment_writer_header(writer);
	char link[64], path[HP_PATH_MAX];

	snprintf(link, sizeof(link), "/proc/%" PRIu32 "/exe", pid);
	ssize_t length = readlink(link, path, sizeof(path) - 1);
	if (length <= 0) {
		header->program = hp_segment_writer_string(writer, hp_file_name(first_word));
		return;
	}
	path[length] = '\0';
	size_t less = sizeof(gone) - 1;
	if ((size_t)length > less && strcmp(path + (size_t)length - less, gone) == 0)
		path[(size_t)length - less] = '\0';
	header->program = hp_segment_writer_string(writer, hp_file_name(path));
	header->executable = hp_segment_writer_string(writer, path);
}

/* The words of the command line, each with a NUL. The first is the title, without blanks at its end. */
static void describe_words(struct hp_segment_writer *writer, char *words, size_t length)
{
	struct hp_header *header = hp_segment_writer_header(writer);
	size_t first = strlen(words) + 1;

	if (first < length) {
		for (size_t i = first; i < length - 1; i++)
			if (!words[i])
				words[i] = ' ';
		header->arguments = hp_segment_writer_string(writer, words + first);
	}
	for (size_t end = strlen(words); end && words[end - 1] == ' ';)
		words[--end] = '\0';
	if (*words)
		header->title = hp_segment_writer_string(writer, words);
}

void hp_process_describe(uint32_t pid, uint32_t speaker, struct hp_segment_writer *writer)
{
	struct hp_header *header = hp_segment_writer_header(writer);
	uint64_t tick_ns = UINT64_C(1000000000) / (uint64_t)sysconf(_SC_CLK_TCK);
	struct hp_task_stat process;
	char words[HP_PATH_MAX];
	size_t length = read_file(speaker, "cmdline", words, sizeof(words));

	describe_executable(speaker, writer, words);
	describe_words(writer, words, length);
	if (!hp_task_stat_process(pid, &process))
		return;
	header->parent_pid = process.parent_pid;
	header->process_unix_ns = hp_clock_ns(CLOCK_REALTIME) -
				  (hp_clock_ns(CLOCK_BOOTTIME) - process.start * tick_ns);
}

/* ---- figures ---- */

void hp_process_memory(uint32_t speaker, struct hp_header *header)
{
	char status[4096];

	if (!read_file(speaker, "status", status, sizeof(status)))
		return;
	uint64_t rss = status_number(status, "\nVmRSS:"), peak = status_number(status, "\nVmHWM:");
	if (rss)
		store(&header->rss_bytes, rss * 1024, RELAXED);
	if (peak)
		store(&header->peak_rss_bytes, peak * 1024, RELAXED);
}

uint64_t hp_process_cpu_ns(uint32_t pid)
{
	clockid_t clock;

	return clock_getcpuclockid((pid_t)pid, &clock) ? 0 : hp_clock_ns(clock);
}

uint64_t hp_process_system_ns(uint32_t pid)
{
	struct hp_task_stat process;

	return hp_task_stat_process(pid, &process) ? process.system_ns : 0;
}

bool hp_process_ended(uint32_t pid, int handle, int *status)
{
	struct pidfd_info_exit info = { .mask = PIDFD_INFO_ONCE_EXITED };
	struct hp_task_stat process;

	if (hp_task_stat_process(pid, &process) && process.state == 'Z') {
		*status = process.exit_code;
		return true;
	}
	if (ioctl(handle, PIDFD_INFO_REQUEST, &info) || !(info.mask & PIDFD_INFO_ONCE_EXITED))
		return false;
	*status = info.exit_code;
	return true;
}
