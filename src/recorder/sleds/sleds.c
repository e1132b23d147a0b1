/* SPDX-License-Identifier: MIT */
/*
 * The programs and libraries with sleds: a list of what they have told of. Their sleds are armed while calls are wanted.
 *
 * The list is in their own data, and its head in memory that forked children inherit, because they inherit the armed code.
 */
#include "sleds.h"

#include "arming.h"
#include "atomic.h"
#include "governor.h"
#include "process/clock.h"
#include "process/handover.h"
#include "process/lifecycle.h"
#include "process/platform.h"
#include "process/recorder_state.h"
#include "sled_calls.h"
#include "sled_module.h"

static struct hotpath_sleds *all;
static bool are_wanted;
/* Signal handlers that look something up just now, without the lock. */
static uint32_t readers;

enum {
	/* How often the end of a module looks, until it assumes that a signal handler was interrupted for long. */
	PATIENCE = 1000 * 1000,
};

/* Say it once, since it is the same for all. */
static void complain(void)
{
	static bool said;

	if (!said)
		hotpath__warn(
			"functions cannot be measured: this system forbids to change code (sleds); "
			"'hotpath cc --hooks' needs no such change",
			NULL);
	said = true;
}

static void arm(struct hotpath_sleds *sleds, uint64_t now)
{
	static const struct sled_arms none = { ENTRY_OFF, false };
	struct sled_module *module = sleds->module;

	if (!module && are_wanted) {
		module = hotpath__sled_module_make(sleds);
		/* Pairs with hotpath__sled_site_at. */
		store(&sleds->module, module, RELEASE);
	}
	if (!module)
		return;
	for (size_t i = 0; i < module->function_count; i++)
		module->functions[i].next =
			are_wanted ? hotpath__governed_arms(&module->functions[i], now) : none;
	if (!hotpath__arm(module))
		complain();
}

void hotpath__sleds_update(uint64_t now)
{
	for (struct hotpath_sleds *sleds = all; sleds; sleds = sleds->next)
		arm(sleds, now);
}

void hotpath__sleds_want(bool wanted)
{
	are_wanted = wanted;
	if (wanted && all)
		hotpath__measure_registers();
	hotpath__sleds_update(hotpath__ticks());
}

void hotpath__sleds_begin(void)
{
	for (const struct hotpath_sleds *sleds = all; sleds; sleds = sleds->next)
		for (size_t i = 0; sleds->module && i < sleds->module->function_count; i++)
			hotpath__govern_begin(&sleds->module->functions[i]);
}

/* Whether an address is among the sleds of a module, which may be NULL. */
static bool covers(const struct sled_module *module, uintptr_t address)
{
	return module && address - module->low < module->high - module->low;
}

void hotpath__sled_is_called(uintptr_t body, uint32_t site)
{
	struct guard guard;

	if (hotpath__is_governed(site))
		return;
	hotpath__lock(&guard);
	for (const struct hotpath_sleds *sleds = all; sleds; sleds = sleds->next) {
		const struct sled_module *module = sleds->module;
		if (!covers(module, body))
			continue;
		struct sled_function *function = hotpath__sled_function_at(module, body);
		if (function)
			hotpath__govern_function(function, site);
	}
	hotpath__unlock(&guard);
}

static bool is_known(const struct hotpath_sleds *sleds)
{
	const struct hotpath_sleds *at = all;

	while (at && at != sleds)
		at = at->next;
	return at != NULL;
}

/* A program that was linked in an unusual way may have two constructors for one list. */
static void remember(struct hotpath_sleds *sleds)
{
	if (is_known(sleds))
		return;
	sleds->next = all;
	/* Pairs with hotpath__sled_site_at: the next one is known. */
	store(&all, sleds, SEQ_CST);
}

void hotpath_module_begins(struct hotpath_sleds *sleds)
{
	struct guard guard;

	if (hotpath__state() == STATE_HANDED_OVER) {
		hotpath__recorder->other->module_begins(sleds);
		return;
	}
	/* Too early: they are armed when recording begins. */
	if (!hotpath__recorder) {
		remember(sleds);
		return;
	}
	hotpath__lock(&guard);
	remember(sleds);
	hotpath__measure_registers();
	arm(sleds, hotpath__ticks());
	hotpath__unlock(&guard);
}

uint32_t hotpath__sled_site_at(uintptr_t pc)
{
	uint32_t site = 0;

	/* SEQ_CST, as in forget: either this sees that a module goes, or the one who lets it go sees this. */
	fetch_add(&readers, 1, SEQ_CST);
	for (const struct hotpath_sleds *sleds = load(&all, SEQ_CST); sleds && !site;
	     sleds = load(&sleds->next, SEQ_CST)) {
		const struct sled_module *module = load(&sleds->module, ACQUIRE);
		if (!covers(module, pc))
			continue;
		const struct sled_function *function = hotpath__sled_function_before(module, pc);
		if (function && hotpath__sled_function_has(module, function, pc))
			site = load(&function->site, RELAXED);
	}
	/* Pairs with is_unused. */
	fetch_add(&readers, -1, SEQ_CST);
	return site;
}

/* Whether no signal handler uses what was taken from the list before; they take no time. If one may, the memory stays. */
static bool is_unused(void)
{
	for (unsigned i = 0; i < PATIENCE; i++)
		if (!load(&readers, SEQ_CST))
			return true;
	return false;
}

/* Its code stays armed: it may be the program itself, whose last functions are yet to be called. */
static void forget(struct hotpath_sleds *sleds)
{
	struct hotpath_sleds **at = &all;

	while (*at && *at != sleds)
		at = &(*at)->next;
	if (!*at)
		return;
	store(at, sleds->next, SEQ_CST);
	for (size_t i = 0; sleds->module && i < sleds->module->function_count; i++)
		hotpath__govern_no_more(&sleds->module->functions[i]);
	/* The list itself is in memory that goes, too. */
	if (is_unused() && sleds->module)
		hotpath__sled_module_free(sleds->module);
	sleds->module = NULL;
}

void hotpath_module_ends(struct hotpath_sleds *sleds)
{
	struct guard guard;

	if (hotpath__state() == STATE_HANDED_OVER) {
		hotpath__recorder->other->module_ends(sleds);
		return;
	}
	if (!hotpath__recorder)
		return;
	hotpath__lock(&guard);
	forget(sleds);
	hotpath__unlock(&guard);
}
