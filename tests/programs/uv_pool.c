/* SPDX-License-Identifier: MIT */
/* Two works for a pool of one thread: the second waits for as long as the first takes, which it measures itself. */
#include "truth.h"
#include "uv_truth.h"

static uint64_t first_ns;

/* It begins when both are in the queue. */
static uv_sem_t both;

static void first(uv_work_t *request)
{
	(void)request;
	uv_sem_wait(&both);
	uint64_t start = own_clock();
	spend(20000000);
	first_ns = own_clock() - start;
}

static void second(uv_work_t *request)
{
	(void)request;
}

static void after(uv_work_t *request, int status)
{
	(void)request;
	MUST(status == 0);
}

static void on_stat(uv_fs_t *request)
{
	uv_fs_req_cleanup(request);
}

int main(void)
{
	uv_work_t works[2];
	uv_fs_t stat;

	MUST(uv_sem_init(&both, 0) == 0);
	MUST(uv_queue_work(uv_default_loop(), &works[0], first, after) == 0);
	MUST(uv_queue_work(uv_default_loop(), &works[1], second, after) == 0);
	MUST(uv_fs_stat(uv_default_loop(), &stat, ".", on_stat) == 0);
	uv_sem_post(&both);
	MUST(uv_run(uv_default_loop(), UV_RUN_DEFAULT) == 0);
	truth("@first", first_ns);
	return 0;
}
