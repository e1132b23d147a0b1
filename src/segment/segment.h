/* SPDX-License-Identifier: MIT */
/*
 * The segment: what the recorder writes and the reader reads.
 *
 *	┌────────┐ modules    ┌─────────┐ path                ┌─────────┐
 *	│ header ├───────────►│ modules ├────────────────────►│ strings │
 *	│        │            └────▲────┘                     └────▲────┘
 *	│        │ sites[]    ┌────┴─────────┐ name, file          │
 *	│        ├───────────►│ sites, by id ├─────────────────────┘
 *	│        │            └──────────────┘
 *	│        │ lanes      ┌──────┐ stats  ┌──────┐ octaves[] ┌──────────┐
 *	│        ├───────────►│ lane ├───────►│ stat ├──────────►│ counters │
 *	└────────┘            └┬──┬──┘        │ ring │           └──────────┘
 *	                  next │  │ nodes     └──┬───┘
 *	                       ▼  │              ▼ next
 *	                  lane …  │            stat …
 *	                          └──► node ──► node … next; each knows its parent
 *
 * With allocations, a stat has an *alloc*, and a lane one for what is outside of any function. An *origin* is
 * where blocks are allocated: a call of malloc inside a measured function; a *holding* is what one lane
 * allocated and freed of an origin.
 *
 * With CPU sampling, a lane has *stacks*: what its threads were executing when they were looked at, each
 * different one once, with how often it was seen.
 *
 * Of threads that have ended, the busiest are in a table of their own; all are in the sums of their lanes.
 *
 * Channels, streams, futures, loops and values are sites too, and what threads did with them is in stats. What
 * belongs to no thread is in one *shared* of the site: how many there are, the value of a gauge, a *log* of the
 * newest messages. A *queue* is one channel that is open: how many messages are in it.
 *
 * A *site* is a measured place in the source. A *lane* is what one thread writes to; when the thread
 * ends, the next new thread goes on in its lane, so a million short threads need as many lanes as ran
 * at once. A *stat* is one site as measured in one lane: its figures are the sum over its lanes.
 * A *node* is one site at one place of the call tree, in one lane. A *module* is a file that functions
 * lie in which are known by their address alone.
 *
 * Rules. Everything is zero until written. Offsets count bytes from the header, 0 is "none". Whatever is
 * reachable is complete: it is filled first and its offset stored with RELEASE, and the reader loads
 * the offset with ACQUIRE. Every figure has one writer and is stored RELAXED. Nothing is ever freed or
 * moved. Durations and times are in ticks of the clock in the header.
 *
 * A minor version adds fields in reserved room or at the end of a struct whose size is in the header;
 * a major version may change anything. README.md beside this file says it in prose.
 */
#ifndef HP_SEGMENT_H
#define HP_SEGMENT_H

#include "data_flow.h"
#include "histogram.h"

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#define HP_MAGIC "hotpath"
#define HP_VERSION_MAJOR 1
#define HP_VERSION_MINOR 7
/* Reads differently on a machine of the other byte order. */
#define HP_BYTE_ORDER UINT32_C(0x01020304)
/* No recorder makes a segment that is larger, and no reader believes that one is. */
#define HP_CAPACITY_MAX (UINT64_C(1) << 32)

