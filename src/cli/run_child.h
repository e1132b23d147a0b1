/* SPDX-License-Identifier: MIT */
/* Runs a program to its end, and forwards our signals to it. */
#ifndef RUN_CHILD_H
#define RUN_CHILD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/** How the program was started and how it ended. */
struct child {
	pid_t pid;
	/** As waitpid tells it. */
	int wait_status;
	/** From before its start until after its end. */
	uint64_t elapsed_ns;
	uint64_t start_unix_ns;
	/** The most memory that it, or a process it waited for, had in use. */
	uint64_t peak_rss_bytes;
	/** With those of processes it has waited for; and of these alone, to a clock tick. */
	uint64_t user_ns;
	uint64_t system_ns;
	uint64_t children_user_ns;
	uint64_t children_system_ns;
	/**
	 * The first signal that asked us to end while it ran, from anyone, whatever the program did with it; 0 for
	 * none.
	 */
	int asked_to_end;
};

/** The environment of the program; all zero to inherit ours. */
struct child_manner {
	/** The value of HOTPATH_RUN in its environment; NULL to leave it unchanged. */
	const char *run;
	/** Its input is empty; what it prints is lost. */
	bool without_input;
	bool without_output;
	/**
	 * Run it in a process group of its own, without a terminal, because reading from one would stop it. The whole
	 * group gets all signals that we get, also those of the terminal; when we are asked to end a second time, it
	 * is killed.
	 */
	bool in_group;
	/** Called when the program has started; and when it has ended, and its process is still there. NULL for nothing. */
	void (*started)(void *context, pid_t pid);
	void (*ended)(void *context);
	/** Called about once a second while the program runs; NULL for nothing. */
	void (*every_second)(void *context);
	void *context;
};

/**
 * Run a program and wait for its end.
 *
 * Signals that another process sends us are passed on to it. Those from the terminal are not: the
 * terminal sends them to the program too. We survive both, so that there is a report.
 *
 * @param argv
 *         The program and its arguments, ending with NULL.
 * @return
 *         0, or a negative errno when it could not be started.
 */
int run_child(char **argv, const struct child_manner *manner, struct child *child);

/**
 * End as the program did: with its exit status, or by the signal that ended it.
 *
 * @return
 *         The exit status for main; not at all when a signal ends us.
 */
int run_child_end(const struct child *child);

/** End by a signal. Returns an exit status where that is not possible. */
int end_by_signal(int number);

#endif
