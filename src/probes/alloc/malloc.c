/* SPDX-License-Identifier: MIT */
/*
 * malloc and its family, in front of whatever allocator the program has.
 *
 * Nothing about a block changes: the next allocator is asked for what the program asks for, and its answer is
 * passed on. Between the two the recorder is told.
 *
 * The shared library is in front because the dynamic linker finds it first. A program that is linked statically
 * has its linker put the functions in front, with --wrap: they are called __wrap_malloc then, and the next one
 * is __real_malloc.
 */
#include "allocator.h"
#include "probe.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define ALWAYS_INLINE __attribute__((always_inline)) static inline

/* The caller: the return address of the call, and the caller's stack pointer. */
#define FROM ((uintptr_t)__builtin_return_address(0))
#define SP ((uintptr_t)__builtin_dwarf_cfa())

__thread struct within within __attribute__((tls_model("initial-exec")));
__thread uintptr_t inside __attribute__((tls_model("initial-exec")));

/* The mode, which the first allocation finds out, usually before main; is_open says that it is known. */
static enum hp_alloc_mode mode;
static bool is_open;
/* The offset from the thread pointer to the thread-local pointer to the recorder's thread state. */
static ptrdiff_t state_at;

static inline struct thread *state(void)
{
	return *(struct thread **)(void *)(hotpath__thread_pointer() + state_at);
}

/* The size of a block as the allocator rounds it. The guard is for allocators that allocate something themselves
   the first time they are asked for a size. */
static uint64_t rounded(void *block)
{
	static __thread bool is_asking __attribute__((tls_model("initial-exec")));

	if (mode != HP_ALLOC_FREED || is_asking)
		return 0;
	is_asking = true;
	uint64_t size = allocator_size(block);
	is_asking = false;
	return size;
}

static void open_doors(void *block);

/* The next allocator has returned a block: tell the recorder. */
static void *tell(void *block, size_t size, uintptr_t from, uintptr_t sp)
{
	inside_end();
	if (unlikely(!is_open))
		open_doors(block);
	if (unlikely(within.from)) {
		from = within.from;
		within.from = 0;
	}
	if (unlikely(!block || mode == HP_ALLOC_NONE))
		return block;
	hotpath__allocated((uintptr_t)block, size, rounded(block), from, sp, HEAP_MALLOC);
	return block;
}

void *alloc_tell(void *block, uint64_t size, uintptr_t from, uintptr_t sp)
{
	return tell(block, size, from, sp);
}

void alloc_tell_freed(void *block, uintptr_t sp)
{
	if (mode >= HP_ALLOC_FREED && block && !early_has(block))
		hotpath__freed((uintptr_t)block, rounded(block), sp, HEAP_MALLOC);
}

/* ---- malloc and free, for each mode ---- */

enum way {
	UNSEEN,
	/* The thread notes that it is inside the next allocator, for sampling. */
	SAMPLED,
	/* The next allocator is not called, to measure what the rest costs. */
	REHEARSED,
};

/* Blocks with a header like those of glibc: the size is in the word before each. */
static void *rehearsed_block(void)
{
	enum { BLOCKS = 64, WORDS = 8 };
	static size_t room[BLOCKS][WORDS];
	static unsigned turn;
	size_t *block = room[turn++ % BLOCKS];

	block[1] = WORDS * sizeof(*block);
	return block + 2;
}

/* The ask_ functions are used when the doors are open, so the next allocator is known. */
ALWAYS_INLINE void *ask_malloc(enum way way, size_t size, uintptr_t sp)
{
	if (way == REHEARSED)
		return rehearsed_block();
	if (way == SAMPLED)
		inside_begin(sp);
	void *block = NEXT_KNOWN(malloc)(size);
	if (way == SAMPLED)
		inside_end();
	return block;
}

ALWAYS_INLINE void ask_free(enum way way, void *block, uintptr_t sp)
{
	if (way == REHEARSED)
		return;
	if (way == SAMPLED)
		inside_begin(sp);
	NEXT_KNOWN(free)(block);
	if (way == SAMPLED)
		inside_end();
}

__attribute__((noinline)) static void *malloc_told(size_t size, uintptr_t from, uintptr_t sp)
{
	inside_begin(sp);
	return tell(NEXT(malloc)(size), size, from, sp);
}

/* The allocation failed, but was counted already: take that back. */
__attribute__((noinline, cold)) static void *malloc_failed(size_t size)
{
	hotpath__uncount(state(), size);
	return NULL;
}

ALWAYS_INLINE void *allocate_count(enum way way, size_t size, uintptr_t from, uintptr_t sp)
{
	struct thread *me = state();

	if (unlikely(!hotpath__may_count_at_once(me, sp)))
		return malloc_told(size, from, sp);
	hotpath__count_at_once(me, size);
	void *block = ask_malloc(way, size, sp);
	if (unlikely(!block))
		return malloc_failed(size);
	return block;
}

ALWAYS_INLINE void release_count(enum way way, void *block, uintptr_t sp)
{
	ask_free(way, block, sp);
}

