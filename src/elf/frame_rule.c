/* SPDX-License-Identifier: MIT */
/*
 * The way from a function to its caller, in one word.
 *
 * What the instructions of the unwind tables have found is far more than functions of compilers need: a rule has the few forms
 * that there are, and whatever has none gives no rule.
 */
#include "frame_program.h"
#include "unwind.h"

enum {
	/* Bytes of a frame record on x86-64: the frame pointer and the return address. */
	RECORD = 2 * HP_RULE_WORD,
};

static bool is_at(struct hp_saved saved, int32_t offset)
{
	return saved.kind == HP_SAVED_AT_CFA && saved.offset == offset;
}

static bool goes_to_landing_pads(const struct hp_frame_state *state)
{
	return state->data.kind == HP_SAVED_AT_CFA && !state->saves_scratch;
}

/* Whether such a function has the frame record that compilers give it. */
static bool is_landing(const struct hp_frame_state *state)
{
	return goes_to_landing_pads(state) && state->cfa.base == HP_BASE_FP &&
	       state->cfa.offset == RECORD && is_at(state->ra, -HP_RULE_WORD) &&
	       is_at(state->fp, -RECORD);
}

static uint64_t landing_rule(uint64_t into, int32_t ra, int32_t fp)
{
	const struct hp_rule rule = {
		.kind = HP_RULE_LANDING, .cfa = (int32_t)into, .ra = ra, .fp = fp
	};

	return into == (uint64_t)rule.cfa ? hp_rule_pack(&rule) : HP_RULE_NONE;
}

/* Whether such a function of aarch64 has its frame record, which is anywhere in the stack frame there. */
static bool is_landing_by_sp(const struct hp_frame_state *state,
			     const struct hp_unwind_registers *registers)
{
	return registers->has_link && goes_to_landing_pads(state) &&
	       state->cfa.base == HP_BASE_SP && state->cfa.offset == (int32_t)state->cfa.offset &&
	       state->ra.kind == HP_SAVED_AT_CFA && state->ra.offset < 0 &&
	       state->fp.kind == HP_SAVED_AT_CFA &&
	       (int64_t)state->fp.offset + HP_RULE_WORD == state->ra.offset;
}

/* Whether the code takes all registers from where its first argument points to, as longjmp on aarch64. */
static bool takes_registers(const struct hp_frame_state *state,
			    const struct hp_unwind_registers *registers)
{
	return registers->has_link && state->cfa.base == HP_BASE_OTHER &&
	       state->other == registers->data && state->cfa.offset == 0 &&
	       state->sp.kind == HP_SAVED_SAME &&
	       (state->ra.kind == HP_SAVED_SAME ||
		(state->ra.kind == HP_SAVED_AT_CFA && state->ra.offset > 0));
}

uint64_t hp_rule_of_landing(uint64_t packed)
{
	int32_t ra = (int32_t)hp_rule_ra(packed);
	const struct hp_rule rule = { .kind = HP_RULE_SP,
				      .cfa = (int32_t)hp_rule_fp(packed),
				      .ra = ra,
				      .fp = ra ? ra - HP_RULE_WORD : 0 };

	return hp_rule_pack(&rule);
}

/* Whether the code jumps to a landing pad next, whose address is on top of the stack. */
static bool is_at_jump(const struct hp_frame_state *state)
{
	return goes_to_landing_pads(state) && state->cfa.base == HP_BASE_SP &&
	       state->cfa.offset == HP_RULE_WORD;
}

/* Whether the caller is found by registers that calls do not preserve; or is no caller but the code with a landing pad. */
static bool needs_registers(const struct hp_frame_state *state)
{
	return state->cfa.base == HP_BASE_OTHER || state->ra.kind == HP_SAVED_IN_REGISTER ||
	       is_at_jump(state);
}

/* The register that the CFA is computed of. */
static unsigned base_register(const struct hp_frame_state *state,
			      const struct hp_unwind_registers *registers)
{
	switch (state->cfa.base) {
	case HP_BASE_SP:
		return registers->sp;
	case HP_BASE_FP:
		return registers->fp;
	case HP_BASE_OTHER:
		return state->other;
	default:
		return HP_NO_REGISTER;
	}
}