enum {
	HP_HEADER_SIZE = 4096,
	/* Chunk k of the site table holds HP_SITE_CHUNK << k sites. */
	HP_SITE_CHUNK = 256,
	HP_SITE_CHUNKS = 12,
	HP_SITES_MAX = HP_SITE_CHUNK * ((1 << HP_SITE_CHUNKS) - 1),
	HP_NAME_MAX = 32,
	HP_RUN_MAX = 64,
	/* Recent calls of one stat: twice as many as may wait to be flushed. */
	HP_RING = 128,
	HP_FLUSH = 64,
	/* Bytes of a logged string, with its final NUL; and of one that is kept at greater length, at most. */
	HP_TEXT_SIZE = 64,
	HP_LONG_TEXT_MAX = 2048,
	HP_BUILD_ID_MAX = 32,
	/* Nodes of a lane, and how deep they nest: what does not fit is in nodes of site 0. Deeper ones would
	   be more than some readers of JSON bear. */
	HP_NODES_MAX = 16384,
	HP_NODE_DEPTH_MAX = 80,
	/* Ids of origins, which begin at 1; blocks of those that do not fit have origin 0. */
	HP_ORIGINS_MAX = 65535,
	/* Different stacks of a lane, and frames of a stack: what is further out is cut off. */
	HP_STACKS_MAX = 32768,
	HP_STACK_DEPTH_MAX = 192,
	/* Threads that have ended and are known one by one. */
	HP_ENDED_MAX = 64,
};

enum hp_state {
	/* Being created: not to be read. */
	HP_STATE_NEW = 0,
	/* Recording, or ended without a word: killed, crashed, _exit. */
	HP_STATE_RUNNING = 1,
	/* Stopped; more may be recorded after another start. */
	HP_STATE_STOPPED = 2,
	/* The program left by exit or the end of main. */
	HP_STATE_EXITED = 3,
};

enum hp_clock {
	/* The processor's own counter: cntvct_el0, or an invariant TSC. */
	HP_CLOCK_COUNTER = 1,
	/* clock_gettime(CLOCK_MONOTONIC): a tick is a nanosecond. */
	HP_CLOCK_MONOTONIC = 2,
};

/* What a site is; the first four are enum hotpath_site_kind. */
enum hp_site_kind {
	HP_SITE_FUNCTION = 1,
	HP_SITE_BLOCK = 2,
	HP_SITE_SPAN = 3,
	HP_SITE_MAIN = 4,
	/* The recorder's own, with which it measures its cost: not shown. */
	HP_SITE_CALIBRATION = 5,
	/* A function that the compiler made call us: it has no name here, but a module and an offset. */
	HP_SITE_ADDRESS = 6,
	/* A call of malloc, by where it returns to: a module and an offset. */
	HP_SITE_CALL = 7,
	/* What is told of by its own section. Each has a shared. If a probe found it, its name is that of the kind
	   of object, and the module and offset are of a function of the program: of its callback, or of
	   whoever made it. */
	HP_SITE_CHANNEL = 8,
	HP_SITE_STREAM = 9,
	/* From the beginning of futures to their end; and each time that one was run, which is a call. */
	HP_SITE_FUTURE = 10,
	HP_SITE_POLL = 11,
	/* An expression; a value by its key; a number that goes up and down. */
	HP_SITE_DBG = 12,
	HP_SITE_VAL = 13,
	HP_SITE_GAUGE = 14,
	/* The turns of an event loop: a call is the time from when one had waited until it waits again. */
	HP_SITE_LOOP = 15,
};

/* What is kept of allocations; each includes what is before it. */
enum hp_alloc_mode {
	HP_ALLOC_NONE = 0,
	/* How many, and how many bytes were asked for. */
	HP_ALLOC_COUNT = 1,
	/* And what was freed, in bytes as the allocator rounds them. */
	HP_ALLOC_FREED = 2,
	/* And every block while it is allocated, so that bytes freed are bytes asked for. */
	HP_ALLOC_LIVE = 3,
};

/* What tells a thread that it has computed for a period. */
enum hp_cpu_source {
	HP_CPU_NONE = 0,
	/* The kernel's software clock for performance events; and a CPU timer, for what system calls take. */
	HP_CPU_PERF = 1,
	/* A CPU timer of each thread, which expires at the kernel's own ticks: as often as those at most. */
	HP_CPU_TIMER = 2,
};

/* Why there are no more samples. */
enum hp_cpu_end {
	HP_CPU_GOES_ON = 0,
	/* The program wants the signal for itself. */
	HP_CPU_SIGNAL_TAKEN = 1,
	/* The kernel has neither source for us. */
	HP_CPU_REFUSED = 2,
	/* Another copy of the recorder in the process has the signal, and samples all of it. */
	HP_CPU_ELSEWHERE = 3,
	/* A seccomp filter of the program leaves no room for them. */
	HP_CPU_FILTERED = 4,
};

