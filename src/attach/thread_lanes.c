/* SPDX-License-Identifier: MIT */
/* The threads of a process that is attached to, and their lanes in the segment. */
#include "thread_lanes.h"

#include "arithmetic.h"
#include "array.h"
#include "atomic.h"

#include <stdlib.h>
#include <string.h>

enum {
	/* Size of the hash table of a lane's stacks. */
	BUCKETS = 1024,
};

struct hp_thread_lane {
	struct hp_lane *lane;
	/* The first stack of each bucket, as an offset in units of 64 bytes. */
	uint32_t *buckets;
	/* The present thread; 0 when there is none. The rest is about it. */
	uint32_t tid;
	/* Whose event its samples come from; 0 before the first. */
	uint32_t event;
	bool was_seen;
	/* Its times when we attached. They are known, or 0 because it began later. */
	bool has_before;
	uint64_t user_before_ns;
	uint64_t system_before_ns;
	uint64_t queue_before_ns;
	uint64_t user_samples;
	uint64_t system_samples;
};

/* ---- lanes ---- */

static struct hp_thread_lane *find(struct hp_thread_lanes *lanes, uint32_t tid)
{
	uint32_t *hint = &lanes->hints[tid % (sizeof(lanes->hints) / sizeof(*lanes->hints))];

	if (*hint < lanes->count && lanes->items[*hint].tid == tid)
		return &lanes->items[*hint];
	for (size_t i = 0; i < lanes->count; i++)
		if (lanes->items[i].tid == tid) {
			*hint = (uint32_t)i;
			return &lanes->items[i];
		}
	return NULL;
}

static struct hp_thread_lane *add_lane(struct hp_thread_lanes *lanes)
{
	struct hp_header *header = hp_segment_writer_header(lanes->writer);
	struct hp_thread_lane added = { .buckets = NULL };

	if (!hp_array_reserve(&lanes->items, lanes->count, &lanes->room, sizeof(added)))
		return NULL;
	added.buckets = calloc(BUCKETS, sizeof(*added.buckets));
	uint64_t at = added.buckets ? hp_segment_writer_take(lanes->writer, sizeof(struct hp_lane))
				    : 0;
	if (!at) {
		free(added.buckets);
		return NULL;
	}
	added.lane = hp_segment_writer_at(lanes->writer, at);
	added.lane->session = header->session;
	added.lane->next = header->lanes;
	lanes->items[lanes->count] = added;
	/* Pairs with the reader's ACQUIRE. */
	store(&header->lanes, at, RELEASE);
	store(&header->lane_count, header->lane_count + 1, RELAXED);
	return &lanes->items[lanes->count++];
}

/* The last byte is never written, so a name ends with a NUL also while it changes. */
static void set_name(struct hp_lane *lane, const char *name)
{
	for (unsigned i = 0; i < HP_NAME_MAX - 1; i++) {
		store(&lane->name[i], *name, RELAXED);
		name += *name ? 1 : 0;
	}
}

static struct hp_thread_lane *begin(struct hp_thread_lanes *lanes, uint32_t tid, uint64_t now_ns)
{
	struct hp_thread_lane *mine = find(lanes, 0);

	if (!mine)
		mine = add_lane(lanes);
	if (!mine)
		return NULL;
	struct hp_lane *lane = mine->lane;
	*mine = (struct hp_thread_lane){ .lane = lane, .buckets = mine->buckets, .tid = tid };
	mine->was_seen = true;
	store(&lane->tenants.user_ns, 0, RELAXED);
	store(&lane->tenants.system_ns, 0, RELAXED);
	store(&lane->tenants.queue_ns, 0, RELAXED);
	store(&lane->generation, lane->generation + 1, RELAXED);
	store(&lane->since, now_ns, RELAXED);
	store(&lane->tid, tid, RELAXED);
	return mine;
}

