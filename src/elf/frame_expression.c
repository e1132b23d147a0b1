/* SPDX-License-Identifier: MIT */
/*
 * Evaluates the few expressions (DWARF operations) that unwind tables have: of PLT entries, whose stack depends on where in
 * the entry the program is; of functions that align their stack; of assembly that keeps its caller's stack pointer on the
 * stack. The registers are not known here: a value is a register, or a word in memory near one, plus a number.
 */
#include "frame_program.h"

enum {
	DEREFERENCE = 0x06,
	CONSTANT_1U = 0x08,
	CONSTANT_8S = 0x0f,
	CONSTANT_U = 0x10,
	CONSTANT_S = 0x11,
	AND = 0x1a,
	MINUS = 0x1c,
	PLUS = 0x22,
	PLUS_NUMBER = 0x23,
	SHIFT_LEFT = 0x24,
	GREATER_EQUAL = 0x2a,
	LITERAL_0 = 0x30,
	LITERAL_31 = 0x4f,
	REGISTER_0 = 0x70,
	REGISTER_31 = 0x8f,

	VALUES = 8,
};

struct evaluation {
	struct hp_value values[VALUES];
	unsigned count;
	bool failed;
};

static void push(struct evaluation *work, struct hp_value value)
{
	if (work->count == VALUES || value.base == HP_BASE_UNKNOWN)
		work->failed = true;
	else
		work->values[work->count++] = value;
}

static void push_number(struct evaluation *work, uint64_t number)
{
	push(work, (struct hp_value){ HP_BASE_NONE, (int64_t)number, 0 });
}

static struct hp_value pop(struct evaluation *work)
{
	if (work->count == 0) {
		work->failed = true;
		return (struct hp_value){ HP_BASE_NONE, 0, 0 };
	}
	return work->values[--work->count];
}

static struct hp_value plus(struct hp_value value, uint64_t number)
{
	int64_t *part = value.base == HP_BASE_AT_SP || value.base == HP_BASE_AT_FP ? &value.add
										   : &value.offset;

	*part = (int64_t)((uint64_t)*part + number);
	return value;
}

static void push_register(struct evaluation *work, const struct hp_frame_program *program,
			  unsigned reg, uint64_t offset)
{
	struct hp_value value = { HP_BASE_UNKNOWN, (int64_t)offset, 0 };

	if (reg == program->registers.sp)
		value.base = HP_BASE_SP;
	else if (reg == program->registers.fp)
		value.base = HP_BASE_FP;
	/* On x86-64 the return address column is the program counter. */
	else if (reg == program->registers.ra)
		value = (struct hp_value){ HP_BASE_NONE, (int64_t)(program->address + offset), 0 };
	push(work, value);
}

static void dereference(struct evaluation *work)
{
	struct hp_value value = pop(work);

	if (value.base != HP_BASE_SP && value.base != HP_BASE_FP)
		work->failed = true;
	value.base = value.base == HP_BASE_SP ? HP_BASE_AT_SP : HP_BASE_AT_FP;
	push(work, value);
}

static void combine(struct evaluation *work, unsigned operation)
{
	struct hp_value second = pop(work), first = pop(work);
	uint64_t a = (uint64_t)first.offset, b = (uint64_t)second.offset;

	if (operation == PLUS && first.base == HP_BASE_NONE) {
		push(work, plus(second, a));
		return;
	}
	work->failed |= second.base != HP_BASE_NONE;
	if (operation == PLUS || operation == MINUS) {
		push(work, plus(first, operation == PLUS ? b : 0 - b));
		return;
	}
	work->failed |= first.base != HP_BASE_NONE;
	if (operation == AND)
		push_number(work, a & b);
	else if (operation == SHIFT_LEFT)
		push_number(work, b < 64 ? a << b : 0);
	else
		push_number(work, first.offset >= second.offset);
}

/* Constants of 1, 2, 4 and 8 bytes, each unsigned and then signed. */
static void push_constant(struct evaluation *work, struct hp_cursor *code, unsigned operation)
{
	size_t size = (size_t)1 << (operation - CONSTANT_1U) / 2;
	uint64_t value = hp_cursor_fixed(code, size);

	push_number(work,
		    (operation - CONSTANT_1U) % 2 ? hp_extend(value, (unsigned)size * 8) : value);
}

static void evaluate(struct evaluation *work, const struct hp_frame_program *program,
		     struct hp_cursor *code)
{
	unsigned operation = (unsigned)hp_cursor_fixed(code, 1);

	if (operation >= REGISTER_0 && operation <= REGISTER_31)
		push_register(work, program, operation - REGISTER_0,
			      (uint64_t)hp_cursor_signed(code));
	else if (operation >= LITERAL_0 && operation <= LITERAL_31)
		push_number(work, operation - LITERAL_0);
	else if (operation >= CONSTANT_1U && operation <= CONSTANT_8S)
		push_constant(work, code, operation);
	else if (operation == CONSTANT_U || operation == CONSTANT_S)
		push_number(work, hp_cursor_leb(code, operation == CONSTANT_S));
	else if (operation == PLUS_NUMBER)
		push(work, plus(pop(work), hp_cursor_number(code)));
	else if (operation == DEREFERENCE)
		dereference(work);
	else if (operation == AND || operation == MINUS || operation == PLUS ||
		 operation == SHIFT_LEFT || operation == GREATER_EQUAL)
		combine(work, operation);
	else
		work->failed = true;
}

struct hp_value hp_expression_value(const struct hp_frame_program *program, struct hp_cursor code)
{
	struct evaluation work = { .count = 0 };

	while (!code.failed && !work.failed && code.at < code.end)
		evaluate(&work, program, &code);
	if (code.failed || work.failed || work.count != 1 || work.values[0].base == HP_BASE_NONE)
		return (struct hp_value){ HP_BASE_UNKNOWN, 0, 0 };
	return work.values[0];
}
