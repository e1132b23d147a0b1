/* SPDX-License-Identifier: MIT */
/* The kernel's list of the mappings of this process. The lock is held in all functions. */
#ifndef HOTPATH_MAPS_H
#define HOTPATH_MAPS_H

#include "place.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

struct maps {
	int fd;
	char *text;
	size_t size;
	size_t at;
	/* Nothing is left to be read. */
	bool is_over;
};

struct mapping {
	uintptr_t start;
	uintptr_t end;
	bool readable;
	bool writable;
	bool executable;
	/* The offset in the file, and the device and inode of that; the inode is 0 when there is no file. */
	uint64_t offset;
	uint64_t device;
	uint64_t inode;
	/* Resident bytes; 0 unless they were asked for. */
	uint64_t resident;
	char path[HP_PATH_MAX];
};

void hotpath__maps_open(struct maps *maps);
/* Open the maps with the resident bytes of each mapping: the kernel looks at all pages for that. */
void hotpath__maps_open_resident(struct maps *maps);
bool hotpath__maps_next(struct maps *maps, struct mapping *mapping);
void hotpath__maps_close(const struct maps *maps);
/* Find the mapping around an address; false when there is none. */
bool hotpath__maps_find(uintptr_t address, struct mapping *mapping);

#pragma GCC visibility pop

#endif
