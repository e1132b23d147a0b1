/* SPDX-License-Identifier: MIT */
/*
 * Steps from the unwinder of exceptions to its caller, on aarch64.
 *
 *	   CFA ──► ├────────────────────────────────┤
 *	           │ of the unwinder: registers of  │
 *	           │ frames, its return address     │ ◄── still the caller's
 *	           │ saved registers                │
 *	           │ return address, replaced       │
 *	    sp ──► │ frame pointer, replaced        │
 *
 * _Unwind_RaiseException and its like prepare the jump to a landing pad by copying registers to where they have saved their
 * own, the return address among them. The stack pointer is not, so the CFA is right; and before they begin to look for a landing pad,
 * they have written down where their caller is, in a variable. Then the call before the return address is one of another function,
 * and one that goes to the unwinder is in that variable. The caller's frame pointer is lost, but functions have saved it
 * that use it for themselves.
 */
#include "call_site.h"
#include "rules.h"
#include "unwinder.h"

#ifdef __aarch64__

enum {
	WORD = sizeof(uintptr_t),
	INSTRUCTION = 4,
	/* Words of the unwinder's own stack frame that are looked at; and how many calls are, which takes a system call each. */
	OWN_WORDS = 1024,
	TRIES = 16,
	/* Words above it in which the return address may be found that was copied. */
	LANDING_WORDS = 4096,
	LINK_REGISTER = 30,
};

/* Read a word of the stack, without the bits that may be a signature; false when it is not in it. */
static bool read_address(const struct unwinder *at, uintptr_t from, uintptr_t *address)
{
	struct frame_record words;

	if (!hotpath__read_record(at, from, &words))
		return false;
	*address = words.caller & HP_ADDRESS_BITS;
	return true;
}

/* Whether a word may be a return address of code that is known. */
static bool may_return_to(const struct unwinder *at, uintptr_t address)
{
	return address >= INSTRUCTION && address % INSTRUCTION == 0 &&
	       hotpath__is_known_code(at->walker, address - INSTRUCTION);
}

/* Whether the registers may be those of the caller, which finds its own without the frame pointer. One part of the unwinder may
   have called another. */
static bool is_caller(const struct unwinder *at, const struct hp_registers *registers)
{
	enum hp_rule_kind kind = hp_rule_kind(
		hotpath__rule(at->walker, registers->pc, true, false));

	return kind == HP_RULE_LANDING || (kind == HP_RULE_SP && hotpath__is_frame(at, registers));
}

/* Whether the registers may be those of any function that has called. */
static bool has_called(const struct unwinder *at, const struct hp_registers *registers)
{
	return is_caller(at, registers) || hotpath__is_frame(at, registers);
}

/* Find the return address that was replaced, in the unwinder's stack frame, from the stack pointer up to the caller's. */
static bool find_replaced(const struct unwinder *at, struct unwinder *caller, uintptr_t function)
{
	struct hp_registers *found = &caller->place.at;
	uintptr_t from = at->place.at.sp, words = (found->sp - from) / WORD, address;
	unsigned tries = 0;

	for (uintptr_t i = 0; i < words && i < OWN_WORDS && tries < TRIES; i++) {
		if (!read_address(at, from + i * WORD, &address))
			break;
		if (!may_return_to(at, address))
			continue;
		tries++;
		found->pc = address;
		if (hotpath__calls(address, function) && is_caller(at, found))
			return true;
	}
	return false;
}

/* Whether a return address is also further up on the stack, where it may have been copied from. */
static bool is_copied(const struct unwinder *at, const struct hp_registers *caller)
{
	uintptr_t address;

	for (uintptr_t i = 0; i < LANDING_WORDS; i++) {
		if (!read_address(at, caller->sp + i * WORD, &address))
			break;
		if (address == caller->pc)
			return true;
	}
	return false;
}

/*
 * Whether the unwinder was entered by a jump, from the function that the call before its return address goes to; or called by
 * a register. In its last instructions, which call nothing, the return address may be that of a landing pad.
 */
