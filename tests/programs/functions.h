/* SPDX-License-Identifier: MIT */
/*
 * For programs whose every function is measured by the compiler's hooks: each counts its own calls.
 *
 * COUNTED() is the first declaration of a function. What is no part of the test is HOTPATH_SKIP.
 */
#ifndef FUNCTIONS_H
#define FUNCTIONS_H

#include "truth.h"

#define NOINLINE __attribute__((noinline))
#define INLINED __attribute__((always_inline)) static inline

struct counted {
	const char *name;
	uint64_t calls;
	/* Of those, how many came to their end. */
	uint64_t returns;
	struct counted *next;
};

static struct counted *all_counted;

/* In any thread and any handler. */
HOTPATH_SKIP static inline struct counted *counted_call(struct counted *here)
{
	if (__atomic_fetch_add(&here->calls, 1, __ATOMIC_RELAXED) == 0 && !here->next) {
		here->next = __atomic_load_n(&all_counted, __ATOMIC_RELAXED);
		while (!__atomic_compare_exchange_n(&all_counted, &here->next, here, 0,
						    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			;
	}
	return here;
}

HOTPATH_SKIP static inline void counted_return(struct counted *const *here)
{
	__atomic_fetch_add(&(*here)->returns, 1, __ATOMIC_RELAXED);
}

/* The row of a function has its name; in C++, its whole name. */
#define COUNTED_AS(name)                                                                           \
	static struct counted counted_here = { name, 0, 0, 0 };                                    \
	struct counted *const counted_now                                                          \
		__attribute__((cleanup(counted_return), unused)) = counted_call(&counted_here)
#define COUNTED() COUNTED_AS(__func__)

/** Only that it was called: nothing is left to do at the end, which may be a jump. */
#define COUNTED_HERE()                                                                             \
	do {                                                                                       \
		static struct counted counted_here = { __func__, 0, 0, 0 };                        \
		counted_call(&counted_here);                                                       \
	} while (0)

/** One line for each function; and how many calls, but for those still open, did not return. */
HOTPATH_SKIP static inline void counted_print(uint64_t open)
{
	uint64_t left = 0;

	for (const struct counted *function = all_counted; function; function = function->next) {
		truth(function->name, function->calls);
		left += function->calls - function->returns;
	}
	truth("@left", left - open);
	fflush(stdout);
}

/** The same at the end of main, which is about to return. */
HOTPATH_SKIP static inline void counted_main(uint64_t start)
{
	counted_print(1);
	truth("@elapsed", own_clock() - start);
	fflush(stdout);
}

/** What this process measured, in one line; of calls that are open, some are its parent's. */
HOTPATH_SKIP static inline void counted_process(void)
{
	char line[1024];
	int length = snprintf(line, sizeof(line), "{\"pid\":%d,\"calls\":{", (int)getpid());
	const char *comma = "";

	for (const struct counted *function = all_counted; function; function = function->next) {
		if (!function->calls)
			continue;
		length += snprintf(line + length, sizeof(line) - (size_t)length,
				   "%s\"%s\":%" PRIu64, comma, function->name, function->calls);
		comma = ",";
	}
	length += snprintf(line + length, sizeof(line) - (size_t)length, "}}\n");
	if (write(STDOUT_FILENO, line, (size_t)length) != length)
		_exit(1);
}

/** In a forked child: nothing was called yet. */
HOTPATH_SKIP static inline void counted_forget(void)
{
	for (struct counted *function = all_counted; function; function = function->next)
		function->calls = function->returns = 0;
}

#endif
