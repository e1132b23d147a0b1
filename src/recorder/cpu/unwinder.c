/* SPDX-License-Identifier: MIT */
/*
 * Steps from a function on a stack to its caller: by the rule that the unwind tables have for its address, or along the
 * frame pointer.
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

#include <sys/uio.h>
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

/* Always inlined, because the number of words is known then: a step is little else than this. */
__attribute__((always_inline)) static inline bool read_words(const struct unwinder *at,
							     uintptr_t address, uintptr_t *words,
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

__attribute__((always_inline)) static inline bool read_record(const struct unwinder *at,
							      uintptr_t address,
							      struct frame_record *record)
{
	uintptr_t words[2];

	if (!read_words(at, address, words, 2))
		return false;
	*record = (struct frame_record){ .caller = words[0], .returns = words[1] };
	return true;
}

bool hotpath__read_record(const struct unwinder *unwinder, uintptr_t address,
			  struct frame_record *record)
{
	return read_record(unwinder, address, record);
}

/* ---- by a rule ---- */

static inline bool read_place(const void *unwinder, uintptr_t address, uintptr_t *word)
{
	return read_words(unwinder, address, word, 1);
}

enum step hotpath__step_by_rule(struct unwinder *at, uint64_t rule)
{
	if (!hp_step_by_rule(&at->place, rule, read_place, at))
		return STEP_LOST;
	at->limit = at->place.at.sp - 1;
	at->lost_sp = false;
	return at->place.at.pc ? STEP_ON : STEP_END;
}

/* ---- by registers ---- */

#if defined(__x86_64__)

/* A register of the interrupted code, by its number in DWARF. */
static uintptr_t register_at(const struct hp_registers *at, unsigned number)
{
	static const unsigned char numbers[] = { REG_RAX, REG_RDX, REG_RCX, REG_RBX,
						 REG_RSI, REG_RDI, REG_RBP, REG_RSP,
						 REG_R8,  REG_R9,  REG_R10, REG_R11,
						 REG_R12, REG_R13, REG_R14, REG_R15 };
	const ucontext_t *context = at->context;

	return (uintptr_t)context->uc_mcontext.gregs[numbers[number & 15]];
}

static enum step step_by_registers(struct unwinder *at, uint64_t rule)
{
	unsigned ra = hp_rule_ra_register(rule), fp_register = hp_rule_fp_register(rule);
	uintptr_t cfa = register_at(&at->place.at, hp_rule_base_register(rule)) +
			(uintptr_t)hp_rule_cfa(rule);
	uintptr_t returns = ra == HP_RULE_ON_STACK ? 0 : register_at(&at->place.at, ra);
	uintptr_t fp = fp_register == HP_RULE_ON_STACK ? 0
						       : register_at(&at->place.at, fp_register);

	if (cfa < at->place.below || cfa % WORD ||
	    (ra == HP_RULE_ON_STACK && !read_place(at, cfa - WORD, &returns)) ||
	    (fp_register == HP_RULE_ON_STACK &&
	     !read_place(at, cfa + (uintptr_t)hp_rule_fp(rule), &fp)) ||
	    !returns)
		return STEP_LOST;
	enum step step = hotpath__arrive(at, returns, cfa, fp);
	at->own = hotpath__own_stack(at->me, cfa);
	at->place.returned = !hp_rule_is_next(rule);
	return step;
}

#else

static enum step step_by_registers(struct unwinder *at, uint64_t rule)
{
	(void)at;
	(void)rule;
	return STEP_LOST;
}

#endif

/* ---- out of a signal handler ---- */

/* The walk from a handler on an alternate stack goes on where the thread was interrupted, maybe on its own stack. */
static enum step step_to_interrupted(struct unwinder *at)
{
	uintptr_t handler = at->place.at.sp;

	if (at->lost_sp || !hp_step_to_interrupted(&at->place, read_place, at))
		return STEP_LOST;
	at->limit = handler;
	at->own = hotpath__own_stack(at->me, at->place.at.sp);
	return at->place.at.pc ? STEP_ON : STEP_END;
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
	uintptr_t fp = at->place.at.fp;
	struct frame_record record;

	at->limit = fp;
	if (!fp)
		return STEP_END;
	if ((fp < at->place.below && !comes_home(at, fp)) || !read_record(at, fp, &record))
		return STEP_LOST;
	at->place.at = (struct hp_registers){ .pc = record.returns & HP_ADDRESS_BITS,
					      .sp = fp + sizeof(record),
					      .fp = record.caller };
	at->place.returned = true;
#if defined(__x86_64__)
	at->place.below = at->place.at.sp;
#else
	at->lost_sp = true;
	at->place.below = fp + 1;
#endif
	return at->place.at.pc ? STEP_ON : STEP_END;
}

bool hotpath__has_rule(const struct unwinder *unwinder)
{
	return hp_rule_kind(hotpath__rule(unwinder->walker, unwinder->place.at.pc,
					  unwinder->place.returned, true)) != HP_RULE_NONE;
}

enum step hotpath__step(struct unwinder *unwinder)
{
	struct walker *walker = unwinder->walker;
	uint64_t rule = hotpath__rule(walker, unwinder->place.at.pc, unwinder->place.returned,
				      !unwinder->place.returned);

	unwinder->by_rule = true;
	switch (hp_rule_kind(rule)) {
	case HP_RULE_SP:
	case HP_RULE_AT_SP:
		if (unlikely(unwinder->lost_sp))
			break;
		return hotpath__step_by_rule(unwinder, rule);
	case HP_RULE_FP:
	case HP_RULE_AT_FP:
	case HP_RULE_ALIGNED:
		return hotpath__step_by_rule(unwinder, rule);
	case HP_RULE_SIGNAL:
		return step_to_interrupted(unwinder);
	case HP_RULE_LANDING:
		if (unwinder->lost_sp)
			break;
		return hotpath__step_from_landing(unwinder, rule);
	case HP_RULE_RBX:
		if (!hp_step_has_rbx(&unwinder->place.at))
			break;
		return hotpath__step_by_rule(unwinder, rule);
	case HP_RULE_REGISTERS:
		if (!unwinder->place.at.context)
			break;
		return step_by_registers(unwinder, rule);
	case HP_RULE_OUTERMOST:
		unwinder->limit = unwinder->place.at.sp;
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

	for (unsigned i = 0; i < OURS_MAX && read_record(at, fp, &record); i++) {
		if (record.returns == from) {
			at->place.at = (struct hp_registers){ .pc = from,
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

	ours.place.returned = false;
	__asm__ volatile("adr %0, .\n\tmov %1, sp\n\tmov %2, x29"
			 : "=r"(ours.place.at.pc), "=r"(ours.place.at.sp), "=r"(ours.place.at.fp));
	ours.place.below = ours.place.at.sp;
	for (unsigned i = 0; i < OURS_MAX && hotpath__step(&ours) == STEP_ON; i++)
		if (ours.place.at.pc == (from & HP_ADDRESS_BITS)) {
			at->place.at = ours.place.at;
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

	/* Field by field, as the registers are found later: to clear all takes longer than to find them. */
	unwinder->walker = walker;
	unwinder->me = me;
	unwinder->place.returned = true;
	unwinder->own = hotpath__own_stack(me, here);
	unwinder->lost_sp = false;
	unwinder->by_rule = false;
	unwinder->trace = NULL;
	unwinder->limit = 0;
	if (!find_caller(unwinder, from))
		return false;
	unwinder->place.below = unwinder->place.at.sp;
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
		uintptr_t pc = at->place.at.pc + !at->place.returned;
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
