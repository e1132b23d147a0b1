/* SPDX-License-Identifier: MIT */
/* The table of kinds (kinds.c), with one more. */
#include "kind.h"

#define KIND(name) extern const struct hp_kind hp_kind_##name;
#include "kinds_and_gates.def"
#undef KIND

const struct hp_kind *const hp_kinds[] = {
#define KIND(name) &hp_kind_##name,
#include "kinds_and_gates.def"
#undef KIND
	NULL,
};
