/* SPDX-License-Identifier: MIT */
/*
 * Finds out how to get from a function of aarch64 to its caller, by its instructions.
 *
 *	paciasp
 *	stp x29, x30, [sp, #-16]!
 *	mov x29, sp
 *	...                          ◄── interrupted
 *	cbz w2, elsewhere
 *	ldp x29, x30, [sp], #16      the return address is at sp + 8
 *	ret                          and the caller's stack pointer is sp + 16
 *
 * Whatever way a function takes from a place to its end, it removes the same stack frame. So one way is enough, and it need not be
 * one that the program would take: at a branch it goes straight on, and if that leads to no end, the other way.
 */
#include "code_rule.h"

enum {
	FP = 29,
	LINK = 30,
	SP = 31,
	/* Instructions, and branches whose other way is still to be tried, at most. */
	CODE_MAX = 4096,
	WAYS_MAX = 32,
	STACK_ALIGNMENT = 16,
	/* Places of a register's value that are none on the stack: in the register as at first; nowhere. */
	SAME = INT32_MIN,
	GONE,
	NOWHERE,
};

/* Some bits of an instruction, and what they are. */
struct pattern {
	uint32_t mask;
	uint32_t bits;
};

static const struct pattern branch = { 0xfc000000, 0x14000000 };
static const struct pattern branch_if = { 0xff000000, 0x54000000 };
static const struct pattern branch_zero = { 0x7e000000, 0x34000000 };
static const struct pattern branch_bit = { 0x7e000000, 0x36000000 };
static const struct pattern call = { 0xfc000000, 0x94000000 };
static const struct pattern call_register = { 0xfefff000, 0xd63f0000 };
/* ret, also when it authenticates the return address. */
static const struct pattern returns = { 0xffffffff, 0xd65f03c0 };
static const struct pattern returns_signed = { 0xfffffbff, 0xd65f0bff };
/* Jumps by a register, returns among them, and of exceptions. */
static const struct pattern jump = { 0xfe000000, 0xd6000000 };
/* Loads and stores of two registers, or one, by the stack pointer. */
static const struct pattern pair = { 0x3a0003e0, 0x280003e0 };
static const struct pattern single_moving = { 0x3b2007e0, 0x380007e0 };
static const struct pattern single_word = { 0xff8003e0, 0xf90003e0 };
/* The stack pointer and a number; anything else that goes to the stack pointer. */
static const struct pattern add_to_sp = { 0xbf8003ff, 0x910003ff };
static const struct pattern to_sp = { 0x3f80001f, 0x1100001f };
static const struct pattern sum_to_sp = { 0x3fe0001f, 0x0b20001f };
static const struct pattern bits_to_sp = { 0x1f80001f, 0x1200001f };

/* mov x8, #139: the number of the system call that ends a signal handler, and does not return. */
#define ENDS_HANDLER UINT32_C(0xd2801168)
#define SYSTEM_CALL UINT32_C(0xd4000001)

/* Where the caller's value of a register is, as an offset from the stack pointer at the first; and what was stored on the way. */
struct value {
	int32_t now;
	int32_t stored;
	int32_t stored_at;
};

/* A way through the code. */
struct way {
	size_t at;
	/* What the stack pointer has become, as an offset from what it was. */
	int32_t sp;
	struct value link;
	struct value fp;
};

struct search {
	const uint32_t *code;
	size_t count;
	uint64_t seen[CODE_MAX / 64];
	struct way ways[WAYS_MAX];
	unsigned waiting;
};

enum progress { GOES_ON, RETURNS, ENDS };

static bool is(uint32_t instruction, struct pattern pattern)
{
	return (instruction & pattern.mask) == pattern.bits;
}

/* The number in some bits of an instruction, with its sign. */
static int32_t number(uint32_t instruction, unsigned low, unsigned bits)
{
	return (int32_t)(instruction << (32 - low - bits)) >> (32 - bits);
}

/* ---- the stack ---- */

static void transfer(struct way *way, unsigned reg, int32_t place, bool loads)
{
	struct value *value = reg == LINK ? &way->link : reg == FP ? &way->fp : NULL;

	if (!value)
		return;
	if (!loads) {
		value->stored = value->now;
		value->stored_at = place;
	} else if (place == value->stored_at) {
		value->now = value->stored;
	} else {
		value->now = place >= 0 ? place : GONE;
	}
}

/* The stack pointer is moved before the memory is used, or after it, or not at all. */
static void transfer_pair(struct way *way, uint32_t instruction)
{
	enum { BEFORE = 1 << 24, MOVES = 1 << 23, LOADS = 1 << 22, VECTOR = 1 << 26, WORDS = 2 };
	unsigned size = instruction >> 30;
	bool is_vector = instruction & VECTOR;
	int32_t bytes = is_vector ? 4 << size : size == WORDS ? HP_RULE_WORD : 4;
	int32_t offset = number(instruction, 15, 7) * bytes;
	int32_t place = way->sp + (instruction & BEFORE || !(instruction & MOVES) ? offset : 0);

	if (!is_vector && size == WORDS) {
		transfer(way, instruction & 31, place, instruction & LOADS);
		transfer(way, instruction >> 10 & 31, place + HP_RULE_WORD, instruction & LOADS);
	}
	way->sp += instruction & MOVES ? offset : 0;
}

