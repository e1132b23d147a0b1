/* SPDX-License-Identifier: MIT */
/*
 * Observes the callbacks of sources. GLib has a table of functions (GSourceFuncs) for each of its own kinds of
 * sources; the probe replaces `dispatch` in these tables by functions that call the original ones. Sources, callbacks
 * and their data stay as they are.
 */
#include "loops.h"
#include "probe.h"

/* The kinds of sources by their names in reports, and their tables. */
#define KINDS(KIND)                                                                                \
	KIND(timeout, g_timeout_funcs)                                                             \
	KIND(idle, g_idle_funcs)                                                                   \
	KIND(io, g_io_watch_funcs)                                                                 \
	KIND(child, g_child_watch_funcs)                                                           \
	KIND(signal, g_unix_signal_funcs)                                                          \
	KIND(fd, g_unix_fd_source_funcs)

typedef gboolean dispatch_function(GSource *source, GSourceFunc callback, gpointer data);

static gboolean dispatch(dispatch_function *original, const char *kind, GSource *source,
			 GSourceFunc callback, gpointer data)
{
	struct loop *loop = loops_current();

	if (!loop || !loop->site)
		return original(source, callback, data);
	/* If the callback runs the same loop, those turns are counted on their own, and subtracted here. */
	uint64_t inside = loop->inside, since = hotpath__probe_ticks();
	gboolean goes_on = original(source, callback, data);
	uint64_t took = hotpath__probe_ticks() - since - (loop->inside - inside);
	loops_count(loop, took, kind, (uintptr_t)callback);
	return goes_on;
}

#define DEFINE_KIND(kind, table)                                                                   \
	static dispatch_function *original_##kind;                                                 \
	static gboolean dispatch_##kind(GSource *source, GSourceFunc callback, gpointer data)      \
	{                                                                                          \
		return dispatch(original_##kind, #kind, source, callback, data);                   \
	}
KINDS(DEFINE_KIND)

static void stand_before(const char *table, dispatch_function **original, dispatch_function *ours)
{
	GSourceFuncs *functions = libglib_variable(table);

	if (!functions || functions->dispatch == ours)
		return;
	*original = functions->dispatch;
	/* RELEASE: a thread that calls our function finds the original. */
	store(&functions->dispatch, ours, RELEASE);
}

void dispatch_begins(void)
{
	static bool has_begun;

	if (likely(load(&has_begun, RELAXED)) || exchange(&has_begun, true, RELAXED))
		return;
#define STAND_BEFORE(kind, table) stand_before(#table, &original_##kind, dispatch_##kind);
	KINDS(STAND_BEFORE)
}