enum hp_counter {
#define COUNTER(name, sentence) HP_COUNTER_##name,
#include "counters.def"
#undef COUNTER
	HP_COUNTERS,
	/* Room for later ones. */
	HP_COUNTERS_MAX = 32,
};

/* What a call returned, as logged by the program. */
enum hp_value {
	HP_VALUE_NONE = 0,
	HP_VALUE_INT = 1,
	HP_VALUE_UINT = 2,
	HP_VALUE_DOUBLE = 3,
	HP_VALUE_BOOL = 4,
	HP_VALUE_POINTER = 5,
	HP_VALUE_STRING = 6,
};

/** A moment by two clocks, read together. */
struct hp_moment {
	uint64_t ticks;
	uint64_t monotonic_ns;
};

struct hp_header {
	char magic[8];
	uint16_t version_major;
	uint16_t version_minor;
	uint32_t byte_order;
	uint32_t header_size;
	uint32_t lane_size;
	uint32_t stat_size;
	/* An enum hp_state; RELEASE with every change. */
	uint32_t state;

	/* Bytes handed out so far: whatever can be read lies below. RELEASE. */
	uint64_t used;
	/* Bytes that can be handed out at most. */
	uint64_t capacity;

	uint32_t pid;
	uint32_t parent_pid;
	/* Raised whenever recording begins anew at zero. Lanes of another session are of the past. */
	uint32_t session;
	/* The exit status plus one; 0 when it is not known. */
	uint32_t exit_status;

	/* An enum hp_clock. */
	uint32_t clock;
	/* Recent calls of a function that are to be shown. */
	uint32_t logs_limit;
	uint64_t ticks_per_second;
	/* When recording began, and the latest moment that both clocks were read. */
	struct hp_moment start;
	struct hp_moment latest;
	uint64_t start_unix_ns;
	/* When recording stopped; 0 while it goes on. */
	uint64_t end_ticks;
	/* What a measured call costs the program, in 1/256 ticks. It is taken off all durations. */
	uint64_t span_cost;
	/* The newest module. RELEASE. */
	uint64_t modules;
	/* Tells the boots of a machine apart: moments of this one compare with the reader's clocks. */
	uint64_t boot_id[2];

	/* Sites registered so far; RELEASE. Their ids are 1 to this number. */
	uint32_t site_count;
	/* The site that is 100 %; 0 when the whole process is. */
	uint32_t caller;
	uint64_t sites[HP_SITE_CHUNKS];
	/* The newest lane. RELEASE. */
	uint64_t lanes;
	uint32_t lane_count;
	/* 0 when no call tree is kept. */
	uint32_t node_size;

	/* Strings. */
	uint64_t program;
	uint64_t arguments;
	uint64_t executable;

	/* Which `hotpath run` started it; empty when none did. */
	char run[HP_RUN_MAX];
	/* What happened where there was no lane to count it: several writers, atomic adds. */
	uint64_t counters[HP_COUNTERS_MAX];

	/* An enum hp_alloc_mode; the most that was ever on. */
	uint32_t alloc_mode;
	uint32_t origin_count;
	/* The newest origin. RELEASE. */
	uint64_t origins;
	/* What was allocated at once, over all origins; as in an origin. */
	int64_t told_bytes;
	uint64_t peak_bytes;
	/* Of the process, when it said goodbye; 0 when not known. */
	uint64_t rss_bytes;
	uint64_t peak_rss_bytes;

	/* An enum hp_cpu_source; an enum hp_cpu_end; and samples a second of CPU time, as asked for. */
	uint32_t cpu_source;
	uint32_t cpu_end;
	uint32_t cpu_rate;
	/* The signal that comes with each. */
	uint32_t cpu_signal;
	/* CPU time that a sample stands for; 0 when there is no sampling. */
	uint64_t cpu_period_ns;
	/* CPU time that no sample stands for: before sampling began, and what threads had left over when they
	   ended. Several writers, atomic adds. */
	uint64_t cpu_unseen_ns;

