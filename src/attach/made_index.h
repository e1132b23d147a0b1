/* SPDX-License-Identifier: MIT */
/*
 * An index for unwind tables that have none, as in programs that were linked by gcc -static: the linker writes
 * .eh_frame_hdr only if it is told to.
 *
 *	file       .eh_frame: CIE FDE FDE CIE FDE …
 *	made       .eh_frame_hdr, sorted by function │ copy of .eh_frame
 */
#ifndef HP_MADE_INDEX_H
#define HP_MADE_INDEX_H

#include "elf_file.h"
#include "unwind.h"

/**
 * Make the index that a linker would have written, with a copy of the tables behind it.
 *
 * @param most
 *         How many bytes both may have.
 * @param region
 *         Gets both, and is to be freed: `bytes` are from malloc. The index is at its beginning.
 * @return
 *         False if the file has no tables, they are larger, or memory ran out.
 */
bool hp_made_index(const struct hp_elf *elf, uint64_t most, struct hp_unwind_region *region);

#endif
