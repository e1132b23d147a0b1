/* SPDX-License-Identifier: MIT */
/*
 * The callers of an allocation: the return addresses on the stack, from that of the call of malloc outwards.
 *
 * They are taken on the thread's own stack. On others, whose bounds are not known, there is only the return address of the
 * call: to read them safely takes a system call, which is too much for each malloc.
 *
 * A program allocates in loops, so the stack is often the one of a moment ago. A walk depends on where it begins and on the
 * words that it reads, and on nothing else. So a thread keeps the words of its last walks: if the next one begins at the same
 * place, and all these words have the same values, it would find the same callers, and is left out.
 */
#include "heap.h"

#include "calls/stack.h"
#include "cpu/unwinder.h"
#include "process/platform.h"
#include "process/recorder_state.h"

/* The register may point to where AddressSanitizer forbids access; we only read a word there. */
__attribute__((no_sanitize("address"))) static inline uintptr_t word_at(uintptr_t address)
{
	return *(const uintptr_t *)address;
}

/* The state of threads that have ended, and that for signal handlers that interrupt the recorder, has no thread of its own.
   Under memcheck, stacks are read by system calls. */
static inline bool may_walk(const struct thread *me, uintptr_t sp)
{
	return likely(me->memory->walker && me->tid) && likely(hotpath__own_stack(me, sp)) &&
	       likely(!load(&hotpath__recorder->sampling.is_watched, RELAXED));
}

/* The state may have been that of another thread, whose stack was elsewhere, or larger. */
static inline bool is_same(const struct thread *me, const struct walk_trace *trace)
{
	unsigned i = trace->count;

	if (unlikely(!hotpath__own_stack(me, trace->high + sizeof(uintptr_t))))
		return false;
	while (i > 0 && word_at(trace->words[i - 1].at) == trace->words[i - 1].value)
		i--;
	return i == 0;
}

static uint64_t key_of(const struct callers *callers, uint64_t site)
{
	uint64_t key = site;

	for (unsigned i = 0; i < callers->depth; i++)
		key = (key ^ callers->returns[i]) * UINT64_C(0x9e3779b97f4a7c15) ^ key >> 29;
	return key * UINT64_C(0x9e3779b97f4a7c15);
}

static void walk(struct callers *callers, struct unwinder at)
{
	unsigned depth = hotpath__callers(&at, callers->returns, HP_ORIGIN_DEPTH_MAX,
					  &callers->end);

	callers->depth = depth ? depth : 1;
}

static struct held *find(struct thread *me, uint64_t site)
{
	return hotpath__find_call(me->memory, key_of(&me->memory->callers, site))->held;
}

/* A new stack may lack callers, because another thread had the lock: so it is taken again under the lock. */
static struct held *learn(struct thread *me, const struct unwinder *at, uint64_t site)
{
	struct callers *callers = &me->memory->callers;
	struct guard guard;

	hotpath__lock(&guard);
	if (at)
		walk(callers, *at);
	struct held *held = find(me, site);
	if (!held)
		held = hotpath__learn_call(me, key_of(callers, site), site);
	hotpath__unlock(&guard);
	return held;
}

/* A stack is kept only if the table has it, too: that has nothing while code is unloaded. A signal handler may leave by
   siglongjmp in between, so `from`, which makes the entry valid, is stored last. */
static struct held *walk_and_keep(struct thread *me, struct seen_stack *seen,
				  const struct unwinder *begin, uint64_t site)
{
	struct unwinder at = *begin;

	store(&seen->from, 0, RELAXED);
	signal_fence();
	seen->trace.count = 0;
	seen->trace.high = 0;
	at.trace = &seen->trace;
	walk(&me->memory->callers, at);
	seen->held = find(me, site);
	if (!seen->held)
		return learn(me, begin, site);
	seen->site = site;
	seen->sp = begin->place.at.sp;
	seen->fp = begin->place.at.fp;
	signal_fence();
	store(&seen->from, hotpath__is_traced(&seen->trace) ? begin->place.at.pc : 0, RELAXED);
	return seen->held;
}

static inline struct seen_stack *place_of(struct memory *memory, const struct hp_registers *at)
{
	return &memory->seen[(at->sp / 16 ^ at->pc ^ at->pc >> 5) % SEEN_STACKS];
}

static inline struct held *find_seen(struct thread *me, const struct hp_registers *at,
				     uint64_t site)
{
	const struct seen_stack *seen = place_of(me->memory, at);

	if (likely(seen->from == at->pc && seen->sp == at->sp && seen->fp == at->fp &&
		   seen->site == site) &&
	    likely(is_same(me, &seen->trace)))
		return seen->held;
	return NULL;
}

/* The frame pointer of the function that called one of ours, which has saved it beside its return address: on x86-64 at the top of
   its stack frame, on aarch64 in the outermost one of our frame records. */
static inline bool find_frame_pointer(struct hp_registers *at)
{
#if defined(__x86_64__)
	at->fp = word_at(at->sp - 2 * sizeof(uintptr_t));
	return word_at(at->sp - sizeof(uintptr_t)) == at->pc;
#elif defined(__aarch64__)
	enum { OURS_MAX = 8 };
	uintptr_t record = (uintptr_t)__builtin_frame_address(0), before = 0;

	for (unsigned i = 0; i < OURS_MAX && record > before && record < at->sp; i++) {
		before = record;
		record = word_at(before);
		if ((word_at(before + sizeof(uintptr_t)) & HP_ADDRESS_BITS) == at->pc) {
			at->fp = record;
			return true;
		}
	}
	return false;
#else
	(void)at;
	return false;
#endif
}

static __attribute__((noinline)) struct held *find_slowly(struct thread *me, uintptr_t from,
							  bool walks, uint64_t site)
{
	struct memory *memory = me->memory;
	struct unwinder at;
	struct held *held;

	memory->callers = (struct callers){ .depth = 1, .end = HP_STACK_BROKEN };
	memory->callers.returns[0] = from & HP_ADDRESS_BITS;
	if (!walks || !hotpath__unwind_caller(&at, memory->walker, me, from)) {
		held = find(me, site);
		return held ? held : learn(me, NULL, site);
	}
	held = find_seen(me, &at.place.at, site);
	return held ? held : walk_and_keep(me, place_of(memory, &at.place.at), &at, site);
}

struct held *hotpath__held_from(struct thread *me, uintptr_t from, uintptr_t sp, uint64_t site)
{
	struct hp_registers at = { .pc = from & HP_ADDRESS_BITS, .sp = sp };
	bool walks = may_walk(me, sp);
	struct held *held = walks && likely(find_frame_pointer(&at)) ? find_seen(me, &at, site)
								     : NULL;

	return likely(held) ? held : find_slowly(me, from, walks, site);
}

void hotpath__forget_seen(struct memory *memory)
{
	for (unsigned i = 0; i < SEEN_STACKS; i++)
		memory->seen[i].from = 0;
}
