/* SPDX-License-Identifier: MIT */
/* From a segment to rows of channels, streams, futures, loops and values. */
#ifndef HP_READ_FLOWS_H
#define HP_READ_FLOWS_H

#include "build.h"

/** Add them to a model that has its functions: a future's polls are one. Returns false when memory ran out. */
bool hp_flows_read(struct hp_build *build);

#endif
