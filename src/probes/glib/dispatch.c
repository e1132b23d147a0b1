/* SPDX-License-Identifier: MIT */
/*
 * The callbacks of sources. GLib's own kinds of sources have tables of functions that programs may use for theirs; ours
 * stand in these tables before GLib's. Neither a source nor a callback nor its data becomes another by that.
 */
#include "loops.h"
#include "probe.h"

/* The kinds of sources, as they are called in reports, and their tables. */
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
	/* What the loop does inside of it are turns of their own. */
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
	GSourceFuncs *functions = next_variable(table);

	if (!functions || functions->dispatch == ours)
		return;
	*original = functions->dispatch;
	/* RELEASE: whoever is called by it finds the original. */
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
