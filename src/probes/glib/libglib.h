/* SPDX-License-Identifier: MIT */
/*
 * The functions of GLib that the probe calls, looked up at run time. The probe is compiled with GLib's headers, but
 * not linked with its libraries: it can be preloaded into a program that does not use GLib.
 */
#ifndef LIBGLIB_H
#define LIBGLIB_H

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

#define NEXT_TABLE "glib.def"
#define NEXT_ASK(name) libglib_ask(name)
#include "next.h"

#pragma GCC visibility push(hidden)

/** Look up a function with the dynamic linker; NULL when there is none. A library may be loaded later than the probe. */
void *libglib_ask(const char *name);

/** The address of a variable of GLib; NULL when there is none. */
void *libglib_variable(const char *name);

#pragma GCC visibility pop

/* The return address of the call. */
#define FROM ((uintptr_t)__builtin_return_address(0))

#endif
