/* SPDX-License-Identifier: MIT */
/*
 * The functions of GLib that the probe calls, looked up at run time. The probe is compiled with GLib's headers, but
 * not linked with its libraries: it can be preloaded into a program that does not use GLib.
 */
#ifndef GLIB_NEXT_H
#define GLIB_NEXT_H

#include "atomic.h"
#include "processor.h"

#include <gio/gio.h>
#include <poll.h>
#include <signal.h>
#include <time.h>

/* Functions that only newer headers declare. */
#if !GLIB_CHECK_VERSION(2, 80, 0)
void g_task_return_new_error_literal(GTask *task, GQuark domain, gint code, const char *message);
void g_task_return_prefixed_error(GTask *task, GError *error, const char *format, ...)
	G_GNUC_PRINTF(3, 4);
#endif

/* The functions, by the library that defines them. */
#define NEXT_LIBC(FUNCTION)                                                                        \
	FUNCTION(poll)                                                                             \
	FUNCTION(ppoll)
#define NEXT_GLIB(FUNCTION)                                                                        \
	FUNCTION(g_async_queue_new_full)                                                           \
	FUNCTION(g_async_queue_ref)                                                                \
	FUNCTION(g_async_queue_ref_unlocked)                                                       \
	FUNCTION(g_async_queue_unref)                                                              \
	FUNCTION(g_async_queue_lock)                                                               \
	FUNCTION(g_async_queue_unlock)                                                             \
	FUNCTION(g_async_queue_push)                                                               \
	FUNCTION(g_async_queue_push_unlocked)                                                      \
	FUNCTION(g_async_queue_push_sorted)                                                        \
	FUNCTION(g_async_queue_push_sorted_unlocked)                                               \
	FUNCTION(g_async_queue_push_front)                                                         \
	FUNCTION(g_async_queue_push_front_unlocked)                                                \
	FUNCTION(g_async_queue_pop)                                                                \
	FUNCTION(g_async_queue_pop_unlocked)                                                       \
	FUNCTION(g_async_queue_try_pop)                                                            \
	FUNCTION(g_async_queue_try_pop_unlocked)                                                   \
	FUNCTION(g_async_queue_timeout_pop)                                                        \
	FUNCTION(g_async_queue_timeout_pop_unlocked)                                               \
	FUNCTION(g_async_queue_timed_pop)                                                          \
	FUNCTION(g_async_queue_timed_pop_unlocked)                                                 \
	FUNCTION(g_async_queue_remove)                                                             \
	FUNCTION(g_async_queue_remove_unlocked)                                                    \
	FUNCTION(g_error_new_valist)                                                               \
	FUNCTION(g_free)                                                                           \
	FUNCTION(g_main_context_check)                                                             \
	FUNCTION(g_main_context_default)                                                           \
	FUNCTION(g_main_context_dispatch)                                                          \
	FUNCTION(g_main_context_get_poll_func)                                                     \
	FUNCTION(g_main_context_iteration)                                                         \
	FUNCTION(g_main_context_new)                                                               \
	FUNCTION(g_main_context_new_with_flags)                                                    \
	FUNCTION(g_main_context_query)                                                             \
	FUNCTION(g_main_context_set_poll_func)                                                     \
	FUNCTION(g_main_depth)                                                                     \
	FUNCTION(g_main_loop_get_context)                                                          \
	FUNCTION(g_main_loop_new)                                                                  \
	FUNCTION(g_main_loop_run)                                                                  \
	FUNCTION(g_quark_from_static_string)                                                       \
	FUNCTION(g_strdup_vprintf)
#define NEXT_GIO(FUNCTION)                                                                         \
	FUNCTION(g_cancellable_is_cancelled)                                                       \
	FUNCTION(g_io_error_quark)                                                                 \
	FUNCTION(g_object_get_qdata)                                                               \
	FUNCTION(g_object_set_qdata_full)                                                          \
	FUNCTION(g_task_get_cancellable)                                                           \
	FUNCTION(g_task_get_check_cancellable)                                                     \
	FUNCTION(g_task_new)                                                                       \
	FUNCTION(g_task_return_boolean)                                                            \
	FUNCTION(g_task_return_error)                                                              \
	FUNCTION(g_task_return_error_if_cancelled)                                                 \
	FUNCTION(g_task_return_int)                                                                \
	FUNCTION(g_task_return_new_error_literal)                                                  \
	FUNCTION(g_task_return_pointer)                                                            \
	FUNCTION(g_task_return_prefixed_error)                                                     \
	FUNCTION(g_task_return_value)                                                              \
	FUNCTION(g_task_run_in_thread)                                                             \
	FUNCTION(g_task_run_in_thread_sync)

struct next {
#define FIELD(name) __typeof__ (&(name))(name);
	NEXT_LIBC(FIELD) NEXT_GLIB(FIELD) NEXT_GIO(FIELD)
#undef FIELD
};

enum next_library {
	NEXT_IN_LIBC,
	NEXT_IN_GLIB,
	NEXT_IN_GIO,
};

extern struct next next;

/** Look up the functions of the libraries up to this one. A library may be loaded later than the probe, or never. */
void next_find(enum next_library last);

/** The address of a variable of GLib; NULL when there is none. */
void *next_variable(const char *name);

/* The next function of a name. RELAXED: a second lookup finds the same. */
#define NEXT(name)                                                                                 \
	(likely(load(&next.name, RELAXED)) ? next.name : (next_find(NEXT_IN_GIO), next.name))

/* Define a wrapper: an exported function in front of the one of the same name. */
#define DEFINE(result, name, ...)                                                                  \
	__attribute__((visibility("default"))) result name(__VA_ARGS__);                           \
	result name(__VA_ARGS__)

/* The return address of the call. */
#define FROM ((uintptr_t)__builtin_return_address(0))

#endif
