/* SPDX-License-Identifier: MIT */
/* The newest calls of a function, where its stats and the names are known already. */
#ifndef HP_RECENT_H
#define HP_RECENT_H

#include "names/names.h"
#include "reader.h"
#include "stat_index.h"

/** As hp_recent_calls; how long ago is before the snapshot's now. */
ssize_t hp_recent_find(const struct hp_snapshot *snapshot, const struct hp_names *names,
		       const struct hp_stat_index *index, const char *name,
		       struct hp_recent **recent, struct hp_error *error);

#endif
