/* SPDX-License-Identifier: MIT */
#include "ask.h"

#include "mapped_file.h"
#include "now.h"
#include "place.h"
#include "process_facts.h"
#include "task_stat.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* How long an answer is waited for; from when on threads may be asked that this disturbs; for how long a thread that got the signal
   has time to give it; and how often we look. */
#define PATIENCE_NS UINT64_C(5000000000)
#define LOOKS_AGAIN_NS UINT64_C(500000000)
#define WAKES_UP_NS UINT64_C(3000000000)
#define TURN_NS UINT64_C(50000000)
#define PAUSE_NS 500000

/* A request on its way. */
struct asking {
	uint32_t pid;
	/* The thread whose files in /proc tell of the process. */
	uint32_t speaker;
	int signal;
	/* The user of the process, and the number that it has itself, which in a container is another. */
	uint32_t user;
	uint32_t own_pid;
	int folder;
	int file;
	char name[32];
	char unfinished[40];
};

static bool is_bad(struct hp_attach_problem *problem, uint32_t pid, const char *why)
{
	snprintf(problem->text, sizeof(problem->text), "process %" PRIu32 " %s", pid, why);
	return false;
}

/* ---- whether it takes requests ---- */

static bool take_signal(void *signal, const struct hp_mapped *mapped)
{
	static const char beginning[] = "/memfd:" HP_REQUEST_MAPPING;

	if (strncmp(mapped->name, beginning, sizeof(beginning) - 1) != 0)
		return true;
	*(int *)signal = (int)strtol(mapped->name + sizeof(beginning) - 1, NULL, 10);
	return false;
}

int hp_ask_signal(uint32_t pid)
{
	int signal = 0;

	errno = 0;
	bool all = hp_mapped_each(hp_process_speaker(pid), take_signal, &signal);
	if (!all && !signal)
		return errno ? -errno : -EACCES;
	/* The list may come from anyone: no signal that does harm. */
	return signal == SIGURG || signal == SIGWINCH ? signal : 0;
}

/* ---- the file ---- */

/* Read a number of a line of /proc/PID/status by its field, from 1 on; false when the line has another key. */
static bool read_field(const char *line, const char *key, unsigned field, uint32_t *number)
{
	size_t length = strlen(key);

	if (strncmp(line, key, length) != 0)
		return false;
	line += length;
	for (char *end; field && *line != '\n'; field--, line = end) {
		*number = (uint32_t)strtoul(line, &end, 10);
		if (end == line)
			return false;
	}
	return true;
}

/* Find the effective user, and the last of the numbers that the process has in namespaces. */
static bool read_status(struct asking *asking)
{
	char path[32], line[256];
	bool has_user = false, has_pid = false;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/status", asking->pid);
	FILE *file = fopen(path, "re");
	if (!file)
		return false;
	while (fgets(line, sizeof(line), file)) {
		has_user |= read_field(line, "Uid:", 2, &asking->user);
		has_pid |= read_field(line, "NSpid:", UINT32_MAX, &asking->own_pid);
	}
	fclose(file);
	return has_user && has_pid;
}

bool hp_ask_is_own(uint32_t pid)
{
	struct asking asking = { .pid = pid, .speaker = pid };

	return read_status(&asking) && asking.user == geteuid();
}

/* The number that the user of the process has for itself, which in a namespace of users is another. */
static uint32_t inner_user(const struct asking *asking)
{
	char path[40], line[128], *at;
	uint32_t user = asking->user;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/uid_map", asking->speaker);
	FILE *file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file)) {
		uint64_t inner = strtoull(line, &at, 10), outer = strtoull(at, &at, 10);
		uint64_t count = strtoull(at, NULL, 10);
		if (asking->user >= outer && asking->user - outer < count)
			user = (uint32_t)(inner + asking->user - outer);
	}
	if (file)
		fclose(file);
	return user;
}

