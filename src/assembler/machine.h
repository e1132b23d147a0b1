/* SPDX-License-Identifier: MIT */
/* A processor: the form of its sleds, and the instructions that leave a function. */
#ifndef HP_MACHINE_H
#define HP_MACHINE_H

#include "line.h"
#include "text.h"

#include <stdbool.h>

enum leaving {
	STAYS,
	/** Nothing happens after it but the return. */
	RETURNS,
	/** The instruction goes to another function, or returns in a special way: the call ends in front of it. */
	JUMPS,
};

/**
 * A kind of processor. Everything is written on one line, with semicolons, so that the lines of the file keep their
 * numbers, which are in the messages of the assembler. A sled has the label `.Lhotpath` with a number.
 */
struct machine {
	/** Whether an instruction must stay the first one of its function, because indirect calls may only lead there. */
	bool (*is_landing)(const struct line *line);
	enum leaving (*leaves)(const struct line *line);
	/** Whether a function is one that stands for an instruction, and finds all registers in use. */
	bool (*is_helper)(struct piece name);
	/** Its tables of jumps may have distances of a byte, which must be made wider. */
	bool has_byte_tables;
	/** clang does not mark its indirect tail calls. */
	bool has_unmarked_jumps;
	/** The directive that aligns a function with sleds to 8 bytes; NULL if that is not needed. */
	const char *alignment;
	/** Write the sled of an entry, in front of the function's first instruction. */
	void (*write_entry)(struct hp_text *text, unsigned number, const struct line *first);
	/**
	 * Write an instruction that leaves its function, with its sled. If it has bytes that mean nothing until it is armed,
	 * they refer to a label, unless that is NULL. Returns whether they do.
	 */
	bool (*write_exit)(struct hp_text *text, unsigned number, const struct line *line,
			   enum leaving leaving, const char *label);
	/** Write a function that calls another one with the address of a variable, or returns at once if the other is not there. */
	void (*write_caller)(struct hp_text *text, const char *function, const char *variable);
};

/** Whether the compiler has marked an instruction as a tail call: gcc with -dp, and clang; or we have, where clang does not. */
bool hp_is_marked(const struct line *line);

/** Whether a name is that of a part of a function which gcc has moved away. */
bool hp_is_cold_part(struct piece name);

extern const struct machine hp_machine_x86_64, hp_machine_aarch64;

#endif
