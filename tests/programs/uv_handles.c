/* SPDX-License-Identifier: MIT */
/* Every kind of handle of libuv: stopped and closed in their callbacks and before, started again, told to go on. */
#include "uv_truth.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

enum { MESSAGES = 50, SENDS = 200 };

static struct tally once = { .name = "uv_timer_start on_once" };
static struct tally often = { .name = "uv_timer_start on_often" };
static struct tally never = { .name = "uv_timer_start on_never" };
static struct tally again = { .name = "uv_timer_start on_again" };
static struct tally woken = { .name = "uv_async_send on_woken" };
static struct tally idle = { .name = "uv_idle_start on_idle" };
static struct tally prepare = { .name = "uv_prepare_start on_prepare" };
static struct tally check = { .name = "uv_check_start on_check" };
static struct tally ready = { .name = "uv_poll_start on_ready" };
static struct tally signalled = { .name = "uv_signal_start on_signal" };
static struct tally signalled_once = { .name = "uv_signal_start_oneshot on_signal" };
static struct tally connection = { .name = "uv_listen on_connection" };
static struct tally connected = { .name = "uv_tcp_connect on_connected" };
static struct tally sent = { .name = "uv_write on_sent" };
static struct tally got = { .name = "uv_read_start on_read" };
static struct tally unread = { .name = "uv_read_start on_unread" };
static struct tally datagram = { .name = "uv_udp_send on_datagram" };
static struct tally received = { .name = "uv_udp_recv_start on_received" };
static struct tally gone = { .name = "uv_close on_gone" };

static struct tally *const tallies[] = {
	&once,	&often,	 &never,     &again,	      &woken,	   &idle,      &prepare,
	&check, &ready,	 &signalled, &signalled_once, &connection, &connected, &sent,
	&got,	&unread, &datagram,  &received,	      &gone
};

static uv_loop_t *loop;

static void on_gone(uv_handle_t *handle)
{
	ran(&gone, 0);
	MUST(handle->close_cb == on_gone);
	memset(handle, 0x55, uv_handle_size(handle->type));
}

static void leave(void *handle)
{
	uv_close(handle, on_gone);
	raise_count(&gone.made);
}

static void run(void)
{
	MUST(uv_run(loop, UV_RUN_DEFAULT) == 0);
}

/* ---- timers ---- */

/* It starts itself again: a new one each time. */
static void on_once(uv_timer_t *timer)
{
	ran(&once, 0);
	MUST(timer->timer_cb == on_once);
	if (once.made < 5)
		made(&once, uv_timer_start(timer, on_once, 0, 0));
	else
		leave(timer);
}

static void on_often(uv_timer_t *timer)
{
	ran(&often, 0);
	MUST(timer->timer_cb == on_often);
	if (often.ran == 5)
		MUST(uv_timer_stop(timer) == 0);
}

static void on_never(uv_timer_t *timer)
{
	(void)timer;
	abort();
}

/* Told to go on: in its callback that is a new one, and so it is when it was stopped. */
static void on_again(uv_timer_t *timer)
{
	ran(&again, 0);
	MUST(timer->timer_cb == on_again);
	if (again.ran < 3)
		made(&again, uv_timer_again(timer));
	else
		leave(timer);
}

static void use_timers(void)
{
	uv_timer_t timers[4];

	for (int i = 0; i < 4; i++)
		MUST(uv_timer_init(loop, &timers[i]) == 0);
	MUST(uv_timer_start(&timers[0], NULL, 0, 0) == UV_EINVAL);
	made(&once, uv_timer_start(&timers[0], on_once, 0, 0));
	made(&often, uv_timer_start(&timers[1], on_often, 1, 1));
	/* Begun anew, stopped, and closed before it was due. */
	for (int i = 0; i < 3; i++)
		made(&never, uv_timer_start(&timers[2], on_never, 100000, 0));
	MUST(uv_timer_stop(&timers[2]) == 0 && uv_timer_stop(&timers[2]) == 0);
	made(&never, uv_timer_start(&timers[2], on_never, 100000, 1));
	never.cancelled = never.made;
	leave(&timers[2]);
	made(&again, uv_timer_start(&timers[3], on_again, 100000, 1));
	MUST(uv_timer_again(&timers[3]) == 0 && uv_timer_stop(&timers[3]) == 0);
	again.cancelled++;
	made(&again, uv_timer_again(&timers[3]));
	run();
	leave(&timers[1]);
	run();
}

/* ---- asyncs, from another thread ---- */

