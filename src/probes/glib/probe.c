/* SPDX-License-Identifier: MIT */
/*
 * The probe for GLib: queues, tasks and main loops, with no change to the program.
 *
 *	messages.c  messages of a GAsyncQueue; queues.c  creation and end of queues
 *	tasks.c     GTask; task_pool.c  memory for the data of each
 *	loops.c     main contexts and their turns; contexts.c  their creation and names
 *	waits.c     how they wait; dispatch.c  their callbacks
 *	libglib.c   GLib's own functions; objects.c  the table of objects, by address
 */
#include "probe.h"

#include "loops.h"
#include "queues.h"

static void label(const void *object, const char *name)
{
	queues_label(object, name);
	loops_label(object, name);
}

__attribute__((constructor(102))) static void program_begins(void)
{
	hotpath__when_labelled(label);
}

/* The first call finds out; if several threads do, they find the same. */
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
