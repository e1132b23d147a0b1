/* SPDX-License-Identifier: MIT */
/* The table of allocated blocks: the lists for blocks that are in no cell, and the growth of the table. */
#include "blocks.h"

#include "heap.h"
#include "process/platform.h"
#include "process/room.h"
#include "process/seccomp.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
	/* In place of a size that does not fit into 16 bits; the size is in region->large then. One field is
	   enough: only the last block that begins in a region can be that large. */
	SIZE_LARGE = UINT16_MAX,
	/* Rounds of waiting for a lock: spin first, then yield the processor, then sleep; about a second in all. */
	SPINS = 64,
	YIELDS = 1000,
	PATIENCE = 10000,
	NAP_NS = 100 * 1000,
	REGIONS_POOL = 64 * 1024,
};

#define SLOT_LOCKED UINT64_C(1)

/* After the array `at` follow `room` entries of 32 bits each: the origin, and the size in the low half. */
struct region {
	uint16_t count;
	uint16_t room;
	/* The session of its blocks; the blocks of an earlier session are dropped. */
	uint16_t session;
	uint16_t reserved;
	uint64_t large;
	/* The position of each block in the region, in steps. */
	uint8_t at[];
};

/* How an address is split: bits inside a step, bits inside a region, and bits of the region's index in its leaf. */
struct bits {
	unsigned step;
	unsigned region;
	unsigned leaf;
};

/* Blocks of malloc are aligned to 8 bytes; those of a program's own pool may begin at any address. */
static struct bits bits_of(enum hotpath_heap heap)
{
	return heap == HEAP_MALLOC ? (struct bits){ 3, 11, 12 } : (struct bits){ 0, 8, 15 };
}

static uint32_t *entries_of(struct region *region)
{
	return (uint32_t *)(void *)(region->at + region->room);
}

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

/* The capacity grows in small steps, because regions use most of the memory of the table. */
static struct region *grow(struct memory *memory, struct region *old)
{
	unsigned count = old ? old->count : 0;
	unsigned room = count + (count < 32 ? REGION_STEP : 4 * REGION_STEP);
	struct region *region = new_region(memory, room < 256 ? room : 256);

	if (!region || !old)
		return region;
	memcpy(region->at, old->at, count);
	memcpy(entries_of(region), entries_of(old), count * sizeof(uint32_t));
	region->count = old->count;
	region->large = old->large;
	give_back(memory, old);
	return region;
}

static struct region *region_of(const uint64_t *slot)
{
	return (struct region *)(uintptr_t)(load(slot, RELAXED) & ~SLOT_LOCKED);
}

static struct region *more_room(struct thread *me, uint64_t *slot)
{
	struct region *larger = grow(me->memory, region_of(slot));

	if (!larger)
		return NULL;
	larger->session = (uint16_t)me->session;
	/* Stored immediately, because the old region is in the free list now. */
	store(slot, (uint64_t)(uintptr_t)larger | SLOT_LOCKED, RELAXED);
	return larger;
}

/* The pointer to the leaf with a number; creates the levels above it. NULL when there is no memory. The lock is
   held. */
static void **make_way(void ****root, uintptr_t leaf)
{
	if (leaf >> (ROOT_BITS + MIDDLE_BITS))
		return NULL;
	/* RELEASE pairs with the CONSUME in hotpath__find_leaf. */
	if (!*root)
		store(root, hotpath__private(sizeof(void **) << ROOT_BITS), RELEASE);
	void ***middle = *root ? &(*root)[leaf >> MIDDLE_BITS] : NULL;
	if (middle && !*middle)
		store(middle, hotpath__private(sizeof(void *) << MIDDLE_BITS), RELEASE);
	return middle && *middle ? &(*middle)[leaf & ((1U << MIDDLE_BITS) - 1)] : NULL;
}

/* A list of all leaves of cells, so that they can be emptied. */
struct cell_leaf {
	uint32_t *cells;
	struct cell_leaf *next;
};

