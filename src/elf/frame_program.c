/* SPDX-License-Identifier: MIT */
/*
 * Runs the instructions of unwind tables: for each range of addresses of a function, they say how the caller's stack
 * pointer (CFA) is computed, and where registers are saved. Only the return address and the frame pointer matter here.
 */
#include "frame_program.h"

enum {
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
	OFFSET_EXTENDED = 0x05,
	RESTORE_EXTENDED = 0x06,
	UNDEFINED = 0x07,
	SAME_VALUE = 0x08,
	IN_REGISTER = 0x09,
	REMEMBER_STATE = 0x0a,
	RESTORE_STATE = 0x0b,
	DEFINE = 0x0c,
	DEFINE_REGISTER = 0x0d,
	DEFINE_OFFSET = 0x0e,
	DEFINE_EXPRESSION = 0x0f,
	EXPRESSION = 0x10,
	OFFSET_SIGNED = 0x11,
	DEFINE_SIGNED = 0x12,
	DEFINE_OFFSET_SIGNED = 0x13,
	VALUE_OFFSET = 0x14,
	VALUE_OFFSET_SIGNED = 0x15,
	VALUE_EXPRESSION = 0x16,
	/* aarch64: the return address is signed, or not, from here on. */
	NEGATE_RA_STATE = 0x2d,
	/* The size of arguments that a callee removes. */
	ARGUMENTS_SIZE = 0x2e,
	OFFSET_NEGATIVE = 0x2f,
};

static void advance(struct hp_frame_program *program, uint64_t units)
{
	uint64_t distance = units * program->code_factor;

	program->arrived = distance > program->left;
	program->left -= program->arrived ? 0 : distance;
}

/* The place where a register is saved; NULL for registers that do not matter. */
static struct hp_saved *saved(const struct hp_unwind_registers *registers,
			      struct hp_frame_state *state, uint64_t reg)
{
	if (reg == registers->ra)
		return &state->ra;
	if (reg == registers->sp)
		return &state->sp;
	if (reg == registers->data)
		return &state->data;
	if (reg == registers->rbx)
		return &state->rbx;
	return reg == registers->fp ? &state->fp : NULL;
}

static void set(struct hp_frame_program *program, uint64_t reg, enum hp_saved_kind kind,
		int64_t offset)
{
	struct hp_saved *place = saved(&program->registers, &program->state, reg);

	if (reg < 32 && program->registers.scratch >> reg & 1)
		program->state.saves_scratch = true;
	if (reg == program->registers.data && kind == HP_SAVED_AT_CFA)
		program->has_saved_data = true;
	if (place && offset != (int32_t)offset)
		*place = (struct hp_saved){ HP_SAVED_UNKNOWN, 0 };
	else if (place)
		*place = (struct hp_saved){ kind, (int32_t)offset };
}

static void set_register(struct hp_frame_program *program, uint64_t reg, uint64_t place)
{
	if (place < program->registers.known)
		set(program, reg, HP_SAVED_IN_REGISTER, (int64_t)place);
	else
		set(program, reg, HP_SAVED_UNKNOWN, 0);
}

/* Offsets come from anywhere: no overflow that C leaves undefined. */
static int64_t scaled(const struct hp_frame_program *program, uint64_t units)
{
	return (int64_t)(units * (uint64_t)program->data_factor);
}

static void restore(struct hp_frame_program *program, uint64_t reg)
{
	struct hp_saved *place = saved(&program->registers, &program->state, reg);

	if (place)
		*place = *saved(&program->registers, &program->initial, reg);
}

static void remember(struct hp_cursor *code, struct hp_frame_program *program, bool back)
{
	if (program->depth == (back ? 0 : HP_REMEMBERED))
		code->failed = true;
	else if (back)
		program->state = program->remembered[--program->depth];
	else
		program->remembered[program->depth++] = program->state;
}

static enum hp_base base_of(const struct hp_unwind_registers *registers, uint64_t reg)
{
	if (reg == registers->sp)
		return HP_BASE_SP;
	if (reg == registers->fp)
		return HP_BASE_FP;
	return reg < registers->known ? HP_BASE_OTHER : HP_BASE_UNKNOWN;
}

static void define_register(struct hp_frame_program *program, uint64_t reg)
{
	program->state.cfa.base = base_of(&program->registers, reg);
	program->state.other = (unsigned)reg;
}

static struct hp_cursor block(struct hp_cursor *code)
{
	uint64_t size = hp_cursor_number(code);
	struct hp_cursor inside = *code;

	hp_cursor_skip(code, size);
	inside.end = code->failed ? inside.at : code->at;
	return inside;
}

