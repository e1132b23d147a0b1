/* SPDX-License-Identifier: MIT */
/*
 * One recorder per process: if a program contains the static library and the shared one is loaded too, the static
 * copy hands over to the shared one, because probes and other libraries use that.
 */
#include "flow.h"

#include <dlfcn.h>

/* Weak: in a statically linked program, which has no dynamic linker, it is NULL. */
extern void *dlsym(void *handle, const char *symbol) __attribute__((weak));

#pragma GCC visibility push(default)
extern const struct hotpath__recorder_ops hotpath_recorder;
#pragma GCC visibility pop

const struct hotpath__recorder_ops hotpath_recorder = {
	.size = sizeof(struct hotpath__recorder_ops),
	.span_begin = hotpath__span_begin,
	.span_end = hotpath_span_end,
	.function_enter = hotpath__function_enter,
	.function_exit = hotpath__function_exit,
	.operation_begin = hotpath_operation_begin,
	.operation_end = hotpath_operation_end,
	.main_begin = hotpath_main_begin,
	.main_end = hotpath_main_end,
	.log_value = hotpath_log,
	.thread_name = hotpath_thread_name,
	.start = hotpath_start,
	.stop = hotpath_stop,
	.allocated = hotpath__allocated,
	.freed = hotpath__freed,
	.move_begin = hotpath__move_begin,
	.move_end = hotpath__move_end,
	.channel_new = hotpath_channel_new,
	.channel_send = hotpath__channel_send,
	.channel_recv = hotpath__channel_recv,
	.channel_close = hotpath_channel_close,
	.stream_new = hotpath_stream_new,
	.stream_yield = hotpath__stream_yield,
	.stream_end = hotpath_stream_end,
	.future_new = hotpath_future_new,
	.future_end = hotpath__future_end,
	.poll_begin = hotpath__poll_begin,
	.poll_end = hotpath_poll_end,
	.value_set = hotpath_value_set,
	.gauge = hotpath__gauge,
	.label = hotpath_label,
	.fiber_switch = hotpath_fiber_switch,
	.value_set_as = hotpath_value_set_as,
	.before_stop = hotpath_before_stop,
};

static bool usable(const struct hotpath__recorder_ops *other)
{
	return other && other != &hotpath_recorder && other->size >= sizeof(hotpath_recorder);
}

const struct hotpath__recorder_ops *hotpath__other_recorder(void)
{
	const struct hotpath__recorder_ops *other;

	if (hotpath__is_shared || !dlsym)
		return NULL;
	other = dlsym(RTLD_DEFAULT, "hotpath_recorder");
	if (!usable(other))
		other = dlsym(RTLD_NEXT, "hotpath_recorder");
	return usable(other) ? other : NULL;
}
