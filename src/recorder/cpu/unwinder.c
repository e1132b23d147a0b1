/* SPDX-License-Identifier: MIT */
/*
 * Steps from a function on a stack to its caller: by the rule that the unwind tables have for its address, or along the
 * frame pointer.
 *
 *	           │ caller's stack frame │
 *	   CFA ──► ├──────────────────────┤   sp in the caller, after the return
 *	           │ return address       │   CFA + ra
 *	           │ caller's fp          │   CFA + fp
 *	    sp ──► └──────────────────────┘   CFA = sp + n, or fp + n
 *
 * A function that keeps a frame pointer has a frame record on the stack: the address of its caller's record, and the return
 * address. Code without unwind tables, such as generated code, has nothing else.
 *
 * Nothing is trusted: each stack frame must be above the one before, and inside the stack.
 *
 * The thread's own stack is read directly. Others, such as those of coroutines, are read by a system call, because their
 * bounds are not known. So is the stack of a program under memcheck, which would report branches on uninitialised words.
 */
#include "unwinder.h"

#include "calls/stack.h"
#include "process/recorder_state.h"
#include "process/seccomp.h"
#include "rules.h"

#include <signal.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

enum { WORD = sizeof(uintptr_t) };

/* ---- reading ---- */

/* Copy a part of a foreign stack, from an address upwards. */
static bool read_window(struct walker *walker, uintptr_t address, size_t size)
{
	struct iovec local = { walker->window, sizeof(walker->window) };
	struct iovec remote = { (void *)address, sizeof(walker->window) };
	ssize_t got = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);

	walker->window_at = address;
	walker->window_size = got > 0 ? (size_t)got : 0;
	return walker->window_size >= size;
}

/* The words at an address in the copy of a foreign stack; NULL when they cannot be read. */
static const uintptr_t *foreign_at(struct walker *walker, uintptr_t address, size_t size)
{
	uintptr_t past = address - walker->window_at;

	if (past >= walker->window_size || past + size > walker->window_size) {
		if (!read_window(walker, address, size))
			return NULL;
		past = 0;
	}
	return walker->window + past / WORD;
}

static bool is_inside(const struct thread *me, uintptr_t address, size_t size)
{
	return hotpath__own_stack(me, address) && hotpath__own_stack(me, address + size);
}

/*
 * In code without a frame pointer the register may point anywhere into the stack, also to where AddressSanitizer
 * forbids access; we only read a word there.
 */
__attribute__((no_sanitize("address"))) static inline uintptr_t word_at(uintptr_t address)
{
	return *(const uintptr_t *)address;
}

static inline bool read_words(const struct unwinder *at, uintptr_t address, uintptr_t *words,
			      unsigned count)
{
	size_t size = count * sizeof(*words);

	if (address % WORD || (at->own && !is_inside(at->me, address, size)))
		return false;
	if (likely(at->own && !load(&hotpath__recorder->sampling.is_watched, RELAXED))) {
		for (unsigned i = 0; i < count; i++) {
			words[i] = word_at(address + i * sizeof(*words));
			if (at->trace)
				hotpath__trace(at->trace, address + i * sizeof(*words), words[i]);
		}
		return true;
	}
	if (at->trace)
		hotpath__untrace(at->trace);
	const uintptr_t *copy = foreign_at(at->walker, address, size);
	for (unsigned i = 0; copy && i < count; i++)
		words[i] = copy[i];
	return copy;
}

static inline bool read_word(const struct unwinder *at, uintptr_t address, uintptr_t *word)
{
	return read_words(at, address, word, 1);
}

bool hotpath__read_record(const struct unwinder *unwinder, uintptr_t address,
			  struct frame_record *record)
{
	uintptr_t words[2];

	if (!read_words(unwinder, address, words, 2))
		return false;
	*record = (struct frame_record){ .caller = words[0], .returns = words[1] };
	return true;
}

/* ---- by a rule ---- */

static bool find_cfa(const struct unwinder *at, uint64_t rule, uintptr_t *cfa)
{
	enum hp_rule_kind kind = hp_rule_kind(rule);
	uintptr_t base = kind == HP_RULE_SP || kind == HP_RULE_AT_SP ? at->at.sp : at->at.fp;

	*cfa = base + (uintptr_t)hp_rule_cfa(rule);
	if (unlikely(hp_rule_is_indirect(rule))) {
		/* Below the frame before there is nothing of this one; and maybe no memory. */
		if (*cfa < at->below || !read_word(at, *cfa, cfa))
			return false;
		*cfa += (uintptr_t)hp_rule_add(rule);
	}
	return *cfa >= at->below && *cfa % WORD == 0;
}

