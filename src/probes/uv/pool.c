/* SPDX-License-Identifier: MIT */
/*
 * Work for libuv's thread pool.
 *
 * libuv fills in the struct uv__work of a request, and then locks the queue of the pool to put it there. At that moment
 * libuv has already checked the request, and no other thread knows of it yet. So when this thread calls uv_mutex_lock
 * and the work function is set, we replace that by ours, and the future begins. If libuv does not come this way,
 * because the kernel does the work, only the callback is observed. Until then the request is not touched: libuv may
 * refuse it because it is in the queue already.
 */
#include "pool.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

/* The request that this thread is passing to libuv, until the pool has it. */
static __thread struct flight *passing __attribute__((tls_model("initial-exec")));

/* Name a thread of the pool, unless it has a name already: it inherits that of the program. */
static void name_thread(void)
{
	static __thread bool is_named __attribute__((tls_model("initial-exec")));
	char name[16] = "";

	if (is_named)
		return;
	is_named = true;
	pthread_getname_np(pthread_self(), name, sizeof(name));
	if (strncmp(name, program_invocation_short_name, sizeof(name) - 1) == 0)
		hotpath_thread_name("libuv-worker");
}

static void run_work(struct flight *flight, struct uv__work *work)
{
	struct hotpath_poll poll;

	if (!flight->runs_program) {
		flight->work(work);
		return;
	}
	hotpath_poll_begin(&poll, &flight->future);
	flight->work(work);
	hotpath_poll_end(&poll);
}

/* Called in place of libuv's function, on a thread of the pool. The loop takes the flight out of the table after
   this has returned. */
static void serve(struct uv__work *work)
{
	struct flight *flight = flight_find((uintptr_t)work);
	if (!flight)
		return;

	uint64_t start = hotpath__probe_ticks();
	name_thread();
	run_work(flight, work);
	flight->queued = start - flight->begun;
	flight->served = hotpath__probe_ticks() - start;
	flight->was_served = true;
}

static void take_work(void)
{
	struct flight *flight = passing;
	struct uv__work *work = (struct uv__work *)flight->key;

	if (!libuv_has((uintptr_t)work->work) || !libuv_has((uintptr_t)work->done))
		return;
	passing = NULL;
	flight->work = work->work;
	work->work = serve;
	observe_launch(flight);
}

VISIBLE void uv_mutex_lock(uv_mutex_t *mutex)
{
	if (unlikely(passing))
		take_work();
	NEXT(uv_mutex_lock)(mutex);
}

void pool_begin(struct flight *flight, bool runs_program)
{
	if (!flight)
		return;
	flight->runs_program = runs_program;
	passing = flight;
}

int pool_end(struct flight *flight, int result)
{
	if (!flight)
		return result;
	bool was_taken = !passing;
	passing = NULL;
	return was_taken ? result : observe_result(flight, result);
}