static void on_woken(uv_async_t *async)
{
	ran(&woken, 0);
	raise_count(&woken.made);
	MUST(async->async_cb == on_woken);
	if (async->data)
		leave(async);
}

static uint64_t finished;

static void send_often(void *argument)
{
	uv_async_t *async = argument;

	for (int i = 0; i < SENDS; i++)
		MUST(uv_async_send(async) == 0);
	raise_count(&finished);
}

static void use_asyncs(void)
{
	static uv_async_t async;
	uv_thread_t threads[2];

	async.data = NULL;
	MUST(uv_async_init(loop, &async, on_woken) == 0);
	for (int i = 0; i < 2; i++)
		MUST(uv_thread_create(&threads[i], send_often, &async) == 0);
	while (__atomic_load_n(&finished, __ATOMIC_RELAXED) < 2)
		uv_run(loop, UV_RUN_NOWAIT);
	for (int i = 0; i < 2; i++)
		MUST(uv_thread_join(&threads[i]) == 0);
	/* Nobody sends it any more. */
	async.data = &finished;
	MUST(uv_async_send(&async) == 0);
	run();
}

/* ---- in every turn ---- */

#define EVERY_TURN(name)                                                                           \
	static void on_##name(uv_##name##_t *handle)                                               \
	{                                                                                          \
		ran(&name, 0);                                                                     \
		MUST(handle->name##_cb == on_##name);                                              \
		if (name.ran == 10)                                                                \
			leave(handle);                                                             \
	}                                                                                          \
	static void start_##name(uv_##name##_t *handle)                                            \
	{                                                                                          \
		MUST(uv_##name##_init(loop, handle) == 0);                                         \
		made(&name, uv_##name##_start(handle, on_##name));                                 \
		/* It is active, and so nothing happens. */                                        \
		MUST(uv_##name##_start(handle, on_##name) == 0);                                   \
	}

EVERY_TURN(idle)
EVERY_TURN(prepare)
EVERY_TURN(check)

static void use_turns(void)
{
	uv_idle_t idler;
	uv_prepare_t preparer;
	uv_check_t checker;

	start_idle(&idler);
	start_prepare(&preparer);
	start_check(&checker);
	run();
}

/* ---- descriptors and signals ---- */

static void on_ready(uv_poll_t *handle, int status, int events)
{
	int *ends = handle->data;
	char byte;

	ran(&ready, status);
	MUST(handle->poll_cb == on_ready && events == UV_READABLE);
	MUST(read(ends[0], &byte, 1) == 1);
	if (ready.ran == 5)
		leave(handle);
	else
		MUST(write(ends[1], "x", 1) == 1 &&
		     uv_poll_start(handle, UV_READABLE, on_ready) == 0);
}

static void use_descriptor(void)
{
	int ends[2];
	uv_poll_t handle = { .data = ends };

	MUST(pipe(ends) == 0 && write(ends[1], "x", 1) == 1);
	MUST(uv_poll_init(loop, &handle, ends[0]) == 0);
	made(&ready, uv_poll_start(&handle, UV_READABLE, on_ready));
	run();
	close(ends[0]);
	close(ends[1]);
}

static void on_signal(uv_signal_t *handle, int number)
{
	MUST(handle->signal_cb == on_signal);
	if (number == SIGUSR2) {
		ran(&signalled_once, 0);
		leave(handle);
		return;
	}
	ran(&signalled, 0);
	if (signalled.ran < 3)
		MUST(raise(SIGUSR1) == 0);
	else
		leave(handle);
}

static void use_signals(void)
{
	uv_signal_t usual, single;

	MUST(uv_signal_init(loop, &usual) == 0 && uv_signal_init(loop, &single) == 0);
	made(&signalled, uv_signal_start(&usual, on_signal, SIGUSR1));
	made(&signalled_once, uv_signal_start_oneshot(&single, on_signal, SIGUSR2));
	MUST(raise(SIGUSR1) == 0 && raise(SIGUSR2) == 0);
	run();
}

/* ---- sockets ---- */

static uv_tcp_t server, client, peer;
static uv_write_t writes[MESSAGES];

static void on_alloc(uv_handle_t *handle, size_t size, uv_buf_t *buffer)
{
	static char bytes[4096];

	(void)handle;
	(void)size;
	*buffer = uv_buf_init(bytes, sizeof(bytes));
}

static void on_unread(uv_stream_t *stream, ssize_t count, const uv_buf_t *buffer)
{
	(void)stream;
	(void)count;
	(void)buffer;
	abort();
}

static void on_read(uv_stream_t *stream, ssize_t count, const uv_buf_t *buffer)
{
	static ssize_t sum;

	(void)buffer;
	ran(&got, count < 0 && count != UV_EOF ? count : 0);
	MUST(stream->read_cb == on_read);
	MUST(uv_read_start(stream, on_alloc, on_read) == (count < 0 ? 0 : UV_EALREADY));
	sum += count > 0 ? count : 0;
	if (count >= 0)
		return;
	/* At the end it has begun again, which is of no use. */
	got.made++;
	got.cancelled++;
	MUST(sum == MESSAGES * 8);
	leave(stream);
	leave(&server);
}

static void on_connection(uv_stream_t *stream, int status)
{
	ran(&connection, status);
	MUST(stream->connection_cb == on_connection);
	MUST(uv_tcp_init(loop, &peer) == 0 && uv_accept(stream, (uv_stream_t *)&peer) == 0);
	made(&unread, uv_read_start((uv_stream_t *)&peer, on_alloc, on_unread));
	MUST(uv_read_stop((uv_stream_t *)&peer) == 0);
	unread.cancelled++;
	made(&got, uv_read_start((uv_stream_t *)&peer, on_alloc, on_read));
}

static void on_sent(uv_write_t *request, int status)
{
	ran(&sent, status);
	MUST(request->cb == on_sent);
	if (sent.ran == MESSAGES)
		leave(&client);
}

static void on_connected(uv_connect_t *request, int status)
{
	uv_buf_t buffer = uv_buf_init((char[]){ "message" }, 8);

	ran(&connected, status);
	MUST(request->cb == on_connected);
	for (int i = 0; i < MESSAGES; i++)
		made(&sent, uv_write(&writes[i], (uv_stream_t *)&client, &buffer, 1, on_sent));
}

static void use_tcp(void)
{
	struct sockaddr_in address;
	int size = sizeof(address);
	uv_connect_t request;

	MUST(uv_ip4_addr("127.0.0.1", 0, &address) == 0);
	MUST(uv_tcp_init(loop, &server) == 0 && uv_tcp_init(loop, &client) == 0);
	MUST(uv_tcp_bind(&server, (const struct sockaddr *)&address, 0) == 0);
	made(&connection, uv_listen((uv_stream_t *)&server, 8, on_connection));
	MUST(uv_tcp_getsockname(&server, (struct sockaddr *)&address, &size) == 0);
	made(&connected,
	     uv_tcp_connect(&request, &client, (const struct sockaddr *)&address, on_connected));
	run();
}

static void on_datagram(uv_udp_send_t *request, int status)
{
	ran(&datagram, status);
	MUST(request->send_cb == on_datagram);
}

static void on_received(uv_udp_t *handle, ssize_t count, const uv_buf_t *buffer,
			const struct sockaddr *address, unsigned flags)
{
	(void)buffer;
	(void)flags;
	ran(&received, 0);
	MUST(handle->recv_cb == on_received);
	if (!address || count <= 0)
		return;
	MUST(uv_udp_recv_stop(handle) == 0);
	leave(handle);
}

static void use_udp(void)
{
	uv_buf_t buffer = uv_buf_init((char[]){ "message" }, 8);
	struct sockaddr_in address;
	int size = sizeof(address);
	uv_udp_send_t request;
	uv_udp_t handle;

	MUST(uv_ip4_addr("127.0.0.1", 0, &address) == 0 && uv_udp_init(loop, &handle) == 0);
	MUST(uv_udp_bind(&handle, (const struct sockaddr *)&address, 0) == 0);
	MUST(uv_udp_getsockname(&handle, (struct sockaddr *)&address, &size) == 0);
	made(&received, uv_udp_recv_start(&handle, on_alloc, on_received));
	MUST(uv_udp_recv_start(&handle, on_alloc, on_received) == UV_EALREADY);
	made(&datagram, uv_udp_send(&request, &handle, &buffer, 1,
				    (const struct sockaddr *)&address, on_datagram));
	run();
}

int main(void)
{
	loop = uv_default_loop();
	use_timers();
	use_asyncs();
	use_turns();
	use_descriptor();
	use_signals();
	use_tcp();
	use_udp();
	MUST(uv_loop_close(loop) == 0);
	for (size_t i = 0; i < sizeof(tallies) / sizeof(*tallies); i++)
		print_tally(tallies[i]);
	printf("{\"callbacks\":%llu}\n", (unsigned long long)callbacks);
	return 0;
}
