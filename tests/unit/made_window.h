/* SPDX-License-Identifier: MIT */
/* What happened between two models, for tests. */
#ifndef MADE_WINDOW_H
#define MADE_WINDOW_H

#include "report.h"
#include "since.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct hp_model *window;
static struct hp_error window_error;

static inline int close_window(void **state)
{
	(void)state;
	hp_model_free(window);
	window = NULL;
	return 0;
}

static inline void since(const struct hp_model *now, const struct hp_model *then)
{
	hp_model_free(window);
	window = hp_model_since(now, then, &window_error);
	if (!window)
		fail_msg("%s", window_error.text);
}

/* A model in which nothing has happened yet. */
static inline struct hp_model start_of(const struct hp_model *of)
{
	return (struct hp_model){ .pid = of->pid,
				  .start_unix_ns = of->start_unix_ns,
				  .processes = 1 };
}

static inline char *report_of(const struct hp_model *of)
{
	struct hp_report_options options;
	struct hp_text text = HP_TEXT_INIT;

	hp_report_options_init(&options);
	options.format = HP_FORMAT_JSON;
	options.complete = true;
	hp_report_write(of, &options, &text);
	assert_false(text.failed);
	return text.bytes;
}

static inline void assert_same_report(const struct hp_model *a, const struct hp_model *b)
{
	char *one = report_of(a), *other = report_of(b);

	assert_string_equal(one, other);
	free(one);
	free(other);
}

#endif
