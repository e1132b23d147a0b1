/* SPDX-License-Identifier: MIT */
/* A program run to its end and measured: what is to be seen of it, and what it has left. */
#ifndef MEASURED_H
#define MEASURED_H

#include "alloc_mode.h"
#include "options.h"
#include "reader.h"
#include "run_child.h"

/** The options that say what is to be seen, for the table of a command. */
#define MEASURE_OPTIONS                                                                              \
	{ .name = "alloc",                                                                           \
	  .value = "MODE",                                                                           \
	  .value_default = "live",                                                                   \
	  .help = "also show what is allocated: count (how often and how much), freed (also what "   \
		  "was freed) or live (also what was never freed, the default)" },                   \
		{ .name = "cpu",                                                                     \
		  .help = "also show where CPU time goes, and what functions spend their time on" }, \
		{ .name = "rate",                                                                    \
		  .value = "HZ",                                                                     \
		  .help = "samples per second of CPU time, up to 10000; the default is 999" },       \
	{                                                                                            \
		.name = "probes", .value = "LIST",                                                   \
		.help = "also show what libraries do for the program: uv (requests, handles and "    \
			"loops of libuv), glib (queues, tasks and main loops of GLib)"               \
	}

/** What is to be seen of a program besides what it measures itself. */
struct measure {
	/** How; HP_ALLOC_NONE for not at all. */
	enum hp_alloc_mode alloc;
	bool cpu;
	/** As probes_parse tells it. */
	unsigned probes;
};

/**
 * Take it from the command line, and tell programs by the environment.
 *
 * @return
 *         STATUS_OK, or STATUS_ERROR after one line on standard error.
 */
int measure_read(const struct input *input, struct measure *measure);

/** A program that was run. */
struct measured {
	/** How it is run; what tells this run from all others is set by measured_run. */
	struct child_manner manner;
	/** Where the shell lies that only starts the program, and is not meant; NULL for none. */
	const char *shell;
	/** What was asked for. */
	struct measure asked;
	/** How allocations are recorded of processes that let our probe in, also of those that have not made any and so do
	    not say it; HP_ALLOC_NONE where only they can tell. */
	enum hp_alloc_mode alloc;
	struct child child;
	char run[HP_RUN_MAX];
	/** All segments that there are, newest first: those of this run, and others. */
	struct hp_found_list list;
	/** What programs have noted of those that they started, as unseen_take takes it. */
	char *unseen;
};

/** The models of one run, oldest first. */
struct models {
	struct hp_model **items;
	size_t count;
};

/** Run a program to its end, as run_child does. */
int measured_run(char **argv, struct measured *measured);

/** Find what it has left. One line on standard error when that is not possible. */
void measured_find(struct measured *measured);

/**
 * Read what it has left: a model for each process that measured something, or, if none did, one that is empty.
 *
 * @param program
 *         Its name, for a model that is empty.
 * @param models
 *         At least one, unless memory ran out; to be freed.
 */
void measured_models(const struct measured *measured, const char *program, struct models *models);

/** Remove segments of other runs, the oldest, when there are many: they are kept in memory. */
void measured_prune(const struct measured *measured);

/** Remove the segments of this run. */
void measured_remove(const struct measured *measured);

/**
 * Remove what runs of ours have left since one, also what their processes made after they were looked for.
 *
 * @param first
 *         The name of that run.
 */
void measured_remove_since(const char *first);

void measured_free(struct measured *measured);

/** Make one of all models. */
void models_merge(struct models *models);

void models_free(struct models *models);

#endif
