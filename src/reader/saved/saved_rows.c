/* SPDX-License-Identifier: MIT */
/* Finds the functions that sections of a saved report speak of. */
#include "saved_rows.h"

#include <errno.h>
#include <stdlib.h>

static const struct hp_saved_field name_fields[] = {
	{ "name", &hp_saved_type_string, offsetof(struct hp_function, name) },
	{ "kind", &hp_saved_type_kind, offsetof(struct hp_function, kind) },
	{ "module", &hp_saved_type_string, offsetof(struct hp_function, module) },
	{ "offset", &hp_saved_type_u64, offsetof(struct hp_function, offset) },
	{ NULL, NULL, 0 },
};

int hp_saved_rows_open(struct hp_saved_rows *rows, struct hp_model *model, size_t more,
		       struct hp_error *error)
{
	size_t room = model->function_count + more + 1;
	struct hp_function *functions = reallocarray(model->functions, room,
						     sizeof(*model->functions));

	*rows = (struct hp_saved_rows){ .model = model };
	if (functions)
		model->functions = functions;
	if (!functions || hp_function_index_open(&rows->index, model, room))
		return hp_saved_fail(error, -ENOMEM, "out of memory");
	return 0;
}

/* The row of a function, which is used up. */
static int32_t find_row(struct hp_saved_rows *rows, struct hp_function *function)
{
	struct hp_model *model = rows->model;
	size_t *slot = hp_function_index_slot(&rows->index, model, function);

	if (*slot) {
		hp_function_clear(function);
	} else {
		model->functions[model->function_count++] = *function;
		*slot = model->function_count;
	}
	return (int32_t)*slot - 1;
}

int hp_saved_row(struct hp_saved_rows *rows, struct json_object *object, int32_t *row,
		 struct hp_error *error)
{
	struct hp_function function = { .kind = HP_SITE_FUNCTION };
	int failed = hp_saved_fields(object, name_fields, &function, error);

	if (!failed)
		failed = hp_saved_member_fields(object, "location", hp_saved_location_fields,
						&function, error);
	if (failed)
		hp_function_clear(&function);
	else
		*row = find_row(rows, &function);
	return failed;
}

void hp_saved_rows_close(struct hp_saved_rows *rows)
{
	hp_function_index_close(&rows->index);
}
