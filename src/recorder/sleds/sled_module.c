/* SPDX-License-Identifier: MIT */
#include "sled_module.h"

#include "patch.h"
#include "process/seccomp.h"
#include "sled_memory.h"

#include <sys/mman.h>

/* A list, from where we are on: numbers of 32 bits, each the distance from itself to a sled. */
struct section {
	const int32_t *at;
	const int32_t *end;
};

enum {
	/* In a list of exits: an exit follows, and the entry it belongs to. Linkers fill gaps by 0. */
	PAIR = 1,
};

/* A list that has no end behind its beginning is empty: its linker has an order of its own. And so is one that reaches over memory
   of others. */
static struct section section_of(const struct sled_memory *memory, const int64_t bounds[2])
{
	uintptr_t at = (uintptr_t)&bounds[0] + (uintptr_t)bounds[0];
	uintptr_t end = (uintptr_t)&bounds[1] + (uintptr_t)bounds[1];

	if (end < at || !hotpath__sled_memory_has(memory, at, end))
		end = at;
	return (struct section){ (const int32_t *)at, (const int32_t *)at + (end - at) / 4 };
}

static size_t length_of(struct section section)
{
	return (size_t)(section.end - section.at);
}

/* The sled that a number leads to; 0 if there is none, since what is between our lists may be others' data. */
static uintptr_t sled_at(const struct sled_memory *memory, const int32_t *number, bool is_entry)
{
	uintptr_t place = (uintptr_t)number + (uintptr_t)(intptr_t)*number;
	uintptr_t low = place - hotpath__sled_before;
	bool is_code = *number && hotpath__sled_memory_runs(memory, low, low + hotpath__sled_looks);

	return is_code && hotpath__is_sled(place, is_entry) ? place : 0;
}

static void take(struct sled_module *module, uintptr_t place, uintptr_t entry)
{
	if (!place)
		return;
	module->sleds[module->sled_count++] = (struct sled){ place, entry };
	if (place < module->low)
		module->low = place;
	if (place + SLED_MAX > module->high)
		module->high = place + SLED_MAX;
}

static void take_entries(struct sled_module *module, const struct sled_memory *memory,
			 struct section entries)
{
	for (; entries.at < entries.end; entries.at++) {
		uintptr_t entry = sled_at(memory, entries.at, true);
		take(module, entry, entry);
	}
}

static void take_exits(struct sled_module *module, const struct sled_memory *memory,
		       struct section exits)
{
	for (; exits.at < exits.end; exits.at++) {
		bool is_pair = *exits.at == PAIR && exits.end - exits.at > 2;
		uintptr_t entry = is_pair ? sled_at(memory, exits.at + 2, true) : 0;
		if (entry)
			exits.at++;
		take(module, sled_at(memory, exits.at, false), entry);
		if (entry)
			exits.at++;
	}
}

static bool by_place(const struct sled *a, const struct sled *b)
{
	return a->place < b->place;
}

/* By function; within one, its entry comes first. */
static bool by_function(const struct sled *a, const struct sled *b)
{
	if (a->entry != b->entry)
		return a->entry < b->entry;
	bool first = a->place == a->entry, second = b->place == b->entry;
	return first != second ? first : a->place < b->place;
}

/* Shell sort: it needs no memory, and little time for what is mostly in order. */
static void sort(struct sled *sleds, size_t count,
		 bool (*comes_before)(const struct sled *a, const struct sled *b))
{
	size_t gap = 1;

	while (gap < count / 3)
		gap = gap * 3 + 1;
	for (; gap; gap /= 3) {
		for (size_t i = gap; i < count; i++) {
			struct sled sled = sleds[i];
			size_t at = i;
			for (; at >= gap && comes_before(&sled, &sleds[at - gap]); at -= gap)
				sleds[at] = sleds[at - gap];
			sleds[at] = sled;
		}
	}
}

/* An exit belongs to the nearest entry before it, unless it is in a cold part and says which. */
static void find_owners(struct sled_module *module)
{
	uintptr_t entry = 0;

	for (size_t i = 0; i < module->sled_count; i++) {
		struct sled *sled = &module->sleds[i];
		if (sled->place == sled->entry)
			entry = sled->entry;
		else if (!sled->entry)
			sled->entry = entry;
	}
}

static void find_functions(struct sled_module *module)
{
	struct sled_function *function = NULL;

	for (size_t i = 0; i < module->sled_count; i++) {
		struct sled *sled = &module->sleds[i];
		if (sled->place == sled->entry) {
			function = &module->functions[module->function_count++];
			*function = (struct sled_function){ .sleds = sled, .allowed = ENTRY_TIMES };
		}
		if (function && function->sleds->entry == sled->entry)
			function->count++;
	}
}

/* The module, its functions and its sleds are one mapping. */
static struct sled_module *map_module(size_t functions, size_t sleds)
{
	size_t size = sizeof(struct sled_module) + functions * sizeof(struct sled_function) +
		      sleds * sizeof(struct sled);
	struct sled_module *module = mmap(NULL, size, PROT_READ | PROT_WRITE,
					  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (module == MAP_FAILED)
		return NULL;
	module->size = size;
	module->low = UINTPTR_MAX;
	module->functions = (struct sled_function *)(module + 1);
	module->sleds = (struct sled *)(module->functions + functions);
	return module;
}

struct sled_module *hotpath__sled_module_make(const struct hotpath_sleds *sleds)
{
	struct sled_memory memory;
	hotpath__sled_memory_find(&memory, (uintptr_t)sleds);
	if (!memory.count)
		return NULL;
	struct section entries = section_of(&memory, sleds->entries);
	struct section exits = section_of(&memory, sleds->exits);
	struct sled_module *module = map_module(length_of(entries),
						length_of(entries) + length_of(exits));

	if (!module)
		return NULL;
	take_entries(module, &memory, entries);
	take_exits(module, &memory, exits);
	sort(module->sleds, module->sled_count, by_place);
	find_owners(module);
	sort(module->sleds, module->sled_count, by_function);
	find_functions(module);
	return module;
}

struct sled_function *hotpath__sled_function_before(const struct sled_module *module,
						    uintptr_t address)
{
	size_t low = 0, high = module->function_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (module->functions[middle].sleds->entry < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? &module->functions[low - 1] : NULL;
}

struct sled_function *hotpath__sled_function_at(const struct sled_module *module, uintptr_t body)
{
	struct sled_function *function = hotpath__sled_function_before(module, body);

	return function && body - function->sleds->entry <= SLED_MAX ? function : NULL;
}

struct sled_function *hotpath__sled_function_from(const struct sled_module *module,
						  uintptr_t address)
{
	struct sled_function *before = hotpath__sled_function_before(module, address);
	struct sled_function *function = before ? before + 1 : module->functions;

	if (function == module->functions + module->function_count)
		return NULL;
	uintptr_t entry = function->sleds->entry;
	return hotpath__sled_function(entry + hotpath__entry_size) == address ? function : NULL;
}

/* What is between belongs to nobody else: no other entry does, since this function's is the last one before both. */
bool hotpath__sled_function_has(const struct sled_module *module,
				const struct sled_function *function, uintptr_t address)
{
	for (uint32_t i = 1; i < function->count; i++) {
		uintptr_t exit = function->sleds[i].place;
		if (exit >= address && hotpath__sled_function_before(module, exit) == function)
			return true;
	}
	return false;
}

void hotpath__sled_module_free(struct sled_module *module)
{
	munmap(module, module->size);
}
