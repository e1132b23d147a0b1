/* SPDX-License-Identifier: MIT */
/*
 * Unwind tables, .eh_frame: how to get from a function to its caller, while the function is at an address.
 *
 * Works on bytes in memory, of a file or of a module that is loaded. They are untrusted: whatever is out of bounds, or not
 * in a form that compilers and linkers write for x86-64 and aarch64, gives no rule. Nothing is allocated.
 */
#ifndef HP_UNWIND_H
#define HP_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Bytes that hold .eh_frame_hdr and .eh_frame, and the address at which they are loaded. */
struct hp_unwind_region {
	const unsigned char *bytes;
	size_t size;
	uint64_t address;
};

/** How the CFA is computed: the caller's stack pointer after the function has returned. */
enum hp_rule_kind {
	/** No rule is known. */
	HP_RULE_NONE,
	/** The stack pointer, or the frame pointer, plus `cfa`. */
	HP_RULE_SP,
	HP_RULE_FP,
	/** The word at the stack pointer, or at the frame pointer, plus `cfa`; then plus `add`. x86-64 only. */
	HP_RULE_AT_SP,
	HP_RULE_AT_FP,
	/** As HP_RULE_AT_FP, for a function that aligns its stack: its caller's frame pointer is at its own plus `fp`. */
	HP_RULE_ALIGNED,
	/** The kernel's frame around a signal handler, which is no function. All registers are in the signal context. */
	HP_RULE_SIGNAL,
	/** A function that nobody called: the stack ends here. */
	HP_RULE_OUTERMOST,
	/**
	 * A function that unwinds for exceptions, and ends by a jump to a landing pad (__builtin_eh_return). Before that, it
	 * replaces its own return address by that of the function with the landing pad. `cfa` is the distance of the address
	 * from the beginning of the function. On x86-64 the CFA is the frame pointer plus two words, with the return address and
	 * the caller's frame pointer below. On aarch64 it is the stack pointer plus `fp`; the return address is at the CFA plus
	 * `ra`, and the caller's frame pointer is below that (hp_rule_of_landing). There it may also be a function that
	 * replaces all registers one by one, as longjmp: `ra` is 0, and the return address in the link register, or replaced.
	 */
	HP_RULE_LANDING,
	/**
	 * The CFA, or the return address, is in a register that calls do not preserve: near the end of functions that go
	 * elsewhere than they return to, and at the beginning of those that align their stack. The rule is of use only where code
	 * was interrupted and all registers are known. `add` is made by hp_rule_registers. x86-64 only.
	 */
	HP_RULE_REGISTERS,
	/** The register rbx plus `cfa`: assembly that saves vector registers, as where functions are found at their first call. */
	HP_RULE_RBX,
};

/** A value that is not in a register but on the stack, where rules have the number of a register. */
enum { HP_RULE_ON_STACK = 31 };

struct hp_rule {
	enum hp_rule_kind kind;
	/** Offsets for the CFA, in bytes; and registers. */
	int32_t cfa;
	/** In rules that have no other use for it, the offset of the caller's rbx from the CFA, in bytes; 0 if the register still
	    has it, and HP_RULE_RBX_LOST if it cannot be told. Always 0 on other machines than x86-64. */
	int32_t add;
	/** Offset of the return address from the CFA, in bytes; 0 if it is still in the link register. */
	int32_t ra;
	/** Offset of the caller's frame pointer from the CFA, in bytes; 0 if the register still has it. */
	int32_t fp;
};

/**
 * The registers of a HP_RULE_REGISTERS.
 *
 * @param base
 *         The number, in DWARF, of the register that the CFA is computed of.
 * @param ra, fp
 *         Those of the registers with the return address and the caller's frame pointer, or HP_RULE_ON_STACK.
 * @param is_next
 *         The return address is that of the next instruction: the function was not called from before it.
 */
static inline int32_t hp_rule_registers(unsigned base, unsigned ra, unsigned fp, bool is_next)
{
	return (int16_t)(base | ra << 5 | fp << 10 | (unsigned)is_next << 15);
}

/** A rule in one word, without the place of rbx if that does not fit. Other offsets that do not fit make it HP_RULE_NONE. */
uint64_t hp_rule_pack(const struct hp_rule *rule);

enum {
	HP_RULE_CFA_SHIFT = 4,
	HP_RULE_CFA_BITS = 28,
	HP_RULE_RA_SHIFT = 32,
	HP_RULE_FP_SHIFT = 48,
	/** Offsets of saved registers are in words. */
	HP_RULE_WORD = 8,
	/** A value of `add`, which is no offset of a word. */
	HP_RULE_RBX_LOST = 1,
	/** If rbx is not the same in the caller, the return address is one word below the CFA, and this plus the distance of the
	    saved rbx below the CFA is in its place, both in words. No other return address is as far away. */
	HP_RULE_RBX_BIAS = INT16_MIN,
	HP_RULE_RBX_MAX = 4095,
};

