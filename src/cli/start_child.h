/* SPDX-License-Identifier: MIT */
/* Starts a child process. */
#ifndef START_CHILD_H
#define START_CHILD_H

#include <sys/types.h>

/**
 * Start a program.
 *
 * @param argv
 *         The program, which is looked for as the shell does, and its arguments, ending with NULL.
 * @param prepare
 *         Called with given in the new process, before it becomes the program. Returns 0 or a negative errno. Until
 *         then the process shares our memory, so this changes nothing but the state that the kernel has of it.
 * @param pid
 *         Becomes its process id, which is to be waited for.
 * @return
 *         0 when the program runs, or a negative errno; then there is nothing to wait for.
 */
int start_child(char **argv, int (*prepare)(const void *given), const void *given, pid_t *pid);

#endif
