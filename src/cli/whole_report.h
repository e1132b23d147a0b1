/* SPDX-License-Identifier: MIT */
/* Saves a report completely, so that it can be loaded again without loss. */
#ifndef WHOLE_REPORT_H
#define WHOLE_REPORT_H

#include "model.h"

/** Write all of a model to a file. Returns STATUS_OK, or STATUS_ERROR after one line on standard error. */
int whole_report_save(const struct hp_model *model, const char *path);

#endif
