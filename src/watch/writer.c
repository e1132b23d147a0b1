/* SPDX-License-Identifier: MIT */
/* Whether the process that writes to a segment exists, and whether it is stopped. */
#include "writer.h"

#include "arithmetic.h"
#include "file_name.h"
#include "life.h"
#include "now.h"
#include "task_stat.h"

#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	/* Reading all mappings may take as long as everything else: limit it to 1/SHARE of the time. */
	SHARE = 200,
};

#define CHECK_NS UINT64_C(2000000000)

static void check_mappings(struct hp_writer *writer)
{
	uint64_t begin = hp_now_ns();

	writer->is_there = hp_life_goes_on(writer->file, writer->name);
	uint64_t end = hp_now_ns(), took = end - begin;
	writer->next_ns = end + hp_max(took * SHARE, CHECK_NS);
}

void hp_writer_open(struct hp_writer *writer, uint32_t pid, int file, const char *path)
{
	*writer = (struct hp_writer){
		.pid = pid, .file = file, .name = hp_file_name(path), .handle = -1
	};
	/*
	 * Open the handle first: if the process still writes to the segment afterwards, the handle is that of the
	 * right process.
	 */
#ifdef SYS_pidfd_open
	if (pid)
		writer->handle = (int)syscall(SYS_pidfd_open, (pid_t)pid, 0);
#endif
	writer->holds_lock = hp_life_is_held(file);
	check_mappings(writer);
}

static bool has_ended(const struct hp_writer *writer)
{
	struct pollfd ended = { .fd = writer->handle, .events = POLLIN };

	if (writer->holds_lock)
		return !hp_life_is_held(writer->file);
	return writer->handle >= 0 && poll(&ended, 1, 0) > 0;
}

bool hp_writer_is_there(struct hp_writer *writer)
{
	if (!writer->is_there)
		return false;
	if (has_ended(writer))
		writer->is_there = false;
	else if (!writer->holds_lock && (writer->handle < 0 || hp_now_ns() >= writer->next_ns))
		check_mappings(writer);
	return writer->is_there;
}

bool hp_writer_is_stopped(const struct hp_writer *writer)
{
	struct hp_task_stat now;

	return hp_task_stat_process(writer->pid, &now) && (now.state == 'T' || now.state == 't');
}

void hp_writer_close(struct hp_writer *writer)
{
	if (writer->handle >= 0)
		close(writer->handle);
	writer->handle = -1;
	writer->is_there = false;
}
