/* SPDX-License-Identifier: MIT */
/*
 * Appends records to the register of a run.
 *
 * No descriptor is kept. When the program begins, the register is looked for in the folders of segments, and created.
 * Later it is opened by its path, and must be the same file, so nobody can make the path lead elsewhere; if somebody
 * has removed it, nothing is written. A process that gave up root privileges may not reach it: then it creates one
 * where its present user has segments.
 *
 * All system calls are made without the C library's functions that are cancellation points. Paths are in static
 * memory, because a signal handler may end the process on a small stack; the recorder's lock protects them.
 */
#include "registration.h"

#include "kernel_files.h"
#include "lifecycle.h"
#include "platform.h"
#include "recorder_state.h"
#include "run_register.h"
#include "seccomp.h"
#include "segment_file.h"
#include "settings.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

/* Who this process is, and where it writes. Not wiped in a forked child, which uses the same file. */
static struct {
	/* 0 if it writes nothing. */
	uint32_t pid;
	/* The peak of its memory when its program began, with what the process was before. */
	uint64_t first_rss_bytes;
	dev_t device;
	ino_t inode;
	char path[HP_PATH_MAX];
} own;

enum {
	/* Of a register. O_NONBLOCK: somebody may have put a pipe in its place. */
	FLAGS = O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC,
	/* A register is not written to if the file size limit is closer than this: the kernel would send SIGXFSZ. */
	LIMIT_MARGIN = 1024 * 1024,
};

/* ---- the file ---- */

/* Whether a register can grow; with what is known of the file. */
static bool can_grow(int fd, struct stat *info)
{
	struct rlimit limit;

	if (fstat(fd, info) || !S_ISREG(info->st_mode) || info->st_size >= HP_REGISTER_MAX ||
	    getrlimit(RLIMIT_FSIZE, &limit))
		return false;
	return limit.rlim_cur == RLIM_INFINITY ||
	       (uint64_t)info->st_size + LIMIT_MARGIN < limit.rlim_cur;
}

static bool is_same(const struct stat *info)
{
	return info->st_dev == own.device && info->st_ino == own.inode;
}

static void close_file(int fd)
{
	if (fd >= 0)
		syscall(SYS_close, fd);
}

/* Open the register that was found before; -1 when it cannot be written to. Changes nothing in memory. */
static int open_known(void)
{
	struct stat info;
	int fd = own.path[0] ? (int)syscall(SYS_openat, AT_FDCWD, own.path, FLAGS) : -1;

	if (fd >= 0 && can_grow(fd, &info) && is_same(&info))
		return fd;
	close_file(fd);
	return -1;
}

/* Remember a register in a folder, whose path is known. */
static bool remember(int fd, const char *name)
{
	struct stat info;
	size_t length = strlen(own.path);

	if (!can_grow(fd, &info) || length + 1 + strlen(name) >= sizeof(own.path))
		return false;
	own.path[length] = '/';
	strcpy(own.path + length + 1, name);
	own.device = info.st_dev;
	own.inode = info.st_ino;
	return true;
}

/* Open or create the register in the first folder that can have it; -1 when there is none. */
static int find_register(bool (*place)(unsigned nth, char *folder))
{
	char name[HP_RUN_MAX + 16];
	int fd = -1;

	if (!hp_place_register(name, sizeof(name), hotpath__settings()->run))
		return -1;
	for (unsigned nth = 0; place(nth, own.path); nth++) {
		int folder = hotpath__open_folder(own.path);
		if (folder < 0)
			continue;
		fd = (int)syscall(SYS_openat, folder, name, FLAGS | O_CREAT, 0600);
		close_file(folder);
		if (fd >= 0 && remember(fd, name))
			return fd;
		close_file(fd);
	}
	own.path[0] = '\0';
	return -1;
}

/* The register for a process that may have another user than when it began; the lock is held. */
static int open_own(void)
{
	int fd = open_known();

	if (fd >= 0 || !hotpath__may_all() || !hotpath__was_root())
		return fd;
	fd = find_register(hp_place_folder);
	return fd >= 0 ? fd : find_register(hp_place_default);
}

/* ---- a record ---- */

