/* SPDX-License-Identifier: MIT */
/* The table of kinds. */
#include "kind.h"

#define KIND(name) extern const struct hp_kind hp_kind_##name;
#include "kinds.def"
#undef KIND

const struct hp_kind *const hp_kinds[] = {
#define KIND(name) &hp_kind_##name,
#include "kinds.def"
#undef KIND
	NULL,
};
