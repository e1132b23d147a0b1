/* SPDX-License-Identifier: MIT */
/*
 * A segment made by hand, with everything in it that a segment can have.
 *
 * Two lanes; four functions, the second of which is in both lanes; histograms in three octaves, one
 * with counters that passed 2^32; a ring with calls that wait; logged numbers and strings; a call tree in
 * each lane, one of them with calls in progress and one that was cut; allocations of two functions and of
 * none, and two places where blocks were allocated that the other lane freed in part; samples of two functions
 * and of none, and a stack in each lane; threads that have ended, of which two have rows; a channel, a stream,
 * futures, a loop and values, three of them with a log.
 */
#ifndef MADE_SEGMENT_H
#define MADE_SEGMENT_H

#include "segment.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum {
	MADE_SITES = 4,
	MADE_LANES = 2,
	MADE_STATS = 5,
	MADE_NODES = 6,
	MADE_ALLOCS = 4,
	MADE_ORIGINS = 2,
	MADE_HOLDINGS = 4,
	MADE_STACKS = 2,
	/* A channel, a stream, futures and their polls, a loop, an expression, a value and a gauge. */
	MADE_FLOWS = 8,
	MADE_SHARES = MADE_FLOWS - 1,
	MADE_LOGS = 3,
	MADE_QUEUES = 2,
	/* What tests may add, too. */
	MADE_MORE_STACKS = 16,
	/* What tests may add. */
	MADE_MORE_NODES = 600,
	MADE_CALLS = 100,
	MADE_FLUSHED = 70,
	/* Room for functions known by their address, which are not in every segment. */
	MADE_ADDRESSES_SIZE = 65536,
	/* And for what is not in every segment either: names, shares, a stat in each lane, logs, queues. */
	MADE_FLOWS_SIZE = (MADE_FLOWS + 4) * (64 + 128 + 2 * ((int)sizeof(struct hp_stat) + 64)) +
			  (MADE_LOGS + 1) * (int)sizeof(struct hp_log) + 8 * 192,
	/* Header, site table, and per stat: itself, three octaves, values and texts. */
	MADE_SIZE = 4096 + 256 * 64 + 4096 + 2 * 576 + HP_ENDED_MAX * 128 +
		    5 * ((int)sizeof(struct hp_stat) + 896 + 1024 + 8192) +
		    (MADE_NODES + MADE_MORE_NODES) * 64 + MADE_ADDRESSES_SIZE +
		    MADE_ALLOCS * (832 + HP_ALLOC_HISTOGRAMS * 256) +
		    (MADE_ORIGINS + MADE_HOLDINGS) * 64 + (MADE_STACKS + MADE_MORE_STACKS) * 192 +
		    MADE_FLOWS_SIZE,
};

struct made_segment {
	_Alignas(64) unsigned char bytes[MADE_SIZE];
	/* What of it is used. */
	size_t size;
	struct hp_site *sites;
	struct hp_lane *lanes[MADE_LANES];
	struct hp_stat *stats[MADE_STATS];
	struct hp_node *nodes[MADE_NODES];
	struct hp_alloc *allocs[MADE_ALLOCS];
	struct hp_origin *origins[MADE_ORIGINS];
	struct hp_holding *holdings[MADE_HOLDINGS];
	struct hp_stack *stacks[MADE_STACKS];
	/* In the order of the kinds; polls have none. */
	struct hp_shared *shares[MADE_SHARES];
	struct hp_log *logs[MADE_LOGS];
	struct hp_queue *queues[MADE_QUEUES];
};

static inline struct hp_header *made_header(struct made_segment *made)
{
	return (struct hp_header *)(void *)made->bytes;
}

static inline uint64_t made_offset(const struct made_segment *made, const void *at)
{
	return (uint64_t)((const unsigned char *)at - made->bytes);
}

