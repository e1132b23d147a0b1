/* SPDX-License-Identifier: MIT */
/* Deadlocks in words. */
#ifndef HP_DEADLOCKS_H
#define HP_DEADLOCKS_H

#include "model.h"
#include "text.h"

/** A thread of each deadlock, one after the other: the first is that after NULL. NULL behind the last one. */
const struct hp_blocked_thread *hp_deadlock_next(const struct hp_model *model,
						 const struct hp_blocked_thread *thread);

/** The whole sentence: who waits for whom. */
void hp_deadlock_sentence(const struct hp_model *model, const struct hp_blocked_thread *first,
			  struct hp_text *text);

/** A line for each of them; `colour` as in struct hp_report_options. */
void hp_deadlocks_write(const struct hp_model *model, bool colour, struct hp_text *text);

#endif
