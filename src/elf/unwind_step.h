/* SPDX-License-Identifier: MIT */
/*
 * Steps from a function on a stack to its caller, by the rule that the unwind tables have for its address.
 *
 *	           │ caller's stack frame │
 *	   CFA ──► ├──────────────────────┤   sp in the caller, after the return
 *	           │ return address       │   CFA + ra
 *	           │ caller's fp          │   CFA + fp
 *	    sp ──► └──────────────────────┘   CFA = sp + n, or fp + n
 *
 * The stack is that of a program for this processor: of our own thread, or a copy. Nothing on it is trusted: each stack frame must
 * be above the one before, and whoever walks the stack provides a function that reads words, and only inside of it.
 */
#ifndef HP_UNWIND_STEP_H
#define HP_UNWIND_STEP_H

#include "unwind.h"

#include <signal.h>
#include <string.h>
#include <ucontext.h>

/** The highest bits of a return address may be a signature (pointer authentication). */
#define HP_ADDRESS_BITS ((UINT64_C(1) << 48) - 1)

/** The registers of code that was interrupted, or of a function that has called another. */
struct hp_registers {
	uintptr_t pc;
	uintptr_t sp;
	uintptr_t fp;
	/** The link register: the function's return address, if it has called nothing. 0 on processors without one,
	    where the word on top of the stack is used instead. */
	uintptr_t link;
	/** The register rbx on x86-64, by its value; or by where it is saved, if that is not 0. Both are 0 if it is not known. */
	uintptr_t rbx;
	uintptr_t rbx_at;
	/** The ucontext_t with all registers; NULL when they are not known. */
	const void *context;
};

/** A function on a stack. */
struct hp_stack_place {
	struct hp_registers at;
	/** The walk only goes up: no stack frame is below this. */
	uintptr_t below;
	/** `pc` is a return address, not an instruction that was interrupted. */
	bool returned;
};

/** Read a word; false when it is not on the stack, and then the word is as before. */
typedef bool hp_stack_reader(const void *stack, uintptr_t address, uintptr_t *word);

/** Whether a HP_RULE_RBX can be followed. */
static inline bool hp_step_has_rbx(const struct hp_registers *at)
{
	return at->rbx || at->rbx_at;
}

/* Where rbx was saved is remembered, and the word read only if it is needed. */
static inline void hp_step_rbx(const struct hp_registers *before, uint64_t rule,
			       struct hp_registers *caller)
{
	int64_t add = hp_rule_add(rule);

	if (hp_rule_has_add(hp_rule_kind(rule)) || add == HP_RULE_RBX_LOST)
		return;
	caller->rbx = add ? 0 : before->rbx;
	caller->rbx_at = add ? caller->sp + (uintptr_t)add : before->rbx_at;
}

static inline bool hp_step_cfa(const struct hp_stack_place *place, uint64_t rule,
			       hp_stack_reader *read, const void *stack, uintptr_t *cfa)
{
	enum hp_rule_kind kind = hp_rule_kind(rule);
	uintptr_t base = kind == HP_RULE_SP || kind == HP_RULE_AT_SP ? place->at.sp : place->at.fp;

	if (__builtin_expect(kind == HP_RULE_RBX, 0)) {
		base = place->at.rbx;
		if (place->at.rbx_at && !read(stack, place->at.rbx_at, &base))
			return false;
	}
	*cfa = base + (uintptr_t)hp_rule_cfa(rule);
	if (__builtin_expect(hp_rule_is_indirect(rule), 0)) {
		/* Below the frame before there is nothing of this one; and maybe no memory. */
		if (*cfa < place->below || !read(stack, *cfa, cfa))
			return false;
		*cfa += (uintptr_t)hp_rule_add(rule);
	}
	return *cfa >= place->below && *cfa % HP_RULE_WORD == 0;
}

/* The link register is known only where code was interrupted. */
static inline bool hp_step_return(const struct hp_stack_place *place, uint64_t rule, uintptr_t cfa,
				  hp_stack_reader *read, const void *stack, uintptr_t *returns)
{
	int64_t offset = hp_rule_ra(rule);

	if (!offset) {
		*returns = place->at.link;
		return !place->returned;
	}
	return cfa > place->below && read(stack, cfa + (uintptr_t)offset, returns);
}

/*
 * A function that is about to return has popped the frame pointer, and tables still name its place, below the stack pointer: the
 * word may be gone, but the register has it.
 */
