/* SPDX-License-Identifier: MIT */
/*
 * Why a section has nothing to show: a sentence in place of its rows, without the end of the line.
 *
 * Each of the functions returns false, and writes nothing, when there is something.
 */
#ifndef HP_NOTHING_H
#define HP_NOTHING_H

#include "model.h"
#include "text.h"

bool hp_nothing_measured(const struct hp_model *model, struct hp_text *text);
bool hp_nothing_in_tree(const struct hp_model *model, struct hp_text *text);
bool hp_nothing_allocated(const struct hp_model *model, struct hp_text *text);
bool hp_nothing_followed(const struct hp_model *model, struct hp_text *text);
bool hp_nothing_sampled(const struct hp_model *model, struct hp_text *text);
bool hp_nothing_waits(const struct hp_model *model, struct hp_text *text);
bool hp_no_threads(const struct hp_model *model, struct hp_text *text);

/** "3 threads wait for locks now (section blocked)", or "waited when the program ended"; `what` is " for locks". */
void hp_put_waiting(const struct hp_model *model, size_t count, const char *what,
		    struct hp_text *text);

/** Whether threads wait now, or did when the program ended, for what the rows of a kind will count; and say so. */
bool hp_nothing_but_waiting(const struct hp_kind *kind, const struct hp_model *model,
			    struct hp_text *text);

#endif
