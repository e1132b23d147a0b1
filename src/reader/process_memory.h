/* SPDX-License-Identifier: MIT */
/* How much memory a running process has in use. */
#ifndef HP_PROCESS_MEMORY_H
#define HP_PROCESS_MEMORY_H

#include "memory.h"

/** Set what the process has in use now, and had at most; left alone where that is not to be known. */
void hp_process_memory_read(uint32_t pid, struct hp_memory *memory);

#endif
