/* SPDX-License-Identifier: MIT */
/*
 * One recorder per process: if a program contains the static library and the shared one is loaded too, the static
 * copy hands over to the shared one, because probes and other libraries use that.
 */
#include "handover.h"

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
