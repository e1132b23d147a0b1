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
#include "next.h"
#include "operators.h"
#include "probe.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#ifdef HOTPATH_WRAP
#define NAME(function) __wrap_##function
#else
#define NAME(function) function
#endif

#define DEFINE(result, function, ...)                                                              \
	__attribute__((visibility("default"))) result NAME(function)(__VA_ARGS__);                 \
	result NAME(function)(__VA_ARGS__)

#define ALWAYS_INLINE __attribute__((always_inline)) static inline

/* Who calls: where the call returns to, and the stack pointer there. */
#define FROM ((uintptr_t)__builtin_return_address(0))
#define SP ((uintptr_t)__builtin_dwarf_cfa())

__thread struct within within __attribute__((tls_model("initial-exec")));

/* What is kept, as found out by the first allocation, before main. */
static enum hp_alloc_mode mode;
static bool is_open;
/* The state of a thread is so far from its thread pointer. */
static ptrdiff_t state_at;

static inline struct thread *state(void)
{
	return *(struct thread **)(void *)(hotpath__thread_pointer() + state_at);
}

/* An allocator may allocate something itself the first time that it is asked for a size. */
static uint64_t rounded(void *block)
{
	static __thread bool is_asking __attribute__((tls_model("initial-exec")));

	if (mode != HP_ALLOC_FREED || is_asking)
		return 0;
	is_asking = true;
	uint64_t size = next_size(block);
	is_asking = false;
	return size;
}

static void open_doors(void *block);

static void *tell(void *block, size_t size, uintptr_t from, uintptr_t sp)
{
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
	if (mode >= HP_ALLOC_FREED && block && !next_is_early(block))
		hotpath__freed((uintptr_t)block, rounded(block), sp, HEAP_MALLOC);
}

/* ---- malloc and free, for each mode ---- */

__attribute__((noinline)) static void *malloc_told(size_t size, uintptr_t from, uintptr_t sp)
{
	return tell(next.malloc(size), size, from, sp);
}

/* It was counted. */
__attribute__((noinline, cold)) static void *malloc_failed(size_t size)
{
	hotpath__uncount(state(), size);
	return NULL;
}

ALWAYS_INLINE void *allocate_count(size_t size, uintptr_t from, uintptr_t sp)
{
	struct thread *me = state();

	if (unlikely(!hotpath__may_count_at_once(me, sp)))
		return malloc_told(size, from, sp);
	hotpath__count_at_once(me, size);
	void *block = next.malloc(size);
	if (unlikely(!block))
		return malloc_failed(size);
	return block;
}

ALWAYS_INLINE void release_count(void *block, uintptr_t sp)
{
	(void)sp;
	next.free(block);
}

__attribute__((noinline)) static void *round_slowly(void *block)
{
	hotpath__round_at_once(state(), next_size(block));
	return block;
}

/* The next two are for an allocator whose blocks have headers. */
ALWAYS_INLINE void *allocate_freed(size_t size, uintptr_t from, uintptr_t sp)
{
	struct thread *me = state();

	if (unlikely(!hotpath__may_count_at_once(me, sp)))
		return malloc_told(size, from, sp);
	hotpath__count_at_once(me, size);
	void *block = next.malloc(size);
	if (unlikely(!block))
		return malloc_failed(size);
	size_t header = next_header(block);
	if (unlikely(header & NEXT_MAPPED))
		return round_slowly(block);
	hotpath__round_at_once(me, next_size_in(header));
	return block;
}

ALWAYS_INLINE void *allocate_live(size_t size, uintptr_t from, uintptr_t sp)
{
	void *block = next.malloc(size);

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
	if (!next_is_early(block))
		next.free(block);
}

ALWAYS_INLINE void release_freed(void *block, uintptr_t sp)
{
	struct thread *me = state();
	size_t header = likely(block) ? next_header(block) : NEXT_MAPPED;

	if (unlikely(header & NEXT_MAPPED || !hotpath__may_count_at_once(me, sp))) {
		free_told(block, sp);
		return;
	}
	hotpath__free_at_once(me, next_size_in(header));
	next.free(block);
}

ALWAYS_INLINE void release_live(void *block, uintptr_t sp)
{
	if (unlikely(!block || within.block)) {
		free_told(block, sp);
		return;
	}
	hotpath__unfollow((uintptr_t)block, sp);
	next.free(block);
}

ALWAYS_INLINE void *allocate_any(size_t size, uintptr_t from, uintptr_t sp)
{
	return malloc_told(size, from, sp);
}

ALWAYS_INLINE void release_any(void *block, uintptr_t sp)
{
	free_told(block, sp);
}

/* ---- the time they take, of one call in so many, while the CPU is sampled ---- */

static bool is_timed;
static bool by_counter;
/* What it takes to read the clock. */
static uint64_t reading;

static inline uint64_t ticks(void)
{
	return by_counter ? hotpath__counter() : hotpath__probe_ticks();
}

/*
 * When this call began, if its time is to be taken; else 0. Of two calls that follow each other only the second
 * counts: for the first, code must be fetched that is rarely used, which may take longer than the call.
 */
static inline uint64_t begin_time(void)
{
	struct thread *me = is_timed ? state() : NULL;

	return me && ++me->alloc_turn % HP_ALLOC_TIMED >= HP_ALLOC_TIMED - 2 ? ticks() : 0;
}

static inline void end_time(uint64_t since)
{
	uint64_t now = since ? ticks() : 0;

	if (unlikely(since) && state()->alloc_turn % HP_ALLOC_TIMED == HP_ALLOC_TIMED - 1 &&
	    now - since > reading)
		hotpath__alloc_took(now - since - reading);
}

