/* SPDX-License-Identifier: MIT */
/*
 * The segment: the file that the recorder writes and the reader reads.
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
 * A *site* is a measured place in the source. A *lane* is what one thread writes to; when the thread
 * ends, the next new thread goes on in its lane, so a million short threads need as many lanes as ran
 * at once. A *stat* is one site as measured in one lane: the figures of a site are sums over its stats.
 * A *node* is one site at one place of the call tree, in one lane. A *module* is a file with code, the
 * program or a library; a function that is known by its address alone refers to one.
 *
 * If allocations are recorded, a stat has an *alloc*: what the site allocated and freed in this lane. The lane
 * has one more, for allocations outside of any measured function. An *origin* is a place that allocates: one
 * call of malloc with its callers, inside one measured function. A *holding* is what one lane allocated and freed of one origin.
 *
 * If the CPU is sampled, a lane has *stacks*: each distinct call stack that samples found, stored once, with its
 * number of samples.
 *
 * Threads that have ended are summed up in their lanes; the busiest also have a row each in a table.
 *
 * Channels, streams, futures, loops and values are sites too, and what a thread did with one is in its stat. What
 * belongs to no single thread is in the *shared* of the site: how many instances there are, the value of a gauge, a
 * *log* of the newest messages. A *queue* counts the messages in one open channel.
 *
 * Rules. Everything is zero until written. Offsets count bytes from the header, 0 is "none". Whatever is
 * reachable is complete: it is filled first and its offset stored with RELEASE, and the reader loads
 * the offset with ACQUIRE. Every figure has one writer and is stored RELAXED. Nothing is ever freed or
 * moved. Durations and times are in ticks of the clock in the header.
 *
 * A minor version adds fields in reserved room or at the end of a struct whose size is in the header;
 * a major version may change anything. README.md beside this file describes the format in prose.
 */
#ifndef HP_SEGMENT_H
#define HP_SEGMENT_H

#include "call_stats.h"
#include "data_flow.h"
#include "histogram.h"
#include "waiting.h"

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#define HP_MAGIC "hotpath"
#define HP_VERSION_MAJOR 3
#define HP_VERSION_MINOR 0
/* Written as a number: a machine of the other byte order reads another value. */
#define HP_BYTE_ORDER UINT32_C(0x01020304)
/* The upper limit of a segment's size, in bytes: recorders stay below it, and readers refuse a larger one. */
#define HP_CAPACITY_MAX (UINT64_C(1) << 32)

enum {
	HP_HEADER_SIZE = 4096,
	/* Chunk k of the site table holds HP_SITE_CHUNK << k sites. */
	HP_SITE_CHUNK = 256,
	HP_SITE_CHUNKS = 12,
	HP_SITES_MAX = HP_SITE_CHUNK * ((1 << HP_SITE_CHUNKS) - 1),
	HP_NAME_MAX = 32,
	HP_RUN_MAX = 64,
	/* Size of a logged string in bytes, with its final NUL; and the upper limit for strings that are kept at
	   greater length. */
	HP_TEXT_SIZE = 64,
	HP_LONG_TEXT_MAX = 2048,
	HP_BUILD_ID_MAX = 32,
	/* The highest id of an origin; ids begin at 1. When they are used up, blocks get origin 0. */
	HP_ORIGINS_MAX = 65535,
	/* Frames of the stack of an origin. Of a deeper stack the outermost frames are left out. */
	HP_ORIGIN_DEPTH_MAX = 32,
	/* Limits: distinct stacks of a lane, and frames of a stack. Of a deeper stack the outermost frames are
	   left out. */
	HP_STACKS_MAX = 32768,
	HP_STACK_DEPTH_MAX = 192,
	/* Rows of the table of ended threads, and of the table of their names. */
	HP_ENDED_MAX = 64,
	HP_ENDED_NAMES = 32,
};

