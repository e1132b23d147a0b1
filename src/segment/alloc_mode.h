/* SPDX-License-Identifier: MIT */
/* The names of enum hp_alloc_mode, in options and in JSON. */
#ifndef HP_ALLOC_MODE_H
#define HP_ALLOC_MODE_H

#include "segment.h"

#include <stdbool.h>
#include <string.h>

static inline const char *hp_alloc_mode_name(enum hp_alloc_mode mode)
{
	static const char *const names[] = { "off", "count", "freed", "live" };

	return names[mode];
}

/** Find a mode by its name; false when there is none, and then *mode is as it was. */
static inline bool hp_alloc_mode_find(const char *name, enum hp_alloc_mode *mode)
{
	for (unsigned i = HP_ALLOC_NONE; i <= HP_ALLOC_LIVE; i++) {
		if (strcmp(name, hp_alloc_mode_name((enum hp_alloc_mode)i)) == 0) {
			*mode = (enum hp_alloc_mode)i;
			return true;
		}
	}
	return false;
}

#endif
