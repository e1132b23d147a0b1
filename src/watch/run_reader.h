/* SPDX-License-Identifier: MIT */
/* How a run of several processes is read and added up: whoever watches one is given this. */
#ifndef HP_RUN_READER_H
#define HP_RUN_READER_H

#include "reader.h"

struct hp_run_reader {
	/**
	 * Read a run: the sum of its processes, with all of them as a tree.
	 *
	 * @param reading
	 *         What is kept between two reads, for the reader alone; NULL before the first.
	 * @return
	 *         The model, which is valid until the next read; NULL with the reason in error, and the last one stays.
	 *         Its rows may be given ids and trends.
	 */
	struct hp_model *(*read)(void **reading, const char *run, struct hp_error *error);

	/**
	 * Choose a part of a run: the process of a number, those of a program, or the nth of the tree.
	 *
	 * @return
	 *         The sum of copies of these, to be freed with hp_model_free; NULL with one line in error.
	 */
	struct hp_model *(*choose)(const struct hp_model *run, const char *wanted,
				   struct hp_error *error);

	/**
	 * The word for a part that means the same in later reads: the place of a row changes as processes are started, so
	 * it becomes the number of its process or, if the row stands for several, their program.
	 *
	 * @return
	 *         A string from malloc; NULL when memory ran out.
	 */
	char *(*lasting)(const struct hp_model *run, const char *wanted);

	/** A number that changes when a run has something new besides its segments. */
	uint64_t (*version)(const char *run);

	/** Whether whoever has started a run still waits for it: between two of its processes, too. */
	bool (*goes_on)(const char *run);

	/** Free what was kept, with its model. NULL does nothing. */
	void (*forget)(void *reading);
};

#endif
