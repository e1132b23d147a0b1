/* SPDX-License-Identifier: MIT */
/*
 * The programs and libraries with sleds: a list of what they have told of. Their sleds are armed while calls are wanted.
 *
 * The list is in their own data, and its head in memory that forked children inherit, because they inherit the armed code.
 */
#include "sleds.h"

#include "arming.h"
#include "atomic.h"
#include "calls/own_work.h"
#include "cpu/sampling.h"
#include "process/clock.h"
#include "process/handover.h"
#include "process/lifecycle.h"
#include "process/platform.h"
#include "process/recorder_state.h"
#include "restraint.h"
#include "settling.h"
#include "sled_calls.h"
#include "sled_module.h"

static struct hotpath_sleds *all;
static bool are_wanted;
/* What is asked for of a function that nobody has mentioned. */
static bool are_asked = true;
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

static void know_module(struct hotpath_sleds *sleds)
{
	struct sled_module *module = hotpath__sled_module_make(sleds);

	for (size_t i = 0; module && i < module->function_count; i++)
		module->functions[i].is_asked = are_asked;
	/* Pairs with hotpath__sled_site_at. */
	store(&sleds->module, module, RELEASE);
}

void hotpath__sleds_know(void)
{
	for (struct hotpath_sleds *sleds = all; sleds; sleds = sleds->next)
		if (!sleds->module)
			know_module(sleds);
}

/* Code could not be changed. Without a segment, that is counted when there is one. */
static bool is_refused;

static void count_refusal(void)
{
	is_refused = true;
	hotpath__count(HP_COUNTER_unpatched);
}

void hotpath__sleds_recorded(void)
{
	if (is_refused)
		hotpath__count(HP_COUNTER_unpatched);
}

/* A forked child has the sites of its parent before it has a segment. */
static void note_allowed(const struct sled_module *module)
{
	bool has_segment = hotpath__recorder && hotpath__recorder->base;

	for (size_t i = 0; has_segment && i < module->function_count; i++)
		hotpath__note_allowed(&module->functions[i]);
}

/* What could not be disarmed has not gone. */
static void note_gone(const struct sled_module *module, uint64_t now)
{
	for (size_t i = 0; i < module->function_count; i++) {
		const struct sled_function *function = &module->functions[i];
		if (function->exits_go)
			hotpath__exits_go(function->site, now, function->was_open);
	}
	hotpath__tell_exits_gone();
}

static bool arm(struct hotpath_sleds *sleds, uint64_t now)
{
	static const struct sled_arms none = { ENTRY_OFF, false };

	if (!sleds->module && are_wanted)
		know_module(sleds);
	struct sled_module *module = sleds->module;
	if (!module)
		return !are_wanted;
	for (size_t i = 0; i < module->function_count; i++)
		module->functions[i].next =
			are_wanted ? hotpath__governed_arms(&module->functions[i], now) : none;
	bool done = hotpath__arm(module);
	if (done && are_wanted) {
		note_gone(module, now);
		note_allowed(module);
	}
	if (!done && are_wanted)
		count_refusal();
	return done;
}

bool hotpath__sleds_update(uint64_t now)
{
	bool done = true;

	for (struct hotpath_sleds *sleds = all; sleds; sleds = sleds->next)
		done &= arm(sleds, now);
	if (done)
		is_refused = false;
	return done;
}

void hotpath__sleds_want(bool wanted)
{
	are_wanted = wanted;
	if (wanted && all)
		hotpath__measure_registers();
	if (!hotpath__sleds_update(hotpath__ticks()))
		complain();
}

/* ---- what is asked for ---- */

static void ask(struct sled_function *function, bool wanted, uint64_t now)
{
	/* Its exits stay armed for a while, as if the governor had restrained it now. */
	if (function->is_asked && !wanted)
		function->since = now;
	function->is_asked = wanted;
}

void hotpath__sleds_ask_all(bool wanted)
{
	uint64_t now = hotpath__ticks();

	are_asked = wanted;
	for (const struct hotpath_sleds *sleds = all; sleds; sleds = sleds->next)
		for (size_t i = 0; sleds->module && i < sleds->module->function_count; i++)
			ask(&sleds->module->functions[i], wanted, now);
}

bool hotpath__sled_ask(uintptr_t address, bool wanted)
{
	for (const struct hotpath_sleds *sleds = all; sleds; sleds = sleds->next) {
		struct sled_function *function =
			sleds->module ? hotpath__sled_function_from(sleds->module, address) : NULL;
		if (function) {
			ask(function, wanted, hotpath__ticks());
			return true;
		}
	}
	return false;
}

uint32_t hotpath__sleds_count(uint32_t *asked)
{
	size_t count = 0;

	*asked = 0;
	for (const struct hotpath_sleds *sleds = all; sleds; sleds = sleds->next) {
		const struct sled_module *module = sleds->module;
		count += module ? module->function_count : 0;
		for (size_t i = 0; module && i < module->function_count; i++)
			*asked += module->functions[i].is_asked;
	}
	return (uint32_t)count;
}

bool hotpath__has_sleds(void)
{
	return load(&all, RELAXED);
}

void hotpath__sleds_begin(void)
{
	uint64_t now = hotpath__ticks();

	for (const struct hotpath_sleds *sleds = all; sleds; sleds = sleds->next)
		for (size_t i = 0; sleds->module && i < sleds->module->function_count; i++)
			hotpath__govern_begin(&sleds->module->functions[i], now);
	/* If recording goes on, as when a program starts what a request has begun. */
	hotpath__sleds_update(now);
}

/* Whether an address is among the sleds of a module, which may be NULL. */
static bool covers(const struct sled_module *module, uintptr_t address)
{
	return module && address - module->low < module->high - module->low;
}

void hotpath__sled_is_called(uintptr_t body, uint32_t site)
{
	struct guard guard;

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
	struct own_work work = hotpath__own_work_begins();
	hotpath__lock(&guard);
	remember(sleds);
	hotpath__measure_registers();
	if (!arm(sleds, hotpath__ticks()))
		complain();
	hotpath__unlock(&guard);
	if (hotpath__state() != STATE_OFF)
		hotpath__listen();
	hotpath__own_work_ends(work);
}

/* The function that an address is in; NULL when that is not known. A function may begin before its entry's sled, with an
   instruction that indirect calls land on. */
static const struct sled_function *function_with(const struct sled_module *module, uintptr_t pc)
{
	const struct sled_function *begins = hotpath__sled_function_from(module, pc);
	const struct sled_function *before = hotpath__sled_function_before(module, pc + 1);

	if (begins)
		return begins;
	return before && hotpath__sled_function_has(module, before, pc) ? before : NULL;
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
		const struct sled_function *function = function_with(module, pc);
		if (function)
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
	struct own_work work = hotpath__own_work_begins();
	hotpath__lock(&guard);
	forget(sleds);
	hotpath__unlock(&guard);
	hotpath__own_work_ends(work);
}
