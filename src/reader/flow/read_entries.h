/* SPDX-License-Identifier: MIT */
/* From a segment to the rows of kinds. */
#ifndef HP_READ_ENTRIES_H
#define HP_READ_ENTRIES_H

#include "build.h"

/** Add them to a model that has its functions: a future's polls are one. Returns false when memory ran out. */
bool hp_entries_read(struct hp_build *build);

/** The name of a site as rows of kinds have it, to be freed; NULL if there is no such site, and then *failed tells if memory
    ran out. */
char *hp_site_label(const struct hp_build *build, uint32_t site, bool *failed);

#endif
