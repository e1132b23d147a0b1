/* SPDX-License-Identifier: MIT */
/* One program in the list of those that a server is asked about. */
#ifndef HP_PROGRAM_H
#define HP_PROGRAM_H

#include "programs.h"

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
