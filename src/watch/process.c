/* SPDX-License-Identifier: MIT */
/* Whether the process that writes to a segment exists, and whether it is stopped. */
#include "process.h"

#include "arithmetic.h"
#include "file_name.h"
#include "life.h"
#include "now.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	/* Reading all mappings may take as long as everything else: limit it to 1/SHARE of the time. */
	SHARE = 200,
};

#define CHECK_NS UINT64_C(2000000000)

static void check_mappings(struct hp_process *process)
{
	uint64_t begin = hp_now_ns();

	process->is_there = hp_life_goes_on(process->file, process->name);
	uint64_t end = hp_now_ns(), took = end - begin;
	process->next_ns = end + hp_max(took * SHARE, CHECK_NS);
}

void hp_process_open(struct hp_process *process, uint32_t pid, int file, const char *path)
{
	*process = (struct hp_process){
		.pid = pid, .file = file, .name = hp_file_name(path), .handle = -1
	};
	/*
	 * Open the handle first: if the process still writes to the segment afterwards, the handle is that of the
	 * right process.
	 */
#ifdef SYS_pidfd_open
	if (pid)
		process->handle = (int)syscall(SYS_pidfd_open, (pid_t)pid, 0);
#endif
	process->holds_lock = hp_life_is_held(file);
	check_mappings(process);
}

static bool has_ended(const struct hp_process *process)
{
	struct pollfd ended = { .fd = process->handle, .events = POLLIN };

	if (process->holds_lock)
		return !hp_life_is_held(process->file);
	return process->handle >= 0 && poll(&ended, 1, 0) > 0;
}

bool hp_process_is_there(struct hp_process *process)
{
	if (!process->is_there)
		return false;
	if (has_ended(process))
		process->is_there = false;
	else if (!process->holds_lock && (process->handle < 0 || hp_now_ns() >= process->next_ns))
		check_mappings(process);
	return process->is_there;
}

/* "PID (NAME) STATE ...", with anything in the name. */
bool hp_process_is_stopped(const struct hp_process *process)
{
	char path[32], text[512] = "";

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/stat", process->pid);
	FILE *file = fopen(path, "re");
	size_t size = file ? fread(text, 1, sizeof(text) - 1, file) : 0;
	if (file)
		fclose(file);
	text[size] = '\0';
	const char *state = strrchr(text, ')');
	return state && state[1] == ' ' && (state[2] == 'T' || state[2] == 't');
}

void hp_process_close(struct hp_process *process)
{
	if (process->handle >= 0)
		close(process->handle);
	process->handle = -1;
	process->is_there = false;
}