	/* HP_ENDED_MAX ended threads, taken when the first ends. RELEASE. */
	uint64_t ended;

	/* The newest shared, and the newest queue. RELEASE. */
	uint64_t shares;
	uint64_t queues;

	/* Bytes of each text that is kept at greater length, with its final NUL; 0 when none is. Since version 1.6. */
	uint32_t long_text_size;
	/* It began as root and is another user now, in whose folder this is. Since version 1.6. */
	uint32_t was_root;
	/* A string: the first word of the command line by now, which programs write their title over. RELEASE. */
	uint64_t title;
	/* When the process was started, to a hundredth of a second; 0 when not known. */
	uint64_t process_unix_ns;

	/* Of the CPU time that no sample stands for: what the process had used before it could be sampled, to be
	   loaded. And of all its CPU time since, what it spent in the kernel; known when it has ended. */
	uint64_t cpu_loading_ns;
	uint64_t cpu_system_ns;
	/* Of rss_bytes, what is ours: this segment, the recorder's own memory, our libraries; 0 when not known. */
	uint64_t own_rss_bytes;
	/* A string: what users say of the run, "k=v,k=v"; 0 for nothing. */
	uint64_t user_metadata;

	/* The writer holds a lock on the file, which the kernel takes back when the process ends; 0 where the file
	   system does not keep it. Since version 1.7, as what follows. */
	uint32_t lock_holds;
	uint32_t reserved0;
	/* The namespaces that `pid` and the moments by CLOCK_MONOTONIC are of, as inode numbers; 0 when not known. */
	uint64_t pid_namespace;
	uint64_t time_namespace;
};

/** A string: its length, its bytes, a NUL. */
struct hp_string {
	uint32_t length;
	char bytes[];
};

struct hp_site {
	/* An enum hp_site_kind. */
	uint32_t kind;
	uint32_t line;
	uint64_t name;
	uint64_t file;
	/* For a function known by its address: the module it lies in, and its address as in that file. */
	uint64_t module;
	uint64_t offset;
	/* Finds a site that is registered again: its hash, and the next one with the same. */
	uint32_t hash;
	uint32_t next;
	/* For a function that measures itself: the site of the call in whose stack frame it was first
	   seen to do so, if that is known by its address. They are one when they have one name. */
	uint32_t twin;
	uint32_t reserved0;
	uint64_t reserved1;
};

/** A file with code: the program, or a library. */
struct hp_module {
	uint64_t next;
	/* Strings. What it was told by `hotpath cc` to select, if anything. */
	uint64_t path;
	uint64_t selection;
	/* From 1 on; 0 for those that frames of stacks cannot name. */
	uint32_t id;
	uint32_t build_id_size;
	uint8_t build_id[HP_BUILD_ID_MAX];
};

/**
 * The threads of a lane: what the one that writes to it has of its own, and the sums of those that have ended.
 * What the lane has in all, less what they have, is the present one's.
 */
struct hp_tenants {
	/* All that was freed in this lane, wherever that was allocated. In HP_ALLOC_FREED, bytes as the allocator
	   rounds them, and in that measure what was allocated. Of malloc and free, most is in the second two, and
	   what counts is the sum: a signal handler that interrupts malloc may use a pool, and must not write
	   where malloc is about to. */
	uint64_t freed_bytes;
	uint64_t rounded_bytes;
	uint64_t quick_freed_bytes;
	uint64_t quick_rounded_bytes;
	/* CPU time of the present thread when it took the lane; and all of it, when the process said goodbye: 0
	   before that. */
	uint64_t before_ns;
	uint64_t user_ns;
	uint64_t system_ns;
	/* Those that have ended. Some may have ended without a word: their times are not known, and not here. */
	uint64_t ended;
	uint64_t ended_user_ns;
	uint64_t ended_system_ns;
	uint64_t ended_bytes;
	uint64_t ended_freed_bytes;
	uint64_t ended_rounded_bytes;
	/* The program has named the present thread: the system's name for it is another. */
	uint64_t is_named;
	/* How long the present thread was ready to run and had no processor, as the times above; and those that
	   have ended. Since version 1.6; 0 before. */
	uint64_t queue_ns;
	uint64_t ended_queue_ns;
};