static uint64_t time_of_day(void)
{
	struct timespec now = { 0, 0 };

	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

static uint64_t time_of(const struct timeval *time)
{
	return (uint64_t)time->tv_sec * UINT64_C(1000000000) + (uint64_t)time->tv_usec * 1000;
}

/* The texts of a record; each has a size. */
struct texts {
	const char *folder, *executable, *words;
	uint16_t folder_size, executable_size, words_size;
};

static void append(int fd, struct hp_record *record, const struct texts *texts)
{
	static const char zeros[8];
	static const uint64_t mark = HP_RECORD_MARK;
	uint16_t path_size = (uint16_t)(texts->folder_size + texts->executable_size);
	size_t used = sizeof(*record) + path_size + texts->words_size, padding = -used % 8;
	struct iovec parts[] = {
		{ record, sizeof(*record) },
		{ (void *)(uintptr_t)texts->folder, texts->folder_size },
		{ (void *)(uintptr_t)texts->executable, texts->executable_size },
		{ (void *)(uintptr_t)texts->words, texts->words_size },
		{ (void *)(uintptr_t)zeros, padding },
		{ (void *)(uintptr_t)&mark, sizeof(mark) },
	};

	record->magic = HP_RECORD_MAGIC;
	record->size = (uint32_t)(used + padding + sizeof(mark));
	record->unix_ns = time_of_day();
	record->executable_size = path_size;
	record->words_size = texts->words_size;
	syscall(SYS_writev, fd, parts, sizeof(parts) / sizeof(*parts));
}

/* Take the end of a path that is too long, which has the name of the file. */
static const char *fitting_end(const char *path, size_t most, uint16_t *size)
{
	size_t length = strlen(path);

	*size = (uint16_t)(length < most ? length : most);
	return path + length - *size;
}

static struct texts texts_of_program(void)
{
	struct texts texts = { .folder = "" };
	size_t length;

	texts.words = hotpath__command_line(&length);
	texts.executable = fitting_end(hotpath__executable(), HP_RECORD_PATH_MAX,
				       &texts.executable_size);
	size_t room = HP_RECORD_MAX - sizeof(struct hp_record) - texts.executable_size - 16;
	texts.words_size = (uint16_t)(length < room ? length : room);
	return texts;
}

/* A record about this process. The peak of its memory includes what the process was before exec. */
static struct hp_record own_record(enum hp_record_type type)
{
	struct hp_record record = { .type = (uint16_t)type, .pid = own.pid };
	struct rusage usage;

	if (getrusage(RUSAGE_SELF, &usage) == 0) {
		record.user_ns = time_of(&usage.ru_utime);
		record.system_ns = time_of(&usage.ru_stime);
		record.peak_rss_bytes = (uint64_t)usage.ru_maxrss * 1024;
	}
	return record;
}

static uint32_t parent_of_own(void)
{
	long parent = syscall(SYS_getppid);

	return parent > 0 ? (uint32_t)parent : 0;
}

static void append_own(struct hp_record *record, const struct texts *texts)
{
	struct guard guard;

	hotpath__lock(&guard);
	int fd = open_own();
	if (fd >= 0)
		append(fd, record, texts);
	close_file(fd);
	hotpath__unlock(&guard);
}

/* ---- of this process ---- */

/* The lock is held, and the register is open. */
static void append_began(int fd)
{
	own.pid = (uint32_t)getpid();
	struct hp_record record = own_record(HP_RECORD_BEGAN);
	struct texts texts = texts_of_program();

	own.first_rss_bytes = record.peak_rss_bytes;
	record.peak_rss_bytes = 0;
	record.parent_pid = parent_of_own();
	record.process_ticks = hotpath__process_ticks(hotpath__recorder->scratch,
						      sizeof(hotpath__recorder->scratch));
	record.process_unix_ns = hotpath__process_unix_ns(record.process_ticks);
	append(fd, &record, &texts);
}

static void note_exit(int status, void *unused)
{
	(void)unused;
	hotpath__register_end(status);
}

/* Not every C library has it. */
extern int on_exit(void (*function)(int, void *), void *argument) __attribute__((weak));

void hotpath__register_begin(void)
{
	struct guard guard;

	if (!hotpath__settings()->run[0])
		return;
	hotpath__lock(&guard);
	int fd = find_register(hp_place_folder);
	if (fd >= 0)
		append_began(fd);
	close_file(fd);
	hotpath__unlock(&guard);
	if (fd < 0)
		return;
	/* Exit handlers run in reverse order: this one runs after those of the program. */
	if (on_exit)
		on_exit(note_exit, NULL);
	hotpath__watch_forks();
}

void hotpath__register_forked(void)
{
	if (!own.pid)
		return;
	own.pid = 0;
	if (hotpath__state() == STATE_OFF)
		return;
	own.pid = (uint32_t)getpid();
	own.first_rss_bytes = 0;
	struct hp_record record = own_record(HP_RECORD_FORKED);
	record.peak_rss_bytes = 0;
	record.parent_pid = parent_of_own();
	append_own(&record, &(struct texts){ .folder_size = 0 });
}

bool hotpath__is_registered(void)
{
	return own.pid && own.pid == (uint32_t)getpid();
}

/* The peak of the memory of this program, in bytes, from a line "VmHWM:  1544 kB" of /proc/self/status. The lock is held. */
static uint64_t peak_rss(void)
{
	char *at = hotpath__recorder->scratch;
	uint64_t kilobytes = 0;

	hotpath__read_file("/proc/self/status", at, sizeof(hotpath__recorder->scratch));
	while (*at && (at[0] != '\n' || strncmp(at + 1, "VmHWM:", 6) != 0))
		at++;
	at += strcspn(at, "0123456789");
	for (; *at >= '0' && *at <= '9'; at++)
		kilobytes = kilobytes * 10 + (uint64_t)(*at - '0');
	return kilobytes * 1024;
}

/* What getrusage tells of the memory is right if it has grown since the program began. */
void hotpath__register_end(int status)
{
	struct rusage children;
	struct guard guard;
	int saved_errno = errno;

	if (!hotpath__is_registered())
		return;
	struct hp_record record = own_record(HP_RECORD_ENDED);
	if (getrusage(RUSAGE_CHILDREN, &children) == 0) {
		record.children_user_ns = time_of(&children.ru_utime);
		record.children_system_ns = time_of(&children.ru_stime);
	}
	record.status = (uint32_t)status & 0xff;
	hotpath__lock(&guard);
	record.detail = hotpath__recorder->base ? 0 : HP_ENDED_BARE;
	if (record.peak_rss_bytes <= own.first_rss_bytes)
		record.peak_rss_bytes = peak_rss();
	append_own(&record, &(struct texts){ .folder_size = 0 });
	hotpath__unlock(&guard);
	errno = saved_errno;
}

/* ---- of others ---- */

void hotpath__register_reaped(pid_t child, int wait_status, const struct rusage *usage)
{
	struct hp_record record = { .type = HP_RECORD_REAPED,
				    .pid = (uint32_t)child,
				    .parent_pid = own.pid,
				    .user_ns = time_of(&usage->ru_utime),
				    .system_ns = time_of(&usage->ru_stime),
				    .peak_rss_bytes = (uint64_t)usage->ru_maxrss * 1024,
				    .status = (uint32_t)wait_status };
	int saved_errno = errno;

	append_own(&record, &(struct texts){ .folder_size = 0 });
	errno = saved_errno;
}

static void append_unseen(int fd, const struct hotpath__unseen *unseen)
{
	pid_t self = getpid();
	/* A process that executes the program itself, or one that was made for it. */
	uint32_t parent = unseen->pid == self ? parent_of_own() : own.pid;
	struct hp_record record = { .type = HP_RECORD_UNSEEN,
				    .detail = (uint16_t)unseen->reason,
				    .pid = (uint32_t)unseen->pid,
				    .parent_pid = parent };
	struct texts texts = { .folder = unseen->folder };

	texts.executable = fitting_end(unseen->file, HP_RECORD_PATH_MAX, &texts.executable_size);
	if (strlen(unseen->folder) + texts.executable_size <= HP_RECORD_PATH_MAX)
		texts.folder_size = (uint16_t)strlen(unseen->folder);
	append(fd, &record, &texts);
}

void hotpath__register_unseen(const struct hotpath__unseen *unseen)
{
	int fd = open_known();

	if (fd >= 0)
		append_unseen(fd, unseen);
	close_file(fd);
}

void hotpath__register_foreign(const struct hotpath__unseen *unseen)
{
	int fd = hotpath__settings()->off ? -1 : find_register(hp_place_folder);

	if (fd >= 0)
		append_unseen(fd, unseen);
	close_file(fd);
}