static inline void *made_take(struct made_segment *made, size_t size)
{
	void *taken = made->bytes + made->size;

	made->size += (size + 63) / 64 * 64;
	assert(made->size <= MADE_SIZE);
	return taken;
}

static inline uint64_t made_string(struct made_segment *made, const char *text)
{
	struct hp_string *string = made_take(made, sizeof(*string) + strlen(text) + 1);

	string->length = (uint32_t)strlen(text);
	memcpy(string->bytes, text, string->length);
	return made_offset(made, string);
}

static inline void made_sites(struct made_segment *made)
{
	static const struct {
		enum hp_site_kind kind;
		const char *name;
	} kinds[MADE_SITES] = { { HP_SITE_MAIN, "main" },
				{ HP_SITE_FUNCTION, "work" },
				{ HP_SITE_BLOCK, "a \"block\"" },
				{ HP_SITE_SPAN, "\xc2\xb5-op" } };
	struct hp_site *sites = made_take(made, HP_SITE_CHUNK * sizeof(*sites));

	for (uint32_t i = 0; i < MADE_SITES; i++) {
		sites[i + 1] = (struct hp_site){ .kind = kinds[i].kind, .line = 10 + i };
		sites[i + 1].name = made_string(made, kinds[i].name);
		sites[i + 1].file = i ? made_string(made, "src/work.c") : 0;
	}
	made->sites = sites;
	made_header(made)->sites[0] = made_offset(made, sites);
	made_header(made)->site_count = MADE_SITES;
	made_header(made)->caller = 1;
}

/* The counters of an octave, which are of a size as in hp_octave_counter. */
static inline void *made_octave(struct made_segment *made, uint32_t *octave, unsigned counter)
{
	void *counts = made_take(made, hp_counters_size(counter));

	*octave = hp_octave_make(made_offset(made, counts), counter);
	return counts;
}

/* Of each size. */
static inline void made_counters(struct made_segment *made, struct hp_stat *stat)
{
	uint16_t *small = made_octave(made, &stat->octaves[0], HP_COUNTER_16);
	uint32_t *large = made_octave(made, &stat->octaves[4], HP_COUNTER_32);
	uint64_t *huge = made_octave(made, &stat->octaves[HP_OCTAVES - 1], HP_COUNTER_64);

	small[0] = 20;
	large[1] = 21;
	huge[2] = 22;
}

static inline void made_ring(struct made_segment *made, struct hp_stat *stat)
{
	uint64_t *values = made_take(made, HP_RING * sizeof(uint64_t));
	char *texts = made_take(made, HP_RING * HP_TEXT_SIZE);

	for (unsigned i = 0; i < MADE_CALLS; i++) {
		stat->ring[i % HP_RING].end = 10000 + i;
		stat->ring[i % HP_RING].duration = (100 + i) |
						   (uint64_t)(i % 7) << HP_CALL_VALUE_SHIFT |
						   (i % 3 ? 0 : HP_CALL_NESTED);
		stat->places[i % HP_FLUSH] = i;
		values[i % HP_RING] = i;
		snprintf(texts + (size_t)(i % HP_RING) * HP_TEXT_SIZE, HP_TEXT_SIZE, "text %u", i);
	}
	stat->values = made_offset(made, values);
	stat->texts = made_offset(made, texts);
}

static inline void made_stat(struct made_segment *made, unsigned nth, struct hp_lane *lane,
			     uint32_t site)
{
	struct hp_stat *stat = made_take(made, sizeof(*stat));

	*stat = (struct hp_stat){ .next = lane->stats,
				  .site = site,
				  .depth = 1,
				  .repeats = 1,
				  .calls = MADE_CALLS,
				  .flushed = MADE_FLUSHED,
				  .total = 9000,
				  .nested = 500,
				  .self = 5000,
				  .min = 1,
				  .max = UINT64_C(1) << 47,
				  .open = 1,
				  .open_since = 9000 };
	made_counters(made, stat);
	made_ring(made, stat);
	lane->stats = made_offset(made, stat);
	made->stats[nth] = stat;
}

