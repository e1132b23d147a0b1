/* SPDX-License-Identifier: MIT */
/* One program in the list of those that a server is asked about. */
#ifndef HP_PROGRAM_H
#define HP_PROGRAM_H

#include "programs.h"

/**
 * What differs between the kinds of programs.
 *
 *	process   a segment that is watched
 *	run       the segments of several processes, added up
 *	report    a model that is there
 */
struct hp_program_kind {
	const char *name;
	/** It is the sum of others in the list. */
	bool is_sum;
	enum hp_program_state (*state)(const struct hp_program *program);
	/** As hp_program_live, or hp_program_exact. */
	const struct hp_model *(*read)(struct hp_program *program, uint64_t most_ns, bool is_exact,
				       struct hp_error *error);
	const struct hp_model *(*read_complete)(struct hp_program *program, struct hp_error *error);
	struct hp_model *(*read_whole)(struct hp_program *program, struct hp_error *error);
	/** Free what is kept for the next complete read. */
	void (*forget_complete)(struct hp_program *program);
};

extern const struct hp_program_kind hp_program_run;

/** Make a run of the segment that it began with. NULL when memory ran out. */
struct hp_program *hp_program_of_run(const struct hp_found *root,
				     const struct hp_run_reader *reader);

/** Note what was found of a run. */
void hp_program_found_run(struct hp_program *program, const struct hp_found_list *list,
			  const struct hp_found *found);

/** Note the figures that lists show. */
void hp_program_note_figures(struct hp_program *program, const struct hp_model *model);

/** Free a program that is incomplete because memory ran out. */
struct hp_program *hp_program_whole_or_none(struct hp_program *program);

/** The id of a process, from malloc; NULL when memory ran out. */
char *hp_program_id(const struct hp_found *found);

/** Make one of a process, a segment file or a saved report, whose model is taken over. NULL when memory ran out. */
struct hp_program *hp_program_of_process(const struct hp_found *found);
struct hp_program *hp_program_of_file(const char *path);
struct hp_program *hp_program_of_saved(const char *path, const struct hp_saved *saved);

/** Note that the segment of a program is still there. */
void hp_program_found(struct hp_program *program, const struct hp_found *found);

/** Find out the state of a program by what is known of it, and note it. */
enum hp_program_state hp_program_note_state(struct hp_program *program);

/** As hp_program_live, hp_program_exact and hp_program_complete. */
const struct hp_model *hp_program_read(struct hp_program *program, uint64_t most_ns,
				       struct hp_error *error);
const struct hp_model *hp_program_read_exact(struct hp_program *program, uint64_t most_ns,
					     struct hp_error *error);
const struct hp_model *hp_program_read_complete(struct hp_program *program, struct hp_error *error);

void hp_program_forget_complete(struct hp_program *program);

/** NULL does nothing. */
void hp_program_free(struct hp_program *program);

#endif
