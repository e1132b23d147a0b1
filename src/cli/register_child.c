/* SPDX-License-Identifier: MIT */
/*
 * Writes to the register of a run what its first process may not tell itself: how it ended, since its parent is the tool; and when
 * it began, if the recorder cannot be loaded into it.
 */
#include "register_child.h"

#include "now.h"
#include "place.h"
#include "run_register.h"
#include "task_stat.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* A record with its texts, padding and mark, which is appended in one write. */
struct written {
	union {
		struct hp_record record;
		char bytes[HP_RECORD_MAX];
	};
	/* The bytes of the fixed part and the texts so far. */
	size_t used;
};

static void begin(struct written *written, enum hp_record_type type, pid_t pid)
{
	*written = (struct written){ .record = { .magic = HP_RECORD_MAGIC,
						 .type = (uint16_t)type,
						 .pid = (uint32_t)pid,
						 .parent_pid = (uint32_t)getpid(),
						 .unix_ns = hp_clock_ns(CLOCK_REALTIME) },
				     .used = sizeof(struct hp_record) };
}

/* ---- the file ---- */

/* Open the register in a folder that is ours, or make it there; -1 if there is none. */
static int open_register(const char *path, const char *name, bool make)
{
	/* The folder may be there already. */
	if (make)
		mkdir(path, 0700);
	int folder = hp_place_open(path, geteuid());
	int file = folder < 0 ? -1
			      : openat(folder, name,
				       O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC |
					       (make ? O_CREAT : 0),
				       0600);

	if (folder >= 0)
		close(folder);
	return file;
}

/* Open the register of a run, wherever it is; -1 if there is none. */
static int find_register(const char *run, bool make)
{
	char path[HP_PATH_MAX], name[64];
	int file = -1;

	if (!hp_place_register(name, sizeof(name), run))
		return -1;
	for (unsigned nth = 0; file < 0 && hp_place_folder(nth, path); nth++)
		file = open_register(path, name, false);
	for (unsigned nth = 0; make && file < 0 && hp_place_folder(nth, path); nth++)
		file = open_register(path, name, true);
	return file;
}

/* On a full disk the record is cut off, and passed over by readers. A limit of file sizes must not end us. */
static void append(int file, struct written *written)
{
	static const uint64_t mark = HP_RECORD_MARK;
	const struct sigaction ignore = { .sa_handler = SIG_IGN };
	struct sigaction before;
	size_t size = written->used + -written->used % sizeof(mark);

	memcpy(written->bytes + size, &mark, sizeof(mark));
	written->record.size = (uint32_t)(size + sizeof(mark));
	sigaction(SIGXFSZ, &ignore, &before);
	if (write(file, written->bytes, written->record.size) < 0)
		errno = 0;
	sigaction(SIGXFSZ, &before, NULL);
	close(file);
}

/* ---- how it began ---- */

/* The executable; of a program that is gone already, what the user has called it. */
static void add_executable(struct written *written, const char *program)
{
	char path[32], *at = written->bytes + written->used;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)written->record.pid);
	ssize_t length = readlink(path, at, HP_RECORD_PATH_MAX);
	if (length <= 0) {
		length = (ssize_t)strnlen(program, HP_RECORD_PATH_MAX);
		memcpy(at, program, (size_t)length);
	}
	written->record.executable_size = (uint16_t)length;
	written->used += (size_t)length;
}

/* The command line, as far as there is room before the mark. */
static void add_words(struct written *written)
{
	char path[32];
	size_t room = sizeof(written->bytes) - written->used - 2 * sizeof(uint64_t);

	snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)written->record.pid);
	int file = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length = file < 0 ? 0 : read(file, written->bytes + written->used, room);
	if (file >= 0)
		close(file);
	written->record.words_size = (uint16_t)(length > 0 ? length : 0);
	written->used += written->record.words_size;
}

static void add_start(struct hp_record *record)
{
	uint64_t tick_ns = UINT64_C(1000000000) / (uint64_t)sysconf(_SC_CLK_TCK);
	struct hp_task_stat process;

	if (!hp_task_stat_process(record->pid, &process))
		return;
	record->process_ticks = process.start;
	record->process_unix_ns = hp_clock_ns(CLOCK_REALTIME) -
				  (hp_clock_ns(CLOCK_BOOTTIME) - process.start * tick_ns);
}

void register_start(const char *run, const char *program, pid_t pid)
{
	int file = find_register(run, true);
	struct written written;

	if (file < 0)
		return;
	begin(&written, HP_RECORD_BEGAN, pid);
	add_start(&written.record);
	add_executable(&written, program);
	add_words(&written);
	append(file, &written);
}

/* ---- how it ended ---- */

void register_child(const char *run, const struct child *child)
{
	int file = find_register(run, false);
	struct written written;

	if (file < 0)
		return;
	begin(&written, HP_RECORD_REAPED, child->pid);
	written.record.user_ns = child->user_ns;
	written.record.system_ns = child->system_ns;
	written.record.children_user_ns = child->children_user_ns;
	written.record.children_system_ns = child->children_system_ns;
	written.record.peak_rss_bytes = child->peak_rss_bytes;
	written.record.status = (uint32_t)child->wait_status;
	append(file, &written);
}
