/* SPDX-License-Identifier: MIT */
/* Whether a comparison fails: by what the user wants to fail on, and by budgets. */
#ifndef HP_POLICY_H
#define HP_POLICY_H

#include "comparison.h"

/** Apply budgets and policy: fill the failures. Returns 0, or -ENOMEM. */
int hp_policy(struct hp_comparison *comparison);

#endif