void hp_lanes_begin(struct hp_thread_lanes *lanes, uint32_t tid, uint32_t parent, uint64_t now_ns)
{
	if (!tid || find(lanes, tid))
		return;
	struct hp_thread_lane *mine = begin(lanes, tid, now_ns);
	/* Only now: a new lane may have moved the list. */
	const struct hp_thread_lane *from = parent ? find(lanes, parent) : NULL;
	if (mine) {
		mine->has_before = true;
		set_name(mine->lane, from ? from->lane->name : "");
	}
}

void hp_lanes_name(struct hp_thread_lanes *lanes, uint32_t tid, const char *name)
{
	const struct hp_thread_lane *mine = tid ? find(lanes, tid) : NULL;

	if (mine)
		set_name(mine->lane, name);
}

/* ---- stacks ---- */

static uint32_t hash_of(const struct hp_sampled_stack *stack)
{
	uint64_t hash = stack->depth + stack->end;

	for (uint32_t i = 0; i < stack->depth; i++)
		hash = (hash ^ stack->frames[i]) * UINT64_C(0x9e3779b97f4a7c15) ^ hash >> 29;
	return (uint32_t)(hash >> 32);
}

static bool is_same(const struct hp_stack *stored, const struct hp_sampled_stack *stack,
		    uint32_t hash)
{
	return stored->hash == hash && stored->depth == stack->depth && stored->end == stack->end &&
	       memcmp(stored->frames, stack->frames, stack->depth * sizeof(*stack->frames)) == 0;
}

static struct hp_stack *stack_at(const struct hp_thread_lanes *lanes, uint32_t place)
{
	return hp_segment_writer_at(lanes->writer, (uint64_t)place * 64);
}

static struct hp_stack *add_stack(const struct hp_thread_lanes *lanes,
				  const struct hp_thread_lane *mine,
				  const struct hp_sampled_stack *stack, uint32_t hash)
{
	uint64_t frames = stack->depth * sizeof(*stack->frames);
	struct hp_lane *lane = mine->lane;
	uint64_t at = lane->stack_count < HP_STACKS_MAX
			      ? hp_segment_writer_take(lanes->writer,
						       sizeof(struct hp_stack) + frames)
			      : 0;

	if (!at)
		return NULL;
	struct hp_stack *added = hp_segment_writer_at(lanes->writer, at);
	added->hash = hash;
	added->depth = stack->depth;
	added->end = stack->end;
	memcpy(added->frames, stack->frames, frames);
	added->next = lane->stacks;
	added->chain = mine->buckets[hash % BUCKETS];
	mine->buckets[hash % BUCKETS] = (uint32_t)(at / 64);
	/* Pairs with the reader's ACQUIRE. */
	store(&lane->stacks, at, RELEASE);
	store(&lane->stack_count, lane->stack_count + 1, RELAXED);
	return added;
}

static bool count_stack(const struct hp_thread_lanes *lanes, const struct hp_thread_lane *mine,
			const struct hp_sampled_stack *stack)
{
	uint32_t hash = hash_of(stack), place = mine->buckets[hash % BUCKETS];

	while (place && !is_same(stack_at(lanes, place), stack, hash))
		place = stack_at(lanes, place)->chain;
	struct hp_stack *stored = place ? stack_at(lanes, place)
					: add_stack(lanes, mine, stack, hash);
	if (stored)
		add(&stored->samples, 1);
	return stored;
}

void hp_lanes_sample(struct hp_thread_lanes *lanes, uint32_t tid, uint32_t event,
		     const struct hp_sampled_stack *stack, uint64_t now_ns)
{
	struct hp_thread_lane *mine = tid ? find(lanes, tid) : NULL;
	bool system = stack->end & HP_STACK_SYSTEM;

	if (!mine && tid)
		mine = begin(lanes, tid, now_ns);
	if (!mine || (mine->event && mine->event != event))
		return;
	mine->event = event;
	mine->user_samples += !system;
	mine->system_samples += system;
	lanes->samples++;
	add(&mine->lane->looks, 1);
	add(&mine->lane->samples, 1);
	add(&mine->lane->outside_samples, 1);
	add(&mine->lane->outside_system_samples, system);
	if (stack->depth && !count_stack(lanes, mine, stack))
		add(&mine->lane->counters[HP_COUNTER_stacks], 1);
}

