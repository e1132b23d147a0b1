/* SPDX-License-Identifier: MIT */
/*
 * A cache of rules for unwinding, by the address of code.
 *
 * It has a fixed number of entries, and an address may be in any entry of its set, which is a cache line. So the addresses of paths
 * that are walked again and again hardly ever replace each other, as long as they are some thousand at most. It is read without a lock: an entry is two words, and
 * the first is the key combined with a hash of the second. So if another thread replaces the entry between the two reads, the
 * key does not match. Therefore both are RELAXED, in any order. It is written under the recorder's lock alone.
 */
#ifndef HOTPATH_RULES_H
#define HOTPATH_RULES_H

#include "atomic.h"
#include "process/recorder_state.h"
#include "processor.h"
#include "sampler.h"
#include "unwind.h"

#pragma GCC visibility push(hidden)

enum {
	SETS_BITS = 12,
	SETS = 1 << SETS_BITS,
	SET_RULES = 4,
	RULES = SETS * SET_RULES,
};

struct hotpath__cached_rule {
	/* The key combined with the hash of the rule; 0 when the entry is empty. */
	uint64_t check;
	/* A packed struct hp_rule. */
	uint64_t rule;
};

#define RULES_FACTOR UINT64_C(0x9e3779b97f4a7c15)

/* A return address is looked up as the call before it. That is told apart from an instruction at the same address that was
   interrupted: only a return address can be that of a signal handler. */
static inline uint64_t hotpath__rule_key(uintptr_t pc, bool returned)
{
	return (uint64_t)(pc - returned) << 1 | returned;
}

/* Calls that are known to go to a function are in the cache as well, by the return address with this bit. Their entry has the
   function's address in the place of a rule. And so are functions, by their own address, with a return address. */
#define RULES_CALL (UINT64_C(1) << 63)

/* The first entry of the set of a key. */
static inline unsigned hotpath__rule_place(uint64_t key)
{
	return (unsigned)((key * RULES_FACTOR) >> (64 - SETS_BITS)) * SET_RULES;
}

static inline uint64_t hotpath__rule_check(uint64_t key, uint64_t rule)
{
	return key ^ (rule + 1) * RULES_FACTOR;
}

static inline bool hotpath__find_rule(const struct hotpath__cached_rule *entry, uint64_t key,
				      uint64_t *rule)
{
	*rule = load(&entry->rule, RELAXED);
	return load(&entry->check, RELAXED) == hotpath__rule_check(key, *rule);
}

/* Look an entry up in the cache; false when it is not there. */
static inline bool hotpath__cached(uint64_t key, uint64_t *rule)
{
	/* Pairs with the RELEASE that published the empty cache. */
	struct hotpath__cached_rule *rules = load(&hotpath__recorder->sampling.rules, CONSUME);

	if (unlikely(!rules))
		return false;
	const struct hotpath__cached_rule *set = &rules[hotpath__rule_place(key)];
	for (unsigned i = 0; i < SET_RULES; i++)
		if (likely(hotpath__find_rule(&set[i], key, rule)))
			return true;
	return false;
}

/* Look a rule up that is not in the cache; HP_RULE_NONE when there is none, or the lock could not be had. `executed`: the
   address is certainly code. */
uint64_t hotpath__learn_rule(struct walker *walker, uintptr_t pc, bool returned, bool executed);

/* The rule for code that was interrupted at an address, or that a call is to return to. */
static inline uint64_t hotpath__rule(struct walker *walker, uintptr_t pc, bool returned,
				     bool executed)
{
	uint64_t rule;

	if (likely(hotpath__cached(hotpath__rule_key(pc, returned), &rule)))
		return rule;
	return hotpath__learn_rule(walker, pc, returned, executed);
}

/* Whether the call before a return address is known to go to a function. */
static inline bool hotpath__known_call(uintptr_t returns, uintptr_t function)
{
	uint64_t known;

	return hotpath__cached(hotpath__rule_key(returns, true) | RULES_CALL, &known) &&
	       known == function;
}

/* The same, by the instruction if need be; false when that does not tell. */
bool hotpath__calls(uintptr_t returns, uintptr_t function);
/* A return address of which the call before it goes to a function, if one was told; 0 if not. It may be that of code that is gone. */
static inline uintptr_t hotpath__known_caller(uintptr_t function)
{
	uint64_t known;

	return hotpath__cached(hotpath__rule_key(function, false) | RULES_CALL, &known) ? known : 0;
}
/* Know a return address of the calls to a function from now on, if the lock can be had. */
void hotpath__keep_caller(uintptr_t function, uintptr_t returns);
/* The call before a return address goes to a function: know that from now on, if the lock can be had. */
void hotpath__keep_call(uintptr_t returns, uintptr_t function);

/* Code was unloaded from these addresses: remove its rules. The lock is held. */
void hotpath__forget_rules(uintptr_t start, uintptr_t end);

#pragma GCC visibility pop

#endif
