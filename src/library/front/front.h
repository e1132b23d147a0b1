/* SPDX-License-Identifier: MIT */
/* The functions of the C library that libhotpath.so wraps. A static copy of the recorder wraps none: it would not
   intercept the calls of other libraries. */
#ifndef HOTPATH_FRONT_H
#define HOTPATH_FRONT_H

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <threads.h>
#include <ucontext.h>
#include <unistd.h>

/* Not every C library declares it. */
int execveat(int folder, const char *path, char *const arguments[], char *const environment[],
	     int flags);
/* A program with AddressSanitizer may define it. */
const char *__asan_default_options(void);

#define NEXT_TABLE "front/front.def"
/* If this library was loaded after the C library, that is found by the default search. */
#define NEXT_ASK(name) (next_symbol(name) ?: dlsym(RTLD_DEFAULT, name))
#include "next.h"

#endif
