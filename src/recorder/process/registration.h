/* SPDX-License-Identifier: MIT */
/*
 * Writes to the register of a run: the processes of `hotpath run`, how they end, and what they use. Without a run nothing
 * is written, and where the file cannot be written, nothing is said.
 */
#ifndef HOTPATH_REGISTRATION_H
#define HOTPATH_REGISTRATION_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#pragma GCC visibility push(hidden)

/* The program begins: find the register, and append that it did. */
void hotpath__register_begin(void);
/* The same in a forked child. */
void hotpath__register_forked(void);
/* Whether this process writes to a register. Not in a vfork child, whose memory is its parent's. Any thread and signal
   handler may ask, and may call the next two. */
bool hotpath__is_registered(void);
/* The process ends, with this exit status. */
void hotpath__register_end(int status);
/* The process has waited for a child, which has ended. */
void hotpath__register_reaped(pid_t child, int wait_status, const struct rusage *usage);

/* A program that cannot be measured. */
struct hotpath__unseen {
	/* Why, as enum hp_loading says. */
	unsigned reason;
	/* The process that executes it. */
	pid_t pid;
	/* Its path is both together. */
	const char *folder;
	const char *file;
};

/* Append it. Also called in a vfork child: nothing is changed in memory. */
void hotpath__register_unseen(const struct hotpath__unseen *unseen);
/* The same in a program that has another C library, where nothing else is registered. */
void hotpath__register_foreign(const struct hotpath__unseen *unseen);

#pragma GCC visibility pop

#endif