enum hp_state {
	/* Being created; readers must not look at the rest yet. */
	HP_STATE_NEW = 0,
	/* Recording; or the process is gone and could not change this: it was killed, crashed, or called _exit. */
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

/* The kind of a site. The first four are those of enum hotpath_site_kind. */
enum hp_site_kind {
	HP_SITE_FUNCTION = 1,
	HP_SITE_BLOCK = 2,
	HP_SITE_SPAN = 3,
	HP_SITE_MAIN = 4,
	/* The recorder's own site, with which it measures its cost; not shown in reports. */
	HP_SITE_CALIBRATION = 5,
	/* A function instrumented by the compiler: it has a module and an offset here, and no name. */
	HP_SITE_ADDRESS = 6,
	/* A call of malloc, known by its return address: a module and an offset. */
	HP_SITE_CALL = 7,
	/* The kinds from here on have sections of their own in the report, and all but HP_SITE_POLL have a shared.
	   If a probe found the object, the site's name is the type of the object ("GAsyncQueue"), and its module
	   and offset are those of a function of the program: the callback, or the one that created the object. */
	HP_SITE_CHANNEL = 8,
	HP_SITE_STREAM = 9,
	/* FUTURE covers futures from creation to end. POLL covers their polls, which are calls like any other. */
	HP_SITE_FUTURE = 10,
	HP_SITE_POLL = 11,
	/* DBG is an expression, VAL a value known by its key, GAUGE a number that goes up and down. */
	HP_SITE_DBG = 12,
	HP_SITE_VAL = 13,
	HP_SITE_GAUGE = 14,
	/* An event loop. A call is one turn of it: the time from the end of one wait to the beginning of the next. */
	HP_SITE_LOOP = 15,
	/* Locks, by the way they are held. A static lock has the module and address of its variable; another one those
	   of the call that initialised it, or locked it first. Neither has a name, unless the program gave it one. */
	HP_SITE_MUTEX = 16,
	HP_SITE_READ_LOCK = 17,
	HP_SITE_WRITE_LOCK = 18,
	HP_SITE_SPIN_LOCK = 19,
	/* A lock of the program's own make. */
	HP_SITE_OWN_LOCK = 20,
	/* A function that waits for a lock. The name is the ids of three sites in decimal, separated by blanks: the
	   function that waits, the one that holds the lock (0 if it is not known, HP_HELD_BY_READERS if there may be
	   several), and the lock. */
	HP_SITE_LOCK_WAIT = 21,
	/* A function that waits for something but a lock, by reason and target. The name is three numbers in decimal: an
	   enum hp_reason, the id of the function's site, and that of the target's, 0 for none. */
	HP_SITE_WAIT = 22,
	/* A function that reads or writes. The name is three numbers: an enum hp_operation, and the same two ids. */
	HP_SITE_IO = 23,
	/* A target of waits, or of reads and writes: a condition variable, known like a lock; a file by its path, a peer by
	   its address. `line` of a file or peer is its medium: HP_REASON_DISK, HP_REASON_NETWORK or HP_REASON_PIPE. It has no
	   rows of its own. */
	HP_SITE_TARGET = 24,
};

/* No site has this id: the lock is held by readers. */
#define HP_HELD_BY_READERS UINT32_MAX

/* How much of allocations is recorded. Each mode includes those before it. */
enum hp_alloc_mode {
	HP_ALLOC_NONE = 0,
	/* The number of blocks, and the bytes that were asked for. */
	HP_ALLOC_COUNT = 1,
	/* Freed blocks, too, in bytes as the allocator rounds them up. */
	HP_ALLOC_FREED = 2,
	/* Every block that is allocated at the moment, too; so freed bytes are counted as asked for, not as
	   rounded. */
	HP_ALLOC_LIVE = 3,
};

/* The source of the signal that samples a thread after each period of CPU time. */
enum hp_cpu_source {
	HP_CPU_NONE = 0,
	/* A perf event of the kernel's task clock; beside it a CPU timer, for the time in system calls. */
	HP_CPU_PERF = 1,
	/* A CPU timer for each thread. It expires on the kernel's ticks, so it cannot come more often than those. */
	HP_CPU_TIMER = 2,
};

/* Why sampling has ended. */
enum hp_cpu_end {
	HP_CPU_GOES_ON = 0,
	/* The program wants the signal for itself. */
	HP_CPU_SIGNAL_TAKEN = 1,
	/* The kernel refuses both perf events and timers. */
	HP_CPU_REFUSED = 2,
	/* Another copy of the recorder in this process uses the signal, and samples the whole process. */
	HP_CPU_ELSEWHERE = 3,
	/* A seccomp filter of the program does not allow the system calls that sampling needs. */
	HP_CPU_FILTERED = 4,
};

enum hp_counter {
#define COUNTER(name, sentence) HP_COUNTER_##name,
#include "counters.def"
#undef COUNTER
	HP_COUNTERS,
	/* The size of the array, which has room for later counters. */
	HP_COUNTERS_MAX = 32,
};

/* The type of a value that the program logged. */
enum hp_value {
	HP_VALUE_NONE = 0,
	HP_VALUE_INT = 1,
	HP_VALUE_UINT = 2,
	HP_VALUE_DOUBLE = 3,
	HP_VALUE_BOOL = 4,
	HP_VALUE_POINTER = 5,
	HP_VALUE_STRING = 6,
};

/** Kinds of resident memory. */
enum hp_resident {
	/* Memory of malloc and the C library: blocks, and what the allocator holds free. */
	HP_RESIDENT_HEAP = 0,
	/* Anonymous memory that the program has mapped itself; and files that it has mapped. */
	HP_RESIDENT_MAPPED = 1,
	HP_RESIDENT_FILES = 2,
	/* Code and data of the program and its libraries. */
	HP_RESIDENT_CODE = 3,
	HP_RESIDENT_STACKS = 4,
	HP_RESIDENT_OWN = 5,
	HP_RESIDENT_KINDS = 6,
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

