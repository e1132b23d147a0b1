/* SPDX-License-Identifier: MIT */
/* In which order the rows of a section are shown. */
#ifndef HP_ROW_ORDER_H
#define HP_ROW_ORDER_H

#include "comparison.h"

/**
 * Sort judged rows: what changed first, the worst of it before the rest; then by share, then by name. The same rows
 * have the same order, whatever the machine.
 *
 * @return
 *         0, or -ENOMEM.
 */
int hp_row_order(struct hp_compared_section *section);

#endif
