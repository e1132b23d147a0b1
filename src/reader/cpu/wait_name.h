/* SPDX-License-Identifier: MIT */
/* Names what a wait was for, which is the innermost frame of its stack. */
#ifndef HP_WAIT_NAME_H
#define HP_WAIT_NAME_H

#include "build.h"

#include <stdint.h>

/** The name of a frame of the kind HP_FRAME_WAIT, such as "lock stats_lock" or "sleep", to be freed; NULL when memory ran
    out. */
char *hp_wait_name(const struct hp_build *build, uint64_t frame);

#endif
