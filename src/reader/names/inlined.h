/* SPDX-License-Identifier: MIT */
/* Adds inlined functions and source lines to names. */
#ifndef HP_INLINED_H
#define HP_INLINED_H

/** Use debug information for names from now on. To be called once, when the tool starts. */
void hp_inlined_use(void);

#endif