static inline struct hp_lane *made_lane(struct made_segment *made, unsigned nth)
{
	struct hp_lane *lane = made_take(made, sizeof(*lane));

	*lane = (struct hp_lane){ .next = made_header(made)->lanes,
				  .generation = 1,
				  .tid = 100 + nth,
				  .since = 1000,
				  .name = "thread",
				  .counters = { 1, 2, 3 } };
	made_header(made)->lanes = made_offset(made, lane);
	made_header(made)->lane_count++;
	made->lanes[nth] = lane;
	return lane;
}

/* A node in a lane, below another one or below none; two calls. */
static inline struct hp_node *made_node(struct made_segment *made, struct hp_lane *lane,
					const struct hp_node *parent, uint32_t site, uint64_t total,
					int64_t self)
{
	struct hp_node *node = made_take(made, sizeof(*node));
	const struct hp_node *last = (const void *)(made->bytes + lane->nodes);

	*node = (struct hp_node){ .next = lane->nodes,
				  .number = lane->nodes ? last->number + 1 : 2,
				  .parent = parent ? made_offset(made, parent) : 0,
				  .site = site,
				  .depth = parent ? parent->depth + 1 : 0,
				  .calls = 2,
				  .total = total,
				  .self = (uint64_t)self };
	lane->nodes = made_offset(made, node);
	made_header(made)->used = made->size;
	return node;
}

static inline void made_nodes(struct made_segment *made)
{
	struct hp_node **nodes = made->nodes;

	nodes[0] = made_node(made, made->lanes[0], NULL, 1, 8000, 1000);
	nodes[1] = made_node(made, made->lanes[0], nodes[0], 2, 6000, 4000);
	nodes[2] = made_node(made, made->lanes[0], nodes[1], 3, 2000, 2500);
	nodes[3] = made_node(made, made->lanes[0], nodes[2], 0, 300, 300);
	nodes[4] = made_node(made, made->lanes[1], NULL, 2, 500, -20);
	nodes[5] = made_node(made, made->lanes[1], nodes[4], 4, 400, 400);
}

/* So many blocks of 100 bytes each, half of them freed again; each call of 100 had one or none. */
static inline struct hp_alloc *made_alloc(struct made_segment *made, uint64_t blocks)
{
	struct hp_alloc *alloc = made_take(made, sizeof(*alloc));
	uint64_t bytes = 100 * blocks;

	*alloc = (struct hp_alloc){ .bytes = bytes,
				    .blocks = blocks,
				    .inclusive_bytes = bytes,
				    .inclusive_blocks = blocks,
				    .freed_bytes = bytes / 2,
				    .freed_blocks = blocks / 2,
				    .rounded_bytes = 112 * blocks,
				    .temporary_blocks = blocks / 4 };
	for (unsigned which = 0; which < HP_ALLOC_HISTOGRAMS; which++) {
		unsigned bucket = hp_bucket(which % 2 ? 1 : 100);
		uint32_t *octave = &alloc->octaves[which][bucket / HP_OCTAVE_BUCKETS];
		uint32_t *counts = made_octave(made, octave, HP_COUNTER_32);
		counts[bucket % HP_OCTAVE_BUCKETS] = (uint32_t)blocks;
	}
	made_header(made)->used = made->size;
	return alloc;
}

static inline struct hp_origin *made_origin(struct made_segment *made, uint32_t site, uint32_t call)
{
	struct hp_header *header = made_header(made);
	struct hp_origin *origin = made_take(made, sizeof(*origin));

	*origin = (struct hp_origin){
		.next = header->origins, .id = ++header->origin_count, .site = site, .call = call
	};
	header->origins = made_offset(made, origin);
	header->used = made->size;
	return origin;
}

