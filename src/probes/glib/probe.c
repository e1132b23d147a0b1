/* SPDX-License-Identifier: MIT */
/*
 * The probe for GLib: queues, tasks and main loops, with no change to the program.
 *
 *	messages.c  what goes through a GAsyncQueue; queues.c  which queues there are
 *	tasks.c     GTask; task_pool.c  room for what is kept of each
 *	loops.c     main contexts and their turns; contexts.c  which there are
 *	waits.c     how they wait; dispatch.c  their callbacks
 *	next.c      GLib behind us; objects.c  what is known, by addresses
 */
#include "probe.h"

#include "loops.h"
#include "next.h"
#include "queues.h"

static void label(const void *object, const char *name)
{
	queues_label(object, name);
	loops_label(object, name);
}

__attribute__((constructor(102))) static void program_begins(void)
{
	/* poll may be called where nothing can be looked for, such as in a signal handler. */
	next_find(NEXT_IN_LIBC);
	hotpath__when_labelled(label);
}

/* Whoever is first finds out; others find the same. */
static bool begins(void)
{
	enum { UNKNOWN, USABLE, USELESS };
	static uint32_t known;
	uint32_t found = load(&known, RELAXED);

	if (unlikely(found == UNKNOWN)) {
		found = hotpath__probe_opens(sizeof(struct thread)) ? USABLE : USELESS;
		if (found == USABLE)
			hotpath__probe_begins();
		store(&known, found, RELAXED);
	}
	return found == USABLE;
}

uint32_t objects_site(uint32_t kind, const char *name, uintptr_t code)
{
	return begins() ? hotpath__flow_site(kind, name, code) : 0;
}
