/* SPDX-License-Identifier: MIT */
/*
 * Looks up rules for unwinding in the unwind tables of modules, when an address is met for the first time.
 *
 * The tables are in the module's own memory, which dlclose may unmap. They are read under the recorder's lock, and only
 * while no code is being unloaded: dlclose is counted under the same lock before it begins. So it waits for a thread that
 * reads tables, some microseconds, and none begins to read before it has ended and the ranges that are gone are forgotten.
 */
#include "rules.h"

#include "call_site.h"
#include "process/platform.h"
#include "process/room.h"

static void put(struct hotpath__cached_rule *entry, uint64_t rule, uint64_t check)
{
	store(&entry->rule, rule, RELAXED);
	store(&entry->check, check, RELAXED);
}

/* The lock is held. */
static void keep(uint64_t key, uint64_t rule)
{
	struct sampling *all = &hotpath__recorder->sampling;

	if (!all->rules)
		store(&all->rules, hotpath__private(RULES * sizeof(*all->rules)), RELEASE);
	if (!all->rules)
		return;
	struct hotpath__cached_rule *set = &all->rules[hotpath__rule_place(key)];
	/* Another thread may have been faster. */
	for (unsigned i = 0; i < SET_RULES; i++)
		if (set[i].check == hotpath__rule_check(key, set[i].rule))
			return;
	/* The newest is the first; the oldest is replaced. */
	for (unsigned i = SET_RULES - 1; i > 0; i--)
		put(&set[i], set[i - 1].rule, set[i - 1].check);
	put(&set[0], rule, hotpath__rule_check(key, rule));
}

uint64_t hotpath__learn_rule(struct walker *walker, uintptr_t pc, bool returned, bool executed)
{
	uint64_t rule = HP_RULE_NONE;
	struct guard guard;

	if (!hotpath__has_tables(walker, pc - returned, executed) || !hotpath__lock_soon(&guard))
		return HP_RULE_NONE;
	if (hotpath__read_rule(walker, pc, returned, &rule))
		keep(hotpath__rule_key(pc, returned), rule);
	hotpath__unlock(&guard);
	return rule;
}

void hotpath__keep_call(uintptr_t returns, uintptr_t function)
{
	struct guard guard;

	if (!hotpath__lock_soon(&guard))
		return;
	keep(hotpath__rule_key(returns, true) | RULES_CALL, function);
	hotpath__unlock(&guard);
}

void hotpath__keep_caller(uintptr_t function, uintptr_t returns)
{
	struct guard guard;

	if (hotpath__known_caller(function) || !hotpath__lock_soon(&guard))
		return;
	keep(hotpath__rule_key(function, false) | RULES_CALL, returns);
	hotpath__unlock(&guard);
}

bool hotpath__calls(uintptr_t returns, uintptr_t function)
{
	if (hotpath__known_call(returns, function))
		return true;
	if (!hotpath__call_goes_to(returns, function))
		return false;
	hotpath__keep_call(returns, function);
	return true;
}

void hotpath__forget_rules(uintptr_t start, uintptr_t end)
{
	struct hotpath__cached_rule *rules = hotpath__recorder->sampling.rules;

	for (unsigned i = 0; rules && i < RULES; i++) {
		struct hotpath__cached_rule *entry = &rules[i];
		/* The check is symmetrical: it gives the key back. */
		uint64_t key = hotpath__rule_check(entry->check, entry->rule);
		uint64_t address = (key & ~RULES_CALL) >> 1;
		if (entry->check && address >= start && address < end)
			put(entry, 0, 0);
	}
}
