/* SPDX-License-Identifier: MIT */
/*
 * Reads the unwind tables, .eh_frame, just far enough to know whether the stack pointer is where it was on entry.
 *
 * A function has an FDE, and several FDEs share a CIE. Both end with instructions that say, for each range of
 * addresses, how the caller's stack pointer (CFA) is computed: as a register plus an offset.
 */
#include "unwind.h"

#include <string.h>

enum {
	/* RSP in DWARF's numbering for x86-64; on entry the CFA is RSP + 8, above the return address. */
	RSP = 7,
	RETURN_ADDRESS = 8,
	/* Maximum nesting of DW_CFA_remember_state. */
	REMEMBERED = 8,
	/* Bits of the operand in the first byte of an instruction. */
	INLINE_BITS = 6,
	INLINE_MASK = 0x3f,
};

/* Instructions: with an operand in the first byte, if they are above the mask; others alone. */
enum {
	ADVANCE = 1,
	OFFSET = 2,
	RESTORE = 3,

	ADVANCE_1 = 0x02,
	ADVANCE_2 = 0x03,
	ADVANCE_4 = 0x04,
	REMEMBER_STATE = 0x0a,
	RESTORE_STATE = 0x0b,
	DEFINE = 0x0c,
	DEFINE_REGISTER = 0x0d,
	DEFINE_OFFSET = 0x0e,
};

/* Operands of instructions about other registers, which are skipped: numbers (n) and blocks (b). */
static const char *const others[] = {
	[0x00] = "",   [0x05] = "nn", [0x06] = "n",  [0x07] = "n",  [0x08] = "n",  [0x09] = "nn",
	[0x10] = "nb", [0x11] = "nn", [0x14] = "nn", [0x15] = "nn", [0x16] = "nb", [0x2e] = "n",
};

struct cursor {
	const unsigned char *at;
	const unsigned char *end;
	/* Ran past the end, or found something unknown. */
	bool failed;
};

struct rule {
	uint64_t reg;
	uint64_t offset;
};

struct machine {
	struct rule rule;
	struct rule remembered[REMEMBERED];
	unsigned depth;
	/* Distance to the address, in code alignment units. */
	uint64_t left;
	bool arrived;
};

static void skip(struct cursor *cursor, uint64_t size)
{
	if (size > (uint64_t)(cursor->end - cursor->at)) {
		cursor->failed = true;
		cursor->at = cursor->end;
		return;
	}
	cursor->at += size;
}

/* Read an unsigned number of a fixed size; 0 if out of bounds. */
static uint64_t fixed(struct cursor *cursor, size_t size)
{
	const unsigned char *at = cursor->at;
	uint64_t value = 0;

	skip(cursor, size);
	if (!cursor->failed)
		memcpy(&value, at, size);
	return value;
}

/* Read a LEB128 number, as unsigned. */
static uint64_t number(struct cursor *cursor)
{
	uint64_t value = 0, byte;
	unsigned shift = 0;

	do {
		byte = fixed(cursor, 1);
		value |= shift < 64 ? (byte & 0x7f) << shift : 0;
		shift += 7;
	} while (byte & 0x80 && !cursor->failed);
	return value;
}

/* ---- instructions ---- */

static void advance(struct machine *machine, uint64_t distance)
{
	machine->arrived = distance > machine->left;
	machine->left -= machine->arrived ? 0 : distance;
}

static void pass_over(struct cursor *code, unsigned instruction)
{
	const char *operands = instruction < sizeof(others) / sizeof(*others) ? others[instruction]
									      : NULL;

	code->failed |= !operands;
	for (; operands && *operands; operands++) {
		uint64_t value = number(code);
		if (*operands == 'b')
			skip(code, value);
	}
}

static void remember(struct cursor *code, struct machine *machine, bool restore)
{
	if (machine->depth == (restore ? 0 : REMEMBERED))
		code->failed = true;
	else if (restore)
		machine->rule = machine->remembered[--machine->depth];
	else
		machine->remembered[machine->depth++] = machine->rule;
}

