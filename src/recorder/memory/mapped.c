/* SPDX-License-Identifier: MIT */
/*
 * Memory that the program has mapped by mmap, outside of malloc: a table of ranges of addresses.
 *
 * Bytes cannot be added up call by call: a part of a mapping may be unmapped, and another mapping may replace it
 * (MAP_FIXED). So the table is sorted by address, and each call first takes its range out of it. What does not fit into the
 * table is counted as memory of malloc.
 *
 * It is not in the recorder's own memory, which is empty in a forked child: the child inherits the mappings.
 */
#include "mapped.h"

#include "probe.h"
#include "process/lifecycle.h"
#include "process/platform.h"
#include "process/recorder_state.h"
#include "process/room.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum {
	RANGES_MAX = 4096,
	/* When so many bytes were unmapped, it is time to look whether memory was at its peak before. */
	LOOK_BYTES = 1 << 20,
};

static struct hotpath__range ranges[RANGES_MAX];
static unsigned count;
/* Bytes of anonymous memory in the ranges; and those unmapped since the last look. */
static uint64_t mapped_bytes;
static uint64_t unmapped_bytes;

/* ---- the table ---- */

static unsigned first_behind(uintptr_t address)
{
	unsigned low = 0, high = count;

	while (low < high) {
		unsigned middle = (low + high) / 2;
		if (ranges[middle].end > address)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

const struct hotpath__range *hotpath__mapped_behind(uintptr_t address)
{
	unsigned at = first_behind(address);

	return at < count ? &ranges[at] : NULL;
}

const struct hotpath__range *hotpath__mapped_after(const struct hotpath__range *range)
{
	return range + 1 < ranges + count ? range + 1 : NULL;
}

/* Put a range at a place of the table, from which the others move up. */
static void insert(unsigned at, struct hotpath__range range)
{
	if (count == RANGES_MAX)
		return;
	memmove(&ranges[at + 1], &ranges[at], (count - at) * sizeof(*ranges));
	ranges[at] = range;
	count++;
	mapped_bytes += range.is_file ? 0 : range.end - range.start;
}

static void erase(unsigned at)
{
	const struct hotpath__range *range = &ranges[at];

	mapped_bytes -= range->is_file ? 0 : range->end - range->start;
	count--;
	memmove(&ranges[at], &ranges[at + 1], (count - at) * sizeof(*ranges));
}

/* Take addresses out of the table; a range of which only a part is taken out leaves one or two others. */
static void take_out(uintptr_t start, uintptr_t end)
{
	unsigned at = first_behind(start);

	while (at < count && ranges[at].start < end) {
		struct hotpath__range range = ranges[at];
		erase(at);
		if (range.end > end)
			insert(at, (struct hotpath__range){ end, range.end, range.is_file });
		if (range.start < start)
			insert(at++, (struct hotpath__range){ range.start, start, range.is_file });
	}
}

/* ---- what the probe tells ---- */

/* Before anything was recorded there is no segment. */
static void store_bytes(void)
{
	struct hp_header *header = hotpath__recorder->base ? hotpath__header() : NULL;

	if (!header)
		return;
	store(&header->mapped_bytes, mapped_bytes, RELAXED);
	if (mapped_bytes > header->mapped_peak_bytes)
		store(&header->mapped_peak_bytes, mapped_bytes, RELAXED);
}

/* A fork may have come while another thread of the parent changed the table: drop what is not in order, and add up again. */
static void repair(void)
{
	unsigned kept = 0;

	mapped_bytes = 0;
	for (unsigned i = 0; i < count; i++) {
		struct hotpath__range range = ranges[i];
		if (range.start >= range.end || (kept && range.start < ranges[kept - 1].end))
			continue;
		ranges[kept++] = range;
		mapped_bytes += range.is_file ? 0 : range.end - range.start;
	}
	count = kept;
}

void hotpath__mapped_begins(struct hp_header *header)
{
	repair();
	unmapped_bytes = 0;
	store(&header->mapped_peak_bytes, 0, RELAXED);
	for (unsigned i = 0; i < HP_RESIDENT_KINDS; i++)
		store(&header->resident_bytes[i], 0, RELAXED);
	store_bytes();
}

/* Whether the table may be changed. Not before the environment tells what to record, nor in a child of vfork. */
static bool begin(struct guard *guard)
{
	/* The recorder maps memory of its own when it begins; where a sanitizer stands before mmap, that comes here again. */
	static __thread bool is_asked __attribute__((tls_model("initial-exec")));
	int error = errno;

	if (is_asked)
		return false;
	is_asked = true;
	uint32_t state = environ ? hotpath__state() : (uint32_t)STATE_OFF;
	is_asked = false;
	errno = error;
	if (state == STATE_OFF || state == STATE_HANDED_OVER || hotpath__shares_memory())
		return false;
	hotpath__lock(guard);
	return true;
}

static uintptr_t page_end(uintptr_t address)
{
	return (uintptr_t)hotpath__round_up(address, hotpath__page_size());
}

void hotpath__mapped(uintptr_t start, size_t size, enum hotpath__mapping kind)
{
	uintptr_t end = page_end(start + size);
	struct guard guard;

	if (!begin(&guard))
		return;
	take_out(start, end);
	if (kind != HOTPATH__MAPPING_OTHER)
		insert(first_behind(start),
		       (struct hotpath__range){ start, end, kind == HOTPATH__MAPPING_FILE });
	store_bytes();
	hotpath__unlock(&guard);
}

/* Memory is about to shrink: this may have been its peak. */
static void look(uint64_t bytes)
{
	unmapped_bytes += bytes;
	if (unmapped_bytes < LOOK_BYTES || !hotpath__recorder->base)
		return;
	unmapped_bytes = 0;
	hotpath__note_kinds(hotpath__header());
}

enum hotpath__mapping hotpath__unmapping(uintptr_t start, size_t size)
{
	enum hotpath__mapping kind = HOTPATH__MAPPING_OTHER;
	struct guard guard;

	if (!begin(&guard))
		return kind;
	unsigned at = first_behind(start);
	if (at < count && ranges[at].start <= start)
		kind = ranges[at].is_file ? HOTPATH__MAPPING_FILE : HOTPATH__MAPPING_MEMORY;
	if (size) {
		look(size);
		take_out(start, page_end(start + size));
	}
	store_bytes();
	hotpath__unlock(&guard);
	return kind;
}
