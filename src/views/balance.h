/* SPDX-License-Identifier: MIT */
/* Makes the times of functions agree with each other, and with what the kernel knows of all threads. */
#ifndef HP_BALANCE_H
#define HP_BALANCE_H

#include "bottleneck_rows.h"

/** What the kernel knows of all threads together. */
struct hp_account {
	/** How long they neither computed nor queued; UINT64_MAX if that of a thread is not known. */
	uint64_t waited_ns;
	/** How long they queued; and the part of it that belongs to no function. */
	uint64_t queue_ns;
	uint64_t loose_queue_ns;
	/** How long they computed in the kernel. */
	uint64_t system_ns;
	/** The CPU time of functions is known. */
	bool is_sampled;
};

/** Correct what functions spent, before it is split. */
void hp_balance_functions(struct hp_bottlenecks *all, const struct hp_account *account);

/** Correct the waits of a thread that has some, and those of all together. */
void hp_balance_threads(struct hp_bottlenecks *all, const struct hp_account *account);

#endif
