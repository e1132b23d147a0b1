/* SPDX-License-Identifier: MIT */
/* Libraries that are loaded at their first use. */
#include "late.h"

#include <dlfcn.h>
#include <string.h>

bool hp_late_load(const char *library, const struct hp_late_symbol *symbols, size_t count)
{
	void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);

	for (size_t i = 0; handle && i < count; i++) {
		void *found = dlsym(handle, symbols[i].name);
		if (!found)
			return false;
		/* A pointer to a function is copied: C has no conversion for it. */
		memcpy(symbols[i].pointer, &found, sizeof(found));
	}
	return handle;
}
