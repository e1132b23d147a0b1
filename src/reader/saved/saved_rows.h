/* SPDX-License-Identifier: MIT */
/* Finds the functions that sections of a saved report speak of: each has one row in the model. */
#ifndef HP_SAVED_ROWS_H
#define HP_SAVED_ROWS_H

#include "calls/function_index.h"
#include "saved_fields.h"

struct hp_saved_rows {
	struct hp_model *model;
	struct hp_function_index index;
};

/**
 * Make room for so many functions that are not known yet.
 *
 * @return
 *         0, or a negative errno with the reason in error. Either way, it is to be closed.
 */
int hp_saved_rows_open(struct hp_saved_rows *rows, struct hp_model *model, size_t more,
		       struct hp_error *error);

/** The row of the function that an object names; one that is not known yet is added. */
int hp_saved_row(struct hp_saved_rows *rows, struct json_object *object, int32_t *row,
		 struct hp_error *error);

void hp_saved_rows_close(struct hp_saved_rows *rows);

#endif
