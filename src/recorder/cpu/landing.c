/* SPDX-License-Identifier: MIT */
/*
 * Steps from the unwinder of exceptions to its caller, on x86-64.
 *
 *	           │ function with the landing pad  │
 *	           ├────────────────────────────────┤ ◄── where the walk goes on
 *	           │ return address X               │
 *	           │ functions that are left by it  │
 *	   CFA ──► ├────────────────────────────────┤
 *	           │ return address, replaced by X  │
 *	           │ _Unwind_RaiseException         │
 *
 * _Unwind_RaiseException and its like prepare the jump to a landing pad by copying registers to where they have saved their
 * own, the return address last. Then the call before that address is one of another function, and the same address is found
 * where it was copied from. All functions between are left by the jump, and are not in the stack that is walked.
 *
 * _Unwind_Resume_or_Rethrow calls _Unwind_RaiseException, which has replaced the frame pointer before the return address. So it
 * may not be known where the former's frame record is; but the return address in it was seen in other samples.
 */
#include "call_site.h"
#include "rules.h"
#include "unwinder.h"

bool hotpath__is_frame(const struct unwinder *at, const struct hp_registers *registers)
{
	struct unwinder next = *at;
	enum hp_rule_kind kind = hp_rule_kind(
		hotpath__rule(at->walker, registers->pc, true, false));

	next.trace = NULL;
	hotpath__arrive(&next, registers->pc, registers->sp, registers->fp);
	return kind >= HP_RULE_SP && kind <= HP_RULE_ALIGNED && hotpath__step(&next) == STEP_ON &&
	       hotpath__follows_call(next.place.at.pc);
}

#ifndef __aarch64__

enum {
	WORD = sizeof(uintptr_t),
	/* Words of the stack in which the frame of a function with a landing pad is looked for; and how many of them may
	   look like its return address and not be. */
	LANDING_WORDS = 4096,
	LANDING_TRIES = 16,
	/* Bytes of the stack frame of a function that goes to landing pads, at most. */
	UNWINDER_SIZE = 256 * WORD,
};

/* Find the stack frame of the function with the landing pad, which the registers are of but for the stack pointer. */
static bool find_landing(const struct unwinder *at, struct hp_registers *registers)
{
	struct hp_registers found = *registers;
	unsigned tries = 0;
	struct frame_record words;

	for (unsigned i = 0; i < LANDING_WORDS && tries < LANDING_TRIES; i++) {
		if (!hotpath__read_record(at, found.sp, &words))
			break;
		found.sp += WORD;
		if (words.caller != found.pc)
			continue;
		if (hotpath__is_frame(at, &found)) {
			*registers = found;
			return true;
		}
		tries++;
	}
	return false;
}

/*
 * Whether the unwinder was entered by a jump, from the function that the call before its return address goes to. That address
 * is nowhere else then. It is not in the last instructions of the unwinder either, which write that of the landing pad in its
 * place; but they call nothing.
 */
static bool is_entered_by_jump(const struct unwinder *at, const struct hp_registers *caller,
			       uintptr_t function)
{
	if (!at->place.returned || !hotpath__is_frame(at, caller))
		return false;
	hotpath__keep_call(caller->pc, function);
	return true;
}

static struct hp_registers above(uintptr_t address, struct frame_record record)
{
	return (struct hp_registers){ .pc = record.returns,
				      .sp = address + sizeof(record),
				      .fp = record.caller };
}

/* Find the caller of a function that goes to landing pads, by a return address that is known. */
static bool find_known(const struct unwinder *at, uintptr_t function,
		       struct hp_registers *registers)
{
	unsigned tries = 0;
	struct frame_record words;

	for (uintptr_t past = 0; past < UNWINDER_SIZE && tries < LANDING_TRIES; past += WORD) {
		uintptr_t address = at->place.at.sp + past;
		if (!hotpath__read_record(at, address, &words))
			break;
		if (!hotpath__known_call(words.returns, function))
			continue;
		*registers = above(address, words);
		if (hotpath__is_frame(at, registers))
			return true;
		tries++;
	}
	return false;
}

enum step hotpath__step_from_landing(struct unwinder *at, uint64_t rule)
{
	uintptr_t function = at->place.at.pc - at->place.returned - (uintptr_t)hp_rule_cfa(rule);
	struct hp_registers caller;
	struct frame_record record;
	bool found;

	/* A frame pointer that was replaced is far away, or on no stack. */
	if (at->place.at.fp - at->place.at.sp < UNWINDER_SIZE &&
	    hotpath__read_record(at, at->place.at.fp, &record)) {
		caller = above(at->place.at.fp, record);
		found = hotpath__calls(caller.pc, function) || find_landing(at, &caller) ||
			is_entered_by_jump(at, &caller, function);
	} else {
		found = find_known(at, function, &caller);
	}
	return found ? hotpath__arrive(at, caller.pc, caller.sp, caller.fp) : STEP_LOST;
}

#endif
