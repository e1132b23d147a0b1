/* SPDX-License-Identifier: MIT */
/*
 * Threads that allocate, reallocate and free at random, each other's blocks too, and know what is left.
 *
 * What is known is not in the heap: a table of blocks that all threads share, and what each function has.
 *
 * usage: alloc_stress THREADS STEPS SEED
 */
#include "alloc_truth.h"

#include <malloc.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>

enum {
	PLACES = 4096,
	THREADS_MAX = 16,
	/* Functions that allocate, by how. */
	WAYS = 8,
};

static const char *const names[WAYS] = { "way_malloc", "way_calloc",  "way_realloc", "way_memalign",
					 "way_posix",  "way_aligned", "way_strdup",  "way_large" };

struct place {
	/* Whoever has taken it out. */
	char *block;
	size_t size;
	unsigned way;
};

struct known {
	uint64_t bytes, blocks, freed_bytes, freed_blocks;
};

static struct place *places;
static pthread_mutex_t locks[PLACES / 64];
/* Of each thread, what its functions allocated, and what of each was freed by it. */
static struct known known[THREADS_MAX][WAYS];
static struct known moved[THREADS_MAX];
static unsigned long steps, seed;
static char text[8192];

struct chance {
	uint64_t state;
};

SKIP static uint64_t chance(struct chance *chance, uint64_t below)
{
	chance->state ^= chance->state << 13;
	chance->state ^= chance->state >> 7;
	chance->state ^= chance->state << 17;
	return (chance->state >> 11) % below;
}

/* Small ones mostly, as programs have; some around the sizes where things change. */
SKIP static size_t any_size(struct chance *with)
{
	static const size_t edges[] = { 0,    1,    8,	  16,	63,    64,    65,   1024,
					4095, 8188, 8190, 8191, 65534, 65535, 65536 };

	if (chance(with, 10) == 0)
		return edges[chance(with, sizeof(edges) / sizeof(edges[0]))];
	return chance(with, chance(with, 20) ? 200 : 20000);
}

ALONE static void *way_malloc(size_t size)
{
	return malloc(size);
}

ALONE static void *way_calloc(size_t size)
{
	return calloc(1, size);
}

ALONE static void *way_realloc(void *block, size_t size)
{
	return realloc(block, size);
}

ALONE static void *way_memalign(size_t size)
{
	return memalign(128, size);
}

ALONE static void *way_posix(size_t size)
{
	void *block = NULL;

	return posix_memalign(&block, 4096, size) == 0 ? block : NULL;
}

ALONE static void *way_aligned(size_t size)
{
	return aligned_alloc(32, size);
}

ALONE static void *way_strdup(size_t size)
{
	return strndup(text, size - 1);
}

ALONE static void *way_large(size_t size)
{
	return malloc(size);
}

SKIP static struct place allocate(struct chance *with)
{
	struct place place = { NULL, any_size(with), (unsigned)chance(with, WAYS) };

	switch (place.way) {
	case 0:
		place.block = way_malloc(place.size);
		break;
	case 1:
		place.block = way_calloc(place.size);
		break;
	case 2:
		place.size += 1, place.block = way_realloc(NULL, place.size);
		break;
	case 3:
		place.block = way_memalign(place.size);
		break;
	case 4:
		place.block = way_posix(place.size);
		break;
	case 5:
		place.size = (place.size + 31) / 32 * 32;
		place.block = way_aligned(place.size);
		break;
	case 6:
		place.size = place.size % 8000 + 1, place.block = way_strdup(place.size);
		break;
	default:
		place.size += chance(with, 10) ? 0 : 1000000, place.block = way_large(place.size);
	}
	REQUIRE(place.block != NULL);
	if (place.size)
		place.block[0] = place.block[place.size - 1] = (char)place.way;
	return place;
}

SKIP static void note_allocated(struct known *mine, struct place place)
{
	mine[place.way].bytes += place.size;
	mine[place.way].blocks++;
}

SKIP static void note_freed(struct known *mine, struct place place)
{
	REQUIRE(!place.size || place.block[0] == place.block[place.size - 1]);
	mine[place.way].freed_bytes += place.size;
	mine[place.way].freed_blocks++;
}

