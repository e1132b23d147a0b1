/* SPDX-License-Identifier: MIT */
/* The main contexts and main loops that the probe knows, and their names. */
#include "loops.h"
#include "probe.h"

/* There is no lock: several threads may add the default context at the same time, but only one of the entries is
   ever found. */
static struct loop *learn(void *address, GMainContext *context)
{
	struct object *object = objects_find(&loops, address);

	if (!object && (object = objects_take(&loops, address))) {
		object->loop.context = context;
		objects_publish(object, address);
	}
	return object ? &object->loop : NULL;
}

/* A new object: what was known at its address before has been freed. */
static void renew(void *address, GMainContext *context)
{
	struct object *before = objects_find(&loops, address);

	if (before)
		objects_forget(before);
	learn(address, context);
}

DEFINE(GMainContext *, g_main_context_default, void)
{
	GMainContext *context = NEXT(g_main_context_default)();

	learn(context, NULL);
	return context;
}

DEFINE(GMainContext *, g_main_context_new, void)
{
	GMainContext *context = NEXT(g_main_context_new)();

	renew(context, NULL);
	return context;
}

DEFINE(GMainContext *, g_main_context_new_with_flags, GMainContextFlags flags)
{
	GMainContext *context = NEXT(g_main_context_new_with_flags)(flags);

	renew(context, NULL);
	return context;
}

DEFINE(GMainLoop *, g_main_loop_new, GMainContext *context, gboolean is_running)
{
	GMainLoop *loop = NEXT(g_main_loop_new)(context, is_running);

	renew(loop, NEXT(g_main_loop_get_context)(loop));
	return loop;
}

struct loop *loops_of(GMainContext *context)
{
	return learn(context ? context : NEXT(g_main_context_default)(), NULL);
}

void loops_label(const void *address, const char *label)
{
	struct object *object = objects_find(&loops, address);
	uint32_t site = object ? hotpath__labelled_site(HP_SITE_LOOP, label) : 0;

	if (!site)
		return;
	struct loop *loop = object->loop.context ? loops_of(object->loop.context) : &object->loop;
	if (loop)
		store(&loop->site, site, RELAXED);
}
