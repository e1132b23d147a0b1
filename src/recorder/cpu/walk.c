/* SPDX-License-Identifier: MIT */
/*
 * Walks the stack of the interrupted code, or of code that waits, and puts measured calls where they are open: in the
 * function in whose stack frame they began. Unwind tables tell where that ends; for code without tables, it is assumed to end
 * at the frame record.
 */
#include "sampler.h"

#include "calls/stack.h"
#include "unwinder.h"

struct walk {
	struct unwinder unwinder;
	/* The next measured call to be put into the stack. */
	struct open_call open;
	/* How many of the calls put so far are strays. Bounded, because strays may form a circle. */
	unsigned strays;
	/* All code of files was left by rules so far. */
	bool by_rules;
};

static bool push(struct walker *walker, uint64_t frame)
{
	struct walked *walked = &walker->walked;

	if (walked->depth == HP_STACK_DEPTH_MAX)
		return false;
	walked->frames[walked->depth++] = frame;
	return true;
}

/* The stack pointer of a function at its entry, where sleds are, is on aarch64 that of its caller; a stack frame of its own
   begins below. */
#if defined(__x86_64__)
enum { BELOW_ENTRY = 0 };
#else
enum { BELOW_ENTRY = 1 };
#endif

/* An address in the stack frame in which a measured call began. For the first frame, which stands for the caller (the row
   that is 100 %), it is in `from`. */
static uintptr_t place_of(const struct thread *me, struct open_call call)
{
	uintptr_t key = call.stray ? call.stray->key : call.frame->key;
	uintptr_t below = key & KEY_SLED ? BELOW_ENTRY : 0;

	if (call.stray)
		return call.stray->sp - below;
	return call.frame == me->frames ? call.frame->from
					: me->stack_low + call.frame->height - below;
}

/* The first frame of a thread is a call only while it stands for the caller. */
static bool is_call(const struct thread *me, struct open_call call)
{
	if (call.stray)
		return true;
	return call.frame && (call.frame != me->frames || call.frame->from);
}

/* Put the measured calls that began at or below an address into the stack, until that is full: there may be
   millions. */
static void push_open(struct walk *walk, uintptr_t address)
{
	const struct thread *me = walk->unwinder.me;

	while (is_call(me, walk->open) && place_of(me, walk->open) <= address) {
		const struct hp_stat *stat = hotpath__stat_of(walk->open);
		if (!push(walk->unwinder.walker, hp_frame(HP_FRAME_SITE, 0, stat ? stat->site : 0)))
			return;
		walk->strays += walk->open.stray != NULL;
		walk->open = walk->strays < STRAYS ? hotpath__outer(me, walk->open)
						   : (struct open_call){ NULL, NULL };
	}
}

/* Put the function that the walk has come to into the stack, and step to its caller. `frame` is 0 if there is no code. */
static enum step put(struct walk *walk, uint64_t frame)
{
	struct unwinder *unwinder = &walk->unwinder;

	if (!frame)
		return STEP_LOST;
	enum step step = hotpath__step(unwinder);
	push_open(walk, unwinder->limit);
	walk->by_rules &= unwinder->by_rule || hp_frame_kind(frame) != HP_FRAME_CODE;
	if (!push(unwinder->walker, frame))
		return STEP_ON;
	return step;
}

/* Frames after the first are taken for return addresses: one that was interrupted is told by the address after it. */
static void follow(struct walk *walk, enum step step)
{
	struct unwinder *unwinder = &walk->unwinder;
	struct walked *walked = &unwinder->walker->walked;

	while (step == STEP_ON && walked->depth < HP_STACK_DEPTH_MAX)
		step = put(walk,
			   hotpath__code_frame(unwinder->walker, HP_FRAME_CODE,
					       unwinder->place.at.pc + !unwinder->place.returned));
	walked->end = (uint32_t)hotpath__end_of(step, walk->by_rules);
	push_open(walk, UINTPTR_MAX);
}

#if defined(__x86_64__)

