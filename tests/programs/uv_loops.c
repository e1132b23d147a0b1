/* SPDX-License-Identifier: MIT */
/* Many loops on many threads, which share the thread pool: each writes, works and waits, and is waken by the next. */
#include "uv_truth.h"

#include <fcntl.h>
#include <hotpath.h>
#include <string.h>

enum { LOOPS = 8, ROUNDS = 300, REQUESTS = 16 };

static struct tally written = { .name = "uv_fs_write on_written" };
static struct tally worked = { .name = "uv_queue_work work" };
static struct tally ticked = { .name = "uv_timer_start on_tick" };
static struct tally woken = { .name = "uv_async_send on_woken" };

/* Each request goes around in its own memory, which is new after every round. */
struct side {
	uv_loop_t loop;
	uv_async_t async;
	uv_timer_t timer;
	uv_file file;
	unsigned rounds;
	unsigned running;
	struct side *next;
};

static struct side sides[LOOPS];
static uv_barrier_t all_ready;
static uint64_t finished;
static char bytes[64];

static void write_some(struct side *side);

static void work(uv_work_t *request)
{
	(void)request;
	raise_count(&worked.ran);
}

static void after(uv_work_t *request, int status)
{
	struct side *side = request->data;

	ran(&worked, status);
	free(request);
	MUST(uv_async_send(&side->next->async) == 0);
	write_some(side);
}

static void on_written(uv_fs_t *request)
{
	struct side *side = request->data;
	uv_work_t *more = malloc(sizeof(*more));

	ran(&written, request->result);
	MUST(more && request->result == sizeof(bytes) && request->cb == on_written);
	uv_fs_req_cleanup(request);
	free(request);
	more->data = side;
	made(&worked, uv_queue_work(&side->loop, more, work, after));
}

/* When there is no more to do for anybody, nobody is sent for any more. */
static void write_some(struct side *side)
{
	uv_buf_t buffer = uv_buf_init(bytes, sizeof(bytes));
	uv_fs_t *request = malloc(sizeof(*request));

	MUST(request != NULL);
	request->data = side;
	if (side->rounds++ < ROUNDS) {
		made(&written,
		     uv_fs_write(&side->loop, request, side->file, &buffer, 1, -1, on_written));
		return;
	}
	free(request);
	if (--side->running == 0)
		raise_count(&finished);
}

static void on_woken(uv_async_t *async)
{
	MUST(async->async_cb == on_woken);
	ran(&woken, 0);
	raise_count(&woken.made);
}

static void on_tick(uv_timer_t *timer)
{
	struct side *side = timer->data;

	ran(&ticked, 0);
	MUST(timer->timer_cb == on_tick);
	if (__atomic_load_n(&finished, __ATOMIC_RELAXED) < LOOPS) {
		made(&ticked, uv_timer_start(timer, on_tick, 1, 0));
		return;
	}
	uv_close((uv_handle_t *)timer, NULL);
	uv_close((uv_handle_t *)&side->async, NULL);
}

static void run_side(void *argument)
{
	struct side *side = argument;

	MUST(uv_loop_init(&side->loop) == 0 && uv_timer_init(&side->loop, &side->timer) == 0);
	MUST(uv_async_init(&side->loop, &side->async, on_woken) == 0);
	hotpath_label(&side->loop, "side");
	side->timer.data = side;
	uv_barrier_wait(&all_ready);
	made(&ticked, uv_timer_start(&side->timer, on_tick, 1, 0));
	for (side->running = 0; side->running < REQUESTS; side->running++)
		write_some(side);
	MUST(uv_run(&side->loop, UV_RUN_DEFAULT) == 0);
	MUST(uv_loop_close(&side->loop) == 0);
}

int main(void)
{
	uv_thread_t threads[LOOPS];
	int file = open("/dev/null", O_WRONLY);

	MUST(file >= 0 && uv_barrier_init(&all_ready, LOOPS) == 0);
	for (int i = 0; i < LOOPS; i++) {
		sides[i].file = file;
		sides[i].next = &sides[(i + 1) % LOOPS];
		MUST(uv_thread_create(&threads[i], run_side, &sides[i]) == 0);
	}
	for (int i = 0; i < LOOPS; i++)
		MUST(uv_thread_join(&threads[i]) == 0);
	print_tally(&written);
	print_tally(&worked);
	print_tally(&ticked);
	print_tally(&woken);
	printf("{\"callbacks\":%llu}\n", (unsigned long long)callbacks);
	return 0;
}
