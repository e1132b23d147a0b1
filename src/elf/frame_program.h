/* SPDX-License-Identifier: MIT */
/* The instructions in unwind tables (call frame instructions of DWARF): what is true at an address of a function. */
#ifndef HP_FRAME_PROGRAM_H
#define HP_FRAME_PROGRAM_H

#include "unwind_bytes.h"

/* Numbers of registers in DWARF. */
struct hp_unwind_registers {
	unsigned sp;
	unsigned fp;
	unsigned ra;
	/* The first register in which a landing pad gets its data. Functions that go to landing pads save it; and so do those that
	   preserve all registers, with others that calls do not preserve: these are a set of bits. */
	unsigned data;
	unsigned scratch;
	/* The return address is in a register when a function begins, not on the stack. */
	bool has_link;
	/* The register that calls preserve, and that a CFA may be computed of. */
	unsigned rbx;
	/* How many registers there are whose values samples have: those with the lowest numbers. */
	unsigned known;
};

enum { HP_NO_REGISTER = 0xffff };

/* Place of the value that a register had in the caller. */
enum hp_saved_kind {
	HP_SAVED_SAME,
	HP_SAVED_AT_CFA,
	/* At the frame pointer plus the offset. */
	HP_SAVED_AT_FP,
	/* In another register, whose number is the offset. */
	HP_SAVED_IN_REGISTER,
	/* Nowhere, or not in a form that is known. */
	HP_SAVED_UNDEFINED,
	HP_SAVED_UNKNOWN,
};

struct hp_saved {
	enum hp_saved_kind kind;
	int32_t offset;
};

/* A value that is known but for a register or a word in memory. */
enum hp_base {
	HP_BASE_NONE,
	HP_BASE_UNKNOWN,
	HP_BASE_SP,
	HP_BASE_FP,
	HP_BASE_AT_SP,
	HP_BASE_AT_FP,
	/* A register of another kind. */
	HP_BASE_OTHER,
};

struct hp_value {
	enum hp_base base;
	/* The offset from the register; and what is added to the word there, if it is the word that counts. */
	int64_t offset;
	int64_t add;
};

struct hp_frame_state {
	struct hp_value cfa;
	/* The register of HP_BASE_OTHER. */
	unsigned other;
	struct hp_saved sp;
	struct hp_saved ra;
	struct hp_saved fp;
	struct hp_saved data;
	/* A register of `scratch` was saved. */
	bool saves_scratch;
	struct hp_saved rbx;
};

/* Maximum nesting of DW_CFA_remember_state. */
enum { HP_REMEMBERED = 8 };

struct hp_frame_program {
	struct hp_unwind_registers registers;
	uint64_t code_factor;
	int64_t data_factor;
	/* The address, and its distance from the place that the program has come to. */
	uint64_t address;
	uint64_t left;
	bool arrived;
	struct hp_frame_state state;
	/* The data of a landing pad was saved at the address, or somewhere before it. */
	bool has_saved_data;
	/* State after the instructions of the CIE, which DW_CFA_restore returns to. */
	struct hp_frame_state initial;
	struct hp_frame_state remembered[HP_REMEMBERED];
	unsigned depth;
};

/* Run instructions until the end, or until they are about addresses beyond the one that is wanted. */
void hp_frame_program_run(struct hp_frame_program *program, struct hp_cursor *code);

/* The rule for the address that a program has been run to, so far into its function: packed, as in unwind.h. A signal's frame is no
   function's. */
uint64_t hp_frame_rule(struct hp_frame_program *program, bool is_signal, uint64_t into);

/* The value of an expression; HP_BASE_UNKNOWN if it is not of a known form. */
struct hp_value hp_expression_value(const struct hp_frame_program *program, struct hp_cursor code);

#endif