/* The link register is known only where code was interrupted. */
static bool find_return(const struct unwinder *at, uint64_t rule, uintptr_t cfa, uintptr_t *returns)
{
	int64_t offset = hp_rule_ra(rule);

	if (!offset) {
		*returns = at->at.link;
		return !at->returned;
	}
	return cfa > at->below && read_word(at, cfa + (uintptr_t)offset, returns);
}

static bool find_frame_pointer(const struct unwinder *at, uint64_t rule, uintptr_t cfa,
			       uintptr_t *fp)
{
	int64_t offset = hp_rule_fp(rule);

	*fp = at->at.fp;
	if (unlikely(hp_rule_kind(rule) == HP_RULE_ALIGNED))
		return at->at.fp + (uintptr_t)offset >= at->below &&
		       read_word(at, at->at.fp + (uintptr_t)offset, fp);
	return !offset || read_word(at, cfa + (uintptr_t)offset, fp);
}

static enum step step_by_rule(struct unwinder *at, uint64_t rule)
{
	uintptr_t cfa, returns = 0, fp;

	if (!find_cfa(at, rule, &cfa) || !find_return(at, rule, cfa, &returns) ||
	    !find_frame_pointer(at, rule, cfa, &fp))
		return STEP_LOST;
	returns &= ADDRESS_BITS;
	at->at = (struct registers){ .pc = returns, .sp = cfa, .fp = fp };
	at->below = cfa;
	at->limit = cfa - 1;
	at->lost_sp = false;
	at->returned = true;
	return returns ? STEP_ON : STEP_END;
}

/* ---- out of a signal handler ---- */

/* The registers in a signal frame, which the stack pointer points to when the handler has returned. */
#if defined(__aarch64__)
/* The kernel puts the siginfo_t before the context. */
#define CONTEXT sizeof(siginfo_t)
#define AT_PC offsetof(ucontext_t, uc_mcontext.pc)
#define AT_SP offsetof(ucontext_t, uc_mcontext.sp)
#define AT_FP offsetof(ucontext_t, uc_mcontext.regs[29])
#define AT_LINK offsetof(ucontext_t, uc_mcontext.regs[30])
#elif defined(__x86_64__)
#define CONTEXT 0
#define AT_PC offsetof(ucontext_t, uc_mcontext.gregs[REG_RIP])
#define AT_SP offsetof(ucontext_t, uc_mcontext.gregs[REG_RSP])
#define AT_FP offsetof(ucontext_t, uc_mcontext.gregs[REG_RBP])
#define AT_LINK AT_PC
#endif

/* The walk from a handler on an alternate stack goes on where the thread was interrupted, maybe on its own stack. */
static enum step step_to_interrupted(struct unwinder *at)
{
#ifdef CONTEXT
	uintptr_t context = at->at.sp + CONTEXT;
	struct registers found;

	if (at->lost_sp || !read_word(at, context + AT_PC, &found.pc) ||
	    !read_word(at, context + AT_SP, &found.sp) ||
	    !read_word(at, context + AT_FP, &found.fp) ||
	    !read_word(at, context + AT_LINK, &found.link))
		return STEP_LOST;
	found.pc &= ADDRESS_BITS;
	found.link &= ADDRESS_BITS;
	at->limit = at->at.sp;
	at->at = found;
	at->below = found.sp;
	at->own = hotpath__own_stack(at->me, found.sp);
	at->returned = false;
	return found.pc ? STEP_ON : STEP_END;
#else
	(void)at;
	return STEP_LOST;
#endif
}

/* ---- along the frame pointer ---- */

/* The walk from a signal handler on an alternate stack continues on the thread's own stack, where that was interrupted. */
static bool comes_home(struct unwinder *at, uintptr_t address)
{
	if (at->own || !is_inside(at->me, address, sizeof(struct frame_record)))
		return false;
	at->own = true;
	return true;
}

static enum step step_by_record(struct unwinder *at)
{
	uintptr_t fp = at->at.fp;
	struct frame_record record;

