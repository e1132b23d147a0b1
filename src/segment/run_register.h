/* SPDX-License-Identifier: MIT */
/*
 * The register of a run: a file beside the segments, to which the processes of the run append records.
 *
 *	┌────────────────┬────────────┬───────┬─────────┬──────┐┌────────────────┬──────┐┌───────
 *	│ record (fixed) │ executable │ words │ padding │ mark ││ record (fixed) │ mark ││ …
 *	└────────────────┴────────────┴───────┴─────────┴──────┘└────────────────┴──────┘└───────
 *	 ◄─────────────────────── size ────────────────────────►
 *
 * So a run knows its processes, how they ended and what they used, also those that were too short to leave a segment.
 * A record is appended by one write (O_APPEND), so records of several processes do not mix. A full disk may cut one
 * off: then its mark is not where its size says, and the reader goes on at the next magic.
 *
 * All numbers are in the byte order of the machine. What is not known is 0. Types that a reader does not know are to be
 * passed over.
 */
#ifndef HP_RUN_REGISTER_H
#define HP_RUN_REGISTER_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The first and the last 8 bytes of a record. Both have bytes that no text has. */
#define HP_RECORD_MAGIC UINT64_C(0x01ff52484f54fe01)
#define HP_RECORD_MARK UINT64_C(0x02ff52484f54fe02)

enum {
	/** The largest record, in bytes. */
	HP_RECORD_MAX = 4096,
	/** The longest path of an executable in a record, in bytes. Of a longer path, the end is kept. */
	HP_RECORD_PATH_MAX = 2048,
	/** Nothing is appended to a larger register, and no more than this is read: the records of some 50000 processes. */
	HP_REGISTER_MAX = 32 * 1024 * 1024,
};

enum hp_record_type {
	/** A program begins, in a process that called exec: with its executable, and its command line as words that end
	    with a NUL each. */
	HP_RECORD_BEGAN = 1,
	/** A process begins by fork, with the program and command line of its parent, which are not repeated. */
	HP_RECORD_FORKED = 2,
	/** A process leaves by exit, _exit or quick_exit; `detail` is HP_ENDED_BARE if it has made no segment until then. */
	HP_RECORD_ENDED = 3,
	/** A process has waited for a child, which has ended. */
	HP_RECORD_REAPED = 4,
	/** A process executes a program that cannot be measured; `detail` says why, as enum hp_loading does. Its
	    executable is that program. */
	HP_RECORD_UNSEEN = 5,
};

enum {
	/** The detail of an end: the process has made no segment since its program began, or since it was forked. */
	HP_ENDED_BARE = 1,
};

/** The fixed part of a record. */
struct hp_record {
	uint64_t magic;
	/** Of the whole record in bytes, a multiple of 8. */
	uint32_t size;
	/** An enum hp_record_type. */
	uint16_t type;
	uint16_t detail;
	/** The process that the record is about; the child, if it was reaped. */
	uint32_t pid;
	/** Its parent. Of a child that was reaped, the process that did so. */
	uint32_t parent_pid;
	/** When the record was written. */
	uint64_t unix_ns;
	/** When the kernel started the process: in clock ticks since boot, which tell apart two processes with one id, and
	    as a time of day. Only where a program began; a process that was forked started when that was written. */
	uint64_t process_ticks;
	uint64_t process_unix_ns;
	/** CPU time of the process up to now, over all threads, in nanoseconds. Of a child that was reaped, it includes
	    what that child had waited for. */
	uint64_t user_ns;
	uint64_t system_ns;
	/** CPU time of all children that the process has waited for. Only when it ends; of a child that was reaped, to a clock tick,
	    and only of the first process of a run, which may tell nothing itself. */
	uint64_t children_user_ns;
	uint64_t children_system_ns;
	/** The most memory that was resident. Of a child that was reaped it may be that of a program which it executed
	    before, or of one of its own children. */
	uint64_t peak_rss_bytes;
	/** When it ends, the exit status; of a child that was reaped, the status as waitpid has it. */
	uint32_t status;
	/** Sizes of the texts that follow, without the padding. */
	uint16_t executable_size;
	uint16_t words_size;
};

static_assert(sizeof(struct hp_record) == 96, "the size of the fixed part is part of the format");
static_assert(offsetof(struct hp_record, unix_ns) == 24, "");
static_assert(offsetof(struct hp_record, user_ns) == 48, "");
static_assert(offsetof(struct hp_record, status) == 88, "");

/**
 * Find the next record in bytes that may come from anyone. Damaged and torn records are passed over.
 *
 * @param at
 *         An offset, 0 at first; set to the end of the record.
 * @param record
 *         A copy of the fixed part. Its sizes of texts fit into the record.
 * @return
 *         The texts of the record, which are not terminated; NULL when there is no further record.
 */
const char *hp_register_next(const char *bytes, size_t size, size_t *at, struct hp_record *record);

#endif