static inline bool hp_step_frame_pointer(const struct hp_stack_place *place, uint64_t rule,
					 uintptr_t cfa, hp_stack_reader *read, const void *stack,
					 uintptr_t *fp)
{
	int64_t offset = hp_rule_fp(rule);
	uintptr_t saved = cfa + (uintptr_t)offset;

	*fp = place->at.fp;
	if (__builtin_expect(hp_rule_kind(rule) == HP_RULE_ALIGNED, 0))
		return place->at.fp + (uintptr_t)offset >= place->below &&
		       read(stack, place->at.fp + (uintptr_t)offset, fp);
	return !offset || read(stack, saved, fp) || (!place->returned && saved < place->at.sp);
}

/**
 * Go to the caller by a rule whose CFA is computed, from HP_RULE_SP to HP_RULE_ALIGNED, or a HP_RULE_RBX.
 *
 * @return
 *         False when it is not found, and the place is as before. A caller at the address 0 means that nobody called.
 */
__attribute__((always_inline)) static inline bool hp_step_by_rule(struct hp_stack_place *place,
								  uint64_t rule,
								  hp_stack_reader *read,
								  const void *stack)
{
	uintptr_t cfa, returns = 0, fp;

	if (!hp_step_cfa(place, rule, read, stack, &cfa) ||
	    !hp_step_return(place, rule, cfa, read, stack, &returns) ||
	    !hp_step_frame_pointer(place, rule, cfa, read, stack, &fp))
		return false;
	struct hp_registers caller = { .pc = returns & HP_ADDRESS_BITS, .sp = cfa, .fp = fp };
	hp_step_rbx(&place->at, rule, &caller);
	place->at = caller;
	place->returned = true;
	place->below = cfa;
	return true;
}

/* ---- out of a signal handler ---- */

/* The registers in a signal frame, which the stack pointer points to when the handler has returned. */
#if defined(__aarch64__)
/* The kernel puts the siginfo_t before the context. */
#define HP_CONTEXT sizeof(siginfo_t)
#define HP_CONTEXT_PC offsetof(ucontext_t, uc_mcontext.pc)
#define HP_CONTEXT_SP offsetof(ucontext_t, uc_mcontext.sp)
#define HP_CONTEXT_FP offsetof(ucontext_t, uc_mcontext.regs[29])
#define HP_CONTEXT_LINK offsetof(ucontext_t, uc_mcontext.regs[30])
#elif defined(__x86_64__)
#define HP_CONTEXT 0
#define HP_CONTEXT_PC offsetof(ucontext_t, uc_mcontext.gregs[REG_RIP])
#define HP_CONTEXT_SP offsetof(ucontext_t, uc_mcontext.gregs[REG_RSP])
#define HP_CONTEXT_FP offsetof(ucontext_t, uc_mcontext.gregs[REG_RBP])
#define HP_CONTEXT_LINK HP_CONTEXT_PC
#define HP_CONTEXT_RBX offsetof(ucontext_t, uc_mcontext.gregs[REG_RBX])
#endif

/**
 * Go from the kernel's frame around a signal handler (HP_RULE_SIGNAL) to the code that was interrupted, which may be on another
 * stack. Returns as hp_step_by_rule.
 */
static inline bool hp_step_to_interrupted(struct hp_stack_place *place, hp_stack_reader *read,
					  const void *stack)
{
#ifdef HP_CONTEXT
	uintptr_t context = place->at.sp + HP_CONTEXT;
	struct hp_registers found = { .context = NULL };

	if (!read(stack, context + HP_CONTEXT_PC, &found.pc) ||
	    !read(stack, context + HP_CONTEXT_SP, &found.sp) ||
	    !read(stack, context + HP_CONTEXT_FP, &found.fp) ||
	    !read(stack, context + HP_CONTEXT_LINK, &found.link))
		return false;
#ifdef HP_CONTEXT_RBX
	if (!read(stack, context + HP_CONTEXT_RBX, &found.rbx))
		return false;
#endif
	found.pc &= HP_ADDRESS_BITS;
	found.link &= HP_ADDRESS_BITS;
	*place = (struct hp_stack_place){ .at = found, .below = found.sp };
	return true;
#else
	(void)place;
	(void)read;
	(void)stack;
	return false;
#endif
}

/* The system call that ends a signal handler. */
#if defined(__aarch64__)
#define HP_HANDLER_END "\x68\x11\x80\xd2\x01\x00\x00\xd4"
#else
#define HP_HANDLER_END "\x48\xc7\xc0\x0f\x00\x00\x00\x0f\x05"
#endif

/** Bytes of code that hp_ends_handler looks at. */
enum { HP_HANDLER_END_SIZE = sizeof(HP_HANDLER_END) - 1 };

/** Whether a signal handler returns to this code. Not all C libraries and kernels have unwind tables for it. */
static inline bool hp_ends_handler(const void *code)
{
	return memcmp(code, HP_HANDLER_END, HP_HANDLER_END_SIZE) == 0;
}

#endif
