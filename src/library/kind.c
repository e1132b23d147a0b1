/* SPDX-License-Identifier: MIT */
/* Compiled once for each of the two libraries, to tell which one it is in. */
#include "recorder.h"

const bool hotpath__is_shared = HOTPATH_SHARED;
