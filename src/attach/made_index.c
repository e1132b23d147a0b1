/* SPDX-License-Identifier: MIT */
/* An index for unwind tables that have none. */
#include "made_index.h"

#include "parts.h"

#include <stdlib.h>
#include <string.h>

enum {
	/* Bytes of the header before the sorted pairs: version, three encodings, and the number of pairs. */
	HEADER = 8,
	/* Encodings (DW_EH_PE): none; unsigned four bytes; signed four bytes, relative to the header. */
	NONE = 0xff,
	COUNT = 0x03,
	TABLE = 0x3b,
};

/* Addresses of a function and of its entry, relative to the header. */
struct pair {
	int32_t function;
	int32_t entry;
};

static uint64_t count_entries(const struct hp_unwind_region *frames, unsigned machine)
{
	uint64_t at = frames->address, count = 0, function, entry;

	while (hp_unwind_next(frames, machine, &at, &function, &entry))
		count++;
	return count;
}

/* Whether an address can be written relative to another one. */
static bool relate(uint64_t address, uint64_t to, int32_t *difference)
{
	*difference = (int32_t)(uint32_t)(address - to);
	return to + (uint64_t)(int64_t)*difference == address;
}

/* Returns how many pairs were put. */
static uint32_t put_pairs(struct pair *pairs, uint64_t room, const struct hp_unwind_region *frames,
			  unsigned machine, uint64_t header)
{
	uint64_t at = frames->address, function, entry;
	uint32_t count = 0;

	while (count < room && hp_unwind_next(frames, machine, &at, &function, &entry))
		if (relate(function, header, &pairs[count].function) &&
		    relate(entry, header, &pairs[count].entry))
			count++;
	return count;
}

static int by_function(const void *left, const void *right)
{
	const struct pair *a = left, *b = right;

	return (a->function > b->function) - (a->function < b->function);
}

/* Fill the bytes of the region, whose first `size` are those of the index. */
static void fill(struct hp_unwind_region *region, unsigned char *bytes, uint64_t size,
		 const struct hp_unwind_region *frames, unsigned machine)
{
	static const unsigned char begin[] = { 1, NONE, COUNT, TABLE };
	struct pair *pairs = (struct pair *)(void *)(bytes + HEADER);
	uint32_t count = put_pairs(pairs, (size - HEADER) / sizeof(*pairs), frames, machine,
				   region->address);

	memcpy(bytes, begin, sizeof(begin));
	memcpy(bytes + sizeof(begin), &count, sizeof(count));
	if (count)
		qsort(pairs, count, sizeof(*pairs), by_function);
	memcpy(bytes + size, frames->bytes, frames->size);
}

bool hp_made_index(const struct hp_elf *elf, uint64_t most, struct hp_unwind_region *region)
{
	unsigned machine = hp_elf_machine(elf);
	struct hp_unwind_region frames;
	if (!hp_elf_frames(elf, most, &frames))
		return false;

	uint64_t size = HEADER + count_entries(&frames, machine) * sizeof(struct pair);
	if (size == HEADER || size > most - frames.size)
		return false;
	unsigned char *bytes = calloc(1, size + frames.size);
	if (!bytes)
		return false;
	*region = (struct hp_unwind_region){ bytes, size + frames.size, frames.address - size };
	fill(region, bytes, size, &frames, machine);
	return true;
}