struct hp_lane {
	uint64_t next;
	/* The newest stat. RELEASE. */
	uint64_t stats;
	/* How many threads have written to this lane, this one included. */
	uint32_t generation;
	/* The thread that writes to it, and since when; 0 when there is none. */
	uint32_t tid;
	uint64_t since;
	/* Which session its figures belong to. RELEASE. */
	uint32_t session;
	/* What the probe in front of malloc costs: for each block, and for each that is freed; 1/256 ticks. Since
	   version 1.6. */
	uint32_t alloc_cost;
	char name[HP_NAME_MAX];
	/* The newest node. RELEASE. */
	uint64_t nodes;
	/* Time that the recorder took beyond what each call costs: to get to know functions. */
	uint64_t slow;
	/* All that was allocated in this lane, as asked for. */
	uint64_t bytes;
	uint64_t blocks;
	/* An alloc: what was allocated outside of any function. */
	uint64_t outside;
	/* The newest holding. RELEASE. */
	uint64_t holdings;
	/* The alloc of whoever allocates now: its bytes and blocks are the lane's less its bases. RELEASE. */
	uint64_t owner;
	uint64_t counters[HP_COUNTERS_MAX];
	/* CPU time of this lane's threads, in samples; and those of them in no measured function. */
	uint64_t samples;
	uint64_t outside_samples;
	/* How often a thread was looked at: a look is worth several samples when it comes late. */
	uint64_t looks;
	/* The newest stack. RELEASE. */
	uint64_t stacks;
	uint32_t stack_count;
	uint32_t free_cost;
	/* Not used since version 1.6. */
	uint64_t reserved2;
	/* Samples inside the allocator and in no measured function, as in a stat. Since version 1.6; 0 before. */
	uint64_t outside_alloc_samples;
	/* Blocks that were freed in this lane, wherever they were allocated; not in HP_ALLOC_COUNT. Since version 1.6. */
	uint64_t freed_blocks;
	/* Since version 1.4. */
	struct hp_tenants tenants;
	/* What measuring its calls has taken, but for those that wait to be flushed: it is taken off the calls around
	   them. Since version 1.6. */
	uint64_t cost;
	/* Of the samples, those in the recorder and its probes, which are in no function and not outside; and of those
	   outside, those in the kernel. */
	uint64_t own_samples;
	uint64_t outside_system_samples;
	uint64_t reserved3[5];
};

/**
 * A thread that has ended, one of those that computed most. It is in the sums of its lane as well, and was there
 * before it was here.
 */
struct hp_ended {
	/* 0 when there is none, or while it is written. RELEASE when it is complete. */
	uint32_t tid;
	uint32_t reserved0;
	char name[HP_NAME_MAX];
	/* When it took its lane, and when it ended. */
	uint64_t since;
	uint64_t until;
	/* Its CPU time at the first of these moments, and at the second. */
	uint64_t before_ns;
	uint64_t user_ns;
	uint64_t system_ns;
	/* What it allocated and freed, as in a lane. */
	uint64_t bytes;
	uint64_t freed_bytes;
	uint64_t rounded_bytes;
	/* As in a lane. */
	uint64_t queue_ns;
	uint64_t reserved1[2];
};

