/* SPDX-License-Identifier: MIT */
/* Operations on files. Without a callback they are synchronous, and not observed. */
#include "pool.h"

static void on_fs(uv_fs_t *request)
{
	struct step step;
	int64_t status = request->result;

	step_last(&step, &request->work_req);
	if (step.callback)
		((uv_fs_cb)step.callback)(request);
	step_end(&step, status);
}

/* libuv itself calls some of these functions too, mostly without a callback. */
static struct flight *begin(uv_fs_t *request, uv_fs_cb callback, const char *name)
{
	if (!request || !callback)
		return NULL;
	struct flight *flight = observe(&request->work_req, (function_t)callback, (function_t)on_fs,
					&request->cb, name);
	pool_begin(flight, false);
	return flight;
}

#define UNWRAP(...) __VA_ARGS__
/* Defines a wrapper: its parameters between the request and the callback, and the same as arguments. */
#define FS(function, parameters, arguments)                                                        \
	VISIBLE int uv_fs_##function(uv_loop_t *loop, uv_fs_t *request, UNWRAP parameters,         \
				     uv_fs_cb callback)                                            \
	{                                                                                          \
		struct flight *flight = begin(request, callback, "uv_fs_" #function);              \
		return pool_end(flight, NEXT(uv_fs_##function)(loop, request, UNWRAP arguments,    \
							       flight ? on_fs : callback));        \
	}
#include "fs.def"
#undef FS
