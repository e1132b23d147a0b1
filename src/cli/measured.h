/* SPDX-License-Identifier: MIT */
/* Runs a program to its end under measurement, and reads the segments that it leaves. */
#ifndef MEASURED_H
#define MEASURED_H

#include "alloc_mode.h"
#include "options.h"
#include "reader.h"
#include "run_child.h"

/**
 * Options for what to record, for the option table of a command.
 *
 * @param of_cpu, of_no_cpu
 *         Appended to the help of --cpu and --no-cpu, to say which of them is the default.
 */
#define RECORDING_OPTIONS(of_cpu, of_no_cpu)                                                               \
	{ .name = "all", .help = "the same as --cpu --alloc --waits" },                                    \
		{ .name = "alloc",                                                                         \
		  .value = "MODE",                                                                         \
		  .value_default = "live",                                                                 \
		  .help = "also show what is allocated: count (how often and how much), freed (also what " \
			  "was freed) or live (also what was never freed, the default)" },                 \
		{ .name = "cpu",                                                                           \
		  .help = "show where CPU time goes, and what functions spend their time on" of_cpu },     \
		{ .name = "no-cpu", .help = "do not sample CPU time" of_no_cpu },                          \
		{ .name = "waits",                                                                         \
		  .value = "LIST",                                                                         \
		  .value_default = "all",                                                                  \
		  .help = "also show what the program waits for: all (the default), or a list of "         \
			  "locks, io (files and sockets) and nohold (no times of holds)" },                \
		{ .name = "rate",                                                                          \
		  .value = "HZ",                                                                           \
		  .help = "samples per second of CPU time, up to 10000; the default is 999" },             \
		{ .name = "max-overhead",                                                                  \
		  .value = "PERCENT",                                                                      \
		  .help = "what measuring functions built by 'hotpath cc' may cost; the shortest are not " \
			  "timed then, or not measured; 0 for every call; the default is 10" },            \
	{                                                                                                  \
		.name = "probes", .value = "LIST",                                                         \
		.help = "also show what libraries do for the program: uv (requests, handles and "          \
			"loops of libuv), glib (queues, tasks and main loops of GLib)"                     \
	}

/** What is recorded beside the calls that the program measures itself. */
struct recording {
	/** The mode for allocations; HP_ALLOC_NONE for none. */
	enum hp_alloc_mode alloc;
	/** Whether CPU time is sampled. */
	bool cpu;
	/** CPU time is sampled by default: no option and no variable asked for it. */
	bool cpu_is_default;
	/** The command samples a program from outside if our library cannot be loaded into it; and this is such a program. */
	bool may_be_outside;
	bool is_outside;
	/** Locks. */
	bool waits;
	/** As probes_parse tells it. */
	unsigned probes;
};

/**
 * Read it from the command line and HOTPATH_CPU, and set the environment for programs.
 *
 * @param recording
 *         Before the call, its member cpu is the default of the command.
 * @return
 *         STATUS_OK, or STATUS_ERROR after one line on standard error.
 */
int recording_read(const struct input *input, struct recording *recording);

/** Whether HOTPATH_OFF=1 switches all recording off. */
bool recording_is_off(void);

/** Samples a second of CPU time: HOTPATH_CPU_RATE, or the default. */
int recording_rate(void);

/** A program that was run. */
struct measured {
	/** How it is run; measured_run sets the name of the run. */
	struct child_manner manner;
	/** The path of the shell that starts the program and is not measured itself; NULL for none. */
	const char *shell;
	/** What was asked for. */
	struct recording asked;
	/**
	 * The allocation mode of processes that load our probe, also of those that made no allocations and so have
	 * not recorded it; HP_ALLOC_NONE if only the segments can say.
	 */
	enum hp_alloc_mode alloc;
	struct child child;
	char run[HP_RUN_MAX];
	/** When it began, in nanoseconds: by the time of day, and by a clock that nobody can set. */
	uint64_t began_unix_ns;
	uint64_t began_ns;
	/** Segments, newest first: those of this run, and others. */
	struct hp_found_list list;
	/** These are all that there are. */
	bool has_all;
};

/** Run a program to its end, as run_child does. */
int measured_run(char **argv, struct measured *measured);

/** Since when its segments were made, by the present time of day, in nanoseconds. */
uint64_t measured_since(const struct measured *measured);

/**
 * Find what it has left. One line on standard error when that is not possible.
 *
 * @param all
 *         Find all segments that there are, and not only those that were made since it began.
 */
void measured_find(struct measured *measured, bool all);

/** Remove the oldest segments of other runs if there are many, because they take memory; and what is left of runs that
    have none: as far as they were found. */
void measured_prune(const struct measured *measured);

/** Remove the segments of this run. */
void measured_remove(const struct measured *measured);

/**
 * Remove the segments of all our runs since a given one, including those created after we last looked.
 *
 * @param first
 *         The name of that run.
 */
void measured_remove_since(const char *first);

void measured_free(struct measured *measured);

#endif