static void step_plain(struct cursor *code, struct machine *machine, unsigned instruction)
{
	switch (instruction) {
	case ADVANCE_1:
	case ADVANCE_2:
	case ADVANCE_4:
		advance(machine, fixed(code, (size_t)1 << (instruction - ADVANCE_1)));
		return;
	case REMEMBER_STATE:
	case RESTORE_STATE:
		remember(code, machine, instruction == RESTORE_STATE);
		return;
	case DEFINE:
	case DEFINE_REGISTER:
		machine->rule.reg = number(code);
		if (instruction == DEFINE)
			machine->rule.offset = number(code);
		return;
	case DEFINE_OFFSET:
		machine->rule.offset = number(code);
		return;
	default:
		pass_over(code, instruction);
	}
}

static void step(struct cursor *code, struct machine *machine)
{
	unsigned first = (unsigned)fixed(code, 1);

	switch (first >> INLINE_BITS) {
	case ADVANCE:
		advance(machine, first & INLINE_MASK);
		return;
	case OFFSET:
		number(code);
		return;
	case RESTORE:
		return;
	default:
		step_plain(code, machine, first);
	}
}

/* ---- entries ---- */

/* A cursor over an entry, after its length field. */
static struct cursor entry_of(struct hp_unwind_bytes table)
{
	static const unsigned char none[1] = { 0 };
	const unsigned char *bytes = table.bytes ? table.bytes : none;
	struct cursor cursor = { bytes, bytes + (table.bytes ? table.size : 0), !table.bytes };
	uint64_t size = fixed(&cursor, 4);

	cursor.failed |= size > (uint64_t)(cursor.end - cursor.at);
	if (!cursor.failed)
		cursor.end = cursor.at + size;
	return cursor;
}

/*
 * Whether a CIE augmentation is known: it has its own size, so the rest can be skipped; and it is not that of a
 * signal frame.
 */
static bool is_known(const char *kind)
{
	return kind[0] == 'z' && !strchr(kind, 'S');
}

/* The instructions of a CIE, if it is for normal calls and has a code alignment of 1. */
static struct cursor begin_common(struct hp_unwind_bytes common)
{
	struct cursor cursor = entry_of(common);
	uint64_t id = fixed(&cursor, 4), version = fixed(&cursor, 1);
	const unsigned char *kind = cursor.at;

	while (!cursor.failed && fixed(&cursor, 1))
		;
	cursor.failed |= id != 0 || version != 1;
	if (cursor.failed || !is_known((const char *)kind)) {
		cursor.failed = true;
		return cursor;
	}
	cursor.failed |= number(&cursor) != 1;
	/* Skip the data alignment factor and the return address register. */
	number(&cursor);
	fixed(&cursor, 1);
	skip(&cursor, number(&cursor));
	return cursor;
}

/* The instructions of an FDE, if it covers an address; and the offset of the address in it. */
static struct cursor begin_entry(struct hp_unwind_bytes entry, uint64_t entry_at, uint64_t address,
				 uint64_t *inside)
{
	/* Where the function begins, relative to this place of the entry. */
	enum { BEGIN = 8 };
	struct cursor cursor = entry_of(entry);
	fixed(&cursor, 4);
	uint64_t begin = entry_at + BEGIN + (uint64_t)(int64_t)(int32_t)fixed(&cursor, 4);
	uint64_t size = fixed(&cursor, 4);

	*inside = address - begin;
	cursor.failed |= *inside >= size;
	skip(&cursor, number(&cursor));
	return cursor;
}

bool hp_unwind_returns_at_top(struct hp_unwind_bytes entry, uint64_t entry_at,
			      struct hp_unwind_bytes common, uint64_t address)
{
	struct machine machine = { .depth = 0 };
	struct cursor before = begin_common(common);
	struct cursor code = begin_entry(entry, entry_at, address, &machine.left);

	while (!before.failed && before.at < before.end)
		step(&before, &machine);
	while (!code.failed && code.at < code.end && !machine.arrived)
		step(&code, &machine);
	return !before.failed && !code.failed && machine.rule.reg == RSP &&
	       machine.rule.offset == RETURN_ADDRESS;
}