/* The register with a value of the caller: the one it is kept in, or the same; HP_RULE_ON_STACK if it is saved there. */
static unsigned register_of(struct hp_saved saved, unsigned same)
{
	if (saved.kind == HP_SAVED_IN_REGISTER)
		return (unsigned)saved.offset;
	return saved.kind == HP_SAVED_SAME ? same : HP_RULE_ON_STACK;
}

/* Values on the stack are found by the CFA. So that must be the caller's stack pointer, unless all are in registers. */
static uint64_t registers_rule(const struct hp_frame_state *state,
			       const struct hp_unwind_registers *registers)
{
	bool is_moved = state->sp.kind == HP_SAVED_IN_REGISTER;
	unsigned base = is_moved ? (unsigned)state->sp.offset : base_register(state, registers);
	unsigned ra = register_of(state->ra, HP_RULE_ON_STACK);
	unsigned fp = register_of(state->fp, registers->fp);
	struct hp_rule rule = { .kind = HP_RULE_REGISTERS, .ra = -HP_RULE_WORD };

	if (base == HP_NO_REGISTER || state->cfa.offset != (int32_t)state->cfa.offset ||
	    state->sp.kind != (is_moved ? HP_SAVED_IN_REGISTER : HP_SAVED_SAME) ||
	    (ra == HP_RULE_ON_STACK && (is_moved || !is_at(state->ra, -HP_RULE_WORD))) ||
	    (fp == HP_RULE_ON_STACK && (is_moved || state->fp.kind != HP_SAVED_AT_CFA)))
		return HP_RULE_NONE;
	rule.cfa = is_moved ? 0 : (int32_t)state->cfa.offset;
	rule.fp = fp == HP_RULE_ON_STACK ? state->fp.offset : 0;
	rule.add = hp_rule_registers(base, ra, fp,
				     ra != HP_RULE_ON_STACK || goes_to_landing_pads(state));
	return hp_rule_pack(&rule);
}

static int32_t rbx_of(struct hp_saved rbx)
{
	if (rbx.kind == HP_SAVED_SAME)
		return 0;
	return rbx.kind == HP_SAVED_AT_CFA ? rbx.offset : HP_RULE_RBX_LOST;
}

/* Whether the CFA is computed of rbx, and all else is found by the CFA. */
static bool is_by_rbx(const struct hp_frame_state *state,
		      const struct hp_unwind_registers *registers)
{
	return state->cfa.base == HP_BASE_OTHER && state->other == registers->rbx &&
	       state->sp.kind == HP_SAVED_SAME && is_at(state->ra, -HP_RULE_WORD);
}

/* Convert the state at an address, so far into its function, to a packed rule. */
static uint64_t rule_of(const struct hp_frame_state *state,
			const struct hp_unwind_registers *registers, bool is_signal, uint64_t into)
{
	static const enum hp_rule_kind kinds[] = {
		[HP_BASE_SP] = HP_RULE_SP,	 [HP_BASE_FP] = HP_RULE_FP,
		[HP_BASE_AT_SP] = HP_RULE_AT_SP, [HP_BASE_AT_FP] = HP_RULE_AT_FP,
		[HP_BASE_OTHER] = HP_RULE_NONE,
	};
	struct hp_rule rule = { .kind = kinds[state->cfa.base] };

	if (is_signal)
		return hp_rule_pack(&(struct hp_rule){ .kind = HP_RULE_SIGNAL });
	if (state->ra.kind == HP_SAVED_UNDEFINED)
		return hp_rule_pack(&(struct hp_rule){ .kind = HP_RULE_OUTERMOST });
	if (!registers->has_link && is_landing(state))
		return landing_rule(into, -HP_RULE_WORD, -RECORD);
	if (is_landing_by_sp(state, registers))
		return landing_rule(into, state->ra.offset, (int32_t)state->cfa.offset);
	if (takes_registers(state, registers))
		return landing_rule(into, 0, 0);
	bool is_rbx = is_by_rbx(state, registers);
	if (needs_registers(state) && !is_rbx)
		return registers->has_link ? HP_RULE_NONE : registers_rule(state, registers);
	if ((state->ra.kind != HP_SAVED_AT_CFA && state->ra.kind != HP_SAVED_SAME) ||
	    state->cfa.offset != (int32_t)state->cfa.offset ||
	    state->cfa.add != (int32_t)state->cfa.add)
		return HP_RULE_NONE;
	if (rule.kind == HP_RULE_AT_FP && state->fp.kind == HP_SAVED_AT_FP)
		rule.kind = HP_RULE_ALIGNED;
	if (is_rbx)
		rule.kind = HP_RULE_RBX;
	rule.cfa = (int32_t)state->cfa.offset;
	rule.add = hp_rule_has_add(rule.kind) ? (int32_t)state->cfa.add : rbx_of(state->rbx);
	rule.ra = state->ra.kind == HP_SAVED_AT_CFA ? state->ra.offset : 0;
	if (state->fp.kind == HP_SAVED_AT_CFA || rule.kind == HP_RULE_ALIGNED)
		rule.fp = state->fp.offset;
	return hp_rule_pack(&rule);
}