/* ---- times ---- */

void hp_lanes_see(struct hp_thread_lanes *lanes, const struct hp_task_stat *task, uint64_t now_ns)
{
	struct hp_thread_lane *mine = find(lanes, task->tid);

	if (!mine)
		mine = begin(lanes, task->tid, now_ns);
	if (!mine)
		return;
	if (!mine->has_before) {
		mine->has_before = true;
		mine->user_before_ns = task->user_ns;
		mine->system_before_ns = task->system_ns;
		mine->queue_before_ns = task->queue_ns;
	}
	mine->was_seen = true;
	struct hp_tenants *tenants = &mine->lane->tenants;
	set_name(mine->lane, task->name);
	store(&tenants->user_ns, hp_minus(task->user_ns, mine->user_before_ns), RELAXED);
	store(&tenants->system_ns, hp_minus(task->system_ns, mine->system_before_ns), RELAXED);
	store(&tenants->queue_ns, hp_minus(task->queue_ns, mine->queue_before_ns), RELAXED);
}

/* A thread that the kernel tells no more of has used what it had when /proc was last read, or its samples, if they are more. */
static void take_samples(const struct hp_thread_lanes *lanes, const struct hp_thread_lane *mine)
{
	struct hp_tenants *tenants = &mine->lane->tenants;
	uint64_t user = mine->user_samples * lanes->period_ns;
	uint64_t system = mine->system_samples * lanes->period_ns;

	store(&tenants->user_ns, hp_max(tenants->user_ns, user), RELAXED);
	store(&tenants->system_ns, hp_max(tenants->system_ns, system), RELAXED);
}

void hp_lanes_leave(struct hp_thread_lanes *lanes)
{
	for (size_t i = 0; i < lanes->count; i++)
		if (lanes->items[i].tid)
			take_samples(lanes, &lanes->items[i]);
}

/* ---- rows of ended threads ---- */

/* A table at an offset that the header has; it is allocated if there is none yet. NULL when there is no room. */
static struct hp_ended *table(const struct hp_thread_lanes *lanes, uint64_t *offset, unsigned rows)
{
	uint64_t size = rows * sizeof(struct hp_ended);

	/* Pairs with the reader's ACQUIRE: the table is zero. */
	if (!*offset)
		store(offset, hp_segment_writer_take(lanes->writer, size), RELEASE);
	return *offset ? hp_segment_writer_at(lanes->writer, *offset) : NULL;
}

/* Threads that used most CPU time are kept; and the first thread in any case, since it is the program's. */
static uint64_t worth_of(const struct hp_thread_lanes *lanes, const struct hp_ended *row)
{
	return row->tid == hp_segment_writer_header(lanes->writer)->pid
		       ? UINT64_MAX
		       : row->user_ns + row->system_ns;
}

/* A free row, or the one that is worth least; NULL if that is worth as much as the new thread. */
static struct hp_ended *place_for(const struct hp_thread_lanes *lanes, const struct hp_ended *ended)
{
	struct hp_header *header = hp_segment_writer_header(lanes->writer);
	struct hp_ended *rows = table(lanes, &header->ended, HP_ENDED_MAX), *least = rows;

	for (unsigned i = 0; rows && i < HP_ENDED_MAX; i++) {
		if (!rows[i].tid)
			return &rows[i];
		if (worth_of(lanes, &rows[i]) < worth_of(lanes, least))
			least = &rows[i];
	}
	return least && worth_of(lanes, ended) > worth_of(lanes, least) ? least : NULL;
}

static void set_ended_name(struct hp_ended *row, const struct hp_ended *ended)
{
	for (unsigned i = 0; i < HP_NAME_MAX; i++)
		store(&row->name[i], ended->name[i], RELAXED);
}

