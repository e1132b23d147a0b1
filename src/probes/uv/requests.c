/* SPDX-License-Identifier: MIT */
/* Requests: each has one callback, with which it ends. Those without a callback are not observed. */
#include "pool.h"

/* ---- of the thread pool ---- */

static void on_worked(uv_work_t *request, int status)
{
	struct step step;

	step_last(&step, &request->work_req);
	if (step.callback)
		((uv_after_work_cb)step.callback)(request, status);
	step_end(&step, status);
}

static void on_addresses(uv_getaddrinfo_t *request, int status, struct addrinfo *addresses)
{
	struct step step;

	step_last(&step, &request->work_req);
	if (step.callback)
		((uv_getaddrinfo_cb)step.callback)(request, status, addresses);
	step_end(&step, status);
}

static void on_name(uv_getnameinfo_t *request, int status, const char *host, const char *service)
{
	struct step step;

	step_last(&step, &request->work_req);
	if (step.callback)
		((uv_getnameinfo_cb)step.callback)(request, status, host, service);
	step_end(&step, status);
}

static void on_random(uv_random_t *request, int status, void *bytes, size_t size)
{
	struct step step;

	step_last(&step, &request->work_req);
	if (step.callback)
		((uv_random_cb)step.callback)(request, status, bytes, size);
	step_end(&step, status);
}

/* The site is that of the work function, since `after` may be NULL. */
VISIBLE int uv_queue_work(uv_loop_t *loop, uv_work_t *request, uv_work_cb work,
			  uv_after_work_cb after)
{
	struct flight *flight = NULL;

	if (work && request)
		flight = observe_code(&request->work_req, (function_t)on_worked,
				      &request->after_work_cb, __func__, (uintptr_t)work);
	if (flight)
		flight->callback = (function_t)after;
	pool_begin(flight, true);
	return pool_end(flight,
			NEXT(uv_queue_work)(loop, request, work, flight ? on_worked : after));
}

/* Observe a request of the pool. The fields and callback types differ from request to request. */
#define POOL_REQUEST(field, callback, ours)                                                        \
	({                                                                                         \
		struct flight *made = NULL;                                                        \
		if (request && (callback))                                                         \
			made = observe(&request->work_req, (function_t)(callback),                 \
				       (function_t)(ours), &request->field, __func__);             \
		pool_begin(made, false);                                                           \
		made;                                                                              \
	})

VISIBLE int uv_getaddrinfo(uv_loop_t *loop, uv_getaddrinfo_t *request, uv_getaddrinfo_cb callback,
			   const char *node, const char *service, const struct addrinfo *hints)
{
	struct flight *flight = POOL_REQUEST(cb, callback, on_addresses);

	return pool_end(flight,
			NEXT(uv_getaddrinfo)(loop, request, flight ? on_addresses : callback, node,
					     service, hints));
}

VISIBLE int uv_getnameinfo(uv_loop_t *loop, uv_getnameinfo_t *request, uv_getnameinfo_cb callback,
			   const struct sockaddr *address, int flags)
{
	struct flight *flight = POOL_REQUEST(getnameinfo_cb, callback, on_name);

	return pool_end(flight, NEXT(uv_getnameinfo)(loop, request, flight ? on_name : callback,
						     address, flags));
}

VISIBLE int uv_random(uv_loop_t *loop, uv_random_t *request, void *bytes, size_t size,
		      unsigned flags, uv_random_cb callback)
{
	struct flight *flight = POOL_REQUEST(cb, callback, on_random);

	return pool_end(flight, NEXT(uv_random)(loop, request, bytes, size, flags,
						flight ? on_random : callback));
}

/* ---- of streams and sockets ---- */

static void finish(void *request, int status)
{
	struct step step;

	step_last(&step, request);
	if (step.callback)
		((void (*)(void *, int))step.callback)(request, status);
	step_end(&step, status);
}

static void on_written(uv_write_t *request, int status)
{
	finish(request, status);
}

static void on_connected(uv_connect_t *request, int status)
{
	finish(request, status);
}

static void on_shut_down(uv_shutdown_t *request, int status)
{
	finish(request, status);
}

static void on_sent(uv_udp_send_t *request, int status)
{
	finish(request, status);
}

#define REQUEST(field, ours)                                                                       \
	observe(request, (function_t)callback, (function_t)(ours), &request->field, __func__)

VISIBLE int uv_write(uv_write_t *request, uv_stream_t *stream, const uv_buf_t buffers[],
		     unsigned count, uv_write_cb callback)
{
	struct flight *flight = REQUEST(cb, on_written);

	return observe_result(flight, NEXT(uv_write)(request, stream, buffers, count,
						     flight ? on_written : callback));
}

VISIBLE int uv_write2(uv_write_t *request, uv_stream_t *stream, const uv_buf_t buffers[],
		      unsigned count, uv_stream_t *sent, uv_write_cb callback)
{
	struct flight *flight = REQUEST(cb, on_written);

	return observe_result(flight, NEXT(uv_write2)(request, stream, buffers, count, sent,
						      flight ? on_written : callback));
}

VISIBLE int uv_shutdown(uv_shutdown_t *request, uv_stream_t *stream, uv_shutdown_cb callback)
{
	struct flight *flight = REQUEST(cb, on_shut_down);

	return observe_result(flight,
			      NEXT(uv_shutdown)(request, stream, flight ? on_shut_down : callback));
}

VISIBLE int uv_tcp_connect(uv_connect_t *request, uv_tcp_t *socket, const struct sockaddr *address,
			   uv_connect_cb callback)
{
	struct flight *flight = REQUEST(cb, on_connected);

	return observe_result(flight, NEXT(uv_tcp_connect)(request, socket, address,
							   flight ? on_connected : callback));
}

/* It reports errors only by its callback. */
VISIBLE void uv_pipe_connect(uv_connect_t *request, uv_pipe_t *pipe, const char *name,
			     uv_connect_cb callback)
{
	struct flight *flight = REQUEST(cb, on_connected);

	NEXT(uv_pipe_connect)(request, pipe, name, flight ? on_connected : callback);
	observe_result(flight, 0);
}

VISIBLE int uv_udp_send(uv_udp_send_t *request, uv_udp_t *socket, const uv_buf_t buffers[],
			unsigned count, const struct sockaddr *address, uv_udp_send_cb callback)
{
	struct flight *flight = REQUEST(send_cb, on_sent);

	return observe_result(flight, NEXT(uv_udp_send)(request, socket, buffers, count, address,
							flight ? on_sent : callback));
}
