/* SPDX-License-Identifier: MIT */
/* Reads what a run has left, as one model. */
#ifndef RUN_MODEL_H
#define RUN_MODEL_H

#include "measured.h"
#include "reader.h"

struct fold;
struct run_again;

struct run_source {
	/** The name of the run, and the segments that there are, newest first: those of this run, and others. */
	const char *run;
	const struct hp_found_list *list;
	/** Whoever has run it knows more; NULL for a run of somebody else, or of earlier. */
	const struct measured *measured;
	/** What the program is called if it has left nothing. */
	const char *program;
	/** What was folded of it, which is taken; NULL to read it from its file. */
	struct fold *fold;
	/** An earlier reading, whose models of ended processes are taken; NULL for none. */
	struct run_again *again;
	/** Gets the segment that was read, which is to be freed; of several, the last. NULL for nobody who asks. */
	struct hp_image *image;
};

/**
 * Read a run: the sum of its processes, with a model for each that measured something, and all processes as a tree. Of
 * one process alone, it is the model of that. If nothing was measured, the model is empty.
 *
 * @return
 *         NULL after one line on standard error.
 */
struct hp_model *run_model(const struct run_source *source);

/**
 * Read one process of a run, with what the run's register knows of its end.
 *
 * @param found
 *         Its newest segment, one of the source's list.
 * @return
 *         NULL after one line on standard error.
 */
struct hp_model *run_process(const struct run_source *source, const struct hp_found *found);

/** Read one process of a run that has executed several programs, one in place of the other, as their sum. As run_process. */
struct hp_model *run_images(const struct run_source *source, const struct hp_found *found);

/** Give a model other names, which are copied. Returns false when memory ran out. */
bool run_rename(struct hp_model *model, const struct hp_process_name *name, const char *caller);

/** Whether a run began with a process, as its register tells; true if that is not there. */
bool run_began_with(const char *run, uint32_t pid);

/** The row of a process in a tree, as far as its model knows it. Without names when memory ran out. */
struct hp_process run_row_of(const struct hp_model *model);

/** Give the report of one process alone a tree: that has its row. Returns false when memory ran out. */
bool run_add_row(struct hp_model *model);

/**
 * Choose a part of a run: the process of this number, those of a program, or the nth of the tree, as the table of
 * processes shows it.
 *
 * @return
 *         A model to be freed in place of the run, which is freed; NULL after one line on standard error.
 */
struct hp_model *run_choose(struct hp_model *run, const char *wanted);

/** A part of a run that stays as it is: the sum of copies. A run of one process is that process. */
struct hp_model *run_choose_copy(const struct hp_model *run, const char *wanted);

/** A word that chooses the same processes when the run has more: a row of the tree becomes a pid or a program. Free it. */
char *run_lasting_word(const struct hp_model *run, const char *wanted);

#endif
