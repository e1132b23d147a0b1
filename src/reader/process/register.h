/* SPDX-License-Identifier: MIT */
/* Reads the register of a run: its processes, and programs of it that could not be measured. */
#ifndef HP_REGISTER_H
#define HP_REGISTER_H

#include "process_list.h"

#include <stdbool.h>
#include <stddef.h>

/** The records of a run, from all its registers. */
struct hp_register {
	char *bytes;
	size_t size;
	/** From several files: records are not in the order in which they were written. */
	bool is_mixed;
};

/**
 * Read all registers of a run: where segments are, and, for root, those of processes that became other users.
 *
 * @return
 *         0, also when there is none; or -ENOMEM. To be freed in either case.
 */
int hp_register_load(const char *run, struct hp_register *found);

/** How many bytes the registers of a run have: they only grow. */
uint64_t hp_register_bytes(const char *run);

/** Remove all registers of a run. */
void hp_register_remove(const char *run);

/**
 * Remove the register of a run that has ended, if it tells that the run has left nothing else: all its processes are in
 * it, and each has said when it ended that it left no segment. So they were our user's to the end. That is told by one
 * small file, where looking for segments means to read all folders of all users.
 *
 * @return
 *         Whether that was so; if not, nothing was removed.
 */
bool hp_register_remove_bare(const char *run);

/** Whether a register tells that. */
bool hp_register_is_bare(const struct hp_register *found);

void hp_register_free(struct hp_register *found);

/**
 * Append a row for each process in a register to a list, oldest first. Nothing in it is believed before it is checked.
 * Processes that still run have figures of now.
 *
 * @return
 *         0, or -ENOMEM; then the list has some of them.
 */
int hp_register_processes(const struct hp_register *found, struct hp_processes *processes);

/** hp_register_load and hp_register_processes together. */
int hp_register_read(const char *run, struct hp_processes *processes);

#endif
