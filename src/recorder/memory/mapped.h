/* SPDX-License-Identifier: MIT */
/* Memory that the program itself has mapped by mmap, and the resident memory of the process by kind. */
#ifndef HOTPATH_MAPPED_H
#define HOTPATH_MAPPED_H

#include "segment.h"

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/* A range of addresses that the program has mapped. */
struct hotpath__range {
	uintptr_t start;
	uintptr_t end;
	/* The range is of a file, not anonymous memory. */
	bool is_file;
};

/* The first range that ends behind an address; NULL when there is none. They are sorted and do not overlap; the lock is held. */
const struct hotpath__range *hotpath__mapped_behind(uintptr_t address);
/* The range after another one; NULL at the end. */
const struct hotpath__range *hotpath__mapped_after(const struct hotpath__range *range);

/* A recording begins: store what is mapped now, and forget the peak before; the lock is held. */
void hotpath__mapped_begins(struct hp_header *header);

/* Resident bytes of the process; 0 when not known. */
uint64_t hotpath__rss(void);
/* Resident bytes between two addresses, by /proc/self/pagemap: of all memory, and of the recorder's regions. */
uint64_t hotpath__resident_between(int pagemap, uintptr_t start, uintptr_t end);
uint64_t hotpath__resident_own(int pagemap, uintptr_t start, uintptr_t end);
/* Store how the resident memory is made up, if it is more than what was stored before; the lock is held. */
void hotpath__note_kinds(struct hp_header *header);

#pragma GCC visibility pop

#endif
