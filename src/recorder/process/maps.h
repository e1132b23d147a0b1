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
};

struct mapping {
	uintptr_t start;
	uintptr_t end;
	bool readable;
	bool executable;
	/* Where in the file it begins, and the device and inode of that file; the inode is 0 when there is no
	   file. */
	uint64_t offset;
	uint64_t device;
	uint64_t inode;
	char path[HP_PATH_MAX];
};

void hotpath__maps_open(struct maps *maps);
bool hotpath__maps_next(struct maps *maps, struct mapping *mapping);
void hotpath__maps_close(const struct maps *maps);

#pragma GCC visibility pop

#endif