/* What a lane allocated and freed of an origin, or of no known one, in blocks of 100 bytes. */
static inline struct hp_holding *made_holding(struct made_segment *made, struct hp_lane *lane,
					      const struct hp_origin *origin, uint64_t blocks,
					      uint64_t freed)
{
	struct hp_holding *holding = made_take(made, sizeof(*holding));

	*holding = (struct hp_holding){ .next = lane->holdings,
					.origin = origin ? origin->id : 0,
					.bytes = 100 * blocks,
					.blocks = blocks,
					.freed_bytes = 100 * freed,
					.freed_blocks = freed };
	lane->holdings = made_offset(made, holding);
	made_header(made)->used = made->size;
	return holding;
}

/* 60 blocks by the second function, 20 of them in the second lane; 10 by the third; 8 by none. */
static inline void made_allocations(struct made_segment *made)
{
	static const uint64_t blocks[MADE_ALLOCS] = { 40, 10, 20, 8 };
	struct hp_holding **holdings = made->holdings;

	for (unsigned i = 0; i < MADE_ALLOCS; i++)
		made->allocs[i] = made_alloc(made, blocks[i]);
	made->stats[0]->alloc = made_offset(made, made->allocs[0]);
	made->stats[1]->alloc = made_offset(made, made->allocs[1]);
	made->stats[2]->alloc = made_offset(made, made->allocs[2]);
	made->lanes[1]->outside = made_offset(made, made->allocs[3]);
	made->lanes[0]->bytes = 5000;
	made->lanes[0]->blocks = 50;
	made->lanes[0]->freed_blocks = 20;
	made->lanes[0]->alloc_cost = 21 * 256;
	made->lanes[0]->free_cost = 42 * 256;
	made->lanes[0]->tenants.freed_bytes = 2400;
	made->lanes[0]->tenants.quick_freed_bytes = 100;
	made->lanes[0]->tenants.rounded_bytes = UINT64_C(112) * 2;
	made->lanes[0]->tenants.quick_rounded_bytes = UINT64_C(112) * 48;
	made->lanes[1]->bytes = 2800;
	made->lanes[1]->blocks = 28;
	made->lanes[1]->tenants.freed_bytes = 1400;
	made->lanes[1]->tenants.rounded_bytes = UINT64_C(112) * 28;
	made->origins[0] = made_origin(made, 2, 0);
	made->origins[1] = made_origin(made, 3, 0);
	holdings[0] = made_holding(made, made->lanes[0], made->origins[0], 40, 5);
	holdings[1] = made_holding(made, made->lanes[0], made->origins[1], 10, 0);
	holdings[2] = made_holding(made, made->lanes[1], made->origins[0], 20, 34);
	holdings[3] = made_holding(made, made->lanes[1], NULL, 8, 0);
	made_header(made)->alloc_mode = HP_ALLOC_LIVE;
	made_header(made)->peak_bytes = 6000;
}

static inline void made_segment(struct made_segment *made)
{
	struct hp_header *header = made_header(made);

	*made = (struct made_segment){ .size = HP_HEADER_SIZE };
	*header = (struct hp_header){ .magic = HP_MAGIC,
				      .version_major = HP_VERSION_MAJOR,
				      .version_minor = HP_VERSION_MINOR,
				      .byte_order = HP_BYTE_ORDER,
				      .header_size = HP_HEADER_SIZE,
				      .lane_size = sizeof(struct hp_lane),
				      .stat_size = sizeof(struct hp_stat),
				      .node_size = sizeof(struct hp_node),
				      .state = HP_STATE_RUNNING,
				      .capacity = MADE_SIZE,
				      .pid = 1,
				      .clock = HP_CLOCK_COUNTER,
				      .logs_limit = 50,
				      .ticks_per_second = UINT64_C(1050000000),
				      .start = { 1000, 1000 },
				      .latest = { 20000, 20000 },
				      .start_unix_ns = UINT64_C(1700000000000000000),
				      .span_cost = 1000,
				      .run = "1-1" };
	header->program = made_string(made, "program");
	header->arguments = made_string(made, "-a b");
	header->executable = made_string(made, "/bin/program");
	made_sites(made);
	for (unsigned nth = 0; nth < MADE_LANES; nth++) {
		struct hp_lane *lane = made_lane(made, nth);
		made_stat(made, 2 * nth, lane, 2);
		made_stat(made, 2 * nth + 1, lane, 3 + nth);
		if (nth == 0)
			made_stat(made, MADE_STATS - 1, lane, 1);
	}
	made_nodes(made);
	header->used = made->size;
}

