/* SPDX-License-Identifier: MIT */
/* The report of a model that a test has made, under options that it sets. */
#ifndef WRITTEN_REPORT_H
#define WRITTEN_REPORT_H

#include "report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct hp_model model;
static struct hp_report_options options;
static struct hp_text text;

static inline int tear_down(void **state)
{
	(void)state;
	hp_text_free(&text);
	return 0;
}

static inline void set(const char *name, const char *value)
{
	char problem[HP_PROBLEM_SIZE];

	if (hp_report_option_set(&options, name, value, problem, sizeof(problem)))
		fail_msg("%s", problem);
}

/* Valid until the next. */
static inline const char *report(void)
{
	hp_text_free(&text);
	hp_report_write(&model, &options, &text);
	assert_false(text.failed);
	return text.length ? text.bytes : "";
}

/* One section, without the header of the report. */
static inline const char *section(const char *name)
{
	set("report", name);
	const char *start = strstr(report(), "\n\n");
	return start ? start + 2 : "";
}

/* What was written last has this in it. */
static inline bool has(const char *what)
{
	return strstr(text.bytes, what);
}

#endif
