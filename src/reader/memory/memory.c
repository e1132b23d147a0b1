/* SPDX-License-Identifier: MIT */
/* Allocations in a model: merging those of several processes. */
#include "memory.h"

#include "arithmetic.h"
#include "array.h"
#include "kind.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int by_place(const void *left, const void *right)
{
	const struct hp_live *a = left, *b = right;
	int order = strcmp(a->name, b->name);

	if (order == 0)
		order = strcmp(a->location ? a->location : "", b->location ? b->location : "");
	return order ? order : a->of_libc - b->of_libc;
}

bool hp_memory_append(struct hp_memory *memory, struct hp_live live)
{
	if (!hp_array_reserve(&memory->live, memory->live_count, &memory->live_room, sizeof(live)))
		return false;
	memory->live[memory->live_count++] = live;
	return true;
}

void hp_memory_join(struct hp_memory *memory)
{
	size_t kept = 0;

	if (memory->live_count)
		qsort(memory->live, memory->live_count, sizeof(*memory->live), by_place);
	for (size_t i = 0; i < memory->live_count; i++) {
		struct hp_live *live = &memory->live[i];
		struct hp_live *last = kept ? &memory->live[kept - 1] : NULL;
		if (!last || by_place(last, live) != 0) {
			memory->live[kept++] = *live;
			continue;
		}
		hp_row_add(hp_kind_live.fields, last, live);
		hp_live_clear(live);
	}
	memory->live_count = kept;
}

static bool copy_string(char **to, const char *from)
{
	*to = from ? strdup(from) : NULL;
	return *to || !from;
}

static bool append_copy(struct hp_memory *into, const struct hp_live *from)
{
	struct hp_live copy = *from;

	copy.name = copy.location = copy.module = NULL;
	bool done = copy_string(&copy.name, from->name) &&
		    copy_string(&copy.location, from->location) &&
		    copy_string(&copy.module, from->module) && hp_memory_append(into, copy);
	if (!done)
		hp_live_clear(&copy);
	return done;
}

uint64_t hp_outside_resident(const struct hp_outside *outside)
{
	uint64_t bytes = 0;

	for (unsigned i = 0; i < HP_RESIDENT_KINDS; i++)
		bytes += outside->resident[i];
	return bytes;
}

static bool is_larger(const struct hp_outside *one, const struct hp_outside *other)
{
	uint64_t a = hp_outside_resident(one), b = hp_outside_resident(other);

	return a != b ? a > b : one->mapped_peak_bytes > other->mapped_peak_bytes;
}

int hp_memory_merge(struct hp_memory *into, const struct hp_memory *from)
{
	if (from->mode > into->mode)
		into->mode = from->mode;
	into->bytes += from->bytes;
	into->count += from->count;
	into->allocated_bytes += from->allocated_bytes;
	into->freed_bytes += from->freed_bytes;
	into->freed_count += from->freed_count;
	into->live_bytes += from->live_bytes;
	into->live_blocks += from->live_blocks;
	into->peak_bytes += from->peak_bytes;
	into->rss_bytes += from->rss_bytes;
	into->own_rss_bytes += from->own_rss_bytes;
	into->peak_rss_bytes += from->peak_rss_bytes;
	if (is_larger(&from->outside, &into->outside))
		into->outside = from->outside;
	for (size_t i = 0; i < from->live_count; i++)
		if (!append_copy(into, &from->live[i]))
			return -ENOMEM;
	hp_memory_join(into);
	return 0;
}

void hp_memory_clear(struct hp_memory *memory)
{
	for (size_t i = 0; i < memory->live_count; i++)
		hp_live_clear(&memory->live[i]);
	free(memory->live);
	*memory = (struct hp_memory){ 0 };
}
