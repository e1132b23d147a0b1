/* SPDX-License-Identifier: MIT */
/* The rule for unwinding that the instructions of a function tell, where there are no tables. */
#ifndef HP_CODE_RULE_H
#define HP_CODE_RULE_H

#include "unwind.h"

/**
 * Find the rule for a place in code of aarch64.
 *
 * @param code, count
 *         Instructions, of which some may be data.
 * @param at
 *         The index of the one that was interrupted or, if `returned`, that a call is to return to.
 * @return
 *         A packed HP_RULE_SP; HP_RULE_NONE when no way to the function's end is found, or one that is not known.
 */
uint64_t hp_code_rule(const uint32_t *code, size_t count, size_t at, bool returned);

#endif