	/* Bytes allocated in the segment so far: everything that can be read lies below this offset. RELEASE. */
	uint64_t used;
	/* The most that the segment can grow to, in bytes. */
	uint64_t capacity;

	uint32_t pid;
	uint32_t parent_pid;
	/* Incremented whenever recording starts again from zero. A lane with another number holds figures of an
	   earlier session. */
	uint32_t session;
	/* The exit status plus one; 0 when it is not known. */
	uint32_t exit_status;

	/* An enum hp_clock. */
	uint32_t clock;
	/* The number of recent calls of a function that reports show. */
	uint32_t logs_limit;
	uint64_t ticks_per_second;
	/* When recording began, and when both clocks were last read. */
	struct hp_moment start;
	struct hp_moment latest;
	uint64_t start_unix_ns;
	/* When recording stopped; 0 while it goes on. */
	uint64_t end_ticks;
	/* The cost of measuring one call, in 1/256 ticks. It has been subtracted from all durations. */
	uint64_t span_cost;
	/* The newest module. RELEASE. */
	uint64_t modules;
	/* Identifies the boot of the machine: only on the same boot can a reader compare its clocks with the
	   moments here. */
	uint64_t boot_id[2];

	/* Sites registered so far; RELEASE. Their ids are 1 to this number. */
	uint32_t site_count;
	/* The site whose time is 100 %; 0 when that is the whole process. */
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

	/* The id of the `hotpath run` that started the process; empty when none did. */
	char run[HP_RUN_MAX];
	/* Faults that were counted where no lane was at hand. Several writers, atomic adds. */
	uint64_t counters[HP_COUNTERS_MAX];

	/* An enum hp_alloc_mode; HP_ALLOC_NONE until the first allocation is recorded. */
	uint32_t alloc_mode;
	uint32_t origin_count;
	/* The newest origin. RELEASE. */
	uint64_t origins;
	/* Bytes that are allocated, and their peak, over all origins; the fields mean the same as in an origin. */
	int64_t told_bytes;
	uint64_t peak_bytes;
	/* Resident memory of the process and its peak, as of its exit or of the last stop; 0 when not known. */
	uint64_t rss_bytes;
	uint64_t peak_rss_bytes;

	/* An enum hp_cpu_source; an enum hp_cpu_end; and the samples per second of CPU time that were asked for. */
	uint32_t cpu_source;
	uint32_t cpu_end;
	uint32_t cpu_rate;
	/* The signal that sampling uses. */
	uint32_t cpu_signal;
	/* The CPU time that one sample stands for; 0 when the CPU is not sampled. */
	uint64_t cpu_period_ns;
	/* CPU time of the process that no sample stands for, the time to load it included. Written when sampling
	   or the process ends. */
	uint64_t cpu_unseen_ns;

	/* The table of HP_ENDED_MAX ended threads, allocated when the first thread ends. RELEASE. */
	uint64_t ended;

	/* The newest shared, and the newest queue. RELEASE. */
	uint64_t shares;
	uint64_t queues;

	/* Size of each text that is kept at greater length, in bytes, with its final NUL; 0 when there are none. */
	uint32_t long_text_size;
	/* The process began as root and is another user now; the segment is in that user's folder. */
	uint32_t was_root;
	/* A string: the first word of the command line as it is now; some programs write a title over it. RELEASE. */
	uint64_t title;
	/* When the process was started, to a hundredth of a second; 0 when not known. */
	uint64_t process_unix_ns;