__attribute__((noinline)) static void *round_slowly(void *block)
{
	hotpath__round_at_once(state(), allocator_size(block));
	return block;
}

/* allocate_freed and release_freed are for an allocator whose blocks have headers. */
ALWAYS_INLINE void *allocate_freed(enum way way, size_t size, uintptr_t from, uintptr_t sp)
{
	struct thread *me = state();

	if (unlikely(!hotpath__may_count_at_once(me, sp)))
		return malloc_told(size, from, sp);
	hotpath__count_at_once(me, size);
	void *block = ask_malloc(way, size, sp);
	if (unlikely(!block))
		return malloc_failed(size);
	size_t header = allocator_header(block);
	if (unlikely(header & ALLOCATOR_MAPPED))
		return round_slowly(block);
	hotpath__round_at_once(me, allocator_size_in(header));
	return block;
}

ALWAYS_INLINE void *allocate_live(enum way way, size_t size, uintptr_t from, uintptr_t sp)
{
	void *block = ask_malloc(way, size, sp);

	if (unlikely(!block || within.from))
		return tell(block, size, from, sp);
	hotpath__follow((uintptr_t)block, size, from, sp);
	return block;
}

__attribute__((noinline)) static void free_told(void *block, uintptr_t sp)
{
	if (within.block && within.block == (uintptr_t)block)
		within.block = 0;
	else
		alloc_tell_freed(block, sp);
	if (early_has(block))
		return;
	inside_begin(sp);
	NEXT(free)(block);
	inside_end();
}

ALWAYS_INLINE void release_freed(enum way way, void *block, uintptr_t sp)
{
	struct thread *me = state();
	size_t header = likely(block) ? allocator_header(block) : ALLOCATOR_MAPPED;

	if (unlikely(header & ALLOCATOR_MAPPED || !hotpath__may_count_at_once(me, sp))) {
		free_told(block, sp);
		return;
	}
	hotpath__free_at_once(me, allocator_size_in(header));
	ask_free(way, block, sp);
}

ALWAYS_INLINE void release_live(enum way way, void *block, uintptr_t sp)
{
	if (unlikely(!block || within.block)) {
		free_told(block, sp);
		return;
	}
	hotpath__unfollow((uintptr_t)block, sp);
	ask_free(way, block, sp);
}

ALWAYS_INLINE void *allocate_any(enum way way, size_t size, uintptr_t from, uintptr_t sp)
{
	(void)way;
	return malloc_told(size, from, sp);
}

ALWAYS_INLINE void release_any(enum way way, void *block, uintptr_t sp)
{
	(void)way;
	free_told(block, sp);
}

/* ---- the doors, and which of them are open ---- */

#define DOOR(mode, way)                                                                            \
	static void *malloc_##mode##_##way(size_t size)                                            \
	{                                                                                          \
		return allocate_##mode(way, size, FROM, SP);                                       \
	}                                                                                          \
	static void free_##mode##_##way(void *block)                                               \
	{                                                                                          \
		release_##mode(way, block, SP);                                                    \
	}