static void transfer_moving(struct way *way, uint32_t instruction)
{
	enum { BEFORE = 1 << 11, LOADS = 1 << 22, VECTOR = 1 << 26, WORD = 3 };
	int32_t offset = number(instruction, 12, 9);

	if (instruction >> 30 == WORD && !(instruction & VECTOR))
		transfer(way, instruction & 31, way->sp + (instruction & BEFORE ? offset : 0),
			 instruction & LOADS);
	way->sp += offset;
}

static void transfer_word(struct way *way, uint32_t instruction)
{
	enum { LOADS = 1 << 22 };
	int32_t offset = (int32_t)(instruction >> 10 & 0xfff) * HP_RULE_WORD;

	transfer(way, instruction & 31, way->sp + offset, instruction & LOADS);
}

static void add(struct way *way, uint32_t instruction)
{
	enum { SUBTRACTS = 1 << 30, SHIFTED = 1 << 22 };
	int32_t offset = (int32_t)(instruction >> 10 & 0xfff) << (instruction & SHIFTED ? 12 : 0);

	way->sp += instruction & SUBTRACTS ? -offset : offset;
}

/* Whether the stack pointer gets a value that is not known; comparisons only look as if. */
static bool loses_sp(uint32_t instruction)
{
	enum { AND_FLAGS = 3 };

	return is(instruction, to_sp) || is(instruction, sum_to_sp) ||
	       (is(instruction, bits_to_sp) && (instruction >> 29 & 3) != AND_FLAGS);
}

/* False if the stack pointer is not known any more, or is far from where it was. */
static bool use_stack(struct way *way, uint32_t instruction)
{
	enum { FAR = 1 << 24 };

	if (is(instruction, pair))
		transfer_pair(way, instruction);
	else if (is(instruction, single_moving))
		transfer_moving(way, instruction);
	else if (is(instruction, single_word))
		transfer_word(way, instruction);
	else if (is(instruction, add_to_sp))
		add(way, instruction);
	else
		return !loses_sp(instruction);
	return way->sp > -FAR && way->sp < FAR;
}

/* ---- ways ---- */

/* How far a branch goes that may be taken or not, in instructions; 0 if it is none. */
static int32_t may_branch(uint32_t instruction)
{
	if (is(instruction, branch_if) || is(instruction, branch_zero))
		return number(instruction, 5, 19);
	return is(instruction, branch_bit) ? number(instruction, 5, 14) : 0;
}

static void try_later(struct search *search, struct way way, int32_t distance)
{
	way.at += (size_t)(int64_t)distance;
	if (distance && search->waiting < WAYS_MAX)
		search->ways[search->waiting++] = way;
}

/* Do one instruction. */
static enum progress follow_one(struct search *search, struct way *way)
{
	uint32_t instruction = search->code[way->at];

	if (is(instruction, returns) || is(instruction, returns_signed))
		return RETURNS;
	if (is(instruction, branch)) {
		way->at += (size_t)(int64_t)number(instruction, 0, 26);
		return GOES_ON;
	}
	try_later(search, *way, may_branch(instruction));
	if (is(instruction, call) || is(instruction, call_register))
		way->link.now = GONE;
	else if (!instruction || is(instruction, jump) || !use_stack(way, instruction) ||
		 (instruction == SYSTEM_CALL && way->at &&
		  search->code[way->at - 1] == ENDS_HANDLER))
		return ENDS;
	way->at++;
	return GOES_ON;
}

/* Whether the way comes to the end of the function. One that was there before leads nowhere. */
static bool follow(struct search *search, struct way *way)
{
	enum progress progress = GOES_ON;

	while (progress == GOES_ON && way->at < search->count) {
		uint64_t *seen = &search->seen[way->at / 64], bit = UINT64_C(1) << way->at % 64;
		if (*seen & bit)
			return false;
		*seen |= bit;
		progress = follow_one(search, way);
	}
	return progress == RETURNS;
}

/* Whether a value is where a function saves it: in its register, or below its caller's stack frame. */
static bool is_saved(int32_t place, int32_t cfa)
{
	return place == SAME || (place >= 0 && place < cfa && place % HP_RULE_WORD == 0);
}

static uint64_t rule_of(const struct way *way)
{
	int32_t link = way->link.now, fp = way->fp.now;
	const struct hp_rule rule = { .kind = HP_RULE_SP,
				      .cfa = way->sp,
				      .ra = link == SAME ? 0 : link - way->sp,
				      .fp = fp == SAME ? 0 : fp - way->sp };

	if (way->sp < 0 || way->sp % STACK_ALIGNMENT || !is_saved(link, way->sp) ||
	    !is_saved(fp, way->sp))
		return HP_RULE_NONE;
	return hp_rule_pack(&rule);
}

uint64_t hp_code_rule(const uint32_t *code, size_t count, size_t at, bool returned)
{
	struct search search = { .code = code, .count = count, .waiting = 1 };

	search.ways[0] = (struct way){ .at = at,
				       .link = { returned ? GONE : SAME, GONE, NOWHERE },
				       .fp = { SAME, GONE, NOWHERE } };
	if (count > CODE_MAX)
		return HP_RULE_NONE;
	while (search.waiting) {
		struct way way = search.ways[--search.waiting];
		if (follow(&search, &way))
			return rule_of(&way);
	}
	return HP_RULE_NONE;
}
