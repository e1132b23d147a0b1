/* SPDX-License-Identifier: MIT */
/* The branches of a thread, which are the call tree as the recorder finds it. */
#ifndef HOTPATH_BRANCH_H
#define HOTPATH_BRANCH_H

#include "frame.h"
#include "process/thread_state.h"
#include "segment.h"

#include <stdint.h>

#pragma GCC visibility push(hidden)

/* The branch of a site as called from another branch, created when it is missing; NULL when there is no room. */
struct branch *hotpath__branch(struct thread *me, struct branch *from, uint32_t site);
/* From now on the calls in progress of a function are counted: there may be several at once. */
void hotpath__count_open(struct thread *me, struct hp_stat *stat);
/* From now on a function is found by its address; with NULL as branch, it is known as one that is not to be
   measured. */
void hotpath__know_address(struct thread *me, uintptr_t function, struct branch *branch);
/* Forget the addresses of all functions; the lock is held. */
void hotpath__forget_addresses(struct thread *me);
/* Empty the slot that was being filled when the recorder was left, by siglongjmp or because the thread was cancelled. */
void hotpath__drop_half_slot(struct thread *me);
/* Set the number of recursive calls in progress to 0 in all branches. */
void hotpath__forget_nested(struct thread *me);
/* Initialise the table of slots of a new thread state, with its root branch. */
void hotpath__branch_init(struct thread *me);
/* Set the figures of a lane's nodes to zero. */
void hotpath__zero_nodes(struct thread *me);

#pragma GCC visibility pop

static inline struct hp_node *hotpath__node(const struct thread *me, uint64_t node)
{
	return (struct hp_node *)(void *)(me->base + node);
}

/* The node that a call which waits to be flushed belongs to; NULL when it is not in the call tree. */
static inline struct hp_node *hotpath__numbered_node(const struct thread *me, uint64_t place)
{
	uint64_t number = place >> HP_NODE_SHIFT;

	return number > 1 ? me->numbered[number / INDEX_PAGE][number % INDEX_PAGE] : NULL;
}

#endif
