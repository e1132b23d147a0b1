/* SPDX-License-Identifier: MIT */
/* The code that a process has mapped: finds the module of an address, and stores modules in the segment. */
#include "code_map.h"

#include "array.h"
#include "atomic.h"
#include "lower_bound.h"
#include "now.h"

#include <stdlib.h>
#include <string.h>

/* Mappings are read again because of an unknown address at most once in so much time. */
#define AGAIN_NS UINT64_C(100000000)

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

static void describe(const struct hp_code_map *map, struct hp_code_range *range,
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

/* Take a part of the memory out of the ranges that have it. */
static bool cut_out(struct hp_code_map *map, uint64_t start, uint64_t end)
{
	size_t at = first_after(map, start), last;

	if (at < map->count && map->ranges[at].start < start) {
		struct hp_code_range before = map->ranges[at];
		before.end = start;
		if (!insert(map, at, before))
			return false;
		map->ranges[++at].start = start;
	}
	for (last = at; last < map->count && map->ranges[last].end <= end;)
		last++;
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

void hp_code_map_free(struct hp_code_map *map)
{
	free(map->ranges);
	map->ranges = NULL;
	map->count = 0;
}
