/* SPDX-License-Identifier: MIT */
/* Writes to the register of a run how its first process ended: its parent is the tool itself. */
#include "register_child.h"

#include "place.h"
#include "run_register.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

/* In one write, as records are. */
struct reaped {
	struct hp_record record;
	uint64_t mark;
};

static struct reaped record_of(const struct child *child)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (struct reaped){
		.record = { .magic = HP_RECORD_MAGIC,
			    .size = sizeof(struct reaped),
			    .type = HP_RECORD_REAPED,
			    .pid = (uint32_t)child->pid,
			    .parent_pid = (uint32_t)getpid(),
			    .unix_ns = (uint64_t)now.tv_sec * UINT64_C(1000000000) +
				       (uint64_t)now.tv_nsec,
			    .user_ns = child->user_ns,
			    .system_ns = child->system_ns,
			    .peak_rss_bytes = child->peak_rss_bytes,
			    .status = (uint32_t)child->wait_status },
		.mark = HP_RECORD_MARK,
	};
}

/* Open the register in a folder that is ours, or make it there; -1 if there is none. */
static int open_register(const char *path, const char *name, bool make)
{
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

void register_child(const char *run, const struct child *child, bool none_can)
{
	struct reaped reaped = record_of(child);
	char path[HP_PATH_MAX], name[64];
	int file = -1;
	if (!hp_place_register(name, sizeof(name), run))
		return;

	for (unsigned nth = 0; file < 0 && hp_place_folder(nth, path); nth++)
		file = open_register(path, name, false);
	for (unsigned nth = 0; none_can && file < 0 && hp_place_folder(nth, path); nth++)
		file = open_register(path, name, true);
	if (file < 0)
		return;
	/* On a full disk the record is cut off, and passed over by readers. A limit of file sizes must not end us. */
	const struct sigaction ignore = { .sa_handler = SIG_IGN };
	struct sigaction before;
	sigaction(SIGXFSZ, &ignore, &before);
	if (write(file, &reaped, sizeof(reaped)) < 0)
		errno = 0;
	sigaction(SIGXFSZ, &before, NULL);
	close(file);
}