#define DOORS(mode)                                                                                \
	DOOR(mode, UNSEEN)                                                                         \
	DOOR(mode, SAMPLED)                                                                        \
	DOOR(mode, REHEARSED)                                                                      \
	static const struct hotpath__doors mode##_doors[] = {                                      \
		[UNSEEN] = { malloc_##mode##_UNSEEN, free_##mode##_UNSEEN },                       \
		[SAMPLED] = { malloc_##mode##_SAMPLED, free_##mode##_SAMPLED },                    \
		[REHEARSED] = { malloc_##mode##_REHEARSED, free_##mode##_REHEARSED },              \
	}

DOORS(any);
DOORS(count);
DOORS(freed);
DOORS(live);

static struct hotpath__doors doors = { malloc_any_UNSEEN, free_any_UNSEEN };
static enum way way = UNSEEN;

static struct hotpath__doors doors_of(enum hp_alloc_mode what)
{
	switch (what) {
	case HP_ALLOC_COUNT:
		return way == SAMPLED ? count_doors[SAMPLED]
				      : (struct hotpath__doors){ malloc_count_UNSEEN, NEXT(free) };
	case HP_ALLOC_FREED:
		return allocator_has_headers ? freed_doors[way] : any_doors[way];
	case HP_ALLOC_LIVE:
		return live_doors[way];
	default:
		return (struct hotpath__doors){ NEXT(malloc), NEXT(free) };
	}
}

/* The doors for the rehearsal, which do not depend on the next allocator. */
static const struct hotpath__doors *const rehearsals[] = {
	[HP_ALLOC_NONE] = NULL,
	[HP_ALLOC_COUNT] = &count_doors[REHEARSED],
	[HP_ALLOC_FREED] = &freed_doors[REHEARSED],
	[HP_ALLOC_LIVE] = &live_doors[REHEARSED],
};

/* Other threads may allocate meanwhile: they use the old or the new door. */
static void choose_doors(void)
{
	struct hotpath__doors chosen = doors_of(mode);

	store(&doors.malloc, chosen.malloc, RELEASE);
	store(&doors.free, early_exist() ? any_doors[way].free : chosen.free, RELEASE);
}

static void be_sampled(void)
{
	way = SAMPLED;
	choose_doors();
}

/* Choose the doors, with the first block that was allocated. If the environment is not set up yet, the next call
   tries again. */
static void open_doors(void *block)
{
	if (!environ || !block || early_has(block))
		return;
	allocator_learn();
	state_at = hotpath__probe_opens(sizeof(struct thread));
	mode = state_at ? hotpath__alloc_mode(allocator_usable_size) : HP_ALLOC_NONE;
	is_open = true;
	choose_doors();
	hotpath__rehearse_with(rehearsals[mode]);
	if (mode != HP_ALLOC_NONE)
		hotpath__when_sampling(be_sampled, (char *)&inside - hotpath__thread_pointer());
}

bool alloc_is_on(void)
{
	return !is_open || mode != HP_ALLOC_NONE;
}

void alloc_watch(void)
{
	struct thread *me = mode == HP_ALLOC_NONE ? NULL : state();

	if (me)
		store(&me->owner, NULL, RELAXED);
}

DEFINE(void *, malloc, size_t size)
{
	return doors.malloc(size);
}

DEFINE(void, free, void *block)
{
	doors.free(block);
}

/* ---- the rest ---- */

/* If the product overflows, calloc has failed, and the size is not used. */
DEFINE(void *, calloc, size_t count, size_t size)
{
	inside_begin(SP);
	return tell(NEXT(calloc)(count, size), count * size, FROM, SP);
}

/* realloc of an early block, which the next allocator does not know: copy it to a new block. */
static void *move_early(void *block, size_t size, uintptr_t from, uintptr_t sp)
{
	inside_begin(sp);
	void *moved = tell(NEXT(malloc)(size), size, from, sp);
	size_t before = early_size(block);

	if (moved)
		memcpy(moved, block, before < size ? before : size);
	return moved;
}

static void *move(void *block, size_t size, uintptr_t from, uintptr_t sp)
{
	struct moving moving = { .block = (uintptr_t)block, .rounded = rounded(block), .sp = sp };
	void *moved;

	hotpath__move_begin(&moving);
	inside_begin(sp);
	moved = NEXT(realloc)(block, size);
	inside_end();
	hotpath__move_end(&moving, (uintptr_t)moved, size, moved ? rounded(moved) : 0, from);
	return moved;
}

static void *reallocate(void *block, size_t size, uintptr_t from, uintptr_t sp)
{
	if (unlikely(early_has(block)))
		return move_early(block, size, from, sp);
	if (block && mode >= HP_ALLOC_FREED)
		return move(block, size, from, sp);
	inside_begin(sp);
	return tell(NEXT(realloc)(block, size), size, from, sp);
}

DEFINE(void *, realloc, void *block, size_t size)
{
	return reallocate(block, size, FROM, SP);
}

DEFINE(void *, reallocarray, void *block, size_t count, size_t size)
{
	size_t all;

	if (!__builtin_mul_overflow(count, size, &all))
		return reallocate(block, all, FROM, SP);
	errno = ENOMEM;
	return NULL;
}

DEFINE(int, posix_memalign, void **block, size_t alignment, size_t size)
{
	inside_begin(SP);
	int error = NEXT(posix_memalign)(block, alignment, size);
	inside_end();
	if (!error)
		tell(*block, size, FROM, SP);
	return error;
}

DEFINE(void *, aligned_alloc, size_t alignment, size_t size)
{
	inside_begin(SP);
	return tell(NEXT(aligned_alloc)(alignment, size), size, FROM, SP);
}

DEFINE(void *, memalign, size_t alignment, size_t size)
{
	inside_begin(SP);
	return tell(NEXT(memalign)(alignment, size), size, FROM, SP);
}

DEFINE(void *, valloc, size_t size)
{
	inside_begin(SP);
	return tell(NEXT(valloc)(size), size, FROM, SP);
}

DEFINE(void *, pvalloc, size_t size)
{
	inside_begin(SP);
	return tell(NEXT(pvalloc)(size), size, FROM, SP);
}

/* strdup without the C library's, so that the allocation is attributed to the caller of strdup. */
static char *duplicate(const char *string, size_t length, uintptr_t from, uintptr_t sp)
{
	inside_begin(sp);
	char *copy = tell(NEXT(malloc)(length + 1), length + 1, from, sp);
	if (!copy)
		return NULL;
	memcpy(copy, string, length);
	copy[length] = '\0';
	return copy;
}

DEFINE(char *, strdup, const char *string)
{
	return duplicate(string, strlen(string), FROM, SP);
}

DEFINE(char *, strndup, const char *string, size_t most)
{
	return duplicate(string, strnlen(string, most), FROM, SP);
}

/* Choose the doors before there can be several threads. */
__attribute__((constructor(102))) static void program_begins(void)
{
	void *block = is_open ? NULL : NEXT(malloc)(1);

	if (block) {
		open_doors(block);
		NEXT(free)(block);
	}
	if (hotpath__alloc_mode(true) != HP_ALLOC_NONE)
		hotpath__probe_begins();
}