	/* The part of cpu_unseen_ns that was used before sampling could begin, to load the program. And system
	   time of the process since sampling began, written when sampling or the process ends. */
	uint64_t cpu_loading_ns;
	uint64_t cpu_system_ns;
	/* The profiler's part of rss_bytes: this segment, the recorder's own memory, our libraries; 0 when not
	   known. */
	uint64_t own_rss_bytes;
	/* A string: the user's metadata of the run, "k=v,k=v"; 0 for none. */
	uint64_t user_metadata;

	/* 1 when the writer holds a lock on the file, which the kernel releases when the process ends; 0 where the
	   file system drops the lock early. */
	uint32_t lock_holds;
	/* 1 when `hotpath attach` writes the segment, not the process itself. The times of threads are those since then, and stored
	   while it goes on. The process may run on when the state is HP_STATE_STOPPED. */
	uint32_t attached;
	/* The PID namespace of `pid`, and the time namespace of the CLOCK_MONOTONIC moments, as inode numbers; 0
	   when not known. */
	uint64_t pid_namespace;
	uint64_t time_namespace;

	/* Bytes that the kernel counted for reading and writing (rchar + wchar of /proc/PID/io): before the first call that was
	   recorded in this session; and since then, as of the exit or the last stop, 0 when not known. */
	uint64_t io_before;
	uint64_t io_bytes;
	/* The process has waited for children, whose bytes the kernel adds to its own. */
	uint32_t io_has_children;
	/* What measuring may cost, in percent of the time of the program; 0 for no limit. */
	uint32_t max_overhead;
	/* Bytes that the recorder itself has read, which are in neither of the two; more when the program uses new code. */
	uint64_t io_own_bytes;
	/* The table of HP_ENDED_NAMES names of ended threads, each with the sums of all threads of that name; allocated when
	   the first thread ends. RELEASE. */
	uint64_t ended_names;

	/* Anonymous memory that the program has mapped outside of malloc, now and at most; written with each call of mmap or
	   munmap. */
	uint64_t mapped_bytes;
	uint64_t mapped_peak_bytes;
	/* Resident bytes of each enum hp_resident, when they were most of all times that this was looked at: before memory
	   is unmapped, and at the exit or stop. All 0 when never. */
	uint64_t resident_bytes[HP_RESIDENT_KINDS];