	at->limit = fp;
	if (!fp)
		return STEP_END;
	if ((fp < at->below && !comes_home(at, fp)) || !hotpath__read_record(at, fp, &record))
		return STEP_LOST;
	at->at = (struct registers){ .pc = record.returns & ADDRESS_BITS,
				     .sp = fp + sizeof(record),
				     .fp = record.caller };
	at->returned = true;
#if defined(__x86_64__)
	at->below = at->at.sp;
#else
	at->lost_sp = true;
	at->below = fp + 1;
#endif
	return at->at.pc ? STEP_ON : STEP_END;
}

bool hotpath__has_rule(const struct unwinder *unwinder)
{
	return hp_rule_kind(hotpath__rule(unwinder->walker, unwinder->at.pc, unwinder->returned,
					  true)) != HP_RULE_NONE;
}

enum step hotpath__step(struct unwinder *unwinder)
{
	struct walker *walker = unwinder->walker;
	uint64_t rule = hotpath__rule(walker, unwinder->at.pc, unwinder->returned,
				      !unwinder->returned);

	unwinder->by_rule = true;
	switch (hp_rule_kind(rule)) {
	case HP_RULE_SP:
	case HP_RULE_AT_SP:
		if (unlikely(unwinder->lost_sp))
			break;
		return step_by_rule(unwinder, rule);
	case HP_RULE_FP:
	case HP_RULE_AT_FP:
	case HP_RULE_ALIGNED:
		return step_by_rule(unwinder, rule);
	case HP_RULE_SIGNAL:
		return step_to_interrupted(unwinder);
	case HP_RULE_OUTERMOST:
		unwinder->limit = unwinder->at.sp;
		return STEP_END;
	default:
		break;
	}
	unwinder->by_rule = false;
	return step_by_record(unwinder);
}

/* ---- from a function of ours ---- */

enum { OURS_MAX = 16 };

#if defined(__x86_64__)

/* All functions between the one that returns to `from` and this one are ours, and keep a frame pointer. The stack pointer
   of its caller is just above its frame record. */
static bool find_caller(struct unwinder *at, uintptr_t from)
{
	uintptr_t fp = (uintptr_t)__builtin_frame_address(0);
	struct frame_record record;

	for (unsigned i = 0; i < OURS_MAX && hotpath__read_record(at, fp, &record); i++) {
		if (record.returns == from) {
			at->at = (struct registers){ .pc = from,
						     .sp = fp + sizeof(record),
						     .fp = record.caller };
			return true;
		}
		if (record.caller <= fp)
			return false;
		fp = record.caller;
	}
	return false;
}

#elif defined(__aarch64__)

/* A frame record tells nothing of the stack pointer, so our own functions are left by their rules as well. */
static bool find_caller(struct unwinder *at, uintptr_t from)
{
	struct unwinder ours = *at;

	ours.returned = false;
	__asm__ volatile("adr %0, .\n\tmov %1, sp\n\tmov %2, x29"
			 : "=r"(ours.at.pc), "=r"(ours.at.sp), "=r"(ours.at.fp));
	ours.below = ours.at.sp;
	for (unsigned i = 0; i < OURS_MAX && hotpath__step(&ours) == STEP_ON; i++)
		if (ours.at.pc == (from & ADDRESS_BITS)) {
			at->at = ours.at;
			at->lost_sp = ours.lost_sp;
			return true;
		}
	return false;
}

#else

static bool find_caller(struct unwinder *at, uintptr_t from)
{
	(void)at;
	(void)from;
	return false;
}

#endif

bool hotpath__unwind_caller(struct unwinder *unwinder, struct walker *walker,
			    const struct thread *me, uintptr_t from)
{
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);

	*unwinder = (struct unwinder){
		.walker = walker, .me = me, .returned = true, .own = hotpath__own_stack(me, here)
	};
	if (!find_caller(unwinder, from))
		return false;
	unwinder->below = unwinder->at.sp;
	return true;
}

unsigned hotpath__callers(struct unwinder *at, uintptr_t *returns, unsigned max, uint32_t *end)
{
	struct walker *walker = at->walker;
	enum step step = STEP_ON;
	bool by_rules = true, of_file = false;
	unsigned count = 0;

	walker->window_size = 0;
	*end = HP_STACK_BROKEN;
	while (step == STEP_ON && count < max) {
		uintptr_t pc = at->at.pc + !at->returned;
		step = hotpath__step(at);
		if (unlikely(!at->by_rule)) {
			if (!hotpath__is_code(walker, pc - 1, &of_file))
				return count;
			by_rules &= !of_file;
		}
		returns[count++] = pc;
	}
	*end = (uint32_t)hotpath__end_of(step, by_rules);
	return count;
}