static void put_row(const struct hp_thread_lanes *lanes, const struct hp_ended *ended)
{
	struct hp_ended *row = worth_of(lanes, ended) ? place_for(lanes, ended) : NULL;

	if (!row)
		return;
	/* tid is 0 while the row is written. */
	store(&row->tid, 0, RELEASE);
	set_ended_name(row, ended);
	store(&row->since, ended->since, RELAXED);
	store(&row->until, ended->until, RELAXED);
	store(&row->user_ns, ended->user_ns, RELAXED);
	store(&row->system_ns, ended->system_ns, RELAXED);
	store(&row->queue_ns, ended->queue_ns, RELAXED);
	/* Pairs with the reader's ACQUIRE: the row is complete. */
	store(&row->tid, ended->tid, RELEASE);
}

/* ---- sums of a name ---- */

/* The row of a thread's name; else a free one, which becomes that. NULL when there are too many names. */
static struct hp_ended *name_of(const struct hp_thread_lanes *lanes, const struct hp_ended *ended)
{
	struct hp_header *header = hp_segment_writer_header(lanes->writer);
	struct hp_ended *rows = table(lanes, &header->ended_names, HP_ENDED_NAMES);

	for (unsigned i = 0; rows && i < HP_ENDED_NAMES; i++) {
		if (rows[i].tid && memcmp(rows[i].name, ended->name, HP_NAME_MAX) != 0)
			continue;
		if (rows[i].tid)
			return &rows[i];
		set_ended_name(&rows[i], ended);
		store(&rows[i].since, ended->since, RELAXED);
		/* Pairs with the reader's ACQUIRE: the sums are zero. */
		store(&rows[i].tid, ended->tid, RELEASE);
		return &rows[i];
	}
	return NULL;
}

static void add_to_name(const struct hp_thread_lanes *lanes, const struct hp_ended *ended)
{
	struct hp_ended *row = name_of(lanes, ended);

	if (!row)
		return;
	store(&row->threads, row->threads + 1, RELAXED);
	store(&row->until, ended->until, RELAXED);
	add(&row->user_ns, ended->user_ns);
	add(&row->system_ns, ended->system_ns);
	add(&row->queue_ns, ended->queue_ns);
	add(&row->lived, hp_minus(ended->until, ended->since));
}

/* ---- ends ---- */

/* A thread leaves its lane first, then it is added to the sums, then to the table: so it is never there twice. */
static void retire(const struct hp_thread_lanes *lanes, struct hp_thread_lane *mine,
		   uint64_t now_ns)
{
	struct hp_lane *lane = mine->lane;
	struct hp_tenants *tenants = &lane->tenants;
	struct hp_ended ended = { .tid = mine->tid, .since = lane->since, .until = now_ns };

	take_samples(lanes, mine);
	ended.user_ns = tenants->user_ns;
	ended.system_ns = tenants->system_ns;
	ended.queue_ns = tenants->queue_ns;
	memcpy(ended.name, lane->name, sizeof(ended.name));
	store(&lane->tid, 0, RELAXED);
	mine->tid = 0;
	add(&tenants->ended, 1);
	add(&tenants->ended_user_ns, ended.user_ns);
	add(&tenants->ended_system_ns, ended.system_ns);
	add(&tenants->ended_queue_ns, ended.queue_ns);
	add_to_name(lanes, &ended);
	put_row(lanes, &ended);
}

void hp_lanes_end(struct hp_thread_lanes *lanes, uint32_t tid, uint64_t now_ns)
{
	struct hp_thread_lane *mine = tid ? find(lanes, tid) : NULL;

	if (mine)
		retire(lanes, mine, now_ns);
}

void hp_lanes_end_unseen(struct hp_thread_lanes *lanes, uint64_t now_ns)
{
	for (size_t i = 0; i < lanes->count; i++) {
		struct hp_thread_lane *mine = &lanes->items[i];
		if (mine->tid && !mine->was_seen)
			retire(lanes, mine, now_ns);
		mine->was_seen = false;
	}
}

void hp_lanes_free(struct hp_thread_lanes *lanes)
{
	for (size_t i = 0; i < lanes->count; i++)
		free(lanes->items[i].buckets);
	free(lanes->items);
	*lanes = (struct hp_thread_lanes){ .writer = lanes->writer };
}
