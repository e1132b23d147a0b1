/* SPDX-License-Identifier: MIT */
/*
 * A good segment in which some fields have other values: they reach further than bytes at random.
 *
 * The input is a list of patches: what is changed (the header, a site, a lane, a stat, a node, a stack,
 * what is known of allocations, an ended thread, of channels and their like, any place), which of its words, and what is put there: a number, or
 * the offset of something in the segment.
 */
#include "made_flows.h"
#include "read_all.h"

#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct patch {
	uint8_t what;
	uint8_t nth;
	uint8_t width;
	uint8_t kind;
	uint32_t word;
	uint64_t value;
};

static struct made_segment made;
static struct hp_ended *ended, *ended_names;

/* The beginning and size of what is changed. */
static unsigned char *place(const struct patch *patch, size_t *size)
{
	switch (patch->what % 15) {
	case 0:
		*size = sizeof(struct hp_header);
		return made.bytes;
	case 1:
		*size = sizeof(struct hp_site);
		return (unsigned char *)&made.sites[patch->nth % (MADE_SITES + 2)];
	case 2:
		*size = sizeof(struct hp_lane);
		return (unsigned char *)made.lanes[patch->nth % MADE_LANES];
	case 3:
		*size = sizeof(struct hp_stat);
		return (unsigned char *)made.stats[patch->nth % MADE_STATS];
	case 4:
		/* The part of a stat before its ring: offsets and figures. */
		*size = offsetof(struct hp_stat, ring);
		return (unsigned char *)made.stats[patch->nth % MADE_STATS];
	case 5:
		*size = sizeof(struct hp_node);
		return (unsigned char *)made.nodes[patch->nth % MADE_NODES];
	case 6:
		*size = made.size;
		return made.bytes;
	case 7:
		*size = sizeof(struct hp_alloc);
		return (unsigned char *)made.allocs[patch->nth % MADE_ALLOCS];
	case 8:
		*size = sizeof(struct hp_origin);
		return (unsigned char *)made.origins[patch->nth % MADE_ORIGINS];
	case 9:
		*size = sizeof(struct hp_holding);
		return (unsigned char *)made.holdings[patch->nth % MADE_HOLDINGS];
	case 10:
		*size = sizeof(struct hp_ended);
		if (patch->nth % 8 == 7)
			return (unsigned char *)&ended_names[patch->nth / 8 % HP_ENDED_NAMES];
		return (unsigned char *)&ended[patch->nth % HP_ENDED_MAX];
	case 12:
		*size = sizeof(struct hp_shared);
		return (unsigned char *)made.shares[patch->nth % MADE_SHARES];
	case 13:
		*size = sizeof(struct hp_queue);
		return (unsigned char *)made.queues[patch->nth % MADE_QUEUES];
	case 14:
		/* The count of a log, and its first items. */
		*size = 4096;
		return (unsigned char *)made.logs[patch->nth % MADE_LOGS];
	default:
		*size = sizeof(struct hp_stack) + 4 * sizeof(uint64_t);
		return (unsigned char *)made.stacks[patch->nth % MADE_STACKS];
	}
}

static uint64_t value(const struct patch *patch)
{
	static const uint64_t numbers[] = { 0,
					    1,
					    HP_HEADER_SIZE,
					    UINT32_MAX,
					    (uint64_t)INT64_MAX,
					    (uint64_t)INT64_MIN,
					    UINT64_MAX,
					    UINT64_MAX & ~UINT64_C(7),
					    HP_CALL_DURATION };

	switch (patch->kind % 13) {
	case 0:
		return numbers[patch->value % (sizeof(numbers) / sizeof(*numbers))];
	case 1:
		return made_offset(&made, made.stats[patch->value % MADE_STATS]);
	case 2:
		return made_offset(&made, made.lanes[patch->value % MADE_LANES]);
	case 3:
		return made.size - (patch->value & 0x3fff);
	case 4:
		return patch->value % made.size / 64;
	case 5:
		return made_offset(&made, made.nodes[patch->value % MADE_NODES]);
	case 6:
		return patch->value;
	case 7:
		return made_offset(&made, made.allocs[patch->value % MADE_ALLOCS]);
	case 8:
		return made_offset(&made, made.holdings[patch->value % MADE_HOLDINGS]);
	case 10:
		return made_offset(&made, made.shares[patch->value % MADE_SHARES]);
	case 11:
		return made_offset(&made, made.logs[patch->value % MADE_LOGS]);
	case 12:
		return made_offset(&made, made.queues[patch->value % MADE_QUEUES]);
	default:
		return made_offset(&made, made.stacks[patch->value % MADE_STACKS]);
	}
}

static void apply(const struct patch *patch)
{
	static const size_t widths[] = { 8, 4, 2, 1 };
	size_t size, width = widths[patch->width % 4];
	uint64_t put = value(patch);
	unsigned char *at = place(patch, &size);

	memcpy(at + patch->word % (size / width) * width, &put, width);
}

/* Set the boot id to that of this boot: only then is the present time compared with times in the segment. */
static void set_boot(struct hp_header *header)
{
	static char text[64];
	FILE *file = text[0] ? NULL : fopen("/proc/sys/kernel/random/boot_id", "re");

	if (file && !fgets(text, sizeof(text), file))
		text[0] = '\0';
	if (file)
		fclose(file);
	hp_boot_parse(text, header->boot_id);
}

/* Two functions of a small program, one of them also known by name; and a call of malloc in it. Origins have stacks. */
static void add_addresses(void)
{
	struct hp_module *module = made_module(&made, "/bin/true", "only ma*\nskip x\n");

	made.sites[2].twin = made_address(&made, module, 0x1000);
	made_address(&made, module, 0x2000);
	made.origins[1]->call = made_call(&made, module, 0x1010);
	for (unsigned i = 0; i < MADE_ORIGINS; i++)
		made.origins[i]->stack = made_offset(&made, made.stacks[i % MADE_STACKS]);
}

/* Waits, for a measured function and for a site that is not there. */
static void add_waits(void)
{
	const uint64_t first[] = { hp_frame(HP_FRAME_WAIT, HP_REASON_LOCK, 2),
				   hp_frame(HP_FRAME_SITE, 0, 3),
				   hp_frame(HP_FRAME_CODE, 1, 0x3000), 0 };
	const uint64_t second[] = { hp_frame(HP_FRAME_WAIT, HP_REASONS, 77), 0 };

	made_wait(&made, made.lanes[0], 7, first);
	made_wait(&made, made.lanes[1], 5, second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct hp_cache *cache = hp_cache_new();
	struct patch patch;

	made_segment(&made);
	made_allocations(&made);
	made_samples(&made);
	add_waits();
	ended = made_ended(&made);
	ended_names = made_ended_names(&made);
	made_flows(&made);
	add_addresses();
	set_boot(made_header(&made));
	look_again(cache, made.bytes, made.size, size % 2, true);
	for (; size >= sizeof(patch); data += sizeof(patch), size -= sizeof(patch)) {
		memcpy(&patch, data, sizeof(patch));
		apply(&patch);
	}
	/* A copy of its own, with the sanitizer's guard behind its end. */
	void *bytes = malloc(made.size);
	memcpy(bytes, made.bytes, made.size);
	look_again(cache, bytes, made.size, size % 2, size % 3);
	hp_cache_free(cache);
	read_all(bytes, made.size, size % 2);
	free(bytes);
	return 0;
}
