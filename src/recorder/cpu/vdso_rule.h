/* SPDX-License-Identifier: MIT */
/* Rules for the code that the kernel maps into each process (vDSO), where that has no unwind tables. */
#ifndef HOTPATH_VDSO_RULE_H
#define HOTPATH_VDSO_RULE_H

#include <stdint.h>

#pragma GCC visibility push(hidden)

/* The rule for code of the vDSO that was interrupted; it is mapped from `start` to `end`. */
uint64_t hotpath__vdso_rule(uintptr_t start, uintptr_t end);

#pragma GCC visibility pop

#endif
