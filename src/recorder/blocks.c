/* SPDX-License-Identifier: MIT */
/* The table of allocated blocks: what is rarely done. */
#include "blocks.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
	/* Rounds of waiting: the first are quick, then others may run, and most are naps; a second together. */
	SPINS = 64,
	YIELDS = 1000,
	PATIENCE = 10000,
	NAP_NS = 100 * 1000,
	REGIONS_POOL = 64 * 1024,
};

static size_t region_size(unsigned room)
{
	size_t entries = room * (sizeof(uint8_t) + sizeof(uint32_t));

	return (sizeof(struct region) + entries + 7) / 8 * 8;
}

static void *take_memory(struct memory *memory, size_t size)
{
	struct guard guard;

	if (size > memory->pool_left) {
		hotpath__lock(&guard);
		memory->pool = hotpath__private(REGIONS_POOL);
		hotpath__unlock(&guard);
		memory->pool_left = memory->pool ? REGIONS_POOL : 0;
	}
	if (size > memory->pool_left)
		return NULL;
	memory->pool_left -= size;
	memory->pool += size;
	return memory->pool - size;
}

static struct region *new_region(struct memory *memory, unsigned room)
{
	struct region **spare = &memory->spare_regions[room / REGION_STEP];
	struct region *region = *spare;

	if (region)
		memcpy(spare, region->at, sizeof(*spare));
	else
		region = take_memory(memory, region_size(room));
	if (region)
		*region = (struct region){ .room = (uint16_t)room };
	return region;
}

static void give_back(struct memory *memory, struct region *region)
{
	struct region **spare = &memory->spare_regions[region->room / REGION_STEP];

	memcpy(region->at, spare, sizeof(*spare));
	*spare = region;
}

/* In small steps: they are what most of the memory is for. */
static struct region *grow(struct memory *memory, struct region *old)
{
	unsigned count = old ? old->count : 0;
	unsigned room = count + (count < 32 ? REGION_STEP : 4 * REGION_STEP);
	struct region *region = new_region(memory, room < 256 ? room : 256);

	if (!region || !old)
		return region;
	memcpy(region->at, old->at, count);
	memcpy(hotpath__entries(region), hotpath__entries(old), count * sizeof(uint32_t));
	region->count = old->count;
	region->large = old->large;
	give_back(memory, old);
	return region;
}

struct region *hotpath__more_room(struct thread *me, uint64_t *slot)
{
	struct region *larger = grow(me->memory, hotpath__region(slot));

	if (!larger)
		return NULL;
	larger->session = (uint16_t)me->session;
	/* At once: the old one is nobody's now. */
	store(slot, (uint64_t)(uintptr_t)larger | SLOT_LOCKED, RELAXED);
	return larger;
}

/* Where a leaf with a number belongs, on a way that is made; NULL when there is no memory. The lock is held. */
static void **make_way(void ****root, uintptr_t leaf)
{
	if (leaf >> (ROOT_BITS + MIDDLE_BITS))
		return NULL;
	/* RELEASE pairs with the CONSUME of whoever finds it. */
	if (!*root)
		store(root, hotpath__private(sizeof(void **) << ROOT_BITS), RELEASE);
	void ***middle = *root ? &(*root)[leaf >> MIDDLE_BITS] : NULL;
	if (middle && !*middle)
		store(middle, hotpath__private(sizeof(void *) << MIDDLE_BITS), RELEASE);
	return middle && *middle ? &(*middle)[leaf & ((1U << MIDDLE_BITS) - 1)] : NULL;
}

/* Leaves of cells, so that they can be emptied. */
struct cell_leaf {
	uint32_t *cells;
	struct cell_leaf *next;
};

static const size_t cell_leaf_size = sizeof(uint32_t) << CELL_LEAF_BITS;

static uint32_t *make_cell_leaf(struct recorder *recorder)
{
	struct cell_leaf *leaf = hotpath__private(sizeof(*leaf));
	uint32_t *cells = leaf ? hotpath__map_wiped(cell_leaf_size) : NULL;

	if (!cells)
		return NULL;
	*leaf = (struct cell_leaf){ cells, recorder->cell_leaves };
	recorder->cell_leaves = leaf;
	return cells;
}

bool hotpath__make_cells(uintptr_t address)
{
	struct recorder *recorder = hotpath__recorder;
	struct guard guard;

	hotpath__lock(&guard);
	void **leaf = make_way(&recorder->cells, address >> CELL_BITS >> CELL_LEAF_BITS);
	if (leaf && !*leaf)
		store(leaf, make_cell_leaf(recorder), RELEASE);
	bool made = leaf && *leaf;
	hotpath__unlock(&guard);
	return made;
}

