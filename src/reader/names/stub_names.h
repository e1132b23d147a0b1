/* SPDX-License-Identifier: MIT */
/* Names of linker stubs (PLT entries) for functions of other files. */
#ifndef HP_STUB_NAMES_H
#define HP_STUB_NAMES_H

#include "names.h"

/**
 * Find the addresses that are in stubs. They get the symbol of the function behind the stub, with the stub's address.
 * If that function cannot be found, the symbol has no name.
 *
 * @param names
 *         Of one file, by address.
 * @return
 *         False when memory ran out.
 */
bool hp_stub_names_find(struct hp_name *names, size_t count, const struct hp_elf *elf);

#endif