/* Open the folder around another one in the root of the process. No link is followed on the way: it would lead into ours. */
static int open_parent(const struct asking *asking, const char *folder)
{
	char path[32], name[HP_PATH_MAX];

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/root", asking->speaker);
	int at = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	for (const char *end; at >= 0 && (end = strchr(folder + 1, '/')); folder = end) {
		snprintf(name, sizeof(name), "%.*s", (int)(end - folder - 1), folder + 1);
		int next = openat(at, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		close(at);
		at = next;
	}
	return at;
}

/* Whether nobody but its user can put something into a folder; one that we have made is given to that user. */
static bool is_trusted(const struct asking *asking, int folder, bool is_made)
{
	struct stat info;

	if (is_made && geteuid() != asking->user && fchown(folder, asking->user, (gid_t)-1))
		return false;
	return fstat(folder, &info) == 0 && info.st_uid == asking->user &&
	       (info.st_mode & 0022) == 0;
}

/* Open a folder of the process; made if it is not there. */
static int open_folder(const struct asking *asking, const char *folder)
{
	const char *name = strrchr(folder, '/') + 1;
	int parent = open_parent(asking, folder);
	bool is_made = parent >= 0 && mkdirat(parent, name, 0700) == 0;
	int opened = parent < 0 ? -1
				: openat(parent, name,
					 O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (parent >= 0)
		close(parent);
	if (opened < 0 || is_trusted(asking, opened, is_made))
		return opened;
	close(opened);
	return -1;
}

/* The file gets its name when it is complete. What an earlier request has left behind, which nobody serves, is removed. */
static int make_file(struct asking *asking)
{
	hp_place_request(asking->name, sizeof(asking->name), asking->own_pid);
	snprintf(asking->unfinished, sizeof(asking->unfinished), "%sing", asking->name);
	unlinkat(asking->folder, asking->name, 0);
	unlinkat(asking->folder, asking->unfinished, 0);
	int file = openat(asking->folder, asking->unfinished,
			  O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (file < 0 || geteuid() == asking->user || fchown(file, asking->user, (gid_t)-1) == 0)
		return file;
	unlinkat(asking->folder, asking->unfinished, 0);
	close(file);
	return -1;
}

/* The lock of the folder lets one request come after the other. */
static bool open_file(struct asking *asking)
{
	char folder[HP_PATH_MAX];
	uint32_t user = inner_user(asking);

	for (unsigned i = 0; hp_place_common(i, user, folder); i++) {
		asking->folder = open_folder(asking, folder);
		if (asking->folder < 0)
			continue;
		asking->file = flock(asking->folder, LOCK_EX) == 0 ? make_file(asking) : -1;
		if (asking->file >= 0)
			return true;
		close(asking->folder);
	}
	return false;
}

static bool write_all(int file, const void *bytes, size_t size)
{
	for (size_t done = 0; done < size;) {
		ssize_t written = write(file, (const char *)bytes + done, size - done);
		if (written < 0 && errno != EINTR)
			return false;
		done += written > 0 ? (size_t)written : 0;
	}
	return true;
}

/* ---- the signal ---- */

/* Threads by what a signal does to them, in the order in which they are asked. */
enum disturbance {
	/* The thread computes, or waits in a system call that goes on afterwards. */
	GOES_ON,
	/* The thread waits for several descriptors. The call ends with EINTR, which every loop of events knows. */
	LOOKS_AGAIN,
	/* The thread sleeps, or waits for signals; or the kernel keeps secret what it waits for. */
	WAKES_UP,
};

/* Where a thread waits in the kernel tells, by the name of the function. */
static enum disturbance disturbance_of(int tasks, const char *tid)
{
	char path[64], place[64];

	snprintf(path, sizeof(path), "%.20s/wchan", tid);
	int file = openat(tasks, path, O_RDONLY | O_CLOEXEC);
	ssize_t length = file < 0 ? 0 : read(file, place, sizeof(place) - 1);
	if (file >= 0)
		close(file);
	place[length > 0 ? length : 0] = '\0';
	if (strstr(place, "poll") || strstr(place, "select"))
		return LOOKS_AGAIN;
	bool wakes = !place[0] || strcmp(place, "0") == 0 || strstr(place, "sleep") ||
		     strstr(place, "sig") || strstr(place, "pause");
	return wakes ? WAKES_UP : GOES_ON;
}

/* Send the signal to a thread, unless that disturbs it more than it may. */
static bool signal_thread(const struct asking *asking, int tasks, const char *name,
			  enum disturbance most)
{
	uint32_t tid = (uint32_t)strtoul(name, NULL, 10);
	struct hp_task_stat task;

	return tid && hp_task_stat_read(tasks, tid, &task) &&
	       (task.state == 'R' || disturbance_of(tasks, name) <= most) &&
	       syscall(SYS_tgkill, asking->pid, tid, asking->signal) == 0;
}

static bool has_answered(const struct asking *asking, struct hp_arm_request *request)
{
	struct hp_arm_request seen;

	if (pread(asking->file, &seen, sizeof(seen), 0) != (ssize_t)sizeof(seen) || !seen.answer)
		return false;
	*request = seen;
	return true;
}

static bool wait_for_answer(const struct asking *asking, struct hp_arm_request *request)
{
	const struct timespec pause = { 0, PAUSE_NS };

	for (uint64_t until = hp_now_ns() + TURN_NS; hp_now_ns() < until;) {
		if (has_answered(asking, request))
			return true;
		nanosleep(&pause, NULL);
	}
	return false;
}

/* Threads one after the other: any may block the signal, or be on a stack that is too small for the handler. */
static bool ask_threads(const struct asking *asking, struct hp_arm_request *request,
			enum disturbance most, uint64_t until)
{
	char path[32];
	bool answered = false;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/task", asking->pid);
	DIR *tasks = opendir(path);
	for (const struct dirent *entry;
	     tasks && !answered && hp_now_ns() < until && (entry = readdir(tasks));)
		if (signal_thread(asking, dirfd(tasks), entry->d_name, most))
			answered = wait_for_answer(asking, request);
	if (tasks)
		closedir(tasks);
	return answered;
}

static enum disturbance may_disturb(uint64_t passed_ns)
{
	return passed_ns > WAKES_UP_NS	    ? WAKES_UP
	       : passed_ns > LOOKS_AGAIN_NS ? LOOKS_AGAIN
					    : GOES_ON;
}

/* Whether a process goes on, and is not stopped. */
static bool can_answer(uint32_t pid)
{
	struct hp_attach_problem ignored;
	struct hp_task_stat process;

	return hp_process_check(pid, &ignored) && hp_task_stat_process(pid, &process) &&
	       !strchr("Tt", process.state);
}

static bool is_answered(const struct asking *asking, struct hp_arm_request *request)
{
	const struct timespec pause = { 0, PAUSE_NS };
	uint64_t began = hp_now_ns(), until = began + PATIENCE_NS;
	bool answered = false;

	while (!answered && hp_now_ns() < until && can_answer(asking->pid)) {
		answered = ask_threads(asking, request, may_disturb(hp_now_ns() - began), until);
		if (!answered)
			nanosleep(&pause, NULL);
	}
	return answered;
}

/* ---- the whole ---- */

/* The process was there when the request was made. */
static bool explain_silence(uint32_t pid, struct hp_attach_problem *problem)
{
	struct hp_task_stat process;

	if (!hp_process_check(pid, problem))
		return is_bad(problem, pid, "has ended, without an answer");
	if (hp_task_stat_process(pid, &process) && strchr("Tt", process.state))
		return is_bad(problem, pid, "is stopped, and cannot answer");
	return is_bad(problem, pid, "does not answer: it blocks signals");
}

static bool explain_answer(uint32_t pid, enum hp_answer answer, struct hp_attach_problem *problem)
{
	switch (answer) {
	case HP_ANSWER_DONE:
		return true;
	case HP_ANSWER_FORBIDDEN:
		return is_bad(
			problem, pid,
			"may not change its code (MemoryDenyWriteExecute, SELinux or seccomp)");
	case HP_ANSWER_OFF:
		return is_bad(problem, pid,
			      "cannot record: it is switched off (HOTPATH_OFF), or there "
			      "is no memory or folder for it");
	default:
		return is_bad(
			problem, pid,
			"has a recorder of another version, which does not know this request");
	}
}

static bool check(uint32_t pid, struct asking *asking, struct hp_attach_problem *problem)
{
	if (!hp_process_check(pid, problem))
		return false;
	asking->signal = hp_ask_signal(pid);
	if (asking->signal < 0)
		return is_bad(problem, pid,
			      "belongs to another user, or does not let others look at "
			      "it; run this as that user or as root");
	if (asking->signal == 0)
		return is_bad(problem, pid,
			      "has no functions that can be armed: compile it with 'hotpath cc', "
			      "and link it with libhotpath or start it by 'hotpath run'");
	return read_status(asking) || is_bad(problem, pid, "cannot be looked at in /proc");
}

static bool send_request(struct asking *asking, struct hp_arm_request *request,
			 const uint64_t *addresses, struct hp_attach_problem *problem)
{
	request->magic = HP_REQUEST_MAGIC;
	request->version = HP_REQUEST_VERSION;
	if (!write_all(asking->file, request, sizeof(*request)) ||
	    !write_all(asking->file, addresses, request->address_count * sizeof(*addresses)) ||
	    renameat(asking->folder, asking->unfinished, asking->folder, asking->name))
		return is_bad(problem, asking->pid, "cannot be asked: the folder is full");
	if (!is_answered(asking, request))
		return explain_silence(asking->pid, problem);
	return explain_answer(asking->pid, request->answer, problem);
}

bool hp_ask(uint32_t pid, struct hp_arm_request *request, const uint64_t *addresses,
	    struct hp_attach_problem *problem)
{
	struct asking asking = { .pid = pid, .speaker = hp_process_speaker(pid) };

	if (!check(pid, &asking, problem))
		return false;
	if (!open_file(&asking))
		return is_bad(problem, pid,
			      "cannot be asked: no request can be put into "
			      "/dev/shm/hotpath-UID or /tmp/hotpath-UID; " HP_PLACE_RULE);
	bool done = send_request(&asking, request, addresses, problem);
	unlinkat(asking.folder, asking.name, 0);
	unlinkat(asking.folder, asking.unfinished, 0);
	close(asking.file);
	close(asking.folder);
	return done;
}