static inline enum hp_rule_kind hp_rule_kind(uint64_t packed)
{
	return (enum hp_rule_kind)(packed & 0xf);
}

static inline int64_t hp_rule_cfa(uint64_t packed)
{
	return (int32_t)(uint32_t)packed >> HP_RULE_CFA_SHIFT;
}

static inline int64_t hp_rule_fp(uint64_t packed)
{
	return (int64_t)(int16_t)(packed >> HP_RULE_FP_SHIFT) * HP_RULE_WORD;
}

/** Whether a rule has `add`, in the place of `ra`: that is always one word below the CFA on x86-64. */
static inline bool hp_rule_has_add(enum hp_rule_kind kind)
{
	return (kind >= HP_RULE_AT_SP && kind <= HP_RULE_ALIGNED) || kind == HP_RULE_REGISTERS;
}

static inline bool hp_rule_is_indirect(uint64_t packed)
{
	enum hp_rule_kind kind = hp_rule_kind(packed);

	return kind >= HP_RULE_AT_SP && kind <= HP_RULE_ALIGNED;
}

static inline int64_t hp_rule_ra(uint64_t packed)
{
	int64_t words = (int16_t)(packed >> HP_RULE_RA_SHIFT);

	return hp_rule_has_add(hp_rule_kind(packed)) || words <= HP_RULE_RBX_BIAS + HP_RULE_RBX_MAX
		       ? -HP_RULE_WORD
		       : words * HP_RULE_WORD;
}

static inline int64_t hp_rule_add(uint64_t packed)
{
	int64_t words = (int16_t)(packed >> HP_RULE_RA_SHIFT);

	if (hp_rule_has_add(hp_rule_kind(packed)))
		return words;
	if (words > HP_RULE_RBX_BIAS + HP_RULE_RBX_MAX)
		return 0;
	return words == HP_RULE_RBX_BIAS ? HP_RULE_RBX_LOST
					 : (HP_RULE_RBX_BIAS - words) * HP_RULE_WORD;
}

static inline unsigned hp_rule_base_register(uint64_t packed)
{
	return packed >> HP_RULE_RA_SHIFT & 31;
}

static inline unsigned hp_rule_ra_register(uint64_t packed)
{
	return packed >> (HP_RULE_RA_SHIFT + 5) & 31;
}

static inline unsigned hp_rule_fp_register(uint64_t packed)
{
	return packed >> (HP_RULE_RA_SHIFT + 10) & 31;
}

static inline bool hp_rule_is_next(uint64_t packed)
{
	return packed >> (HP_RULE_RA_SHIFT + 15) & 1;
}

/** The rule by which a HP_RULE_LANDING of aarch64 leads to the caller, as long as nothing was replaced. */
uint64_t hp_rule_of_landing(uint64_t packed);

/**
 * Find the rule for an address.
 *
 * @param machine
 *         EM_X86_64 or EM_AARCH64; there is no rule for others.
 * @param header
 *         Where .eh_frame_hdr is loaded, inside the region.
 * @return
 *         A packed rule.
 */
uint64_t hp_unwind_find(const struct hp_unwind_region *region, unsigned machine, uint64_t header,
			uint64_t address);

/**
 * The same for code that was interrupted at an address or, if `returned`, for a function that a call is to return to there, which
 * is looked up as the call before it.
 */
uint64_t hp_unwind_find_place(const struct hp_unwind_region *region, unsigned machine,
			      uint64_t header, uint64_t pc, bool returned);

/**
 * Find the next entry (FDE) of a function in .eh_frame, for tables without an index.
 *
 * @param region
 *         .eh_frame alone.
 * @param at
 *         Where to look: an address between two entries, at first that of the region. Moved behind what was found.
 * @param function, entry
 *         Where the function begins, and where its entry is loaded.
 * @return
 *         False at the end of the tables, or where they cannot be followed further.
 */
bool hp_unwind_next(const struct hp_unwind_region *region, unsigned machine, uint64_t *at,
		    uint64_t *function, uint64_t *entry);

/** Find the rule for an address by an entry (FDE), which is loaded at `entry`. HP_RULE_NONE if it is not of the address. */
uint64_t hp_unwind_rule(const struct hp_unwind_region *region, unsigned machine, uint64_t entry,
			uint64_t address);

#endif
