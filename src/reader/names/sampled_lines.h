/* SPDX-License-Identifier: MIT */
/* The source lines that samples were taken at: of a function, or of the whole program. */
#ifndef HP_SAMPLED_LINES_H
#define HP_SAMPLED_LINES_H

#include "cpu/cpu_time.h"
#include "functions.h"
#include "source_text.h"

/** A line of a function; without debug information, an instruction of it. */
struct hp_sampled_line {
	/** The line's function, and the one in which that was inlined, or HP_INDEX_NONE; in the table of functions. */
	uint32_t function;
	uint32_t around;
	/** The line number in the file of the function; 0 when not known. */
	uint32_t line;
	/**
	 * Addresses if there is no line: of the instruction as in the file of the module, or where a call returns to;
	 * and where the function begins, 0 when not known. Both are 0 for the whole program, where a function is one row.
	 */
	uint64_t address;
	uint64_t begin;
	/** Inclusive samples, with calls made at this line, in which a stack counts once; and exclusive ones. */
	uint64_t samples;
	uint64_t self;
	/** Private: the last stack that was counted, plus one. */
	size_t last;
};

/** Lines with samples, those with most exclusive ones first. Nothing in it points into the model. */
struct hp_sampled_lines {
	struct hp_sampled_line *items;
	uint32_t count;
	size_t room;
	struct hp_intern index;
	struct hp_functions functions;
	/**
	 * Samples of the function: inclusive, exclusive, and those in functions that were inlined in it. For the whole
	 * program: all samples, and those with a stack.
	 */
	uint64_t samples;
	uint64_t self;
	uint64_t inlined;
	/** Texts that were read to show the lines. */
	struct hp_sources sources;
};

/**
 * Find lines by the debug information of files, if they are still the ones that ran. Functions that were inlined in the one
 * that is asked for have rows of their own.
 *
 * @param name
 *         As in tables: "worker", or "make_receipt (in worker)"; or "make_receipt", wherever that was inlined. NULL for
 *         all functions.
 * @param module
 *         Its program or library; NULL for any.
 * @return
 *         False when memory ran out. Either way, they are to be freed.
 */
bool hp_sampled_lines_read(struct hp_sampled_lines *lines, const struct hp_cpu *cpu,
			   const char *name, const char *module);

void hp_sampled_lines_free(struct hp_sampled_lines *lines);

#endif
