/* SPDX-License-Identifier: MIT */
/* Identifies the function of a row, for all subjects about functions. */
#include "function_row.h"

#include <string.h>

/* A function stays the same if it is measured in another way; a block with its name is something else. */
static unsigned kind_of(const struct hp_function *function)
{
	switch (function->kind) {
	case HP_SITE_BLOCK:
	case HP_SITE_SPAN:
	case HP_SITE_CALL:
		return function->kind;
	default:
		return HP_SITE_FUNCTION;
	}
}

bool hp_is_own_file(const struct hp_model *model, const char *path)
{
	return model->program && strcmp(hp_file_name(model->program), hp_file_name(path)) == 0;
}

void hp_function_row(const struct hp_model *model, const struct hp_function *function,
		     struct hp_subject_row *row)
{
	bool has_module = !function->file && function->module &&
			  !hp_is_own_file(model, function->module);

	row->name = function->name;
	row->file = function->file;
	row->line = function->line;
	row->module = has_module ? function->module : NULL;
	row->order = function->file ? function->line : function->offset;
	row->kind = kind_of(function);
	/* The row for everything outside of functions, if no function encloses the whole program. */
	row->is_program = function->is_caller && !function->calls && !function->open;
}
