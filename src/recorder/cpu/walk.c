/* SPDX-License-Identifier: MIT */
/*
 * Walks the stack of the interrupted code, or of code that waits, along the frame pointers, and puts measured calls where
 * they are open.
 *
 * A function that keeps a frame pointer has a frame record on the stack: the address of its caller's record, and the
 * return address. The walk trusts nothing: each record must be above the one before, inside the stack, and its return
 * address must be code. Between two records is the stack frame of one function; a measured call is open in the
 * function in whose stack frame it began.
 *
 * The thread's own stack is read directly. Others, such as those of coroutines, are read by a system call, because
 * their bounds are not known. So is the stack of a program under memcheck, which would report branches on
 * uninitialised words.
 */
#include "sampler.h"

#include "calls/stack.h"
#include "process/recorder_state.h"
#include "process/seccomp.h"

#include <sys/uio.h>
#include <unistd.h>

/* A frame record, as in the calling conventions. The highest bits of an address may be a signature (pointer
   authentication). */
struct record {
	uintptr_t caller;
	uintptr_t returns;
};

#define ADDRESS_BITS ((UINT64_C(1) << 48) - 1)

struct walk {
	struct walker *walker;
	struct thread *me;
	/* The next measured call to be put into the stack. */
	struct open_call open;
	bool own;
	/* How many of the calls put so far are strays. Bounded, because strays may form a circle. */
	unsigned strays;
};

static bool push(struct walker *walker, uint64_t frame)
{
	struct walked *walked = &walker->walked;

	if (walked->depth == HP_STACK_DEPTH_MAX)
		return false;
	walked->frames[walked->depth++] = frame;
	return true;
}

/* The stack pointer at which a measured call began. For the first frame, which stands for the caller (the row that
   is 100 %), it is in `from`. */
static uintptr_t place_of(const struct thread *me, struct open_call call)
{
	if (call.stray)
		return call.stray->sp;
	return call.frame == me->frames ? call.frame->from : me->stack_low + call.frame->height;
}

/* The first frame of a thread is a call only while it stands for the caller. */
static bool is_call(const struct thread *me, struct open_call call)
{
	return call.frame == me->frames ? call.frame->from : hotpath__is_open(call);
}

/* Put the measured calls that began at or below an address into the stack, until that is full: there may be
   millions. */
static void push_open(struct walk *walk, uintptr_t address)
{
	const struct thread *me = walk->me;

	while (is_call(me, walk->open) && place_of(me, walk->open) <= address) {
		const struct hp_stat *stat = hotpath__stat_of(walk->open);
		if (!push(walk->walker, hp_frame(HP_FRAME_SITE, 0, stat ? stat->site : 0)))
			return;
		walk->strays += walk->open.stray != NULL;
		walk->open = walk->strays < STRAYS ? hotpath__outer(me, walk->open)
						   : (struct open_call){ NULL, NULL };
	}
}

/* Copy a part of a foreign stack, from an address upwards. */
static bool read_window(struct walker *walker, uintptr_t address)
{
	struct iovec local = { walker->window, sizeof(walker->window) };
	struct iovec remote = { (void *)address, sizeof(walker->window) };
	ssize_t size = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);

	walker->window_at = address;
	walker->window_size = size > 0 ? (size_t)size : 0;
	return walker->window_size >= sizeof(struct record);
}

static bool read_foreign(struct walker *walker, uintptr_t address, struct record *record)
{
	uintptr_t past = address - walker->window_at;

	if (past + sizeof(*record) > walker->window_size || past >= walker->window_size) {
		if (!read_window(walker, address))
			return false;
		past = 0;
	}
	*record = *(const struct record *)(const void *)(walker->window + past / sizeof(uintptr_t));
	return true;
}

static bool is_inside(const struct thread *me, uintptr_t address)
{
	return hotpath__own_stack(me, address) &&
	       hotpath__own_stack(me, address + sizeof(struct record));
}

/*
 * In code without a frame pointer the register may point anywhere into the stack, also to where AddressSanitizer
 * forbids access; we only read a word there.
 */
__attribute__((no_sanitize("address"))) static struct record record_at(uintptr_t address)
{
	return *(const struct record *)address;
}

static bool read_record(const struct walk *walk, uintptr_t address, struct record *record)
{
	if (address % sizeof(uintptr_t))
		return false;
	if (walk->own && !is_inside(walk->me, address))
		return false;
	if (!walk->own || load(&hotpath__recorder->sampling.is_watched, RELAXED))
		return read_foreign(walk->walker, address, record);
	*record = record_at(address);
	return true;
}

/* The walk from a signal handler on an alternate stack continues on the thread's own stack, where that was
   interrupted. */
static bool comes_home(struct walk *walk, uintptr_t address)
{
	if (walk->own || !is_inside(walk->me, address))
		return false;
	walk->own = true;
	return true;
}