static bool is_entered_otherwise(const struct unwinder *at, const struct hp_registers *caller,
				 uintptr_t function)
{
	if (!at->place.returned || is_copied(at, caller) || !has_called(at, caller))
		return false;
	hotpath__keep_call(caller->pc, function);
	return true;
}

/*
 * The function that it goes to, if the stack pointer is replaced next, which is then that of the link register. All registers are
 * known where code was interrupted.
 */
static bool find_target(const struct unwinder *at, const struct hotpath__jump *jump,
			struct unwinder *caller)
{
	const ucontext_t *context = at->place.at.context;
	struct unwinder target = *caller;
	struct hp_registers *found = &target.place.at;

	if (!jump->is_next || !context || jump->from > LINK_REGISTER)
		return false;
	found->sp = context->uc_mcontext.regs[jump->from] + (jump->is_sum ? found->sp : 0);
	if (found->sp < caller->place.at.sp || !has_called(at, found))
		return false;
	target.place.below = found->sp;
	target.limit = found->sp - 1;
	*caller = target;
	return true;
}

/* The call in the code before the function, if there is one alone by which the caller may have called. */
static uintptr_t find_call(const struct unwinder *at, struct hp_registers caller,
			   uintptr_t function)
{
	uintptr_t below = function, only = 0;

	while ((caller.pc = hotpath__call_before(function, below))) {
		below = caller.pc - INSTRUCTION;
		if (!is_caller(at, &caller))
			continue;
		if (only)
			return 0;
		only = caller.pc;
	}
	return only;
}

/*
 * Go from a function that replaces all registers one by one. What is still to be replaced is in its code: as long as the link
 * register is, that is of its caller, which is known from then on. When the stack pointer has been replaced, both are those of the
 * function that it goes to. Between, the stack pointer is still its own.
 */
static bool find_caller(const struct unwinder *at, struct unwinder *caller, uintptr_t function)
{
	struct hp_registers *found = &caller->place.at;
	struct hotpath__jump jump;

	if (!hotpath__read_jump(at->place.at.pc, &jump))
		return false;
	if (jump.sets_link) {
		if (hotpath__calls(found->pc, function))
			hotpath__keep_caller(function, found->pc);
		return hotpath__follows_call(found->pc);
	}
	if (!jump.sets_sp)
		return has_called(at, found);
	if (find_target(at, &jump, caller))
		return true;
	/* The stack pointer of the unwinder is that of its caller, but the link register is not. */
	if (jump.is_sum)
		return false;
	found->pc = hotpath__known_caller(function);
	if (found->pc)
		return is_caller(at, found);
	found->pc = find_call(at, *found, function);
	if (!found->pc)
		return false;
	hotpath__keep_caller(function, found->pc);
	return true;
}

static bool find_unwinding(const struct unwinder *at, struct unwinder *caller, uintptr_t function)
{
	const struct hp_registers read = caller->place.at;
	bool of_file;

	if (hotpath__calls(read.pc, function))
		return true;
	/* The function with the landing pad is often in the same module as the caller, and no sample may have been there before. */
	hotpath__is_code(at->walker, read.pc - INSTRUCTION, &of_file);
	if (find_replaced(at, caller, function))
		return true;
	caller->place.at = read;
	return is_entered_otherwise(at, &read, function);
}

enum step hotpath__step_from_landing(struct unwinder *at, uint64_t rule)
{
	uintptr_t function = at->place.at.pc - at->place.returned - (uintptr_t)hp_rule_cfa(rule);
	struct unwinder caller = *at;

	if (hotpath__step_by_rule(&caller, hp_rule_of_landing(rule)) != STEP_ON ||
	    !(hp_rule_ra(rule) ? find_unwinding : find_caller)(at, &caller, function))
		return STEP_LOST;
	*at = caller;
	return STEP_ON;
}

#endif