/* Ten threads have ended in the first lane, with times of 5 and 1 microseconds and 100 bytes each. */
static inline struct hp_ended *made_ended(struct made_segment *made)
{
	struct hp_tenants *tenants = &made->lanes[0]->tenants;
	struct hp_ended *rows = made_take(made, HP_ENDED_MAX * sizeof(*rows));

	tenants->ended = 10;
	tenants->ended_user_ns = 50000;
	tenants->ended_system_ns = 10000;
	tenants->ended_bytes = 1000;
	tenants->ended_freed_bytes = 500;
	tenants->ended_rounded_bytes = 1120;
	for (uint32_t i = 0; i < 2; i++)
		rows[i * 7] = (struct hp_ended){ .tid = 50 + i,
						 .name = "gone",
						 .since = 2050,
						 .until = 23050,
						 .before_ns = 1000,
						 .user_ns = 5000,
						 .system_ns = 1000,
						 .bytes = 100,
						 .freed_bytes = 50,
						 .rounded_bytes = 112 };
	made_header(made)->ended = made_offset(made, rows);
	made_header(made)->used = made->size;
	return rows;
}

/* Nine of these ten were called "gone", and have lived for 30 microseconds each. Call made_ended first. */
static inline struct hp_ended *made_ended_names(struct made_segment *made)
{
	struct hp_ended *names = made_take(made, HP_ENDED_NAMES * sizeof(*names));

	names[0] = (struct hp_ended){ .tid = 50,
				      .threads = 9,
				      .name = "gone",
				      .since = 2050,
				      .until = 23050,
				      .before_ns = 9000,
				      .user_ns = 45000,
				      .system_ns = 9000,
				      .bytes = 900,
				      .freed_bytes = 450,
				      .rounded_bytes = 1008,
				      .lived = 9 * 31500 };
	made_header(made)->ended_names = made_offset(made, names);
	made_header(made)->used = made->size;
	return names;
}

/* A call of malloc, by where it returns to. Returns its site. */
static inline uint32_t made_call(struct made_segment *made, const struct hp_module *module,
				 uint64_t address)
{
	uint32_t id = ++made_header(made)->site_count;

	made->sites[id] = (struct hp_site){ .kind = HP_SITE_CALL,
					    .module = made_offset(made, module),
					    .offset = address };
	return id;
}

static inline struct hp_module *made_module(struct made_segment *made, const char *path,
					    const char *selection)
{
	struct hp_header *header = made_header(made);
	struct hp_module *module = made_take(made, sizeof(*module));

	*module = (struct hp_module){ .next = header->modules };
	module->path = made_string(made, path);
	module->selection = selection ? made_string(made, selection) : 0;
	header->modules = made_offset(made, module);
	header->used = made->size;
	return module;
}

/* A stack that was seen in a lane; it ends with a frame of zero. */
static inline struct hp_stack *made_stack(struct made_segment *made, struct hp_lane *lane,
					  uint64_t samples, const uint64_t *frames)
{
	uint32_t depth = 0;

	while (frames[depth])
		depth++;
	struct hp_stack *stack = made_take(made, sizeof(*stack) + depth * sizeof(*frames));
	*stack = (struct hp_stack){
		.next = lane->stacks, .samples = samples, .depth = depth, .end = HP_STACK_BROKEN
	};
	memcpy(stack->frames, frames, depth * sizeof(*frames));
	lane->stacks = made_offset(made, stack);
	lane->stack_count++;
	made_header(made)->used = made->size;
	return stack;
}

