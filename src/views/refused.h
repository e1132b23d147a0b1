/* SPDX-License-Identifier: MIT */
/*
 * Tries of locks that failed, by function; and whether a function does little else.
 *
 * A thread that tries a lock again and again until it gets it waits, and seems to compute. How long it did is not known:
 * a try does not tell whether it is the first one, or whether something useful was done since the last. But whoever was
 * refused a thousand times, and again after each microsecond of CPU time, cannot have done much else. Who computes, and
 * looks now and then whether a lock is free, has much more time between two tries.
 */
#ifndef HP_REFUSED_H
#define HP_REFUSED_H

#include "model.h"

/** Tries of one lock in one function. The strings belong to the model; the holder is NULL when it is not known. */
struct hp_refused {
	const char *function;
	const char *lock;
	uint64_t count;
	/** Who held it most often, and how often that was. */
	const char *holder;
	uint64_t held_count;
};

/** How often a function was refused, in a row of waits for locks; 0 in other rows. */
uint64_t hp_refused_count(const struct hp_entry *entry);

/** The lock that a function was refused most often, or any function if it is NULL. The count is 0 if there is none. */
struct hp_refused hp_refused_most(const struct hp_model *model, const char *function);

/** Whether who was refused so often in this CPU time may have done nothing else. */
bool hp_refused_spins(const struct hp_refused *refused, uint64_t cpu_ns);

/**
 * Find a function that may spin, in a program without measured functions: the one that was refused most often, by the CPU
 * time of its stacks; if they do not have it, by that of all threads, which is more.
 *
 * @param cpu_ns
 *         Is set to that time.
 * @return
 *         False if there is none, or it is a small part of what the program computes; also when memory ran out.
 */
bool hp_refused_find(const struct hp_model *model, struct hp_refused *refused, uint64_t *cpu_ns);

#endif
