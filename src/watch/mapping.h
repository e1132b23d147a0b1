/* SPDX-License-Identifier: MIT */
/*
 * The file of a segment, open and mapped as long as it is watched, even if it is removed meanwhile.
 *
 * Reading beyond the end of a mapped file that was truncated raises SIGBUS. During a read, a handler maps zeros
 * there, and remembers that the result is invalid.
 */
#ifndef HP_MAPPING_H
#define HP_MAPPING_H

#include "reader.h"

struct hp_mapping {
	int file;
	/** Its path in /proc, which still works after the file was unlinked. */
	char path[32];
	/** The readable part: what is used of the file, and what may be used soon. */
	void *bytes;
	size_t size;
	/** What is mapped. */
	size_t room;
};

/** As hp_image_read. To be closed when it returns 0. */
int hp_mapping_open(struct hp_mapping *mapping, const char *path, uint32_t user,
		    struct hp_error *error);

/**
 * Begin a read. Only one mapping at a time may be read in a process.
 *
 * @return
 *         0; or a negative errno with the reason in error, and then hp_mapping_end must not be called.
 */
int hp_mapping_begin(struct hp_mapping *mapping, struct hp_error *error);

/** As pread. */
ssize_t hp_mapping_read(struct hp_mapping *mapping, void *into, size_t size, uint64_t at);

/** Release the resident pages of the mapping, which count as our memory; they are mapped again when needed. */
void hp_mapping_rest(struct hp_mapping *mapping);

/** End a read. Returns 0, or -EINVAL with the reason in error if the file was truncated meanwhile. */
int hp_mapping_end(struct hp_mapping *mapping, struct hp_error *error);

void hp_mapping_close(struct hp_mapping *mapping);

#endif