ALONE static void gives_back(void *block)
{
	free(block);
}

/* Exchange what is in a place for another block, or for none. */
SKIP static struct place exchange(unsigned at, struct place with)
{
	pthread_mutex_lock(&locks[at / 64]);
	struct place before = places[at];
	places[at] = with;
	pthread_mutex_unlock(&locks[at / 64]);
	return before;
}

/* The block is of way_realloc afterwards. */
SKIP static struct place move(struct known *mine, struct known *by_moving, struct place place,
			      size_t size)
{
	struct place moved_one = { NULL, size + 1, 2 };

	note_freed(mine, place);
	by_moving->freed_bytes += place.size;
	by_moving->freed_blocks++;
	moved_one.block = way_realloc(place.block, size + 1);
	REQUIRE(moved_one.block != NULL);
	moved_one.block[0] = moved_one.block[size] = 2;
	note_allocated(mine, moved_one);
	return moved_one;
}

SKIP static void step(struct chance *with, struct known *mine, struct known *by_moving)
{
	unsigned at = (unsigned)chance(with, PLACES);
	struct place fresh = { NULL, 0, 0 };
	unsigned what = (unsigned)chance(with, 8);
	struct place old;

	if (what < 5) {
		fresh = allocate(with);
		note_allocated(mine, fresh);
	}
	old = exchange(at, fresh);
	if (old.block && what == 7) {
		old = exchange(at, move(mine, by_moving, old, any_size(with)));
	}
	if (old.block) {
		note_freed(mine, old);
		gives_back(old.block);
	}
}

SKIP static void *run(void *number)
{
	unsigned me = (unsigned)(uintptr_t)number;
	struct chance with = { seed * 7919 + me * 104729 + 1 };

	for (unsigned long i = 0; i < steps; i++)
		step(&with, known[me], &moved[me]);
	return NULL;
}

SKIP static void tell(unsigned threads)
{
	struct known all = { 0, 0, 0, 0 }, by_moving = { 0, 0, 0, 0 };

	for (unsigned i = 0; i < threads; i++) {
		by_moving.freed_bytes += moved[i].freed_bytes;
		by_moving.freed_blocks += moved[i].freed_blocks;
	}
	for (unsigned way = 0; way < WAYS; way++) {
		struct known sum = { 0, 0, 0, 0 };
		for (unsigned i = 0; i < threads; i++) {
			sum.bytes += known[i][way].bytes;
			sum.blocks += known[i][way].blocks;
			sum.freed_bytes += known[i][way].freed_bytes;
			sum.freed_blocks += known[i][way].freed_blocks;
		}
		allocated(names[way], sum.bytes, sum.blocks);
		live(names[way], sum.bytes - sum.freed_bytes, sum.blocks - sum.freed_blocks);
		all.freed_bytes += sum.freed_bytes;
		all.freed_blocks += sum.freed_blocks;
	}
	freed("way_realloc", by_moving.freed_bytes, by_moving.freed_blocks);
	freed("gives_back", all.freed_bytes - by_moving.freed_bytes,
	      all.freed_blocks - by_moving.freed_blocks);
}

int main(int argc, char **argv)
{
	pthread_t ids[THREADS_MAX];
	unsigned threads = argc > 1 ? (unsigned)atoi(argv[1]) : 8;

	REQUIRE(threads <= THREADS_MAX);
	steps = argc > 2 ? strtoul(argv[2], NULL, 10) : 1000;
	seed = argc > 3 ? strtoul(argv[3], NULL, 10) : 1;
	memset(text, 'x', sizeof(text) - 1);
	places = mmap(NULL, PLACES * sizeof(*places), PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	REQUIRE(places != MAP_FAILED);
	for (unsigned i = 0; i < PLACES / 64; i++)
		pthread_mutex_init(&locks[i], NULL);
	for (unsigned i = 0; i < threads; i++)
		REQUIRE(pthread_create(&ids[i], NULL, run, (void *)(uintptr_t)i) == 0);
	for (unsigned i = 0; i < threads; i++)
		pthread_join(ids[i], NULL);
	tell(threads);
	return 0;
}