	/* 1 when the process was forked, and has executed no program since then. */
	uint32_t forked;
	/* The thread that executed another program in place of this one; 0 when none did. */
	uint32_t executor;
	/* The time that the recorder took to get ready and to end, in the process and in each thread. Several writers, atomic adds. */
	uint64_t setup_ns;
};

/** A string: its length, its bytes, a NUL. */
struct hp_string {
	uint32_t length;
	char bytes[];
};

/** Calls of a function that were not timed, because that would have cost too much. */
enum hp_unmeasured {
	/* At some time its calls were only counted; and there were calls of which nothing is known. */
	HP_UNMEASURED_COUNTED = 1,
	HP_UNMEASURED_OFF = 2,
	/* The same, now. */
	HP_UNMEASURED_NOW_SHIFT = 2,
	HP_UNMEASURED_COUNTED_NOW = HP_UNMEASURED_COUNTED << HP_UNMEASURED_NOW_SHIFT,
	HP_UNMEASURED_OFF_NOW = HP_UNMEASURED_OFF << HP_UNMEASURED_NOW_SHIFT,
};

struct hp_site {
	/* An enum hp_site_kind. */
	uint32_t kind;
	uint32_t line;
	uint64_t name;
	uint64_t file;
	/* For a function known by its address: its module, and its address as given in that file. */
	uint64_t module;
	uint64_t offset;
	/* For the recorder's hash table, which finds a site that is registered again: the hash, and the id of the
	   next site in the same bucket. */
	uint32_t hash;
	uint32_t next;
	/* For a function that has a span and is instrumented by the compiler too, which makes two sites: the id of
	   the other one, which is known by its address. It was found because a span began in its stack frame; they
	   are the same function only if their names are equal. */
	uint32_t twin;
	/* For a lock: the id of the HP_SITE_CALL that initialised it, or locked it first. */
	uint32_t place;
	/* For a function with sleds: bits of enum hp_unmeasured, 0 if every call was timed. */
	uint32_t unmeasured;
	uint32_t reserved1;
};

/** A file with code: the program, or a library. */
struct hp_module {
	uint64_t next;
	/* Strings: the path; and the selection that `hotpath cc` left in the file, 0 when there is none. */
	uint64_t path;
	uint64_t selection;
	/* Ids begin at 1; 0 when those that fit into a frame of a stack are used up. */
	uint32_t id;
	uint32_t build_id_size;
	uint8_t build_id[HP_BUILD_ID_MAX];
};

/**
 * The threads that have used a lane, one after the other: figures of the present one, and sums of those that have
 * ended. The lane's total, less the sums, belongs to the present thread.
 */
struct hp_tenants {
	/* Bytes freed in this lane, wherever they were allocated. In HP_ALLOC_FREED these are bytes as the
	   allocator rounds them up, and rounded_bytes are the allocated bytes in the same measure. The figure is
	   always the sum of a field and its quick_ twin: the fast path of malloc and free adds to the quick_
	   fields without marking the thread busy, so a signal handler that interrupts it, and reports a block of a
	   memory pool, must write to other fields. */
	uint64_t freed_bytes;
	uint64_t rounded_bytes;
	uint64_t quick_freed_bytes;
	uint64_t quick_rounded_bytes;
	/* CPU time of the present thread: when it took the lane; and its user and system time at the end of the
	   recording, 0 before that. */
	uint64_t before_ns;
	uint64_t user_ns;
	uint64_t system_ns;
	/* Threads that have ended. Of those whose end the recorder was not told of, the times are not known and
	   not included. */
	uint64_t ended;
	uint64_t ended_user_ns;
	uint64_t ended_system_ns;
	uint64_t ended_bytes;
	uint64_t ended_freed_bytes;
	uint64_t ended_rounded_bytes;
	/* 1 when the program gave the present thread a name by hotpath_thread_name; the kernel's name for it is
	   not used then. */
	uint64_t is_named;
	/* How long the present thread was runnable and waited for a processor, written like the times above; and
	   the sum for ended threads. */
	uint64_t queue_ns;
	uint64_t ended_queue_ns;
};

struct hp_lane {
	uint64_t next;
	/* The newest stat. RELEASE. */
	uint64_t stats;
	/* How many threads have used this lane, the present one included. */
	uint32_t generation;
	/* The thread that writes to the lane, and since when (in ticks); tid is 0 when there is none. */
	uint32_t tid;
	uint64_t since;
	/* The session that the lane's figures belong to. RELEASE. */
	uint32_t session;
	/* The cost of the malloc probe for each allocated block, in 1/256 ticks; free_cost below is that for each
	   freed one. */
	uint32_t alloc_cost;
	char name[HP_NAME_MAX];
	/* The newest node. RELEASE. */
	uint64_t nodes;
	/* Ticks that the recorder took in its slow paths, such as for the first call of a function. */
	uint64_t slow;
	/* Allocations of this lane; bytes as asked for. */
	uint64_t bytes;
	uint64_t blocks;
	/* An alloc: what was allocated outside of any measured function. */
	uint64_t outside;
	/* The newest holding. RELEASE. */
	uint64_t holdings;
	/* The alloc of the owner, which is the call that allocates at the moment. The owner's bytes and blocks are
	   those of the lane less the bases of this alloc. RELEASE. */
	uint64_t owner;
	uint64_t counters[HP_COUNTERS_MAX];
	/* CPU time of this lane's threads, in samples; and the samples of them outside of any measured function. */
	uint64_t samples;
	uint64_t outside_samples;
	/* Looks: how often the sampling signal was handled. A look that comes late counts as several samples. */
	uint64_t looks;
	/* The newest stack. RELEASE. */
	uint64_t stacks;
	uint32_t stack_count;
	uint32_t free_cost;
	/* When the last look was, in ticks. */
	uint64_t last_look;
	/* The outside_samples that found the thread inside the allocator. */
	uint64_t outside_alloc_samples;
	/* Blocks that were freed in this lane, wherever they were allocated; 0 in HP_ALLOC_COUNT. */
	uint64_t freed_blocks;
	struct hp_tenants tenants;
	/* Ticks spent on measuring the lane's flushed calls. They have been subtracted from the calls around
	   those. */
	uint64_t cost;
	/* Samples inside the recorder or a probe, which count for no function and are not in outside_samples; and
	   the outside_samples that were in the kernel. */
	uint64_t own_samples;
	uint64_t outside_system_samples;
	/* The number of calls that `cost` is for. */
	uint64_t cost_calls;
	/* The wait of the lane's thread at the moment. */
	struct hp_blocked blocked;
	/* The numbers of the locks that it holds, in any order; 0 for none. One is stored after the lock was acquired, and taken
	   out before it is released. */
	uint32_t held[HP_HELD_MAX];
	/* The stacks of what the lane's threads have waited for. */
	struct hp_wait_profile waited;
	/* Ticks that the handler of the sampling signal took. */
	uint64_t look_ticks;
};

/**
 * An ended thread, one of those that used most CPU time; or all ended threads of one name. A thread was added to the sums
 * of its lane before it was added to its name, and to that before it got a row of its own.
 */
struct hp_ended {
	/* 0 when the row is unused or being written. RELEASE when it is complete. In the table of names it is that of the
	   first thread of the name. */
	uint32_t tid;
	/* The number of ended threads, in the table of names. */
	uint32_t threads;
	char name[HP_NAME_MAX];
	/* When the thread took its lane, and when it ended, in ticks. */
	uint64_t since;
	uint64_t until;
	/* CPU time when it took the lane; and its user and system time when it ended. */
	uint64_t before_ns;
	uint64_t user_ns;
	uint64_t system_ns;
	/* Allocated and freed by the thread, as in struct hp_tenants. */
	uint64_t bytes;
	uint64_t freed_bytes;
	uint64_t rounded_bytes;
	/* Time for which the thread was runnable and waited for a processor. */
	uint64_t queue_ns;
	/* The time from when a thread took its lane until it ended, in ticks, added up; in the table of names. */
	uint64_t lived;
	uint64_t reserved1;
};

/* The histograms of an alloc: bytes or blocks per call, exclusive or inclusive. */
enum hp_alloc_histogram {
	HP_ALLOC_BYTES = 0,
	HP_ALLOC_BLOCKS = 1,
	HP_ALLOC_INCLUSIVE_BYTES = 2,
	HP_ALLOC_INCLUSIVE_BLOCKS = 3,
	HP_ALLOC_HISTOGRAMS = 4,
};

/** Blocks that one site allocated and freed in one lane. */
struct hp_alloc {
	/* Exclusive, in bytes as asked for, with calls in progress. While this is the owner of its lane, these two
	   are out of date: the value is the lane's bytes and blocks less the bases below. */
	uint64_t bytes;
	uint64_t blocks;
	/* Inclusive, of calls that ended; of a recursive function, only the outermost ones. */
	uint64_t inclusive_bytes;
	uint64_t inclusive_blocks;
	/* Blocks that the site's calls freed, wherever they were allocated; in HP_ALLOC_FREED, bytes as the allocator
	   rounds them up. rounded_bytes is what they allocated in that measure; only the lane
	   has it. */
	uint64_t freed_bytes;
	uint64_t freed_blocks;
	uint64_t rounded_bytes;
	/* Temporary blocks: freed before the call that allocated them returned, or freed as the very next block
	   after they were allocated. */
	uint64_t temporary_blocks;
	/* While the outermost call in progress has allocated, itself or in a call inside: is_open is 1, and the
	   other two are the lane's bytes and blocks before that. The lane's present figures less these belong to
	   the inclusive figures too. */
	uint64_t is_open;
	uint64_t open_bytes;
	uint64_t open_blocks;
	uint64_t base_bytes;
	uint64_t base_blocks;
	/* Inclusive, of the inner calls of a recursive function; the sum with inclusive_bytes and inclusive_blocks
	   is that of all calls. */
	uint64_t nested_bytes;
	uint64_t nested_blocks;
	/* Histograms of the calls that ended and allocated anything; all other calls allocated nothing. Offsets in
	   units of 64 bytes, as in a stat. */
	uint32_t octaves[HP_ALLOC_HISTOGRAMS][HP_OCTAVES];
};

/** A place that allocates: one call of malloc with one stack of callers, inside one measured function or outside of any. */
struct hp_origin {
	uint64_t next;
	uint32_t id;
	/* The innermost measured function; 0 when there was none. */
	uint32_t site;
	/* The site of the call of malloc; 0 when it is not known. */
	uint32_t call;
	/* For the recorder's hash table: the id of the next origin in the same bucket. */
	uint32_t chain;
	/* Bytes allocated and not freed, and their peak. Each thread keeps a delta of its own and adds it here
	   (atomic add) from time to time: the value is exact while there is one thread; with more, each thread may
	   be HP_UNTOLD_BYTES off. */
	int64_t told_bytes;
	uint64_t peak_bytes;
	/* The offset of its struct hp_stack, which has no samples: all frames are return addresses, and the first is that of
	   the call of malloc. 0 where blocks are not followed, or its code is not known. */
	uint64_t stack;
	uint64_t reserved1;
};

/* The limit for a thread's delta that it has not yet added to the global counter, in bytes. */
#define HP_UNTOLD_BYTES 16384

/** Blocks of one origin that one lane allocated and freed. Summed over all lanes, the difference is what is still
   allocated. */
struct hp_holding {
	uint64_t next;
	/* The id of the origin. */
	uint32_t origin;
	uint32_t reserved0;
	uint64_t bytes;
	uint64_t blocks;
	uint64_t freed_bytes;
	uint64_t freed_blocks;
	/* The number of temporary blocks, as in an alloc. */
	uint64_t temporary_blocks;
	uint64_t reserved1;
};

/*
 * A frame of a stack is a number: its kind in the highest 4 bits, for code the id of its module in the 12 bits below,
 * and an address, or the id of a site, in the rest.
 */
enum hp_frame_kind {
	/* Code that is in no module, such as code generated at run time: its address in memory. */
	HP_FRAME_ADDRESS = 0,
	/* Code: its address as given in the file of its module. The first such frame of a stack is the interrupted
	   instruction; the others are return addresses. */
	HP_FRAME_CODE = 1,
	/* Code, from the link register: the return address of the first frame's function, if that has called
	   nothing since it was entered. If it has, the register holds an address in the function itself, and this
	   is no frame. On x86-64 it is the word on top of the stack: the return address, if the function has
	   pushed nothing; else it may be anything. A word that is no code is stored with module and address 0. */
	HP_FRAME_LINK = 2,
	/* A measured function or block: the id of its site. It is open in the next frame of code. Near the first
	   frame the recorder cannot tell, because it does not know where functions begin: if the link turns out to
	   be the first frame's caller, all measured calls before the link are open in that caller; if not, in the
	   first frame. */
	HP_FRAME_SITE = 3,
	/* The target of a wait: the first frame of the stack of a wait. Instead of the module it has an enum hp_reason;
	   the id is that of an edge's site, or of the target's, 0 if it is not known. All frames of code in such a stack
	   are return addresses. */
	HP_FRAME_WAIT = 4,
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

/* Why the walk along a stack ended. */
enum hp_stack_end {
	/* There were no more frames: the stack is complete. */
	HP_STACK_WHOLE = 0,
	/* A function on the way keeps no frame pointer, and nothing else tells where its caller is. */
	HP_STACK_BROKEN = 1,
	/* The stack is deeper than HP_STACK_DEPTH_MAX. */
	HP_STACK_DEEP = 2,
	/* A flag, added to the values above: the time was spent in the kernel, which the first frame had called or
	   which interrupted it. */
	HP_STACK_SYSTEM = 256,
	/* A flag as well: unwind tables told the caller of each function of a file, so none is hidden by a function that
	   keeps no frame pointer. */
	HP_STACK_BY_RULES = 512,
};

/** A distinct call stack that samples found. */
struct hp_stack {
	uint64_t next;
	uint64_t samples;
	/* For the recorder's hash table: the hash, and the next stack in the same bucket, as an offset in units of
	   64 bytes. */
	uint32_t hash;
	uint32_t chain;
	uint32_t depth;
	/* An enum hp_stack_end. */
	uint32_t end;
	/* Innermost first. */
	uint64_t frames[];
};

/** Find a site in the site table: returns the chunk, and the index in it. */
static inline unsigned hp_site_place(uint32_t id, uint32_t *place)
{
	unsigned chunk = 31 - (unsigned)__builtin_clz((id >> 8) + 1);

	*place = id - (uint32_t)HP_SITE_CHUNK * ((UINT32_C(1) << chunk) - 1);
	return chunk;
}

/** Parse Linux's boot id, which is hexadecimal digits and dashes. */
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

static_assert(HP_CAPACITY_MAX <= UINT64_C(1) << 32, "an octave has 32 bits");
static_assert(HP_SITE_CHUNK == 1 << 8, "hp_site_place divides by it");
static_assert(HP_COUNTERS <= (int)HP_COUNTERS_MAX, "room for the counters");

#endif