static enum hp_stack_end follow(struct walk *walk, uintptr_t sp, uintptr_t fp)
{
	struct record record;

	for (uintptr_t below = sp; fp; below = fp + 1, fp = record.caller) {
		if ((fp < below && !comes_home(walk, fp)) || !read_record(walk, fp, &record))
			return HP_STACK_BROKEN;
		record.returns &= ADDRESS_BITS;
		if (!record.returns)
			return HP_STACK_WHOLE;
		uint64_t frame = hotpath__code_frame(walk->walker, HP_FRAME_CODE, record.returns);
		if (!frame)
			return HP_STACK_BROKEN;
		push_open(walk, record.caller);
		if (!push(walk->walker, frame))
			return HP_STACK_DEEP;
	}
	return HP_STACK_WHOLE;
}

#if defined(__x86_64__)

/*
 * Put the word on top of the stack as a link: it is the return address, if the function has pushed nothing. Only the
 * reader, which knows functions, can tell whether it is; for code of no file, nobody can. If the word is no code, a
 * link of 0 is put, but only where it decides in which function measured calls are open (matters).
 */
static void push_link(const struct walk *walk, const struct registers *registers, uint64_t first,
		      bool matters)
{
	struct record top;

	if (hp_frame_kind(first) != HP_FRAME_CODE || !read_record(walk, registers->sp, &top))
		return;
	uint64_t frame = hotpath__code_frame(walk->walker, HP_FRAME_LINK,
					     top.caller & ADDRESS_BITS);
	if (frame || matters)
		push(walk->walker, frame ? frame : hp_frame(HP_FRAME_LINK, 0, 0));
}

#else

/* Put the link register as a link, unless the first frame record has the same return address. */
static void push_link(const struct walk *walk, const struct registers *registers, uint64_t first,
		      bool matters)
{
	uintptr_t link = registers->link & ADDRESS_BITS;
	struct record record = { 0, 0 };

	(void)first;
	(void)matters;
	if (!link)
		return;
	if (read_record(walk, registers->fp, &record) && (record.returns & ADDRESS_BITS) == link)
		return;
	uint64_t frame = hotpath__code_frame(walk->walker, HP_FRAME_LINK, link);
	if (frame)
		push(walk->walker, frame);
}

#endif

void hotpath__walk(struct walker *walker, struct thread *me, const struct registers *registers,
		   struct open_call innermost)
{
	struct walk walk = { walker, me, innermost, hotpath__own_stack(me, registers->sp), 0 };

	walker->walked.depth = 0;
	walker->window_size = 0;
	/* While the stack is empty, so that it is looked up as the interrupted instruction, not as a return
	   address. */
	uint64_t frame = hotpath__code_frame(walker, HP_FRAME_CODE, registers->pc);
	push_open(&walk, registers->sp);
	push(walker, frame ? frame : hp_frame(HP_FRAME_ADDRESS, 0, registers->pc));
	unsigned depth = walker->walked.depth;
	/* These calls may be open in the interrupted function's caller, if the function has no frame record of its
	   own. */
	push_open(&walk, registers->fp);
	push_link(&walk, registers, frame, walker->walked.depth > depth);
	walker->walked.end = (uint32_t)follow(&walk, registers->sp, registers->fp);
	push_open(&walk, UINTPTR_MAX);
}

/* The frame record of the function that returns to `from`; 0 when it is not found. All functions between it and the walk
   are ours, and keep a frame pointer. */
static uintptr_t find_record(const struct walk *walk, uintptr_t fp, uintptr_t from)
{
	enum { OURS_MAX = 16 };
	struct record record;

	for (unsigned i = 0; i < OURS_MAX && read_record(walk, fp, &record); i++) {
		if ((record.returns & ADDRESS_BITS) == (from & ADDRESS_BITS))
			return fp;
		if (record.caller <= fp)
			return 0;
		fp = record.caller;
	}
	return 0;
}

void hotpath__walk_caller(struct walker *walker, struct thread *me, uintptr_t from, uint64_t tip)
{
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	struct walk walk = { walker, me, { NULL, NULL }, hotpath__own_stack(me, here), 0 };

	walker->walked.depth = 0;
	walker->walked.end = HP_STACK_BROKEN;
	walker->window_size = 0;
	push(walker, tip);
	uintptr_t fp = find_record(&walk, here, from);
	walk.open = hotpath__open_at(me, fp ? fp + sizeof(struct record) : here);
	if (fp) {
		/* These are open in the function that called, also if it has no frame pointer that tells how far its stack
		   frame reaches. */
		push_open(&walk, fp + sizeof(struct record));
		walker->walked.end = (uint32_t)follow(&walk, fp, fp);
	}
	push_open(&walk, UINTPTR_MAX);
}
