/* SPDX-License-Identifier: MIT */
/*
 * The file of a segment, open and mapped for as long as it is watched: also when it was removed meanwhile.
 *
 * To read a mapped file behind an end that has moved raises SIGBUS. While somebody reads, a handler puts zeros
 * there, and remembers that what was read is of no use.
 */
#ifndef HP_MAPPING_H
#define HP_MAPPING_H

#include "reader.h"

struct hp_mapping {
	int file;
	/** As /proc has it, which is still there when the file has no name. */
	char path[32];
	/** What may be read: what is used of the file, and what may be used soon. */
	void *bytes;
	size_t size;
	/** What is mapped. */
	size_t room;
};

/** As hp_image_read. To be closed when it returns 0. */
int hp_mapping_open(struct hp_mapping *mapping, const char *path, uint32_t owner,
		    struct hp_error *error);

/**
 * Begin to read. One mapping at a time may be read in a process.
 *
 * @return
 *         0; or a negative errno with the reason in error, and then it is not to be ended.
 */
int hp_mapping_begin(struct hp_mapping *mapping, struct hp_error *error);

/** As pread. */
ssize_t hp_mapping_read(struct hp_mapping *mapping, void *into, size_t size, uint64_t at);

/** Give back the memory that the mapping takes, which is counted as ours; what is needed of it comes again. */
void hp_mapping_rest(struct hp_mapping *mapping);

/** End to read. Returns 0, or -EINVAL with the reason in error when the file was cut short meanwhile. */
int hp_mapping_end(struct hp_mapping *mapping, struct hp_error *error);

void hp_mapping_close(struct hp_mapping *mapping);

#endif
