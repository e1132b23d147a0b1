/* SPDX-License-Identifier: MIT */
/* Steps from a function on a stack to its caller. */
#ifndef HOTPATH_UNWINDER_H
#define HOTPATH_UNWINDER_H

#include "sampler.h"
#include "unwind_step.h"
#include "walk_trace.h"

#pragma GCC visibility push(hidden)

/* A frame record, as in the calling conventions. */
struct frame_record {
	uintptr_t caller;
	uintptr_t returns;
};

/* A walk along a stack. */
struct unwinder {
	struct walker *walker;
	const struct thread *me;
	/* The function that the walk has come to. */
	struct hp_stack_place place;
	/* The stack is the thread's own. */
	bool own;
	/* The stack pointer is not known: after a frame record on aarch64, which may be anywhere in a stack frame. */
	bool lost_sp;
	/* The last step went by a rule. */
	bool by_rule;
	/* The trace that gets the words that are read; or NULL. */
	struct walk_trace *trace;
	/* Measured calls that began at or below this were open in the function that the last step has left. */
	uintptr_t limit;
};

enum step {
	/* The caller was found. */
	STEP_ON,
	/* The function was called by nobody. */
	STEP_END,
	/* The stack cannot be walked any further. */
	STEP_LOST,
};

/* How a walk has ended; STEP_ON if there was no more room. by_rules: all code of files was left by rules. */
static inline enum hp_stack_end hotpath__end_of(enum step step, bool by_rules)
{
	static const enum hp_stack_end ends[] = { [STEP_ON] = HP_STACK_DEEP,
						  [STEP_END] = HP_STACK_WHOLE,
						  [STEP_LOST] = HP_STACK_BROKEN };

	return (enum hp_stack_end)((unsigned)ends[step] | (by_rules ? HP_STACK_BY_RULES : 0U));
}

/* The walk has come to a function that a call is to return to, of which rbx is not known. */
static inline enum step hotpath__arrive(struct unwinder *at, uintptr_t returns, uintptr_t sp,
					uintptr_t fp)
{
	returns &= HP_ADDRESS_BITS;
	at->place = (struct hp_stack_place){ .at = { .pc = returns, .sp = sp, .fp = fp },
					     .below = sp,
					     .returned = true };
	at->limit = sp - 1;
	at->lost_sp = false;
	return returns ? STEP_ON : STEP_END;
}

/* Begin at code that was interrupted. */
static inline struct unwinder hotpath__unwind_from(struct walker *walker, const struct thread *me,
						   const struct hp_registers *registers)
{
	return (struct unwinder){ .walker = walker,
				  .me = me,
				  .place = { .at = *registers, .below = registers->sp },
				  .own = hotpath__own_stack(me, registers->sp) };
}

/* Begin at the code that called a function of ours, which is to return to `from`. False when it is not found. */
bool hotpath__unwind_caller(struct unwinder *unwinder, struct walker *walker,
			    const struct thread *me, uintptr_t from);
/*
 * The return addresses of the callers, from where hotpath__unwind_caller has begun: at most `max`. It is the cheapest walk:
 * nothing is looked up but rules, and no measured call is put in. A function that a signal interrupted is there as the address
 * after its instruction. *end gets an enum hp_stack_end with its flags; HP_STACK_DEEP when there are more. The thread is busy;
 * the walker is used by no other walk meanwhile.
 */
unsigned hotpath__callers(struct unwinder *unwinder, uintptr_t *returns, unsigned max,
			  uint32_t *end);
/* Whether a table tells the caller of the code that the walk has come to. */
bool hotpath__has_rule(const struct unwinder *unwinder);
/* Go to the caller: by the rule for the address, or along the frame pointer if there is none. */
enum step hotpath__step(struct unwinder *unwinder);
/* Go to the caller by a rule whose CFA is computed of the stack pointer, which is known. */
enum step hotpath__step_by_rule(struct unwinder *unwinder, uint64_t rule);
/* Whether the function that a call is to return to may have its stack frame where the registers say: its caller has called, too. */
bool hotpath__is_frame(const struct unwinder *at, const struct hp_registers *registers);
/* Go from a function that goes to landing pads to its caller, by a HP_RULE_LANDING. */
enum step hotpath__step_from_landing(struct unwinder *unwinder, uint64_t rule);
/* Read two words of the stack; false when they are not in it. */
bool hotpath__read_record(const struct unwinder *unwinder, uintptr_t address,
			  struct frame_record *record);

#pragma GCC visibility pop

#endif
