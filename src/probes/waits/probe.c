/* SPDX-License-Identifier: MIT */
/*
 * The probe for what a program waits for: locks of the C library, with no change to the program.
 *
 *	mutex.c, c11.c, rwlock.c, spin.c   the functions that are wrapped
 *	condition.c   what a wait for a condition does to its mutex
 *	holds.c       what is recorded of them; lock_table.c  the table of locks, by address
 */
#include "probe.h"

#include "holds.h"

/* Recording begins here in a program that is linked with the probe, since that may load a library, which is not
   possible when a lock is acquired. */
__attribute__((constructor(102))) static void program_begins(void)
{
	hotpath__when_labelled(holds_label);
	if (holds_on())
		hotpath__probe_begins();
}
