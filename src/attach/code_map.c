/* SPDX-License-Identifier: MIT */
/* The code that a process has mapped: finds the module of an address, and stores modules in the segment. */
#include "code_map.h"

#include "array.h"
#include "atomic.h"
#include "lower_bound.h"
#include "now.h"
#include "unwind_step.h"

#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

/* Mappings are read again because of an unknown address at most once in so much time. */
#define AGAIN_NS UINT64_C(100000000)

enum {
	/* Rules that are kept, each in the one place that its address has. */
	RULES_BITS = 14,
	RULES = 1 << RULES_BITS,
};

struct hp_known_rule {
	/* The address and whether it is returned to; 0 for none. */
	uint64_t key;
	uint64_t rule;
};

/* ---- modules ---- */

static struct hp_module *module_at(const struct hp_code_map *map, uint64_t at)
{
	return hp_segment_writer_at(map->writer, at);
}

static bool is_same(const struct hp_code_map *map, const struct hp_module *known,
		    const struct hp_module *wanted, const char *path)
{
	const struct hp_string *string = hp_segment_writer_at(map->writer, known->path);

	return known->build_id_size == wanted->build_id_size &&
	       memcmp(known->build_id, wanted->build_id, HP_BUILD_ID_MAX) == 0 &&
	       strcmp(string->bytes, path) == 0;
}

/* Find a module in the segment, or add it. Returns its id, 0 when there is no room. */
static uint32_t publish(const struct hp_code_map *map, const struct hp_module *wanted,
			const char *path)
{
	struct hp_header *header = hp_segment_writer_header(map->writer);
	uint64_t newest = header->modules;

	for (uint64_t at = newest; at; at = module_at(map, at)->next)
		if (is_same(map, module_at(map, at), wanted, path))
			return module_at(map, at)->id;
	uint32_t id = newest ? module_at(map, newest)->id + 1 : 1;
	uint64_t string = id <= HP_FRAME_MODULES_MAX ? hp_segment_writer_string(map->writer, path)
						     : 0;
	uint64_t at = string ? hp_segment_writer_take(map->writer, sizeof(*wanted)) : 0;
	if (!at)
		return 0;
	struct hp_module *module = module_at(map, at);
	*module = *wanted;
	module->path = string;
	module->id = id;
	module->next = newest;
	/* Pairs with the reader's ACQUIRE. */
	store(&header->modules, at, RELEASE);
	return id;
}

static void take_build_id(const struct hp_elf *elf, struct hp_module *module)
{
	const unsigned char *id;
	size_t size = hp_elf_build_id(elf, &id);

	if (size > HP_BUILD_ID_MAX)
		return;
	memcpy(module->build_id, id, size);
	module->build_id_size = (uint32_t)size;
}

static void describe(struct hp_code_map *map, struct hp_code_range *range,
		     const struct hp_mapped *mapped)
{
	struct hp_module module = { .next = 0 };
	char path[HP_PATH_MAX];
	struct hp_elf elf;

	bool is_open = hp_mapped_open(map->pid, mapped, &elf, path) == 0;
	range->bias = hp_mapped_bias(mapped, is_open ? &elf : NULL);
	if (is_open) {
		take_build_id(&elf, &module);
		hp_elf_close(&elf);
	}
	range->module = publish(map, &module, path);
	/* Nothing else tells whether it is the file that had this path before. */
	if (!module.build_id_size)
		hp_module_tables_forget(&map->tables, range->module);
}

/* ---- ranges ---- */

static bool ends_before(const void *range, const void *address)
{
	return ((const struct hp_code_range *)range)->end <= *(const uint64_t *)address;
}

/* The index of the first range that ends after an address. */
static size_t first_after(const struct hp_code_map *map, uint64_t address)
{
	return hp_lower_bound(&address, map->ranges, map->count, sizeof(*map->ranges), ends_before);
}

static bool insert(struct hp_code_map *map, size_t at, struct hp_code_range range)
{
	if (!hp_array_reserve(&map->ranges, map->count, &map->room, sizeof(range)))
		return false;
	memmove(&map->ranges[at + 1], &map->ranges[at], (map->count - at) * sizeof(range));
	map->ranges[at] = range;
	map->count++;
	return true;
}

/* Forget all rules, if one of the ranges from `at` up to an address may have some. */
static void forget_rules(struct hp_code_map *map, size_t at, uint64_t end)
{
	for (; map->has_rules && at < map->count && map->ranges[at].start < end; at++) {
		if (!map->ranges[at].module)
			continue;
		memset(map->rules, 0, RULES * sizeof(*map->rules));
		map->has_rules = false;
	}
}