static const size_t cell_leaf_size = sizeof(uint32_t) << CELL_LEAF_BITS;

static uint32_t *make_cell_leaf(struct recorder *recorder)
{
	struct cell_leaf *leaf = hotpath__private(sizeof(*leaf));
	uint32_t *cells = leaf ? hotpath__map_own(cell_leaf_size) : NULL;

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

static bool make_leaf(enum hotpath_heap heap, uintptr_t address)
{
	struct bits bits = bits_of(heap);
	struct guard guard;

	hotpath__lock(&guard);
	void **leaf = make_way(&hotpath__recorder->blocks[heap],
			       address >> bits.region >> bits.leaf);
	if (leaf && !*leaf)
		store(leaf, hotpath__map_own(sizeof(uint64_t) << bits.leaf), RELEASE);
	bool made = leaf && *leaf;
	hotpath__unlock(&guard);
	return made;
}

/* Only the cells need to be cleared: regions know the session of their blocks. */
void hotpath__forget_blocks(void)
{
	const struct cell_leaf *leaf = hotpath__recorder->cell_leaves;

	for (; leaf; leaf = leaf->next)
		madvise(leaf->cells, cell_leaf_size, MADV_DONTNEED);
}

/* Try to lock a slot. ACQUIRE pairs with the RELEASE of unlocking. In a program with one thread, no atomic
   operation is needed. */
static bool try_slot(uint64_t *slot)
{
	if (hotpath__is_alone()) {
		uint64_t before = load(slot, RELAXED);
		store(slot, before | SLOT_LOCKED, RELAXED);
		return !(before & SLOT_LOCKED);
	}
	return !(__atomic_fetch_or(slot, SLOT_LOCKED, __ATOMIC_ACQUIRE) & SLOT_LOCKED);
}

/* The owner of the slot may be waiting for the kernel. Not nanosleep, which is a cancellation point. */
static void wait_a_little(unsigned round)
{
	struct timespec nap = { 0, NAP_NS };

	if (round > YIELDS)
		syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &nap, NULL);
	else if (round > SPINS)
		sched_yield();
}

