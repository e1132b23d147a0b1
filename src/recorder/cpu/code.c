/* SPDX-License-Identifier: MIT */
/*
 * Finds the module of an address, in a signal handler.
 *
 * Executable mappings that were seen are in a short table of ranges, which is read without a lock: a range is valid
 * if its end is not 0, which is stored last (RELEASE) and loaded first (ACQUIRE). An address in none of them is
 * looked up in /proc/self/maps, if the lock can be had without waiting. Addresses that turn out to be no code, which
 * a stack without frame pointers may contain, are looked up so rarely that it takes at most a hundredth of the time.
 * The address of the interrupted instruction is code for certain, and always looked up.
 */
#include "sampler.h"

#include "calls/hot_path.h"
#include "calls/modules.h"
#include "code_rule.h"
#include "process/clock.h"
#include "process/maps.h"
#include "process/platform.h"
#include "process/recorder_state.h"
#include "process/room.h"
#include "process/seccomp.h"
#include "rules.h"
#include "sampling.h"

#include <elf.h>
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#if defined(__x86_64__)
#define LINK_IS_ON_STACK true
#else
#define LINK_IS_ON_STACK false
#endif

enum {
	RANGES = 1024,
	/* After a lookup that found nothing, there is none for so many times its duration. */
	PATIENCE = 100,
};

struct hotpath__range {
	uintptr_t end;
	uintptr_t start;
	uintptr_t bias;
	/* The module's id; 0 for code of no file, such as code generated at run time. */
	uint32_t module;
	bool readable;
	bool ours;
	/* Used under the lock: whether the mapping still exists. */
	bool seen;
	uint64_t device;
	uint64_t inode;
	/* Unwind tables, as in struct code. */
	uintptr_t tables;
	uintptr_t tables_low;
	uintptr_t tables_high;
	/* The first bytes of the tables, by which they are known again. */
	uint64_t head;
};

static bool has(const struct hotpath__range *range, uintptr_t address)
{
	/* ACQUIRE pairs with the RELEASE in add_range. */
	return address < load(&range->end, ACQUIRE) && address >= load(&range->start, RELAXED);
}

/* `hint` is the index of the range that was found last. */
static struct hotpath__range *find(unsigned *hint, uintptr_t address)
{
	const struct sampling *all = &hotpath__recorder->sampling;
	/* Pairs with the RELEASE of the first range. */
	/* Pairs with the RELEASE of a new entry: the table is there before it has one. A sample may come between both loads. */
	unsigned count = load(&all->range_count, ACQUIRE);
	struct hotpath__range *ranges = load(&all->ranges, RELAXED);

	if (*hint < count && has(&ranges[*hint], address))
		return &ranges[*hint];
	for (unsigned i = 0; i < count; i++)
		if (has(&ranges[i], address)) {
			*hint = i;
			return &ranges[i];
		}
	return NULL;
}

/*
 * Ask whether memory can be read: the kernel copies a set of signals from there, and then finds that it was not told what to
 * do with it. That takes a tenth of what process_vm_readv does. Returns EINVAL if it can be read, EFAULT if not, and another
 * error where the question is forbidden.
 */
static int ask(uintptr_t address)
{
	enum { NOTHING = -1 };

	return syscall(SYS_rt_sigprocmask, NOTHING, address, NULL, sizeof(uint64_t)) ? errno : 0;
}

/* Emulators of the kernel may look at it in another order: where there is nothing for certain, this must be told. Valgrind
   would complain. */
static bool can_ask(void)
{
	enum { UNKNOWN, NO, YES };
	static uint8_t known;
	uint8_t state = load(&known, RELAXED);

	if (state == UNKNOWN) {
		hotpath__note_watcher();
		bool is_watched = load(&hotpath__recorder->sampling.is_watched, RELAXED);
		state = !is_watched && ask(sizeof(uint64_t)) == EFAULT ? YES : NO;
		store(&known, state, RELAXED);
	}
	return state == YES;
}

/* Read the first bytes of unwind tables; false when there is no memory. 0 where the system call is forbidden. */
static bool read_head(const struct hotpath__range *range, uint64_t *head)
{
	struct iovec local = { head, sizeof(*head) };
	struct iovec remote = { (void *)range->tables, sizeof(*head) };

	*head = 0;
	int answer = can_ask() ? ask(range->tables) : 0;
	if (answer == EINVAL)
		memcpy(head, remote.iov_base, sizeof(*head));
	if (answer == EINVAL || answer == EFAULT)
		return answer == EINVAL;
	return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) > 0 || errno != EFAULT;
}

/* Whether the tables are those that were found: the C library unloads modules of its own, as those of iconv, without a call of
   dlclose, and other code may come to their addresses. */
static bool are_there(const struct hotpath__range *range)
{
	uint64_t head;

	return read_head(range, &head) && (!head || !range->head || head == range->head);
}

/* A free entry of the table; NULL when it is full. The lock is held. */
static struct hotpath__range *place(struct sampling *all)
{
	unsigned i = 0;

