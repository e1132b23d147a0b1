/* SPDX-License-Identifier: MIT */
/*
 * A segment that the tool writes for another process.
 *
 * Such a segment has one writer, and readers may read it meanwhile: an offset is stored when what it leads to is complete.
 */
#ifndef HP_SEGMENT_WRITER_H
#define HP_SEGMENT_WRITER_H

#include "place.h"
#include "segment.h"

#include <stdbool.h>
#include <stdint.h>

struct hp_segment_writer {
	/** All of the file that there may ever be; what lies beyond `room` must not be touched. */
	char *base;
	uint64_t capacity;
	/** Bytes of the file that have room on the disk, and those in use. */
	uint64_t room;
	uint64_t used;
	int file;
	char path[HP_PATH_MAX];
};

/**
 * Create a segment in the first folder of this user that works, and lock it until this process ends. The header has what
 * does not depend on the process; its state is HP_STATE_NEW.
 *
 * @return
 *         0, or a negative errno, which may be that of hp_place_open; writer->path is the folder then.
 */
int hp_segment_writer_create(struct hp_segment_writer *writer, uint32_t pid);

/** Take room in the segment, zeroed, at a multiple of 64 bytes. Returns its offset, 0 when there is none. */
uint64_t hp_segment_writer_take(struct hp_segment_writer *writer, uint64_t size);

/** Store a string. Returns its offset, 0 when there is no room. */
uint64_t hp_segment_writer_string(struct hp_segment_writer *writer, const char *string);

/** Cut the file to its used size. The lock stays until this process ends. */
void hp_segment_writer_close(struct hp_segment_writer *writer);

static inline struct hp_header *hp_segment_writer_header(const struct hp_segment_writer *writer)
{
	return (struct hp_header *)(void *)writer->base;
}

static inline void *hp_segment_writer_at(const struct hp_segment_writer *writer, uint64_t at)
{
	return writer->base + at;
}

#endif