static bool wait_for_slot(const struct thread *me, uint64_t *slot)
{
	const struct thread *first = hotpath__own_state();
	bool interrupts = first && me == first->interrupt, mine = false;
	int saved_errno = errno;

	for (unsigned i = 0; !interrupts && !mine && i < PATIENCE; i++) {
		wait_a_little(i);
		mine = !(load(slot, RELAXED) & SLOT_LOCKED) && try_slot(slot);
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

/* Find a position in the array `at`, comparing eight bytes at a time; returns the count when there is none. */
static unsigned search_region(const struct region *region, uint8_t at)
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

/* The slot of the region that an address lies in; NULL when its leaf does not exist yet. */
static uint64_t *find_slot(enum hotpath_heap heap, uintptr_t address)
{
	struct bits bits = bits_of(heap);
	uintptr_t region = address >> bits.region;
	uint64_t *slots = hotpath__find_leaf(load(&hotpath__recorder->blocks[heap], CONSUME),
					     region >> bits.leaf);

	return slots ? &slots[region & (((uintptr_t)1 << bits.leaf) - 1)] : NULL;
}

/* The slot is noted in the thread's state, so that it can be unlocked if a signal handler leaves by siglongjmp. */
static bool lock_slot(struct thread *me, uint64_t *slot)
{
	if (!try_slot(slot) && !wait_for_slot(me, slot))
		return false;
	store(&me->memory->locked, slot, RELAXED);
	signal_fence();
	return true;
}

static void unlock_slot(struct thread *me, uint64_t *slot, const struct region *region)
{
	store(&me->memory->locked, NULL, RELAXED);
	signal_fence();
	if (hotpath__is_alone())
		store(slot, (uint64_t)(uintptr_t)region, RELAXED);
	else
		store(slot, (uint64_t)(uintptr_t)region, RELEASE);
}

static struct block read_block(struct region *region, unsigned place)
{
	uint32_t entry = entries_of(region)[place];
	uint64_t size = entry & SIZE_LARGE;

	return (struct block){ size == SIZE_LARGE ? region->large : size, entry >> 16 };
}

static void write_block(struct region *region, unsigned place, uint8_t at, struct block block)
{
	bool large = block.size >= SIZE_LARGE;
	uint32_t size = large ? (uint32_t)SIZE_LARGE : (uint32_t)block.size;

	region->at[place] = at;
	entries_of(region)[place] = (uint32_t)block.origin << 16 | size;
	if (large)
		region->large = block.size;
}

static uint8_t step_of(enum hotpath_heap heap, uintptr_t address)
{
	struct bits bits = bits_of(heap);

	return (uint8_t)((address & (((uintptr_t)1 << bits.region) - 1)) >> bits.step);
}

static void begin_region(struct region *region, uint16_t session)
{
	if (region->session == session)
		return;
	region->count = 0;
	region->session = session;
}

/* Store a block; returns what was known at its address. The slot is locked. */
static struct block put_locked(struct thread *me, uint64_t *slot, uint8_t at, struct block block)
{
	struct region *region = region_of(slot);

	if (region) {
		begin_region(region, (uint16_t)me->session);
		unsigned place = region->count ? search_region(region, at) : 0;
		if (place < region->count) {
			struct block before = read_block(region, place);
			write_block(region, place, at, block);
			return before;
		}
	}
	if (!region || region->count == region->room)
		region = more_room(me, slot);
	if (!region)
		return (struct block){ 0, BLOCK_LOST };
	write_block(region, region->count, at, block);
	signal_fence();
	region->count++;
	return (struct block){ 0, BLOCK_NONE };
}

/* Store a block in the list of its region. */
static struct block put_listed(struct thread *me, enum hotpath_heap heap, uintptr_t address,
			       struct block block)
{
	uint64_t *slot = find_slot(heap, address);

	if (!slot && make_leaf(heap, address))
		slot = find_slot(heap, address);
	if (!slot || !lock_slot(me, slot))
		return (struct block){ 0, BLOCK_LOST };
	struct block before = put_locked(me, slot, step_of(heap, address), block);
	unlock_slot(me, slot, region_of(slot));
	return before;
}

/* The order of the stores keeps the list valid if a signal handler leaves by siglongjmp at any point. */
static void remove_block(struct region *region, unsigned place)
{
	unsigned last = region->count - 1U;

	if (place < last) {
		region->at[place] = region->at[last];
		entries_of(region)[place] = entries_of(region)[last];
		signal_fence();
	}
	region->count = (uint16_t)last;
}

/* The block that was allocated last is often the first to be freed. */
static unsigned find_in_region(const struct region *region, uint8_t at)
{
	unsigned count = region->count;

	return count && region->at[count - 1] == at ? count - 1 : search_region(region, at);
}

static struct block take_locked(struct thread *me, struct region *region, uint8_t at)
{
	if (!region)
		return (struct block){ 0, BLOCK_NONE };
	begin_region(region, (uint16_t)me->session);
	unsigned place = find_in_region(region, at);
	if (place == region->count)
		return (struct block){ 0, BLOCK_NONE };
	struct block block = read_block(region, place);
	remove_block(region, place);
	return block;
}

struct block hotpath__take_far(struct thread *me, enum hotpath_heap heap, uintptr_t address)
{
	uint64_t *slot = find_slot(heap, address);

	/* RELAXED: the program itself orders the allocation of a block before its free. */
	if (!slot || !load(slot, RELAXED))
		return (struct block){ 0, BLOCK_NONE };
	if (!lock_slot(me, slot))
		return (struct block){ 0, BLOCK_LOST };
	struct region *region = region_of(slot);
	struct block block = take_locked(me, region, step_of(heap, address));
	unlock_slot(me, slot, region);
	return block;
}

/* The cell already has a block at the same address: that was freed without our knowledge. */
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
	return put_listed(me, heap, address, block);
}