/* Take a part of the memory out of the ranges that have it. */
static bool cut_out(struct hp_code_map *map, uint64_t start, uint64_t end)
{
	size_t at = first_after(map, start), last;

	if (at == map->count)
		return true;
	if (map->ranges[at].start < start) {
		struct hp_code_range before = map->ranges[at];
		before.end = start;
		if (!insert(map, at, before))
			return false;
		map->ranges[++at].start = start;
	}
	for (last = at; last < map->count && map->ranges[last].end <= end;)
		last++;
	forget_rules(map, at, end);
	memmove(&map->ranges[at], &map->ranges[last], (map->count - last) * sizeof(*map->ranges));
	map->count -= last - at;
	if (at < map->count && map->ranges[at].start < end)
		map->ranges[at].start = end;
	return true;
}

bool hp_code_map_add(struct hp_code_map *map, const struct hp_mapped *mapped)
{
	struct hp_code_range range = { .start = mapped->start, .end = mapped->end };

	if (range.start >= range.end || !cut_out(map, range.start, range.end))
		return false;
	if (hp_mapped_is_file(mapped->name))
		describe(map, &range, mapped);
	return insert(map, first_after(map, range.start), range);
}

static bool add_code(void *map, const struct hp_mapped *mapped)
{
	return !mapped->is_code || hp_code_map_add(map, mapped);
}

bool hp_code_map_read(struct hp_code_map *map)
{
	map->read_ns = hp_now_ns();
	return hp_mapped_each(map->pid, add_code, map);
}

static const struct hp_code_range *find(const struct hp_code_map *map, uint64_t address)
{
	size_t at = first_after(map, address);

	return at < map->count && map->ranges[at].start <= address ? &map->ranges[at] : NULL;
}

uint64_t hp_code_map_frame(struct hp_code_map *map, enum hp_frame_kind kind, uint64_t address,
			   bool executed)
{
	uint64_t place = executed ? address : address - 1;
	const struct hp_code_range *range = find(map, place);

	if (!range && executed && hp_now_ns() > map->read_ns + AGAIN_NS && hp_code_map_read(map))
		range = find(map, place);
	if (!range)
		return 0;
	if (!range->module)
		return hp_frame(HP_FRAME_ADDRESS, 0, address);
	return hp_frame(kind, range->module, address - range->bias);
}

/* ---- rules for unwinding ---- */

/* Whether a signal handler returns to an address. */
static bool ends_handler(const struct hp_code_map *map, uint64_t pc)
{
	unsigned char code[HP_HANDLER_END_SIZE];
	struct iovec local = { code, sizeof(code) };
	struct iovec remote = { (void *)(uintptr_t)pc, sizeof(code) };

	return process_vm_readv((pid_t)map->pid, &local, 1, &remote, 1, 0) == sizeof(code) &&
	       hp_ends_handler(code);
}

static uint64_t read_rule(struct hp_code_map *map, const struct hp_code_range *range, uint64_t pc,
			  bool returned)
{
	uint64_t at = hp_segment_writer_header(map->writer)->modules;

	if (returned && ends_handler(map, pc))
		return HP_RULE_SIGNAL;
	while (at && module_at(map, at)->id != range->module)
		at = module_at(map, at)->next;
	if (!at)
		return HP_RULE_NONE;
	const struct hp_module *module = module_at(map, at);
	const struct hp_string *path = hp_segment_writer_at(map->writer, module->path);
	return hp_module_rule(&map->tables, module, path->bytes, pc - range->bias, returned);
}

uint64_t hp_code_map_rule(struct hp_code_map *map, uint64_t pc, bool returned)
{
	uint64_t key = (pc << 1 | returned) + 1;

	if (!map->rules)
		map->rules = calloc(RULES, sizeof(*map->rules));
	if (!map->rules)
		return HP_RULE_NONE;
	struct hp_known_rule *known =
		&map->rules[key * UINT64_C(0x9e3779b97f4a7c15) >> (64 - RULES_BITS)];
	if (known->key == key)
		return known->rule;
	/* Only what is of a file is kept: other code comes and goes. */
	const struct hp_code_range *range = find(map, pc - returned);
	if (!range || !range->module)
		return HP_RULE_NONE;
	*known = (struct hp_known_rule){ key, read_rule(map, range, pc, returned) };
	map->has_rules = true;
	return known->rule;
}

void hp_code_map_free(struct hp_code_map *map)
{
	hp_module_tables_free(&map->tables);
	free(map->rules);
	map->rules = NULL;
	free(map->ranges);
	map->ranges = NULL;
	map->count = 0;
}
