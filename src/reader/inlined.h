/* SPDX-License-Identifier: MIT */
/* Names have the functions that were inlined where they are, and lines of the source. */
#ifndef HP_INLINED_H
#define HP_INLINED_H

/** From now on, what compilers wrote for debuggers is read for names. To be called once, when the tool begins. */
void hp_inlined_use(void);

#endif