/*
 * Put the word on top of the stack as a link: it is the return address, if the function has pushed nothing. Only the
 * reader, which knows functions, can tell whether it is; for code of no file, nobody can. If the word is no code, a
 * link of 0 is put, but only where it decides in which function measured calls are open (matters).
 */
static void push_link(const struct walk *walk, const struct hp_registers *registers, uint64_t first,
		      bool matters)
{
	struct frame_record top;

	if (hp_frame_kind(first) != HP_FRAME_CODE ||
	    !hotpath__read_record(&walk->unwinder, registers->sp, &top))
		return;
	uint64_t frame = hotpath__code_frame(walk->unwinder.walker, HP_FRAME_LINK,
					     top.caller & HP_ADDRESS_BITS);
	if (frame || matters)
		push(walk->unwinder.walker, frame ? frame : hp_frame(HP_FRAME_LINK, 0, 0));
}

#else

/* Put the link register as a link, unless the first frame record has the same return address. */
static void push_link(const struct walk *walk, const struct hp_registers *registers, uint64_t first,
		      bool matters)
{
	uintptr_t link = registers->link & HP_ADDRESS_BITS;
	struct frame_record record = { 0, 0 };

	(void)first;
	(void)matters;
	if (!link)
		return;
	if (hotpath__read_record(&walk->unwinder, registers->fp, &record) &&
	    (record.returns & HP_ADDRESS_BITS) == link)
		return;
	uint64_t frame = hotpath__code_frame(walk->unwinder.walker, HP_FRAME_LINK, link);
	if (frame)
		push(walk->unwinder.walker, frame);
}

#endif

/* Begin with code of which no table tells its caller. */
static enum step put_first(struct walk *walk, const struct hp_registers *registers, uint64_t frame)
{
	struct walker *walker = walk->unwinder.walker;

	push_open(walk, registers->sp);
	push(walker, frame ? frame : hp_frame(HP_FRAME_ADDRESS, 0, registers->pc));
	unsigned depth = walker->walked.depth;
	/* The calls up to the frame pointer may be open in the interrupted function's caller, if the function has no
	   frame record of its own. */
	push_open(walk, registers->fp);
	push_link(walk, registers, frame, walker->walked.depth > depth);
	walk->by_rules = hp_frame_kind(frame) != HP_FRAME_CODE;
	return hotpath__step(&walk->unwinder);
}

void hotpath__walk(struct walker *walker, struct thread *me, const struct hp_registers *registers,
		   struct open_call innermost)
{
	struct walk walk = { .unwinder = hotpath__unwind_from(walker, me, registers),
			     .open = innermost,
			     .by_rules = true };

	walker->walked.depth = 0;
	walker->window_size = 0;
	/* While the stack is empty, so that it is looked up as the interrupted instruction, not as a return
	   address. */
	uint64_t frame = hotpath__code_frame(walker, HP_FRAME_CODE, registers->pc);
	if (!hotpath__has_rule(&walk.unwinder))
		follow(&walk, put_first(&walk, registers, frame));
	else
		follow(&walk,
		       put(&walk, frame ? frame : hp_frame(HP_FRAME_ADDRESS, 0, registers->pc)));
}

void hotpath__walk_caller(struct walker *walker, struct thread *me, uintptr_t from, uint64_t tip)
{
	struct walk walk = { .open = { NULL, NULL }, .by_rules = true };

	walker->walked.depth = 0;
	walker->window_size = 0;
	push(walker, tip);
	bool found = hotpath__unwind_caller(&walk.unwinder, walker, me, from);
	uintptr_t sp = found ? walk.unwinder.place.at.sp : (uintptr_t)__builtin_frame_address(0);
	walk.open = hotpath__open_at(me, sp);
	/* The calls up to `sp` are open in the function that called, also if it has no frame pointer that tells how far its
	   stack frame reaches. */
	if (found)
		push_open(&walk, sp);
	follow(&walk, found ? STEP_ON : STEP_LOST);
}
