/* SPDX-License-Identifier: MIT */
/*
 * Access to a segment that may be damaged, hostile, or being written to.
 *
 * Nothing is read before it is known to lie inside the bytes at hand. What does not is treated as absent:
 * the end of a list, an empty name.
 */
#ifndef HP_CHECK_H
#define HP_CHECK_H

#include "segment.h"

#include <stdbool.h>
#include <stddef.h>

/** The bytes of a segment, of which the header has been checked. */
struct hp_bytes {
	const char *base;
	uint64_t size;
};

/**
 * Check that bytes begin with the header of a segment that this version can read.
 *
 * @return
 *         NULL when they do, or what is wrong: "it is not a hotpath segment".
 */
const char *hp_check_header(const void *bytes, size_t size);

/** Whether a segment begins here that another version has written, whose header has another layout. */
bool hp_check_is_other_version(const void *bytes, size_t size);

/** Check the header's `used` against the size of the file, and against the upper limit. Returns as above. */
const char *hp_check_used(uint64_t used, uint64_t file_size);

/** The site with an id; NULL when the id is not registered. */
const struct hp_site *hp_check_site(struct hp_bytes bytes, uint32_t id);

/** The struct at an offset; NULL when it does not lie inside the segment. */
const struct hp_lane *hp_check_lane(struct hp_bytes bytes, uint64_t at);
const struct hp_stat *hp_check_stat(struct hp_bytes bytes, uint64_t at);
const struct hp_node *hp_check_node(struct hp_bytes bytes, uint64_t at);
const struct hp_module *hp_check_module(struct hp_bytes bytes, uint64_t at);
const struct hp_alloc *hp_check_alloc(struct hp_bytes bytes, uint64_t at);
const struct hp_origin *hp_check_origin(struct hp_bytes bytes, uint64_t at);
const struct hp_holding *hp_check_holding(struct hp_bytes bytes, uint64_t at);
/** The table of HP_ENDED_MAX ended threads. */
const struct hp_ended *hp_check_ended(struct hp_bytes bytes);

/** The table of HP_ENDED_NAMES names of ended threads. */
const struct hp_ended *hp_check_ended_names(struct hp_bytes bytes);
/** A stack, if all of its frames are inside the segment too; their number is returned in `depth`, since that in the segment may
   change. */
const struct hp_stack *hp_check_stack(struct hp_bytes bytes, uint64_t at, uint32_t *depth);
const struct hp_shared *hp_check_shared(struct hp_bytes bytes, uint64_t at);
/** NULL when nothing was logged. */
const struct hp_log *hp_check_log(struct hp_bytes bytes, const struct hp_shared *shared);
const struct hp_queue *hp_check_queue(struct hp_bytes bytes, uint64_t at);
/** The stamp of a message of a queue; 0 when there is none. */
uint64_t hp_check_stamp(struct hp_bytes bytes, const struct hp_queue *queue, uint64_t number);

/** HP_OCTAVE_BUCKETS counters, and the logarithm of their size, as in hp_octave_counter; NULL when there are none. */
struct hp_counters {
	const void *counts;
	unsigned counter;
};

/** The counters of an octave of a histogram. */
struct hp_counters hp_check_octave(struct hp_bytes bytes, const uint32_t octaves[HP_OCTAVES],
				   unsigned octave);

/** Logged values and strings, as many as the ring has entries; NULL when there are none. */
const uint64_t *hp_check_values(struct hp_bytes bytes, const struct hp_stat *stat);
const char *hp_check_texts(struct hp_bytes bytes, const struct hp_stat *stat);
/** An array of `count` texts that are kept at greater length, whose offset is stored at `offset`; the size of each
   is returned in `size`. NULL when there are none. */
const char *hp_check_long_texts(struct hp_bytes bytes, const uint64_t *offset, uint64_t count,
				uint32_t *size);
/** Copy a text of at most `room` bytes that may be written at the same time; the copy always ends with a NUL. */
void hp_check_copy_text(char *into, const char *from, size_t room);

/** The bytes of a string and their number; NULL when there is none. They need not end with a NUL. */
const char *hp_check_string(struct hp_bytes bytes, uint64_t at, size_t *length);

/** How many structs of this size fit into the segment: the bound for walking a list that may be circular. */
static inline uint64_t hp_check_most(struct hp_bytes bytes, size_t each)
{
	return bytes.size / each;
}

#endif