static inline void made_stat_samples(struct hp_stat *stat, uint64_t samples, uint64_t inclusive)
{
	stat->samples = samples;
	stat->inclusive_samples = inclusive;
	stat->flow[HP_CALL_ALLOC_SAMPLES] = samples / 10;
}

/* 150 samples: 70 and 30 in the second function, 20 in the third, 10 in the caller alone, 20 in none. */
static inline void made_samples(struct made_segment *made)
{
	struct hp_module *module = made_module(made, "/bin/program", NULL);
	const uint64_t first[] = {
		hp_frame(HP_FRAME_SITE, 0, 3),	    hp_frame(HP_FRAME_CODE, 1, 0x1234),
		hp_frame(HP_FRAME_LINK, 1, 0x2000), hp_frame(HP_FRAME_SITE, 0, 2),
		hp_frame(HP_FRAME_CODE, 1, 0x3000), 0
	};
	const uint64_t second[] = { hp_frame(HP_FRAME_ADDRESS, 0, 0x7f001000),
				    hp_frame(HP_FRAME_CODE, 1, 0x3000), 0 };

	module->id = 1;
	made->stacks[0] = made_stack(made, made->lanes[0], 90, first);
	made->stacks[1] = made_stack(made, made->lanes[1], 40, second);
	made_stat_samples(made->stats[0], 70, 90);
	made_stat_samples(made->stats[1], 20, 20);
	made_stat_samples(made->stats[2], 30, 30);
	made->lanes[0]->samples = 100;
	made->lanes[0]->outside_samples = 10;
	made->lanes[0]->looks = 80;
	made->lanes[1]->samples = 50;
	made->lanes[1]->outside_samples = 20;
	made->lanes[1]->looks = 50;
	made_header(made)->cpu_source = HP_CPU_PERF;
	made_header(made)->cpu_rate = 1000;
	made_header(made)->cpu_period_ns = 1000000;
}

/* The stack of a wait. */
static inline struct hp_stack *made_wait(struct made_segment *made, struct hp_lane *lane,
					 uint64_t samples, const uint64_t *frames)
{
	struct hp_wait_profile *waited = &lane->waited;
	uint64_t stacks = lane->stacks;

	lane->stacks = waited->stacks;
	struct hp_stack *stack = made_stack(made, lane, samples, frames);
	waited->stacks = lane->stacks;
	lane->stacks = stacks;
	lane->stack_count--;
	waited->stack_count++;
	waited->samples += samples;
	waited->period = made_header(made)->ticks_per_second / 10000;
	return stack;
}

/* A function known by its address, with some calls in the first lane. Returns its site. */
static inline uint32_t made_address(struct made_segment *made, const struct hp_module *module,
				    uint64_t address)
{
	struct hp_header *header = made_header(made);
	uint32_t id = ++header->site_count;
	struct hp_stat *stat = made_take(made, sizeof(*stat));

	made->sites[id] = (struct hp_site){ .kind = HP_SITE_ADDRESS,
					    .module = made_offset(made, module),
					    .offset = address };
	*stat = (struct hp_stat){ .next = made->lanes[0]->stats,
				  .site = id,
				  .calls = 10,
				  .flushed = 10,
				  .total = 10500,
				  .self = 2100,
				  .min = 105,
				  .max = 2100 };
	for (unsigned i = 0; i < stat->calls; i++) {
		stat->ring[i].end = 5000 + i;
		stat->ring[i].duration = stat->total / stat->calls;
	}
	made->lanes[0]->stats = made_offset(made, stat);
	header->used = made->size;
	return id;
}

#endif
