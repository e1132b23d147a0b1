/* SPDX-License-Identifier: MIT */
/* GLib waits by futexes of its own: for a condition, and for a mutex that another thread holds. */
#include "wait_inside.h"

#include <glib.h>

static GMutex mutex;
static GCond never;
static int waiter;

static gpointer lock(gpointer unused)
{
	__atomic_store_n(&waiter, own_tid(), __ATOMIC_RELEASE);
	g_mutex_lock(&mutex);
	g_mutex_unlock(&mutex);
	return unused;
}

int main(void)
{
	GThread *thread;

	g_mutex_lock(&mutex);
	for (int i = 0; i < 5; i++)
		g_cond_wait_until(&never, &mutex, g_get_monotonic_time() + 1000);
	thread = g_thread_new("waiter", lock, NULL);
	until_inside(&waiter, SYS_futex, &mutex, sizeof(mutex));
	g_mutex_unlock(&mutex);
	g_thread_join(thread);
	return 0;
}
