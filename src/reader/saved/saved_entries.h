/* SPDX-License-Identifier: MIT */
/* Reads the rows of kinds from a saved report. */
#ifndef HP_SAVED_ENTRIES_H
#define HP_SAVED_ENTRIES_H

#include "kind.h"
#include "saved.h"
#include "saved_fields.h"

/** Read them; functions and allocations were read before. Returns 0, or a negative errno with the reason in error. */
int hp_saved_entries(struct json_object *report, struct hp_saved *saved, struct hp_error *error);

/** Read the figures of a row of any struct, by their keys, but for histograms. */
int hp_saved_figures(struct json_object *object, const struct hp_field *fields, void *row,
		     struct hp_error *error);

/** Read the histograms of HP_FIELD_POINTS, which must be empty. *complete is false if one is missing. */
int hp_saved_histograms(struct json_object *object, const struct hp_field *fields, void *row,
			bool *complete, struct hp_error *error);

#endif