static void learn_reading(void)
{
	enum { ROUNDS = 64 };

	reading = UINT64_MAX;
	for (unsigned i = 0; i < ROUNDS; i++) {
		uint64_t since = ticks(), took = ticks() - since;
		reading = took < reading ? took : reading;
	}
}

/* ---- the doors, and which of them are open ---- */

struct doors {
	void *(*malloc)(size_t size);
	void (*free)(void *block);
};

#define DOORS(mode)                                                                                \
	static void *malloc_##mode(size_t size)                                                    \
	{                                                                                          \
		return allocate_##mode(size, FROM, SP);                                            \
	}                                                                                          \
	static void *malloc_##mode##_timed(size_t size)                                            \
	{                                                                                          \
		uint64_t since = begin_time();                                                     \
		void *block = allocate_##mode(size, FROM, SP);                                     \
		end_time(since);                                                                   \
		return block;                                                                      \
	}                                                                                          \
	static void free_##mode(void *block)                                                       \
	{                                                                                          \
		release_##mode(block, SP);                                                         \
	}                                                                                          \
	static void free_##mode##_timed(void *block)                                               \
	{                                                                                          \
		uint64_t since = begin_time();                                                     \
		release_##mode(block, SP);                                                         \
		end_time(since);                                                                   \
	}                                                                                          \
	static const struct doors mode##_doors[] = {                                               \
		{ malloc_##mode, free_##mode }, { malloc_##mode##_timed, free_##mode##_timed }     \
	}

DOORS(any);
DOORS(count);
DOORS(freed);
DOORS(live);

static struct doors doors = { malloc_any, free_any };

static struct doors doors_of(enum hp_alloc_mode what)
{
	switch (what) {
	case HP_ALLOC_COUNT:
		return is_timed ? count_doors[true] : (struct doors){ malloc_count, next.free };
	case HP_ALLOC_FREED:
		return next_has_headers ? freed_doors[is_timed] : any_doors[is_timed];
	case HP_ALLOC_LIVE:
		return live_doors[is_timed];
	default:
		return (struct doors){ next.malloc, next.free };
	}
}

/* Others may allocate meanwhile: they find one door or the other. */
static void choose_doors(void)
{
	struct doors chosen = doors_of(mode);

	store(&doors.malloc, chosen.malloc, RELEASE);
	store(&doors.free, next_has_early() ? any_doors[is_timed].free : chosen.free, RELEASE);
}

static void take_times(bool counter)
{
	by_counter = counter;
	learn_reading();
	is_timed = true;
	choose_doors();
}

/* With the first block there is. The environment may not be there yet; then the next call takes a look. */
static void open_doors(void *block)
{
	if (!environ || !block || next_is_early(block))
		return;
	next_learn(block);
	state_at = hotpath__probe_opens(sizeof(struct thread));
	mode = state_at ? hotpath__alloc_mode(next.usable_size) : HP_ALLOC_NONE;
	is_open = true;
	choose_doors();
	if (mode != HP_ALLOC_NONE)
		hotpath__when_sampling(take_times);
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

/* What overflows has failed. */
DEFINE(void *, calloc, size_t count, size_t size)
{
	uint64_t since = begin_time();
	void *block = tell(next.calloc(count, size), count * size, FROM, SP);

	end_time(since);
	return block;
}

/* The next allocator knows nothing of it. */
static void *move_early(void *block, size_t size, uintptr_t from, uintptr_t sp)
{
	void *moved = tell(next.malloc(size), size, from, sp);
	size_t before = next_early_size(block);

	if (moved)
		memcpy(moved, block, before < size ? before : size);
	return moved;
}

static void *move(void *block, size_t size, uintptr_t from, uintptr_t sp)
{
	struct moving moving = { .block = (uintptr_t)block, .rounded = rounded(block), .sp = sp };
	void *moved;

	hotpath__move_begin(&moving);
	moved = next.realloc(block, size);
	hotpath__move_end(&moving, (uintptr_t)moved, size, moved ? rounded(moved) : 0, from);
	return moved;
}

static void *move_any(void *block, size_t size, uintptr_t from, uintptr_t sp)
{
	if (unlikely(next_is_early(block)))
		return move_early(block, size, from, sp);
	if (!block || mode < HP_ALLOC_FREED)
		return tell(next.realloc(block, size), size, from, sp);
	return move(block, size, from, sp);
}

static void *reallocate(void *block, size_t size, uintptr_t from, uintptr_t sp)
{
	uint64_t since = begin_time();
	void *moved = move_any(block, size, from, sp);

	end_time(since);
	return moved;
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
	int error = next.posix_memalign(block, alignment, size);

	if (!error)
		tell(*block, size, FROM, SP);
	return error;
}

DEFINE(void *, aligned_alloc, size_t alignment, size_t size)
{
	return tell(next.aligned_alloc(alignment, size), size, FROM, SP);
}

DEFINE(void *, memalign, size_t alignment, size_t size)
{
	return tell(next.memalign(alignment, size), size, FROM, SP);
}

DEFINE(void *, valloc, size_t size)
{
	return tell(next.valloc(size), size, FROM, SP);
}

DEFINE(void *, pvalloc, size_t size)
{
	return tell(next.pvalloc(size), size, FROM, SP);
}

/* Not by the C library's own, so that whoever calls it is whoever allocates. */
static char *duplicate(const char *string, size_t length, uintptr_t from, uintptr_t sp)
{
	char *copy = tell(next.malloc(length + 1), length + 1, from, sp);

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

/* If nothing was allocated yet, threads may be the first to, and several at once. */
__attribute__((constructor(102))) static void program_begins(void)
{
	void *block = is_open ? NULL : next.malloc(1);

	if (block) {
		open_doors(block);
		next.free(block);
	}
	if (hotpath__alloc_mode(true) != HP_ALLOC_NONE)
		hotpath__probe_begins();
}
