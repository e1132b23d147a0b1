/* SPDX-License-Identifier: MIT */
/*
 * Handles: from its start until it is stopped or closed, a handle is one future, and each callback is a step of it.
 * A timer that does not repeat ends with its first callback, and so does uv_close.
 */
#include "observe.h"

/* Observe a handle that is about to be started with a callback, which libuv will keep in this field. */
#define START(field, ours)                                                                         \
	observe(handle, (function_t)callback, (function_t)(ours), &handle->field, __func__)

/* The body of a callback of ours: calls the program's with the arguments from libuv. */
#define STEP(begin, type, ...)                                                                     \
	do {                                                                                       \
		struct step step;                                                                  \
		begin(&step, handle);                                                              \
		if (step.callback)                                                                 \
			((type)step.callback)(__VA_ARGS__);                                        \
		step_end(&step, 0);                                                                \
	} while (0)

/* ---- streams and sockets ---- */

static void on_read(uv_stream_t *handle, ssize_t count, const uv_buf_t *buffer)
{
	STEP(step_next, uv_read_cb, handle, count, buffer);
}

VISIBLE int uv_read_start(uv_stream_t *handle, uv_alloc_cb alloc, uv_read_cb callback)
{
	struct flight *flight = alloc ? START(read_cb, on_read) : NULL;

	return observe_result(flight,
			      NEXT(uv_read_start)(handle, alloc, flight ? on_read : callback));
}

/* libuv clears the field, so it does not matter which callback is in it. */
VISIBLE int uv_read_stop(uv_stream_t *handle)
{
	observe_stop(handle, (function_t)on_read);
	return NEXT(uv_read_stop)(handle);
}

static void on_connection(uv_stream_t *handle, int status)
{
	STEP(step_next, uv_connection_cb, handle, status);
}

VISIBLE int uv_listen(uv_stream_t *handle, int backlog, uv_connection_cb callback)
{
	struct flight *flight = START(connection_cb, on_connection);

	return observe_result(flight,
			      NEXT(uv_listen)(handle, backlog, flight ? on_connection : callback));
}

static void on_received(uv_udp_t *handle, ssize_t count, const uv_buf_t *buffer,
			const struct sockaddr *address, unsigned flags)
{
	STEP(step_next, uv_udp_recv_cb, handle, count, buffer, address, flags);
}

VISIBLE int uv_udp_recv_start(uv_udp_t *handle, uv_alloc_cb alloc, uv_udp_recv_cb callback)
{
	struct flight *flight = alloc ? START(recv_cb, on_received) : NULL;

	return observe_result(
		flight, NEXT(uv_udp_recv_start)(handle, alloc, flight ? on_received : callback));
}

VISIBLE int uv_udp_recv_stop(uv_udp_t *handle)
{
	observe_stop(handle, (function_t)on_received);
	return NEXT(uv_udp_recv_stop)(handle);
}

static void on_ready(uv_poll_t *handle, int status, int events)
{
	STEP(step_next, uv_poll_cb, handle, status, events);
}

/* Programs often call this again, to wait for other events: with the same callback, that is the same future. */
VISIBLE int uv_poll_start(uv_poll_t *handle, int events, uv_poll_cb callback)
{
	struct flight *before = flight_find((uintptr_t)handle);
	bool goes_on = before && before->ours == (function_t)on_ready &&
		       before->callback == (function_t)callback;
	struct flight *flight = goes_on ? NULL : START(poll_cb, on_ready);

	return observe_result(flight, NEXT(uv_poll_start)(handle, events,
							  flight || goes_on ? on_ready : callback));
}

VISIBLE int uv_poll_stop(uv_poll_t *handle)
{
	observe_stop(handle, (function_t)on_ready);
	return NEXT(uv_poll_stop)(handle);
}

/* ---- timers and signals ---- */

/* libuv has restarted a repeating timer before it calls the callback. */
static void on_timer(uv_timer_t *handle)
{
	if (handle->repeat)
		STEP(step_next, uv_timer_cb, handle);
	else
		STEP(step_last, uv_timer_cb, handle);
}

