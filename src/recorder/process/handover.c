/* SPDX-License-Identifier: MIT */
/*
 * One recorder per process: if a program contains the static library and the shared one is loaded too, the static
 * copy hands over to the shared one, because probes and other libraries use that.
 */
#include "handover.h"

#include "atomic.h"
#include "lifecycle.h"

#include <dlfcn.h>

/* Weak: in a statically linked program, which has no dynamic linker, it is NULL. */
extern void *dlsym(void *handle, const char *symbol) __attribute__((weak));

#pragma GCC visibility push(default)
extern const struct hotpath__recorder_ops hotpath_recorder;
#pragma GCC visibility pop

const struct hotpath__recorder_ops hotpath_recorder = {
	.size = sizeof(struct hotpath__recorder_ops),
#define OPERATION(name, function) .name = (function),
#include "handover.def"
#undef OPERATION
};

/* Not 0 at first: constructors of other libraries may be measured before ours has run. */
uint32_t hotpath_calls_wanted = 1;

/* The table of this copy, by a name under which no other copy is found. */
static const struct hotpath__recorder_ops own_recorder __attribute__((alias("hotpath_recorder")));

/*
 * Whether calls of the program come to this copy first. If the program exports another one, the dynamic linker gives
 * that one's functions to all libraries, and its variables even to this copy.
 */
static bool is_called(void)
{
	const struct hotpath__recorder_ops *called = &hotpath_recorder;

	/* Compilers must not think that both names are always of one object. */
	__asm__("" : "+r"(called));
	return called == &own_recorder;
}

void hotpath__want_calls(bool wanted)
{
	/* Another copy's flag tells what that copy wants. RELAXED: no other data depends on it. */
	if (is_called())
		store(&hotpath_calls_wanted, wanted, RELAXED);
	hotpath__sleds_want(wanted);
}

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
