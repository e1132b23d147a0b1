/* SPDX-License-Identifier: MIT */
/*
 * Futures, and the executor that runs them: each download goes on in steps, on whichever thread is free, and between
 * them it is nothing but a struct in a list. Some are given up half way.
 */
#include <hotpath.h>

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>

#include "own_clock.h"

enum {
	DOWNLOADS = 100,
	/* Every so many one is given up. */
	GIVEN_UP = 5,
	STEPS = 4,
	THREADS = 3,
	STEP_NS = 200000,
	STEP_BYTES = 1500,
};

struct download {
	struct hotpath_future future;
	struct download *next;
	int number;
	int steps;
	long bytes;
	uint64_t since;
};

static struct {
	pthread_mutex_t lock;
	struct download *first;
	struct download **last;
	/* Downloads that have not come to their end. */
	int pending;
} executor = { .lock = PTHREAD_MUTEX_INITIALIZER, .last = &executor.first };

static struct download downloads[DOWNLOADS];

static void line_up(struct download *download)
{
	pthread_mutex_lock(&executor.lock);
	download->next = NULL;
	*executor.last = download;
	executor.last = &download->next;
	pthread_mutex_unlock(&executor.lock);
}

/* NULL when all that are left are with other threads; then false is returned if there are none. */
static bool take(struct download **download)
{
	pthread_mutex_lock(&executor.lock);
	bool goes_on = executor.pending > 0;
	*download = executor.first;
	if (*download)
		executor.first = (*download)->next;
	if (!executor.first)
		executor.last = &executor.first;
	pthread_mutex_unlock(&executor.lock);
	return goes_on;
}

static void end(struct download *download)
{
	pthread_mutex_lock(&executor.lock);
	executor.pending--;
	own_clock_add(download->steps == STEPS ? "ready" : "given_up", download->since);
	pthread_mutex_unlock(&executor.lock);
}

static void receive(struct download *download)
{
	HOTPATH_MEASURE();
	const struct timespec time = { .tv_nsec = STEP_NS };

	nanosleep(&time, NULL);
	download->bytes += STEP_BYTES;
}

/* One step. Returns whether there is another. */
static bool poll_download(struct download *download)
{
	HOTPATH_FUTURE_POLL(&download->future);

	receive(download);
	if (++download->steps < STEPS)
		return true;
	HOTPATH_FUTURE_READY_LOG(&download->future, download->bytes);
	return false;
}

static bool is_given_up(const struct download *download)
{
	return download->number % GIVEN_UP == 0 && download->steps == STEPS / 2;
}

static void advance(struct download *download)
{
	if (is_given_up(download))
		HOTPATH_FUTURE_CANCEL(&download->future);
	else if (poll_download(download)) {
		line_up(download);
		return;
	}
	end(download);
}

static void *run(void *unused)
{
	struct download *download;

	while (take(&download)) {
		if (download)
			advance(download);
		else
			sched_yield();
	}
	return unused;
}

static void begin_all(void)
{
	executor.pending = DOWNLOADS;
	for (int i = 0; i < DOWNLOADS; i++) {
		downloads[i].number = i;
		downloads[i].since = own_clock_now();
		HOTPATH_FUTURE_NEW(&downloads[i].future, "download");
		line_up(&downloads[i]);
	}
}

int main(void)
{
	HOTPATH_MAIN();
	pthread_t threads[THREADS];

	begin_all();
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, run, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
