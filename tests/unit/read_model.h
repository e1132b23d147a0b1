/* SPDX-License-Identifier: MIT */
/* The model that is read from a segment which a test has made. */
#ifndef READ_MODEL_H
#define READ_MODEL_H

#include "../fuzz/made_segment.h"
#include "reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct made_segment made;
static struct hp_model *model;

static inline int end(void **state)
{
	(void)state;
	hp_model_free(model);
	model = NULL;
	return 0;
}

static inline void read_model(void)
{
	struct hp_error error = { "" };

	hp_model_free(model);
	model = hp_model_read(made.bytes, made.size, NULL, true, &error);
	assert_non_null(model);
}

static inline const struct hp_function *row(const char *name)
{
	for (size_t i = 0; i < model->function_count; i++)
		if (strcmp(model->functions[i].name, name) == 0)
			return &model->functions[i];
	fail_msg("no row '%s'", name);
	return NULL;
}

#endif
