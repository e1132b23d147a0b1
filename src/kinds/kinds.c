/* SPDX-License-Identifier: MIT */
/* The table of kinds. */
#include "kind.h"

/* Tests have a list of their own, with one kind more. */
#ifndef HP_KINDS
#define HP_KINDS "kinds.def"
#endif

#define KIND(name) extern const struct hp_kind hp_kind_##name;
#include HP_KINDS
#undef KIND

const struct hp_kind *const hp_kinds[] = {
#define KIND(name) &hp_kind_##name,
#include HP_KINDS
#undef KIND
	NULL,
};