static bool is_word(int32_t offset)
{
	return offset % HP_RULE_WORD == 0 &&
	       offset / HP_RULE_WORD == (int16_t)(offset / HP_RULE_WORD);
}

/* The place of rbx, in that of the return address, for rules that have room for both. */
static int32_t packed_ra(const struct hp_rule *rule)
{
	int32_t words = rule->ra / HP_RULE_WORD;
	int32_t down = -(rule->add / HP_RULE_WORD);

	if (rule->add == 0 || rule->ra != -HP_RULE_WORD)
		return words;
	return rule->add < 0 && rule->add % HP_RULE_WORD == 0 && down <= HP_RULE_RBX_MAX
		       ? HP_RULE_RBX_BIAS + down
		       : HP_RULE_RBX_BIAS;
}

uint64_t hp_rule_pack(const struct hp_rule *rule)
{
	enum { CFA_LIMIT = 1 << (HP_RULE_CFA_BITS - 1) };
	bool has_add = hp_rule_has_add(rule->kind);

	if (rule->kind == HP_RULE_NONE || rule->cfa >= CFA_LIMIT || rule->cfa < -CFA_LIMIT ||
	    !is_word(rule->ra) || !is_word(rule->fp) ||
	    rule->ra / HP_RULE_WORD <= HP_RULE_RBX_BIAS + HP_RULE_RBX_MAX ||
	    (has_add && (rule->ra != -HP_RULE_WORD || rule->add != (int16_t)rule->add)))
		return HP_RULE_NONE;
	int32_t ra = has_add ? rule->add : packed_ra(rule);
	return (uint64_t)(uint16_t)(rule->fp / HP_RULE_WORD) << HP_RULE_FP_SHIFT |
	       (uint64_t)(uint16_t)ra << HP_RULE_RA_SHIFT |
	       (uint32_t)rule->cfa << HP_RULE_CFA_SHIFT | rule->kind;
}

/*
 * The first stub of a module pushes the return address, and jumps to the dynamic linker, whose tables take the stack pointer
 * after that for the CFA on aarch64. No function saves anything above its CFA.
 */
static void undo_push(struct hp_frame_state *state)
{
	enum { ALIGNMENT = 16 };

	if (state->cfa.base != HP_BASE_SP || state->cfa.offset != (int32_t)state->cfa.offset ||
	    state->ra.kind != HP_SAVED_AT_CFA || state->ra.offset < 0 ||
	    state->ra.offset >= ALIGNMENT || !is_word(state->fp.offset))
		return;
	state->cfa.offset += ALIGNMENT;
	state->ra.offset -= ALIGNMENT;
	if (state->fp.kind == HP_SAVED_AT_CFA)
		state->fp.offset -= ALIGNMENT;
}

/* Whether a function that goes to landing pads has restored all registers on aarch64, and is about to jump: the link register is
   that of the landing pad, and the stack pointer may be. */
static bool jumps_by_link(const struct hp_frame_program *program)
{
	const struct hp_frame_state *state = &program->state;

	return program->registers.has_link && program->has_saved_data && !state->saves_scratch &&
	       state->data.kind == HP_SAVED_SAME && state->ra.kind == HP_SAVED_SAME &&
	       state->cfa.base == HP_BASE_SP && state->cfa.offset == 0;
}

uint64_t hp_frame_rule(struct hp_frame_program *program, bool is_signal, uint64_t into)
{
	if (jumps_by_link(program))
		return landing_rule(into, 0, 0);
	if (program->registers.has_link)
		undo_push(&program->state);
	return rule_of(&program->state, &program->registers, is_signal, into);
}
