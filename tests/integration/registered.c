/* SPDX-License-Identifier: MIT */
/*
 * Prints what the register of a run has, a line for each process:
 *
 *	registered RUN
 *	PID PARENT END STATUS CPU-MICROSECONDS PEAK-KB PROGRAM ARGUMENTS
 */
#include "process/register.h"

#include <inttypes.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	static const char *const ends[] = { "unknown", "running", "exited", "killed" };
	struct hp_processes list = { NULL, 0, 0 };

	if (argc != 2 || hp_register_read(argv[1], &list))
		return 2;
	for (size_t i = 0; i < list.count; i++) {
		const struct hp_process *row = &list.items[i];
		printf("%" PRIu32 " %" PRIu32 " %s %" PRIu32 " %" PRIu64 " %" PRIu64 " %s %s\n",
		       row->pid, row->parent, ends[row->end], row->status,
		       (row->user_ns + row->system_ns) / 1000, row->peak_rss_bytes / 1024,
		       row->program, row->arguments);
	}
	hp_processes_clear(&list);
	return 0;
}
