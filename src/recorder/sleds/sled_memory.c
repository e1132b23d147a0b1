/* SPDX-License-Identifier: MIT */
/* Found in the kernel's list of mappings, and not by the dynamic linker, whose locks the program may hold. */
#include "sled_memory.h"

#include "process/maps.h"

#include <stddef.h>

/* The mapping that the address is in, and the one that is looked at. The recorder's lock protects them. They are static because
   the stack may be small. */
static struct mapping own, other;

/* Some programs copy their code to other pages, which have no file any more, but lie where the file was mapped. */
static bool is_of_object(const struct sled_memory *memory)
{
	bool is_copied = !other.inode && memory->count && other.start < own.start;

	return is_copied || (other.inode == own.inode && other.device == own.device);
}

static void add_part(struct sled_memory *memory)
{
	bool is_code = other.executable && !other.writable;
	struct sled_part *last = memory->count ? &memory->parts[memory->count - 1] : NULL;

	if (last && last->end == other.start && last->is_code == is_code)
		last->end = other.end;
	else if (memory->count < SLED_PARTS)
		memory->parts[memory->count++] = (struct sled_part){ other.start, other.end,
								     is_code };
}

void hotpath__sled_memory_find(struct sled_memory *memory, uintptr_t address)
{
	struct maps maps;

	memory->count = 0;
	if (!hotpath__maps_find(address, &own))
		return;
	hotpath__maps_open(&maps);
	while (hotpath__maps_next(&maps, &other))
		if (other.readable && is_of_object(memory))
			add_part(memory);
	hotpath__maps_close(&maps);
}

bool hotpath__sled_memory_has(const struct sled_memory *memory, uintptr_t low, uintptr_t high)
{
	for (unsigned i = 0; i < memory->count && low < high; i++)
		if (low >= memory->parts[i].start && low < memory->parts[i].end)
			low = memory->parts[i].end;
	return low >= high;
}

bool hotpath__sled_memory_runs(const struct sled_memory *memory, uintptr_t low, uintptr_t high)
{
	for (unsigned i = 0; i < memory->count; i++) {
		const struct sled_part *part = &memory->parts[i];
		if (part->is_code && low >= part->start && high <= part->end && low < high)
			return true;
	}
	return false;
}
