/* SPDX-License-Identifier: MIT */
/*
 * Any bytes in place of unwind tables: nothing outside them is read, and every rule that is found can be taken apart.
 *
 * The first two bytes say at which address to look, by distance from the first function that the tables name.
 */
#include "read_all.h"

#include "unwind.h"

#include <elf.h>
#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
	/* Offset in the header of its first pair: the addresses of a function and of its entry. */
	FIRST = 12,
	BASE = 0x10000,
};

static void check(uint64_t rule)
{
	enum hp_rule_kind kind = hp_rule_kind(rule);

	must(kind <= HP_RULE_RBX);
	must(kind != HP_RULE_NONE || rule == 0);
	must(hp_rule_ra(rule) % HP_RULE_WORD == 0 && hp_rule_fp(rule) % HP_RULE_WORD == 0);
	if (kind == HP_RULE_SIGNAL || kind == HP_RULE_OUTERMOST)
		return;
	struct hp_rule same = { kind, (int32_t)hp_rule_cfa(rule), (int32_t)hp_rule_add(rule),
				(int32_t)hp_rule_ra(rule), (int32_t)hp_rule_fp(rule) };
	must(hp_rule_pack(&same) == rule);
	if (kind == HP_RULE_LANDING)
		must(hp_rule_kind(hp_rule_of_landing(rule)) <= HP_RULE_SP);
}

/* A walk through all entries goes forward, and stays inside. */
static void walk(const struct hp_unwind_region *region, unsigned machine, uint64_t from)
{
	uint64_t at = from, function, entry;

	for (uint64_t last = at; hp_unwind_next(region, machine, &at, &function, &entry);
	     last = at) {
		must(entry >= last && entry < at && at - region->address <= region->size);
		check(hp_unwind_rule(region, machine, entry, function));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const unsigned machines[] = { EM_X86_64, EM_AARCH64, EM_NONE };
	struct hp_unwind_region region = { NULL, 0, BASE };
	int32_t pair[2] = { 0, 0 };
	uint16_t into;

	if (size < sizeof(into))
		return 0;
	memcpy(&into, data, sizeof(into));
	region.size = size - sizeof(into);
	/* A copy, so that reading behind its end is noticed. */
	unsigned char *bytes = malloc(region.size ? region.size : 1);
	memcpy(bytes, data + sizeof(into), region.size);
	region.bytes = bytes;
	if (region.size >= FIRST + sizeof(pair))
		memcpy(pair, bytes + FIRST, sizeof(pair));
	for (size_t i = 0; i < sizeof(machines) / sizeof(*machines); i++) {
		uint64_t address = BASE + (uint64_t)(int64_t)pair[0] + into;
		check(hp_unwind_find(&region, machines[i], BASE, address));
		check(hp_unwind_rule(&region, machines[i], BASE + (uint64_t)(int64_t)pair[1],
				     address));
		check(hp_unwind_rule(&region, machines[i], BASE + into, address));
		walk(&region, machines[i], BASE);
		walk(&region, machines[i], BASE + into);
	}
	free(bytes);
	return 0;
}