/* Why a figure is not a plain sum: flags of a duration in the ring, above its 48 bits. */
#define HP_CALL_DURATION_BITS 48
#define HP_CALL_DURATION ((UINT64_C(1) << HP_CALL_DURATION_BITS) - 1)
/* An inner call of a recursive function. */
#define HP_CALL_NESTED (UINT64_C(1) << HP_CALL_DURATION_BITS)
/* Inside another call that is in the same node, which has its duration already. */
#define HP_CALL_SAME_NODE (UINT64_C(2) << HP_CALL_DURATION_BITS)
/* What was logged, an enum hp_value, is in the highest four bits. */
#define HP_CALL_VALUE_SHIFT 60

/* The words of a stat whose site is one of calls. Since version 1.6; 0 before. */
enum hp_call_word {
	/* Of its own samples, those in the kernel; and those inside malloc, free and their like, which are known while
	   allocations are recorded. */
	HP_CALL_SYSTEM_SAMPLES = 0,
	HP_CALL_ALLOC_SAMPLES = 1,
	/* How long its threads were ready to run and had no processor, in nanoseconds. */
	HP_CALL_QUEUE_NS = 2,
};

/*
 * A site in a lane. Its newest calls, from `flushed` on, are in the ring alone; from time to time the
 * recorder adds them to the figures and to the histogram, many at once, because that is quicker. Call n
 * is at n modulo HP_RING.
 */
struct hp_stat {
	uint64_t next;
	uint32_t site;
	/* Calls in progress on the lane's own stack. */
	uint32_t depth;

	/* Calls that ended, and how many of them are in the figures that follow. RELEASE. */
	uint64_t calls;
	uint64_t flushed;
	/* Inclusive: of a recursive function, the outermost calls only. */
	uint64_t total;
	/* The inner calls of a recursive function; with the total, the durations of all calls. */
	uint64_t nested;
	/* Exclusive: less the time in measured calls inside. The sum is right; of a single call it may be
	   negative, because the costs that are taken off are averages. */
	uint64_t self;
	uint64_t min;
	uint64_t max;
	/* Calls in progress elsewhere: on other stacks, and operations. Begun less ended: an operation
	   can end in another lane, so one lane's may be negative. */
	int64_t open;
	/* When the outermost call in progress began. */
	uint64_t open_since;

	/* Logged values, and logged strings of HP_TEXT_SIZE bytes: one for each entry of the ring, taken
	   when the first is logged. */
	uint64_t values;
	uint64_t texts;
	/* For each bucket, how often its counter passed 2^32; taken when the first does. */
	uint64_t carries;
	/* Offsets of the octaves' counters, in units of 64 bytes. */
	uint32_t octaves[HP_OCTAVES];
	uint32_t reserved0;
	/* While a recursive function has several calls in progress: the node of the outermost. */
	uint64_t open_node;
	/* An alloc, taken when one of its calls first allocates or frees, or one inside. */
	uint64_t alloc;
	/* Logged strings again, at greater length; 0 when there is none. Since version 1.6. */
	uint64_t long_texts;
	uint64_t reserved1;

	/* The ring: when a call ended; its duration and flags; its time less that of calls inside. */
	uint64_t ends[HP_RING];
	uint64_t durations[HP_RING];
	uint64_t selves[HP_RING];
	/* And its node; 0 when it is not in the call tree. Calls that wait are not in the figures of their
	   node either. */
	uint64_t nodes[HP_RING];

	/* CPU time in samples, exclusive and inclusive. */
	uint64_t samples;
	uint64_t inclusive_samples;
	/* Not used since version 1.6. */
	uint64_t reserved2;
	/* The look of the lane that was the last to count in inclusive_samples. */
	uint64_t last_look;
	/* By the kind of the site; of calls, an enum hp_call_word. Since version 1.5; 0 before. */
	uint64_t flow[4];
};

/**
 * A site as called by its parent's, in a lane. Recursion does not go on for ever: where a function is called
 * by the same one as further up, it is the same node again; so what a function calls of itself directly is in
 * its own. Calls that did not fit into the tree are in a node of site 0 under the last that did.
 */
