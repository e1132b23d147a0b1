/* SPDX-License-Identifier: MIT */
/* Converts the thread data of lanes to the threads of a model. */
#ifndef HP_TENANTS_H
#define HP_TENANTS_H

#include "model.h"
#include "snapshot.h"

/**
 * Read the threads that run, those that have ended, and what all of them allocated and freed together.
 *
 * How the process ended must be known already: all threads have ended with it.
 *
 * @return
 *         False when memory ran out.
 */
bool hp_tenants_read(const struct hp_snapshot *snapshot, struct hp_model *model);

#endif
