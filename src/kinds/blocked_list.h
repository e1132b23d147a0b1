/* SPDX-License-Identifier: MIT */
/* What threads wait for now, or waited for when the program was killed. */
#ifndef HP_BLOCKED_LIST_H
#define HP_BLOCKED_LIST_H

#include "waiting.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** What is known of blocked threads, field by field. */
extern const struct hp_kind hp_kind_blocked;

/** A thread that waits. Texts are NULL when they are not known. */
struct hp_blocked_thread {
	/** Its name. */
	char *name;
	uint32_t tid;
	uint32_t pid;
	enum hp_reason reason;
	/** The lock, file or peer; and the function that waits. */
	char *target;
	char *function;
	/** In ticks, which tell this wait from others of the thread. */
	uint64_t since;
	/** How long it has waited; known if the program runs. */
	uint64_t waited_ns;
	bool has_waited;
	/** The wait ends by itself, when a time is over. */
	bool is_timed;
	/** It may use a processor while it waits: the lock is a spin lock, or one of the program's own make. */
	bool may_spin;
	/** Of a lock: a thread that holds it, 0 if not known; its name, and the function that acquired the lock; and how many
	    threads hold it. */
	uint32_t holder;
	char *holder_name;
	char *holder_function;
	uint32_t holders;
	/** It waits for ever: its holder waits, directly or by way of others, for a lock that this thread holds. */
	bool is_deadlocked;
};

struct hp_blocked_list {
	/** By pid and tid. */
	struct hp_blocked_thread *items;
	size_t count;
	size_t room;
};

/** Append a thread, which is the list's from then on. Returns false when memory ran out; it is the caller's then. */
bool hp_blocked_append(struct hp_blocked_list *list, struct hp_blocked_thread thread);

/** The thread with these ids; NULL if it does not wait. The list is sorted. */
struct hp_blocked_thread *hp_blocked_find(const struct hp_blocked_list *list, uint32_t pid,
					  uint32_t tid);

/** How many wait for something from the first to the last of these. */
size_t hp_blocked_count(const struct hp_blocked_list *list, enum hp_reason first,
			enum hp_reason last);

/** Sort by pid and tid. */
void hp_blocked_sort(struct hp_blocked_list *list);

/** Remove one. */
void hp_blocked_remove(struct hp_blocked_list *list, size_t at);

/** Add those of one process to those of another. Returns 0, or -ENOMEM. */
int hp_blocked_merge(struct hp_blocked_list *into, const struct hp_blocked_list *from);

void hp_blocked_thread_clear(struct hp_blocked_thread *thread);
void hp_blocked_clear(struct hp_blocked_list *list);

#endif