	if (!all->ranges)
		store(&all->ranges, hotpath__private(RANGES * sizeof(*all->ranges)), RELAXED);
	if (!all->ranges)
		return NULL;
	while (i < all->range_count && all->ranges[i].end)
		i++;
	if (i == RANGES)
		return NULL;
	if (i == all->range_count)
		store(&all->range_count, i + 1, RELEASE);
	return &all->ranges[i];
}

static struct hotpath__range *add_range(const struct code *code)
{
	struct hotpath__range *range = place(&hotpath__recorder->sampling);

	if (!range)
		return NULL;
	store(&range->start, code->start, RELAXED);
	range->bias = code->bias;
	range->module = code->module;
	range->readable = code->readable;
	range->ours = code->ours;
	range->device = code->device;
	range->inode = code->inode;
	range->tables = code->tables;
	range->tables_low = code->tables_low;
	range->tables_high = code->tables_high;
	if (range->tables && !read_head(range, &range->head))
		range->tables = 0;
	store(&range->end, code->end, RELEASE);
	return range;
}

static struct hotpath__range *learn(struct walker *walker, uintptr_t address, bool executed)
{
	struct sampling *all = &hotpath__recorder->sampling;
	uint64_t now = hotpath__ticks();
	struct hotpath__range *range = NULL;
	struct code code;
	struct guard guard;

	/* RELAXED: one lookup too many does no harm. */
	bool at_once = executed && load(&all->range_count, RELAXED) < RANGES;
	if ((!at_once && now < load(&all->lookups_after, RELAXED)) || !hotpath__lock_soon(&guard))
		return NULL;
	range = find(&walker->hint, address);
	if (!range && hotpath__find_code(address, &code))
		range = add_range(&code);
	if (!range) {
		uint64_t after = hotpath__ticks();
		store(&all->lookups_after, after + (after - now) * PATIENCE, RELAXED);
	}
	hotpath__unlock(&guard);
	return range;
}

/* A return address may lie just after the end of its module; so the address before it, which is in the call, is
   looked up. */
uint64_t hotpath__code_frame(struct walker *walker, enum hp_frame_kind kind, uintptr_t address)
{
	uintptr_t call = walker->walked.depth ? address - 1 : address;
	const struct hotpath__range *range = find(&walker->hint, call);

	/* The top of a stack is seldom code, and is not worth a lookup. */
	if (!range && !(LINK_IS_ON_STACK && kind == HP_FRAME_LINK))
		range = learn(walker, call, !walker->walked.depth);
	if (!range)
		return 0;
	if (!range->module)
		return hp_frame(HP_FRAME_ADDRESS, 0, address);
	return hp_frame(kind, range->module, address - range->bias);
}

bool hotpath__is_code(struct walker *walker, uintptr_t address, bool *of_file)
{
	const struct hotpath__range *range = find(&walker->hint, address);

	if (!range)
		range = learn(walker, address, false);
	*of_file = range && range->module;
	return range;
}

bool hotpath__is_known_code(struct walker *walker, uintptr_t address)
{
	return find(&walker->hint, address);
}

/* The vDSO is a module of no file. It stays where it is. */
static bool is_vdso(const struct hotpath__range *range)
{
	return range->module && !range->inode && range->readable;
}

bool hotpath__has_tables(struct walker *walker, uintptr_t address, bool executed)
{
	const struct hotpath__range *range = find(&walker->hint, address);

	if (!range)
		range = learn(walker, address, executed);
	return range && (range->tables || is_vdso(range));
}

#if defined(__aarch64__)
/* Whether it is adrp x16, ldr x17, add x16 or br x17, or a nop or a hint such as bti. */
static bool is_in_stub(uint32_t instruction)
{
	return (instruction & UINT32_C(0x9f00001f)) == UINT32_C(0x90000010) ||
	       (instruction & UINT32_C(0xffc003ff)) == UINT32_C(0xf9400211) ||
	       (instruction & UINT32_C(0xff8003ff)) == UINT32_C(0x91000210) ||
	       (instruction & UINT32_C(0xfffff01f)) == UINT32_C(0xd503201f) ||
	       instruction == UINT32_C(0xd61f0220);
}
#endif

/*
 * The rule for an interrupted stub (PLT entry), for which linkers for aarch64 write no unwind tables: it jumps through x17, and
 * the caller is in the link register. The first stub of a module has moved the stack pointer before: that one is not known.
 */
static uint64_t stub_rule(const struct hotpath__range *range, uintptr_t pc)
{
#if defined(__aarch64__)
	enum { STUB = 5 };
	static const uint32_t push = 0xa9bf7bf0, jump = 0xd61f0220;
	const uint32_t *code = (const uint32_t *)pc;
	uintptr_t before = (pc - range->start) / sizeof(*code);
	uintptr_t behind = (range->end - pc) / sizeof(*code);

	for (unsigned i = 1; i < STUB && i <= before && code[-(int)i] != jump; i++)
		if (code[-(int)i] == push)
			return HP_RULE_NONE;
	for (unsigned i = 0; i < STUB && i < behind && is_in_stub(code[i]); i++)
		if (code[i] == jump)
			return hp_rule_pack(&(struct hp_rule){ .kind = HP_RULE_SP });
#else
	(void)range;
	(void)pc;
#endif
	return HP_RULE_NONE;
}

