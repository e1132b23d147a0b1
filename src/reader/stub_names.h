/* SPDX-License-Identifier: MIT */
/* The names of what the linker puts in front of functions of other files. */
#ifndef HP_STUB_NAMES_H
#define HP_STUB_NAMES_H

#include "names.h"

/**
 * Find which of the addresses are in such stubs, and whose: these get the symbol of what is behind the stub, with the
 * stub's own address. Where that cannot be found the symbol has no name.
 *
 * @param names
 *         Of one file, by address.
 * @return
 *         False when memory ran out.
 */
bool hp_stub_names_find(struct hp_name *names, size_t count, const struct hp_elf *elf);

#endif