struct hp_node {
	uint64_t next;
	/* 0: called by nobody who is measured. */
	uint64_t parent;
	uint32_t site;
	uint32_t depth;
	/* Calls that ended. Inclusive time, of the outermost calls; exclusive time, which may be negative. */
	uint64_t calls;
	uint64_t total;
	uint64_t self;
	/* It was called inside itself: what is called from here may be inside each other. */
	uint32_t recursive;
	uint32_t reserved0;
	uint64_t reserved1;
};

/* The histograms of an alloc: how many calls had so many bytes or blocks, in themselves or with calls inside. */
enum hp_alloc_histogram {
	HP_ALLOC_BYTES = 0,
	HP_ALLOC_BLOCKS = 1,
	HP_ALLOC_INCLUSIVE_BYTES = 2,
	HP_ALLOC_INCLUSIVE_BLOCKS = 3,
	HP_ALLOC_HISTOGRAMS = 4,
};

/** What a site in a lane allocated and freed. */
struct hp_alloc {
	/* Exclusive, and as asked for; up to now, so calls in progress are in it. While this is the owner of
	   its lane, what counts is the lane's bytes and blocks less the bases. */
	uint64_t bytes;
	uint64_t blocks;
	/* Inclusive, of calls that ended; of a recursive function, the outermost ones only. */
	uint64_t inclusive_bytes;
	uint64_t inclusive_blocks;
	/* What it freed, wherever that was allocated. In HP_ALLOC_FREED, bytes as the allocator rounds them;
	   and in that measure what it allocated, until version 1.4 gave that to the lane alone. */
	uint64_t freed_bytes;
	uint64_t freed_blocks;
	uint64_t rounded_bytes;
	/* Of its blocks, those that were freed before the call returned that allocated them, or next. */
	uint64_t temporary_blocks;
	/* While the outermost call in progress has allocated, itself or inside: 1, and what the lane had
	   before. What it has now, less that, is inclusive too. */
	uint64_t is_open;
	uint64_t open_bytes;
	uint64_t open_blocks;
	uint64_t base_bytes;
	uint64_t base_blocks;
	/* Inclusive, of the inner calls of a recursive function; with the outermost ones, of all calls. */
	uint64_t nested_bytes;
	uint64_t nested_blocks;
	/* Calls that ended and had any: the others had none. Offsets in units of 64 bytes, as in a stat. */
	uint32_t octaves[HP_ALLOC_HISTOGRAMS][HP_OCTAVES];
};

/** Where blocks are allocated: a call of malloc, inside a measured function. */
struct hp_origin {
	uint64_t next;
	uint32_t id;
	/* The innermost measured function; 0 when there was none. */
	uint32_t site;
	/* The site of the call; 0 when it is not known. */
	uint32_t call;
	/* Finds an origin that is known: the next one with the same hash. */
	uint32_t chain;
	/* Bytes allocated and not freed, as lanes tell from time to time: exact while there is one thread,
	   else each may have HP_UNTOLD_BYTES more or less. Several writers, atomic adds. And the most it
	   was. */
	int64_t told_bytes;
	uint64_t peak_bytes;
	uint64_t reserved1[2];
};

/* What one thread of several does not tell at once. */
#define HP_UNTOLD_BYTES 16384

/** What one lane allocated and freed of an origin; the difference over all lanes is still allocated. */
struct hp_holding {
	uint64_t next;
	/* The id of the origin. */
	uint32_t origin;
	uint32_t reserved0;
	uint64_t bytes;
	uint64_t blocks;
	uint64_t freed_bytes;
	uint64_t freed_blocks;
	/* Of the blocks, those that were temporary. */
	uint64_t temporary_blocks;
	uint64_t reserved1;
};

/*
 * A frame of a stack: its kind in the highest 4 bits, for code the id of its module in the 12 bits below, and
 * an address in the rest.
 */