/* Whether a signal handler is to return to an address. */
static bool ends_handler(const struct hotpath__range *range, uintptr_t pc)
{
	return range->readable && pc >= range->start && pc < range->end &&
	       range->end - pc >= HP_HANDLER_END_SIZE && hp_ends_handler((const void *)pc);
}

/* The rule for a place of the vDSO where that has no tables. A handler may just be ending, by two instructions. */
static uint64_t vdso_rule(const struct hotpath__range *range, uintptr_t pc, bool returned)
{
	if (!returned &&
	    (ends_handler(range, pc) || ends_handler(range, pc - HP_HANDLER_END_SIZE / 2)))
		return HP_RULE_SIGNAL;
#if defined(__aarch64__)
	return hp_code_rule((const uint32_t *)range->start,
			    (range->end - range->start) / sizeof(uint32_t),
			    (pc - range->start) / sizeof(uint32_t), returned);
#else
	return HP_RULE_NONE;
#endif
}

bool hotpath__read_rule(struct walker *walker, uintptr_t pc, bool returned, uint64_t *rule)
{
#if defined(__aarch64__)
	enum { MACHINE = EM_AARCH64 };
#elif defined(__x86_64__)
	enum { MACHINE = EM_X86_64 };
#else
	enum { MACHINE = EM_NONE };
#endif
	const struct hotpath__range *range = find(&walker->hint, pc - returned);

	if (!range || hotpath__recorder->unloading ||
	    !(range->tables ? are_there(range) : is_vdso(range)))
		return false;
	if (returned && ends_handler(range, pc)) {
		*rule = HP_RULE_SIGNAL;
		return true;
	}
	if (!range->tables) {
		*rule = vdso_rule(range, pc, returned);
		return true;
	}
	const struct hp_unwind_region region = { (const unsigned char *)range->tables_low,
						 range->tables_high - range->tables_low,
						 range->tables_low };
	*rule = hp_unwind_find_place(&region, MACHINE, range->tables, pc, returned);
	if (!returned && !*rule && range->readable)
		*rule = stub_rule(range, pc);
	return true;
}

/* Unlike the walks of samples, allocations have each stack looked up once only, and have the time for it. */
uint64_t hotpath__return_frame(uintptr_t returns)
{
	unsigned hint = 0;
	struct hotpath__range *range = find(&hint, returns - 1);
	struct code code;

	if (!range && hotpath__find_code(returns - 1, &code))
		range = add_range(&code);
	if (!range)
		return 0;
	if (!range->module)
		return hp_frame(HP_FRAME_ADDRESS, 0, returns);
	return hp_frame(HP_FRAME_CODE, range->module, returns - range->bias);
}

static const struct hotpath__range *find_executed(struct walker *walker, uintptr_t address)
{
	const struct hotpath__range *range = find(&walker->hint, address);

	return range ? range : learn(walker, address, true);
}

bool hotpath__is_own_code(struct walker *walker, uintptr_t address)
{
	uintptr_t start = (uintptr_t)__start_hotpath_text, end = (uintptr_t)__stop_hotpath_text;
	const struct hotpath__range *range = find_executed(walker, address);

	return (range && range->ours) || address - start < end - start;
}

bool hotpath__after_system_call(struct walker *walker, uintptr_t address)
{
	enum { PAGE = 4096 };
	const struct hotpath__range *range = find_executed(walker, address);

	/* The instruction before it may be on a page that is not mapped. */
	if (!range || !range->readable || address % PAGE < 4)
		return false;
#if defined(__aarch64__)
	return *(const uint32_t *)(address - 4) == UINT32_C(0xd4000001);
#elif defined(__x86_64__)
	return memcmp((const void *)(address - 2), "\x0f\x05", 2) == 0;
#else
	return true;
#endif
}

static void see(struct sampling *all, const struct mapping *mapping)
{
	for (unsigned i = 0; i < all->range_count; i++) {
		struct hotpath__range *range = &all->ranges[i];
		if (mapping->start < range->end && mapping->end > range->start &&
		    mapping->inode == range->inode && mapping->device == range->device)
			range->seen = true;
	}
}

void hotpath__forget_code(void)
{
	static struct mapping mapping;
	struct sampling *all = &hotpath__recorder->sampling;
	struct maps maps;

	for (unsigned i = 0; i < all->range_count; i++)
		all->ranges[i].seen = false;
	if (!all->range_count)
		return;
	hotpath__maps_open(&maps);
	while (hotpath__maps_next(&maps, &mapping))
		see(all, &mapping);
	hotpath__maps_close(&maps);
	for (unsigned i = 0; i < all->range_count; i++) {
		struct hotpath__range *range = &all->ranges[i];
		if (range->seen || !range->end)
			continue;
		hotpath__forget_rules(range->start, range->end);
		store(&range->end, 0, RELEASE);
	}
}