bool hotpath__make_leaf(enum hotpath_heap heap, uintptr_t address)
{
	struct bits bits = hotpath__bits(heap);
	struct guard guard;

	hotpath__lock(&guard);
	void **leaf = make_way(&hotpath__recorder->blocks[heap],
			       address >> bits.region >> bits.leaf);
	if (leaf && !*leaf)
		store(leaf, hotpath__map_wiped(sizeof(uint64_t) << bits.leaf), RELEASE);
	bool made = leaf && *leaf;
	hotpath__unlock(&guard);
	return made;
}

/* Regions know which session they are of. */
void hotpath__forget_blocks(void)
{
	const struct cell_leaf *leaf = hotpath__recorder->cell_leaves;

	for (; leaf; leaf = leaf->next)
		madvise(leaf->cells, cell_leaf_size, MADV_DONTNEED);
}

/* Who has the slot may wait for the kernel. Not by nanosleep, in which a thread can be cancelled. */
static void wait_a_little(unsigned round)
{
	struct timespec nap = { 0, NAP_NS };

	if (round > YIELDS)
		syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &nap, NULL);
	else if (round > SPINS)
		sched_yield();
}

bool hotpath__wait_for_slot(const struct thread *me, uint64_t *slot)
{
	bool interrupts = hotpath__me && me == hotpath__me->interrupt, mine = false;
	int saved_errno = errno;

	for (unsigned i = 0; !interrupts && !mine && i < PATIENCE; i++) {
		wait_a_little(i);
		mine = !(load(slot, RELAXED) & SLOT_LOCKED) && hotpath__try_slot(slot, false);
	}
	errno = saved_errno;
	return mine;
}

void hotpath__blocks_unlock(struct thread *me)
{
	uint64_t *slot = me->memory ? me->memory->locked : NULL;

	if (!slot)
		return;
	store(slot, load(slot, RELAXED) & ~SLOT_LOCKED, RELEASE);
	me->memory->locked = NULL;
}

static uint64_t everywhere(uint8_t byte)
{
	return byte * UINT64_C(0x0101010101010101);
}

/* Eight at once. */
unsigned hotpath__search_region(const struct region *region, uint8_t at)
{
	unsigned count = region->count;

	for (unsigned i = 0; i < count; i += 8) {
		uint64_t eight;
		memcpy(&eight, region->at + i, sizeof(eight));
		uint64_t differ = eight ^ everywhere(at);
		uint64_t found = (differ - everywhere(1)) & ~differ & everywhere(0x80);
		if (found) {
			unsigned place = i + (unsigned)__builtin_ctzll(found) / 8;
			return place < count ? place : count;
		}
	}
	return count;
}

/* The same block is there already: it was freed, and we did not hear of it. */
static struct block replace(uint32_t *cell, struct block block)
{
	uint32_t before = load(cell, RELAXED);

	store(cell,
	      (uint32_t)block.origin << CELL_ORIGIN_SHIFT |
		      (uint32_t)(block.size + 1) << CELL_SIZE_SHIFT | before % CELL_STEP,
	      RELAXED);
	return hotpath__read_cell(before);
}

struct block hotpath__put_far(struct thread *me, enum hotpath_heap heap, uintptr_t address,
			      struct block block)
{
	uint32_t *cell = heap == HEAP_MALLOC ? hotpath__find_cell(address) : NULL;
	uint32_t value = cell ? load(cell, RELAXED) : 0;

	if (value && value % CELL_STEP == hotpath__cell_step(address)) {
		if (block.size <= CELL_SIZE_MAX)
			return replace(cell, block);
		store(cell, 0, RELAXED);
	}
	bool alone = hotpath__is_alone();
	return heap == HEAP_MALLOC ? hotpath__put_listed(me, HEAP_MALLOC, address, block, alone)
				   : hotpath__put_listed(me, HEAP_POOL, address, block, alone);
}

struct block hotpath__take_far(struct thread *me, enum hotpath_heap heap, uintptr_t address)
{
	bool alone = hotpath__is_alone();

	return heap == HEAP_MALLOC ? hotpath__take_listed(me, HEAP_MALLOC, address, alone)
				   : hotpath__take_listed(me, HEAP_POOL, address, alone);
}
