/* SPDX-License-Identifier: MIT */
/*
 * The next function: we wrap a function of another library, and call the definition behind ours.
 *
 * A probe lists the functions that it wraps or calls in a table, a .def file with one line for each:
 *
 *	FUNCTION(pthread_mutex_lock, next_error)
 *	FUNCTION(read, next_fails)
 *
 * The second name is that of a function which is called instead if there is no next one. Its parameters may be fewer.
 * It is also called if the dynamic linker calls ours while it looks up the next one, as it does with malloc.
 *
 * A header of the probe declares these functions, and includes this one:
 *
 *	#include <pthread.h>
 *	#include <unistd.h>
 *
 *	#define NEXT_TABLE "waits.def"
 *	#include "next.h"
 *
 * A wrapper is
 *
 *	DEFINE(int, pthread_mutex_lock, pthread_mutex_t *mutex)
 *	{
 *		return NEXT(pthread_mutex_lock)(mutex);
 *	}
 *
 * Each library of ours compiles next.c for itself, with NEXT_HEADER as the name of that header. All functions are found
 * when the library is loaded; so NEXT is safe where the dynamic linker is not: in signal handlers, on small stacks, and
 * after fork and vfork. Before that, the first use of NEXT finds them all. Functions of a library that is loaded later
 * are looked up when they are called.
 *
 * In a statically linked program the linker puts the wrappers in front (--wrap): with HOTPATH_WRAP defined, their names
 * are __wrap_NAME, the next functions are __real_NAME, and nothing is looked up.
 */
#ifndef NEXT_H
#define NEXT_H

#include "atomic.h"

#include <stddef.h>

#define VISIBLE __attribute__((visibility("default")))

/* Define a wrapper: an exported function in front of the one with this name. */
#define DEFINE(result, function, ...)                                                              \
	VISIBLE result NEXT_WRAPPER(function)(__VA_ARGS__);                                        \
	result NEXT_WRAPPER(function)(__VA_ARGS__)

#ifdef HOTPATH_WRAP

#define NEXT_WRAPPER(function) __wrap_##function
#define NEXT(function) __real_##function
#define NEXT_KNOWN(function) __real_##function

#define FUNCTION(function, missing) extern __typeof__(function) __real_##function;
#include NEXT_TABLE
#undef FUNCTION

#else

#pragma GCC visibility push(hidden)

struct next_functions {
#define FUNCTION(function, missing) __typeof__ (&(function))(function);
#include NEXT_TABLE
#undef FUNCTION
};

/* In the order of the table; NULL for those that are not known. */
extern struct next_functions next_functions;

/** Look up a function that is not known: its number in the table. Returns the substitute if there is no such function. */
void *next_find(size_t number);

/** The address of a function or variable in the libraries after ours, by the dynamic linker; NULL when there is none. */
void *next_symbol(const char *name);

/* Substitutes: returns -1, with errno ENOSYS; returns ENOSYS; returns NULL or 0. */
long next_fails(void);
int next_error(void);
void *next_null(void);

#pragma GCC visibility pop

#define NEXT_WRAPPER(function) function

/* The next function of a name; never NULL. RELAXED: looking it up twice gives the same result. */
#define NEXT(function)                                                                             \
	(__builtin_expect(load(&next_functions.function, RELAXED) != NULL, 1)                      \
		 ? next_functions.function                                                         \
		 : (__typeof__(next_functions.function))next_find(                                 \
			   offsetof(struct next_functions, function) / sizeof(void *)))

/* The same without a test, for a function that NEXT has found before. */
#define NEXT_KNOWN(function) next_functions.function

#endif

#endif
