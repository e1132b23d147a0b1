/* SPDX-License-Identifier: MIT */
/* What is hard on who observes libuv: sending from signal handlers, loops in callbacks, jumps out of them, forks. */
#include "uv_truth.h"

#include <hotpath.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BEATS = 20, READS = 2000 };

static struct tally beat = { .name = "heartbeat" };
static struct tally rung = { .name = "bell" };
static struct tally looked = { .name = "uv_fs_stat on_stat" };
static struct tally nested = { .name = "uv_timer_start on_nested" };
static struct tally nesting = { .name = "uv_timer_start on_nesting" };
static struct tally jumped = { .name = "uv_timer_start on_jump" };
static struct tally forked = { .name = "uv_timer_start on_fork" };

static uv_loop_t outer, inner;
static uv_async_t bell;

/* ---- a timer and an async with names, while signals interrupt whatever is done ---- */

static void ring(int number)
{
	(void)number;
	uv_async_send(&bell);
}

static void on_bell(uv_async_t *handle)
{
	MUST(handle->async_cb == on_bell);
	ran(&rung, 0);
	raise_count(&rung.made);
}

static void on_beat(uv_timer_t *timer)
{
	MUST(timer->timer_cb == on_beat);
	ran(&beat, 0);
}

static void on_stat(uv_fs_t *request)
{
	ran(&looked, request->result);
	uv_fs_req_cleanup(request);
	if (looked.made < READS || beat.ran < BEATS || rung.ran < 2)
		made(&looked, uv_fs_stat(&outer, request, ".", on_stat));
	else
		uv_stop(&outer);
}

static void use_signals(void)
{
	struct itimerval often = { { 0, 300 }, { 0, 300 } }, never = { { 0, 0 }, { 0, 0 } };
	struct sigaction action = { .sa_handler = ring, .sa_flags = SA_RESTART };
	uv_timer_t timer;
	uv_fs_t request;

	MUST(uv_async_init(&outer, &bell, on_bell) == 0 && uv_timer_init(&outer, &timer) == 0);
	hotpath_label(&bell, "bell");
	hotpath_label(&timer, "heartbeat");
	MUST(sigaction(SIGALRM, &action, NULL) == 0);
	MUST(setitimer(ITIMER_REAL, &often, NULL) == 0);
	made(&beat, uv_timer_start(&timer, on_beat, 1, 1));
	made(&looked, uv_fs_stat(&outer, &request, ".", on_stat));
	uv_run(&outer, UV_RUN_DEFAULT);
	MUST(setitimer(ITIMER_REAL, &never, NULL) == 0);
	/* What was sent last. */
	uv_run(&outer, UV_RUN_NOWAIT);
	uv_close((uv_handle_t *)&timer, NULL);
	uv_close((uv_handle_t *)&bell, NULL);
	MUST(uv_run(&outer, UV_RUN_DEFAULT) == 0);
}

/* ---- a loop in a callback of another ---- */

static void on_nested(uv_timer_t *timer)
{
	(void)timer;
	ran(&nested, 0);
}

static void on_nesting(uv_timer_t *timer)
{
	uv_timer_t mine;

	(void)timer;
	ran(&nesting, 0);
	MUST(uv_timer_init(&inner, &mine) == 0);
	made(&nested, uv_timer_start(&mine, on_nested, 1, 0));
	MUST(uv_run(&inner, UV_RUN_DEFAULT) == 0);
	uv_close((uv_handle_t *)&mine, NULL);
	MUST(uv_run(&inner, UV_RUN_DEFAULT) == 0);
}

static void use_nesting(void)
{
	uv_timer_t timer;

	MUST(uv_timer_init(&outer, &timer) == 0);
	made(&nesting, uv_timer_start(&timer, on_nesting, 1, 0));
	MUST(uv_run(&outer, UV_RUN_DEFAULT) == 0);
	uv_close((uv_handle_t *)&timer, NULL);
	MUST(uv_run(&outer, UV_RUN_DEFAULT) == 0);
}

/* ---- a jump out of the loop, which goes on later ---- */

static jmp_buf back;

static void on_jump(uv_timer_t *timer)
{
	ran(&jumped, 0);
	if (timer->data)
		longjmp(back, 1);
}

/* The first has no end that anybody sees: its callback does not return. */
static void use_jump(void)
{
	static uv_timer_t timer;

	timer.data = &back;
	MUST(uv_timer_init(&outer, &timer) == 0);
	made(&jumped, uv_timer_start(&timer, on_jump, 0, 0));
	if (setjmp(back) == 0)
		uv_run(&outer, UV_RUN_DEFAULT);
	timer.data = NULL;
	made(&jumped, uv_timer_start(&timer, on_jump, 0, 0));
	MUST(uv_run(&outer, UV_RUN_DEFAULT) == 0);
	uv_close((uv_handle_t *)&timer, NULL);
	MUST(uv_run(&outer, UV_RUN_DEFAULT) == 0);
}

/* ---- a child that goes on with the loop, and with what is in flight ---- */

static void on_fork(uv_timer_t *timer)
{
	int status;
	pid_t child;

	ran(&forked, 0);
	/* It is run in the child as well, by the timer that is in flight there. */
	if (timer->data)
		return;
	timer->data = timer;
	MUST(uv_timer_start(timer, on_fork, 1, 0) == 0);
	raise_count(&forked.made);
	child = fork();
	MUST(child >= 0);
	if (child == 0) {
		MUST(uv_loop_fork(&outer) == 0);
		return;
	}
	MUST(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void use_fork(void)
{
	uv_timer_t timer = { .data = NULL };
	pid_t parent = getpid();

	MUST(uv_timer_init(&outer, &timer) == 0);
	made(&forked, uv_timer_start(&timer, on_fork, 1, 0));
	MUST(uv_run(&outer, UV_RUN_DEFAULT) == 0);
	if (getpid() != parent)
		_exit(0);
	uv_close((uv_handle_t *)&timer, NULL);
	MUST(uv_run(&outer, UV_RUN_DEFAULT) == 0);
}

int main(void)
{
	struct tally *tallies[] = { &beat, &rung, &looked, &nested, &nesting, &forked };

	MUST(uv_loop_init(&outer) == 0 && uv_loop_init(&inner) == 0);
	hotpath_label(&outer, "outer");
	hotpath_label(&inner, "inner");
	use_signals();
	use_nesting();
	use_fork();
	use_jump();
	MUST(uv_loop_close(&outer) == 0 && uv_loop_close(&inner) == 0);
	for (size_t i = 0; i < sizeof(tallies) / sizeof(*tallies); i++)
		print_tally(tallies[i]);
	printf("{\"name\":\"%s\",\"call_count\":2,\"ended_count\":1,\"total_polls\":2}\n",
	       jumped.name);
	printf("{\"abandoned\":1}\n");
	return 0;
}
