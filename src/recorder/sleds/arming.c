/* SPDX-License-Identifier: MIT */
#include "arming.h"

#include "island.h"
#include "patch.h"
#include "process/room.h"
#include "process/seccomp.h"
#include "sled_calls.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	/* Of the membarrier system call: all threads of this process execute an instruction that serialises before it
	   returns; and the registration for that. */
	MEMBARRIER_SYNC_CORE = 1 << 5,
	MEMBARRIER_REGISTER_SYNC_CORE = 1 << 6,
};

/* Neighbouring pages with sleds that change. */
struct pages {
	uintptr_t low;
	uintptr_t high;
};

/* Pages become writable one range after the other, and are code again later: so many ranges, those that were changed. */
struct protecting {
	struct pages pages;
	bool writable;
	size_t limit;
	size_t count;
	bool failed;
};

static bool differs(const struct sled_function *function)
{
	return function->now.entry != function->next.entry ||
	       function->now.exits != function->next.exits;
}

/* A range that could not become writable is the last one: a part of it may be so all the same. */
static void protect(struct protecting *protecting)
{
	void *low = (void *)protecting->pages.low;
	size_t size = protecting->pages.high - protecting->pages.low;

	if (!size || protecting->count == protecting->limit)
		return;
	protecting->count++;
	if (!protecting->writable) {
		mprotect(low, size, PROT_READ | PROT_EXEC);
		return;
	}
	if (mprotect(low, size, PROT_READ | PROT_WRITE | PROT_EXEC) == 0)
		return;
	protecting->failed = true;
	protecting->limit = protecting->count;
}

static struct pages pages_of(const struct sled *sled)
{
	uintptr_t size = hotpath__page_size(), low = sled->place & ~(size - 1);

	return (struct pages){ low, hotpath__round_up(sled->place + hotpath__sled_size, size) };
}

/* Add the pages of a sled to those that are collected. If they are elsewhere, those become writable now, or not any more. */
static void collect(struct protecting *protecting, const struct sled *sled)
{
	struct pages more = pages_of(sled), *pages = &protecting->pages;

	if (more.low > pages->high || more.high < pages->low) {
		protect(protecting);
		*pages = more;
	}
	if (more.low < pages->low)
		pages->low = more.low;
	if (more.high > pages->high)
		pages->high = more.high;
}

/* Only pages with sleds that change: what lies between may not be code. */
static void protect_all(const struct sled_module *module, struct protecting *protecting)
{
	for (size_t i = 0; i < module->function_count; i++) {
		const struct sled_function *function = &module->functions[i];
		for (uint32_t j = 0; j < function->count && differs(function); j++)
			collect(protecting, &function->sleds[j]);
	}
	protect(protecting);
}

static bool make_all_writable(const struct sled_module *module, size_t *ranges)
{
	struct protecting protecting = { .writable = true, .limit = SIZE_MAX };

	protect_all(module, &protecting);
	*ranges = protecting.count;
	return !protecting.failed;
}

static void make_code(const struct sled_module *module, size_t ranges)
{
	struct protecting protecting = { .writable = false, .limit = ranges };

	protect_all(module, &protecting);
}

/* Let all threads see the code as it is. */
static bool see_code(void)
{
	return syscall(SYS_membarrier, MEMBARRIER_SYNC_CORE, 0, 0) == 0;
}

/* Whether that is possible: a filter of system calls may forbid it at any time. */
static bool can_see_code(void)
{
	static bool registered;

	if (!registered)
		registered = syscall(SYS_membarrier, MEMBARRIER_REGISTER_SYNC_CORE, 0, 0) == 0;
	return registered && see_code();
}

static void patch_sled(const struct sled_module *module, const struct sled *sled,
		       const struct sled_arms *arms, unsigned step)
{
	bool is_entry = sled->place == sled->entry;
	bool armed = is_entry ? arms->entry != ENTRY_OFF : arms->exits;
	if (hotpath__has_breakpoint(sled->place))
		return;

	enum sled_kind kind = hotpath__sled_kind(sled->place, is_entry);
	if (is_entry && arms->entry == ENTRY_COUNTS)
		kind = SLED_COUNT;
	hotpath__patch(step, sled->place, kind, module->island->to[kind], armed);
	__builtin___clear_cache((char *)sled->place, (char *)sled->place + hotpath__sled_size);
}

/* An exit may be armed before its entry: it has nothing to end then. */
static void make_step(const struct sled_module *module, unsigned step)
{
	for (size_t i = 0; i < module->function_count; i++) {
		const struct sled_function *function = &module->functions[i];
		for (uint32_t j = 0; j < function->count && differs(function); j++)
			patch_sled(module, &function->sleds[j], &function->next, step);
	}
	see_code();
}

static bool needs_change(const struct sled_module *module)
{
	for (size_t i = 0; i < module->function_count; i++)
		if (differs(&module->functions[i]))
			return true;
	return false;
}

bool hotpath__arm(struct sled_module *module)
{
	if (!needs_change(module))
		return true;
	if (!module->island)
		module->island = hotpath__island_near(module->low, module->high);
	if (!module->island || !can_see_code())
		return false;
	size_t ranges;
	bool may_change = make_all_writable(module, &ranges);
	for (unsigned step = 0; may_change && step < hotpath__patch_steps; step++)
		make_step(module, step);
	make_code(module, ranges);
	if (!may_change)
		return false;
	for (size_t i = 0; i < module->function_count; i++)
		module->functions[i].now = module->functions[i].next;
	return true;
}
