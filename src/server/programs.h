/* SPDX-License-Identifier: MIT */
/*
 * The programs that a server is asked about: processes that are measured or were, runs of several processes, and saved reports.
 *
 * Nothing is read unless somebody asks, and then at most once in a while, however many ask. Processes that have ended stay until
 * there are many newer ones; of a run, the newest few, since the run has the figures of all.
 */
#ifndef HP_PROGRAMS_H
#define HP_PROGRAMS_H

#include "reader.h"
#include "run_watch.h"
#include "saved/saved.h"
#include "watch.h"

enum {
	/** Functions of a program whose newest calls are wanted at a time. */
	HP_PROGRAM_WANTED = 32,
	/** Processes and runs that have ended, of which the newest are kept; processes of one run among these; and programs in all. */
	HP_PROGRAMS_ENDED = 32,
	HP_PROGRAMS_OF_RUN = 8,
	HP_PROGRAMS_MAX = 160,
};

enum hp_program_state {
	HP_PROGRAM_RUNNING,
	/** It runs, but is stopped, or does not record at the moment. */
	HP_PROGRAM_STOPPED,
	HP_PROGRAM_ENDED,
	/** It is a saved report. */
	HP_PROGRAM_SAVED,
};

struct hp_program_kind;

struct hp_program {
	const struct hp_program_kind *kind;
	/**
	 * What requests call it: the process id; the name of its segment if that id belongs to another namespace; the name of a run;
	 * or the path of a saved report or segment as the user gave it.
	 */
	char *id;
	char *name;
	uint32_t pid;
	/** How many processes it has; of a run, those that are known. */
	size_t processes;
	/** The name of the run that a process belongs to; empty for none. There may be no program of that name. */
	char run[HP_RUN_MAX];
	/** When the process was started. */
	uint64_t started_unix_ns;
	enum hp_program_state state;
	/** The figures below were read. */
	bool is_known;
	uint64_t elapsed_ns;
	size_t threads;
	size_t functions;
	/** Why it could not be read; empty if it could. */
	struct hp_error error;

	/* The rest is for the list of programs alone. */
	char *path;
	char *executable;
	/** When the segment was made; of a run, that of its first process. 0 for what has the name of a file. */
	uint64_t segment_unix_ns;
	/** NULL for a saved report, or a segment that cannot be opened. */
	struct hp_watch *watch;
	struct hp_saved saved;
	/** The process was running when it was last looked for. */
	bool is_live;
	/** It could not be read, and will not be, unless it is found running. */
	bool is_over;
	/** It is to be forgotten. */
	bool is_old;
	uint64_t read_ns;
	/** All figures are of the last read, and none is estimated. */
	bool is_exact;
	/** Functions whose newest calls somebody wants, by id, and until when; an id of 0 is none. */
	struct {
		uint32_t id;
		uint64_t until_ns;
	} wanted[HP_PROGRAM_WANTED];
	/** The last complete model; until when it will do; and whether the program had ended before. */
	struct hp_model *complete;
	uint64_t complete_until_ns;
	uint64_t complete_used_ns;
	bool is_complete_last;
	/** What is read of a run. */
	struct hp_run_watch sum;
};

struct hp_programs;

/**
 * @param runs
 *         How runs of several processes are read.
 * @return
 *         NULL when memory ran out.
 */
struct hp_programs *hp_programs_new(const struct hp_run_reader *runs);

/**
 * Serve all measured programs of this machine that the user may read, also those to come.
 *
 * @return
 *         0, or a negative errno with one line in error: they cannot be looked for.
 */
int hp_programs_add_all(struct hp_programs *programs, struct hp_error *error);

/**
 * Serve what the user named: the process of an id and later starts of its program, all processes of a program's name, a run by its
 * name, or a segment file. A process that a run began with stands for the run: then all its processes are served, too.
 *
 * @return
 *         0, or a negative errno with one line in error, as hp_watch_open.
 */
int hp_programs_add(struct hp_programs *programs, const char *name, struct hp_error *error);

/** Serve a saved report, by its path. Its model is taken over if this returns true. */
bool hp_programs_add_saved(struct hp_programs *programs, const char *path,
			   const struct hp_saved *saved);

/** Find programs again, once a second at most. */
void hp_programs_find_again(struct hp_programs *programs);

/** Why programs could not be looked for the last time; NULL if they could. */
const char *hp_programs_error(const struct hp_programs *programs);

/** Read programs whose figures are not known, or some seconds old, unless that takes too long. */
void hp_programs_read(struct hp_programs *programs);

/** The programs, the newest first. They are valid until programs are found again. */
struct hp_program *const *hp_programs_list(const struct hp_programs *programs, size_t *count);

/** The program with an id; NULL when there is none. */
struct hp_program *hp_programs_get(const struct hp_programs *programs, const char *id);

/** The program that is meant if none is named: the only one that is not part of another. NULL when there are others. */
struct hp_program *hp_programs_only(const struct hp_programs *programs);

/** The run in the list that a process belongs to; NULL when there is none. */
struct hp_program *hp_programs_run_of(const struct hp_programs *programs,
				      const struct hp_program *program);

/** The word for what a program is: process, run or report. */
const char *hp_program_kind_name(const struct hp_program *program);

/** Whether it is the sum of others in the list, which are not to be counted twice. */
bool hp_program_is_sum(const struct hp_program *program);

/** A later start of a program that has ended; NULL when there is none. */
struct hp_program *hp_programs_next(const struct hp_programs *programs,
				    const struct hp_program *program);

/** A number that changes when a program appears, disappears, or changes its state. */
uint64_t hp_programs_version(const struct hp_programs *programs);

/**
 * The model of a program without its call tree and stacks, as far as they are not needed.
 *
 * @param most_ns
 *         The last one will do if it is not older.
 * @return
 *         NULL with the reason in error. It is valid until the next read.
 */
const struct hp_model *hp_program_live(struct hp_programs *programs, struct hp_program *program,
				       uint64_t most_ns, struct hp_error *error);

/** Have the newest calls of a function in the histogram of each model, for so long. If too many are wanted, this one is not. */
void hp_program_want(struct hp_program *program, uint32_t id, uint64_t until_ns);

/** A number that changes when the histogram of a function was read again; 0 if it never was. */
uint64_t hp_program_histogram(const struct hp_program *program, uint32_t id);

/** Whether it has all calls up to the last read; those that nobody wants are read in turns, without the newest calls. */
bool hp_program_has_newest_calls(const struct hp_program *program, uint32_t id);

/**
 * The same, with all figures of one moment: counters never fall from one to the next, and histograms have all calls. It takes
 * longer to read if there are many functions and threads.
 */
const struct hp_model *hp_program_exact(struct hp_programs *programs, struct hp_program *program,
					uint64_t most_ns, struct hp_error *error);

/**
 * A complete model, as `hotpath report` has it. It may be some seconds old if reading it takes long.
 *
 * @return
 *         NULL with the reason in error. It is valid until the next one.
 */
const struct hp_model *hp_program_complete(struct hp_programs *programs, struct hp_program *program,
					   struct hp_error *error);

/**
 * The same of this moment, to be compared with another one: times are converted alike, also if the program has ended meanwhile. To be
 * freed with hp_model_free. Not for saved reports.
 */
struct hp_model *hp_program_whole(struct hp_program *program, struct hp_error *error);

/** NULL does nothing. */
void hp_programs_free(struct hp_programs *programs);

#endif
