/* SPDX-License-Identifier: MIT */
/* Reads the call tree of a saved report: nested objects become branches. */
#include "saved_tree.h"

#include "calls/branches.h"
#include "saved_rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct hp_saved_field figure_fields[] = {
	{ "calls", &hp_saved_type_u64, offsetof(struct hp_branch, calls) },
	{ "open", &hp_saved_type_u64, offsetof(struct hp_branch, open) },
	{ "total_ns", &hp_saved_type_u64, offsetof(struct hp_branch, total_ns) },
	{ "self_ns", &hp_saved_type_u64, offsetof(struct hp_branch, self_ns) },
	{ "recursive", &hp_saved_type_boolean, offsetof(struct hp_branch, recursive) },
	{ NULL, NULL, 0 },
};

struct loading {
	struct hp_model *model;
	struct hp_saved_rows rows;
	struct hp_branches branches;
	struct hp_error *error;
};

/* How many branches there are in an array; a negative errno when it is not one of such. */
static ssize_t count_branches(struct json_object *object, const char *key, unsigned depth,
			      struct hp_error *error)
{
	struct json_object *array;
	size_t length;
	int failed = hp_saved_array(object, key, &array, &length, error);
	if (failed)
		return failed;
	if (length && depth > HP_BRANCH_DEPTH_MAX)
		return hp_saved_fail(error, -EINVAL, "damaged report: the call tree is too deep");

	ssize_t count = (ssize_t)length;
	for (size_t i = 0; i < length; i++) {
		struct json_object *branch = json_object_array_get_idx(array, i);
		if (!json_object_is_type(branch, json_type_object) ||
		    !hp_saved_member(branch, "name"))
			return hp_saved_fail(error, -EINVAL,
					     "damaged report: a branch has no name");
		ssize_t inside = count_branches(branch, "children", depth + 1, error);
		if (inside < 0)
			return inside;
		count += inside;
	}
	return count;
}

static bool is_other(struct json_object *branch)
{
	struct json_object *kind = hp_saved_member(branch, "kind");

	return kind && strcmp(json_object_get_string(kind), "other") == 0;
}

static int read_row(struct loading *loading, struct json_object *branch, int32_t *row)
{
	*row = HP_NO_FUNCTION;
	return is_other(branch) ? 0 : hp_saved_row(&loading->rows, branch, row, loading->error);
}

static int read_branches(struct loading *loading, struct json_object *array, int32_t parent);

static int read_branch(struct loading *loading, struct json_object *object, int32_t parent)
{
	struct hp_branch figures = { 0 };
	int32_t row;
	int failed = read_row(loading, object, &row);
	if (!failed)
		failed = hp_saved_fields(object, figure_fields, &figures, loading->error);
	if (failed)
		return failed;

	int32_t branch = hp_branches_get(&loading->branches, parent, row);
	if (branch == HP_BRANCH_FAILED)
		return hp_saved_fail(loading->error, -ENOMEM, "out of memory");
	hp_branches_add(&loading->branches, branch, parent, &figures);
	return read_branches(loading, hp_saved_member(object, "children"), branch);
}

static int read_branches(struct loading *loading, struct json_object *array, int32_t parent)
{
	size_t length = array ? json_object_array_length(array) : 0;
	int failed = 0;

	for (size_t i = 0; i < length && !failed; i++)
		failed = read_branch(loading, json_object_array_get_idx(array, i), parent);
	return failed;
}

static int read_tree(struct loading *loading, struct json_object *section)
{
	struct json_object *roots = hp_saved_member(section, "data");
	int failed = hp_branches_open(&loading->branches, loading->model);

	if (!failed) {
		failed = read_branches(loading, roots, HP_NO_BRANCH);
		hp_branches_close(&loading->branches);
	} else {
		hp_saved_fail(loading->error, failed, "out of memory");
	}
	if (!failed && hp_branches_settle(loading->model))
		failed = hp_saved_fail(loading->error, -ENOMEM, "out of memory");
	return failed;
}

int hp_saved_tree(struct json_object *report, struct hp_model *model, struct hp_error *error)
{
	struct loading loading = { .model = model, .error = error };
	struct json_object *section = hp_saved_member(report, "call_tree");
	if (!section)
		return 0;
	if (!json_object_is_type(section, json_type_object))
		return hp_saved_fail(error, -EINVAL,
				     "damaged report: 'call_tree' is not an object");

	ssize_t count = count_branches(section, "data", 0, error);
	if (count < 0)
		return (int)count;
	model->has_tree = true;
	/* Every branch may be of a function that is not known yet. */
	int failed = hp_saved_rows_open(&loading.rows, model, (size_t)count, error);
	if (!failed)
		failed = read_tree(&loading, section);
	hp_saved_rows_close(&loading.rows);
	return failed;
}