VISIBLE int uv_timer_start(uv_timer_t *handle, uv_timer_cb callback, uint64_t timeout,
			   uint64_t repeat)
{
	struct flight *flight = START(timer_cb, on_timer);

	return observe_result(flight, NEXT(uv_timer_start)(handle, flight ? on_timer : callback,
							   timeout, repeat));
}

/* libuv itself stops every timer that is due. */
VISIBLE int uv_timer_stop(uv_timer_t *handle)
{
	if (!CALLED_BY_LIBUV)
		observe_stop(handle, (function_t)on_timer);
	return NEXT(uv_timer_stop)(handle);
}

static void on_signal(uv_signal_t *handle, int number)
{
	STEP(step_next, uv_signal_cb, handle, number);
}

VISIBLE int uv_signal_start(uv_signal_t *handle, uv_signal_cb callback, int number)
{
	struct flight *flight = START(signal_cb, on_signal);

	return observe_result(flight,
			      NEXT(uv_signal_start)(handle, flight ? on_signal : callback, number));
}

static void on_one_signal(uv_signal_t *handle, int number)
{
	STEP(step_last, uv_signal_cb, handle, number);
}

VISIBLE int uv_signal_start_oneshot(uv_signal_t *handle, uv_signal_cb callback, int number)
{
	struct flight *flight = START(signal_cb, on_one_signal);

	return observe_result(flight, NEXT(uv_signal_start_oneshot)(
					      handle, flight ? on_one_signal : callback, number));
}

VISIBLE int uv_signal_stop(uv_signal_t *handle)
{
	observe_stop(handle, NULL);
	return NEXT(uv_signal_stop)(handle);
}

/* ---- in every turn of the loop ---- */

/* If the handle is active already, libuv ignores the new callback. */
#define EVERY_TURN(name)                                                                           \
	static void on_##name(uv_##name##_t *handle)                                               \
	{                                                                                          \
		STEP(step_next, uv_##name##_cb, handle);                                           \
	}                                                                                          \
	VISIBLE int uv_##name##_start(uv_##name##_t *handle, uv_##name##_cb callback)              \
	{                                                                                          \
		bool is_active = NEXT(uv_is_active)((uv_handle_t *)handle);                        \
		struct flight *flight = is_active ? NULL : START(name##_cb, on_##name);            \
		return observe_result(                                                             \
			flight, NEXT(uv_##name##_start)(handle, flight ? on_##name : callback));   \
	}                                                                                          \
	VISIBLE int uv_##name##_stop(uv_##name##_t *handle)                                        \
	{                                                                                          \
		observe_stop(handle, (function_t)on_##name);                                       \
		return NEXT(uv_##name##_stop)(handle);                                             \
	}

EVERY_TURN(idle)
EVERY_TURN(prepare)
EVERY_TURN(check)

/* ---- asyncs ---- */

static void on_async(uv_async_t *handle)
{
	STEP(step_next, uv_async_cb, handle);
}

VISIBLE int uv_async_init(uv_loop_t *loop, uv_async_t *handle, uv_async_cb callback)
{
	struct flight *flight = observe(handle, (function_t)callback, (function_t)on_async,
					&handle->async_cb, "uv_async_send");

	/* Look it up before a signal handler needs it. */
	(void)NEXT(uv_async_send);
	if (flight)
		flight->is_sent_for = true;
	return observe_result(flight,
			      NEXT(uv_async_init)(loop, handle, flight ? on_async : callback));
}

/* May be called on any thread, and in signal handlers. */
VISIBLE int uv_async_send(uv_async_t *handle)
{
	observe_sent(handle);
	return NEXT(uv_async_send)(handle);
}

/* ---- the end ---- */

static void on_closed(uv_handle_t *handle)
{
	STEP(step_last, uv_close_cb, handle);
}

/* After the callback of uv_close the program may free the handle. */
VISIBLE void uv_close(uv_handle_t *handle, uv_close_cb callback)
{
	observe_stop(handle, NULL);
	label_forget(handle);
	struct flight *flight = START(close_cb, on_closed);
	NEXT(uv_close)(handle, flight ? on_closed : callback);
	observe_result(flight, 0);
}
