/* SPDX-License-Identifier: MIT */
/* Rows of the kind `waits`, for those who add them up. */
#ifndef HP_WAITS_H
#define HP_WAITS_H

#include "waiting.h"

/** The texts of a row: the word for what is waited for, as in hp_wait_reasons; and the target, NULL for none. */
enum { HP_WAIT_REASON, HP_WAIT_TARGET };

/** The times of a row. */
enum { HP_WAIT_TIME };

/** By enum hp_reason: "condition". NULL for HP_REASON_NONE. */
extern const char *const hp_wait_reasons[HP_REASONS];

#endif