enum hp_frame_kind {
	/* Code that is in no module, by its address in memory. */
	HP_FRAME_ADDRESS = 0,
	/* Code, by its address as in the file of its module. The first such frame of a stack is what was executed;
	   the others are where calls return to. */
	HP_FRAME_CODE = 1,
	/* The same, from the link register: where the first frame's function returns to, unless it has called
	   another since it began; then it is a place in that function itself, and no frame. On x86-64, from the top of
	   the stack: the same, unless the function has put something there; then it is anything, or no code at all,
	   with module and address 0. */
	HP_FRAME_LINK = 2,
	/* A measured function or block, by the id of its site: it is open in the next frame of code. Around the
	   first frame that cannot be told without knowing functions: if that has a caller by its link, all
	   that stand before the link are open in the caller; if not, in the first frame. */
	HP_FRAME_SITE = 3,
};

#define HP_FRAME_KIND_SHIFT 60
#define HP_FRAME_MODULE_SHIFT 48
#define HP_FRAME_MODULES_MAX 4095
#define HP_FRAME_VALUE ((UINT64_C(1) << HP_FRAME_MODULE_SHIFT) - 1)

static inline uint64_t hp_frame(enum hp_frame_kind kind, uint32_t module, uint64_t value)
{
	return (uint64_t)kind << HP_FRAME_KIND_SHIFT |
	       (uint64_t)(module & HP_FRAME_MODULES_MAX) << HP_FRAME_MODULE_SHIFT |
	       (value & HP_FRAME_VALUE);
}

static inline enum hp_frame_kind hp_frame_kind(uint64_t frame)
{
	return (enum hp_frame_kind)(frame >> HP_FRAME_KIND_SHIFT);
}

static inline uint32_t hp_frame_module(uint64_t frame)
{
	return (uint32_t)(frame >> HP_FRAME_MODULE_SHIFT) & HP_FRAME_MODULES_MAX;
}

static inline uint64_t hp_frame_value(uint64_t frame)
{
	return frame & HP_FRAME_VALUE;
}

/* How the walk along the frame pointers came to its end. */
enum hp_stack_end {
	/* There were no more: the stack is whole. */
	HP_STACK_WHOLE = 0,
	/* Some code on the way keeps no frame pointer. */
	HP_STACK_BROKEN = 1,
	/* It is deeper than HP_STACK_DEPTH_MAX. */
	HP_STACK_DEEP = 2,
	/* Added to these: the time was the kernel's, which the first frame had called, or interrupted it. Since
	   version 1.6. */
	HP_STACK_SYSTEM = 256,
};

/** A stack as it was when a thread was looked at. */
struct hp_stack {
	uint64_t next;
	uint64_t samples;
	/* Finds a stack that is known: its hash, and the next one with the same. */
	uint32_t hash;
	uint32_t chain;
	uint32_t depth;
	/* An enum hp_stack_end. */
	uint32_t end;
	/* The innermost first. */
	uint64_t frames[];
};

/** Where in the site table an id is: the chunk, and the place in it. */
static inline unsigned hp_site_place(uint32_t id, uint32_t *place)
{
	unsigned chunk = 31 - (unsigned)__builtin_clz((id >> 8) + 1);

	*place = id - (uint32_t)HP_SITE_CHUNK * ((UINT32_C(1) << chunk) - 1);
	return chunk;
}

/** The boot id that Linux writes as hexadecimal digits and dashes, as a number. */
static inline void hp_boot_parse(const char *text, uint64_t id[2])
{
	unsigned digits = 0;

	id[0] = id[1] = 0;
	for (; *text && digits < 32; text++) {
		unsigned digit = *text >= 'a' ? (unsigned)(*text - 'a') + 10
					      : (unsigned)(*text - '0');
		if (digit < 16) {
			id[digits / 16] = id[digits / 16] << 4 | digit;
			digits++;
		}
	}
}

static_assert(HP_SITE_CHUNK == 1 << 8, "hp_site_place divides by it");
static_assert(HP_FLUSH * 2 == HP_RING, "calls that wait are not overwritten");
static_assert(HP_COUNTERS <= (int)HP_COUNTERS_MAX, "room for the counters");

#endif