/* A function that aligns its stack has its caller's frame pointer where its own one points to. */
static void save_at(struct hp_frame_program *program, uint64_t reg, struct hp_cursor expression)
{
	struct hp_value value = hp_expression_value(program, expression);

	if (value.base == HP_BASE_FP)
		set(program, reg, HP_SAVED_AT_FP, value.offset);
	else
		set(program, reg, HP_SAVED_UNKNOWN, 0);
}

static void define(struct hp_cursor *code, struct hp_frame_program *program, unsigned instruction)
{
	struct hp_value *cfa = &program->state.cfa;

	switch (instruction) {
	case DEFINE_EXPRESSION:
		*cfa = hp_expression_value(program, block(code));
		return;
	case DEFINE:
	case DEFINE_SIGNED:
	case DEFINE_REGISTER:
		define_register(program, hp_cursor_number(code));
		break;
	default:
		break;
	}
	if (instruction == DEFINE || instruction == DEFINE_OFFSET)
		cfa->offset = (int64_t)hp_cursor_number(code);
	else if (instruction == DEFINE_SIGNED || instruction == DEFINE_OFFSET_SIGNED)
		cfa->offset = scaled(program, (uint64_t)hp_cursor_signed(code));
}

/* Instructions that begin with the number of a register. */
static void save(struct hp_cursor *code, struct hp_frame_program *program, unsigned instruction)
{
	uint64_t reg = hp_cursor_number(code);

	switch (instruction) {
	case OFFSET_EXTENDED:
		set(program, reg, HP_SAVED_AT_CFA, scaled(program, hp_cursor_number(code)));
		return;
	case OFFSET_SIGNED:
		set(program, reg, HP_SAVED_AT_CFA,
		    scaled(program, (uint64_t)hp_cursor_signed(code)));
		return;
	case OFFSET_NEGATIVE:
		set(program, reg, HP_SAVED_AT_CFA, scaled(program, 0 - hp_cursor_number(code)));
		return;
	case RESTORE_EXTENDED:
		restore(program, reg);
		return;
	case UNDEFINED:
		set(program, reg, HP_SAVED_UNDEFINED, 0);
		return;
	case SAME_VALUE:
		set(program, reg, HP_SAVED_SAME, 0);
		return;
	case IN_REGISTER:
		set_register(program, reg, hp_cursor_number(code));
		return;
	case EXPRESSION:
		save_at(program, reg, block(code));
		return;
	case VALUE_EXPRESSION:
		block(code);
		break;
	default:
		hp_cursor_number(code);
	}
	set(program, reg, HP_SAVED_UNKNOWN, 0);
}

static void step_plain(struct hp_cursor *code, struct hp_frame_program *program,
		       unsigned instruction)
{
	switch (instruction) {
	case 0:
	case NEGATE_RA_STATE:
		return;
	case ADVANCE_1:
	case ADVANCE_2:
	case ADVANCE_4:
		advance(program, hp_cursor_fixed(code, (size_t)1 << (instruction - ADVANCE_1)));
		return;
	case REMEMBER_STATE:
	case RESTORE_STATE:
		remember(code, program, instruction == RESTORE_STATE);
		return;
	case DEFINE:
	case DEFINE_REGISTER:
	case DEFINE_OFFSET:
	case DEFINE_EXPRESSION:
	case DEFINE_SIGNED:
	case DEFINE_OFFSET_SIGNED:
		define(code, program, instruction);
		return;
	case ARGUMENTS_SIZE:
		hp_cursor_number(code);
		return;
	case OFFSET_EXTENDED:
	case RESTORE_EXTENDED:
	case UNDEFINED:
	case SAME_VALUE:
	case IN_REGISTER:
	case EXPRESSION:
	case OFFSET_SIGNED:
	case VALUE_OFFSET:
	case VALUE_OFFSET_SIGNED:
	case VALUE_EXPRESSION:
	case OFFSET_NEGATIVE:
		save(code, program, instruction);
		return;
	default:
		code->failed = true;
	}
}

static void step(struct hp_cursor *code, struct hp_frame_program *program)
{
	unsigned first = (unsigned)hp_cursor_fixed(code, 1);

	switch (first >> INLINE_BITS) {
	case ADVANCE:
		advance(program, first & INLINE_MASK);
		return;
	case OFFSET:
		set(program, first & INLINE_MASK, HP_SAVED_AT_CFA,
		    scaled(program, hp_cursor_number(code)));
		return;
	case RESTORE:
		restore(program, first & INLINE_MASK);
		return;
	default:
		step_plain(code, program, first);
	}
}

void hp_frame_program_run(struct hp_frame_program *program, struct hp_cursor *code)
{
	while (!code->failed && code->at < code->end && !program->arrived)
		step(code, program);
}
