/* SPDX-License-Identifier: MIT */
/*
 * The resident memory of the process by kind: the heap, mappings of the program, code, stacks, our own.
 *
 * The kernel tells for each mapping how much of it is resident (/proc/self/smaps). But it joins neighbours: one entry may be
 * a mapping of the program, one of malloc and the stack of a thread. Of such parts the pages are counted
 * (/proc/self/pagemap), and the rest is the heap.
 */
#include "mapped.h"
#include "own_file.h"

#include "process/maps.h"
#include "process/recorder_state.h"
#include "process/room.h"
#include "process/seccomp.h"
#include "process/thread_state.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

struct kinds {
	int pagemap;
	uint64_t bytes[HP_RESIDENT_KINDS];
	/* The kind of the mapping before, and where it ended. */
	enum hp_resident last;
	uintptr_t last_end;
};

/* A part of a mapping, of which `left` bytes are not given to a kind yet. */
struct part {
	const struct mapping *mapping;
	uint64_t left;
};

static void give(struct kinds *kinds, struct part *part, enum hp_resident kind, uint64_t bytes)
{
	bytes = bytes < part->left ? bytes : part->left;
	kinds->bytes[kind] += bytes;
	part->left -= bytes;
}

/* Pages are counted only if the part is not the whole: pages of zeros that were only read are in pagemap, but not resident. */
static void give_between(struct kinds *kinds, struct part *part, enum hp_resident kind,
			 uintptr_t start, uintptr_t end)
{
	const struct mapping *mapping = part->mapping;
	bool is_whole = start <= mapping->start && end >= mapping->end;

	start = start > mapping->start ? start : mapping->start;
	end = end < mapping->end ? end : mapping->end;
	if (start < end)
		give(kinds, part, kind,
		     is_whole ? part->left : hotpath__resident_between(kinds->pagemap, start, end));
}

/* The lower end of a stack may not be known, but a guard page separates it from what is below. */
static void give_stack(struct kinds *kinds, struct part *part, const struct thread *thread)
{
	uintptr_t top = thread->stack_low + thread->frames[0].height;

	if (top > part->mapping->start && top <= part->mapping->end)
		give_between(kinds, part, HP_RESIDENT_STACKS, thread->stack_low,
			     hotpath__round_up(top, hotpath__page_size()));
}

static void give_stacks(struct kinds *kinds, struct part *part)
{
	for (const struct thread *thread = hotpath__recorder->threads; thread;
	     thread = thread->next)
		if (thread->frames && thread->lane && load(&thread->lane->tid, RELAXED))
			give_stack(kinds, part, thread);
}

static void give_parts(struct kinds *kinds, const struct mapping *mapping)
{
	const struct hotpath__range *range = hotpath__mapped_behind(mapping->start);
	struct part part = { mapping, mapping->resident };

	for (; range && range->start < mapping->end && part.left;
	     range = hotpath__mapped_after(range))
		give_between(kinds, &part, range->is_file ? HP_RESIDENT_FILES : HP_RESIDENT_MAPPED,
			     range->start, range->end);
	if (part.left)
		give(kinds, &part, HP_RESIDENT_OWN,
		     hotpath__resident_own(kinds->pagemap, mapping->start, mapping->end));
	if (part.left)
		give_stacks(kinds, &part);
	kinds->bytes[HP_RESIDENT_HEAP] += part.left;
}

static bool is_named(const struct mapping *mapping, const char *name)
{
	return strncmp(mapping->path, name, strlen(name)) == 0;
}

static bool is_segment(const struct mapping *mapping)
{
	uintptr_t base = (uintptr_t)hotpath__recorder->base;

	return mapping->start >= base && mapping->start < base + hotpath__recorder->usable;
}

/* The kind of a mapping that is of one kind; HP_RESIDENT_KINDS for one that may have parts. */
static enum hp_resident kind_of(const struct kinds *kinds, const struct mapping *mapping)
{
	const struct hotpath__range *range = hotpath__mapped_behind(mapping->start);
	bool is_mapped = range && range->start < mapping->end;

	if (hp_is_own_file(mapping->path) || is_segment(mapping))
		return HP_RESIDENT_OWN;
	if (is_mapped)
		return HP_RESIDENT_KINDS;
	if (mapping->inode)
		return HP_RESIDENT_CODE;
	if (is_named(mapping, "[stack"))
		return HP_RESIDENT_STACKS;
	if (is_named(mapping, "[v"))
		return HP_RESIDENT_CODE;
	/* Variables without a value in the file (.bss) are in anonymous memory directly behind it. */
	bool is_behind = kinds->last_end == mapping->start && !mapping->path[0];
	if (is_behind && (kinds->last == HP_RESIDENT_CODE || kinds->last == HP_RESIDENT_OWN))
		return kinds->last;
	return HP_RESIDENT_KINDS;
}

static void add_mapping(struct kinds *kinds, const struct mapping *mapping)
{
	enum hp_resident kind = kind_of(kinds, mapping);

	if (kind == HP_RESIDENT_KINDS)
		give_parts(kinds, mapping);
	else
		kinds->bytes[kind] += mapping->resident;
	kinds->last = kind;
	kinds->last_end = mapping->end;
}

static void count_kinds(struct kinds *kinds)
{
	static struct mapping mapping;
	struct maps maps;

	hotpath__maps_open_resident(&maps);
	while (hotpath__maps_next(&maps, &mapping))
		add_mapping(kinds, &mapping);
	hotpath__maps_close(&maps);
}

static uint64_t noted_bytes(const struct hp_header *header)
{
	uint64_t bytes = 0;

	for (unsigned i = 0; i < HP_RESIDENT_KINDS; i++)
		bytes += header->resident_bytes[i];
	return bytes;
}

/* Less than a sixteenth more is not worth the look: so there are few, however often memory is unmapped. */
void hotpath__note_kinds(struct hp_header *header)
{
	uint64_t noted = noted_bytes(header);

	if (header->alloc_mode == HP_ALLOC_NONE || hotpath__rss() <= noted + noted / 16)
		return;
	struct kinds kinds = { .pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC) };
	if (kinds.pagemap < 0)
		return;
	count_kinds(&kinds);
	close(kinds.pagemap);
	for (unsigned i = 0; i < HP_RESIDENT_KINDS; i++)
		store(&header->resident_bytes[i], kinds.bytes[i], RELAXED);
}
