/* SPDX-License-Identifier: MIT */
/* Comparisons of models that tests make themselves, or that they have as JSON. */
#ifndef COMPARISON_BY_HAND_H
#define COMPARISON_BY_HAND_H

#include "comparison.h"
#include "saved/saved.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static inline char *copy_of(const char *string)
{
	return string ? strdup(string) : NULL;
}

/* A model of its own strings, whose functions are given; their histograms stay behind. */
static inline struct hp_model *model_of(const struct hp_function *functions, size_t count)
{
	struct hp_model *model = calloc(1, sizeof(*model));

	assert_non_null(model);
	*model = (struct hp_model){ .program = copy_of("app"),
				    .arguments = copy_of(""),
				    .processes = 1,
				    .elapsed_ns = 1000000,
				    .exit = { .clean = true },
				    .functions = calloc(count + 1, sizeof(*functions)),
				    .function_count = count };
	assert_non_null(model->functions);
	for (size_t i = 0; i < count; i++) {
		model->functions[i] = functions[i];
		model->functions[i].name = copy_of(functions[i].name);
		model->functions[i].file = copy_of(functions[i].file);
		model->functions[i].module = copy_of(functions[i].module);
		if (!functions[i].kind)
			model->functions[i].kind = HP_SITE_FUNCTION;
	}
	return model;
}

/* The run's model, to add to it. */
static inline struct hp_model *add_model(struct hp_side *side, struct hp_model *model)
{
	char label[32];

	snprintf(label, sizeof(label), "run %zu", side->count + 1);
	assert_true(hp_side_append(
		side, (struct hp_run){ .label = strdup(label),
				       .report = { .model = model, .complete = true } }));
	return model;
}

#define ADD(side, ...)                                                                             \
	add_model((side), model_of((const struct hp_function[]){ __VA_ARGS__ },                    \
				   sizeof((const struct hp_function[]){ __VA_ARGS__ }) /           \
					   sizeof(struct hp_function)))

/* A function with so many calls, of 100 ns each. */
#define CALLED(of_name, of_file, of_line, of_calls)                                                \
	{                                                                                          \
		.name = (char *)(of_name), .file = (char *)(of_file), .line = (of_line),           \
		.calls = (of_calls), .self_ns = (of_calls)*100, .total_ns = (of_calls)*100,        \
		.sum_ns = (of_calls)*100, .min_ns = 100, .max_ns = 100,                            \
	}

static inline struct hp_saved *add_report(struct hp_side *side, const char *json)
{
	struct hp_error error;
	struct hp_run run = { .label = strdup("report.json") };

	assert_int_equal(hp_saved_read(json, strlen(json), &run.report, &error), 0);
	assert_true(hp_side_append(side, run));
	return &side->runs[side->count - 1].report;
}

static inline struct hp_comparison new_comparison(void)
{
	struct hp_comparison comparison = { .section_count = 0 };

	hp_compare_options_init(&comparison.options);
	return comparison;
}

/* The subject of a section of the report. */
static inline const struct hp_subject *subject_of(const char *name)
{
	for (size_t i = 0; hp_subjects[i]; i++)
		if (strcmp(hp_subjects[i]->name, name) == 0)
			return hp_subjects[i];
	fail_msg("no subject '%s'", name);
	return NULL;
}

static inline const struct hp_compared_section *section_of(const struct hp_comparison *comparison,
							   const struct hp_subject *subject)
{
	for (size_t i = 0; i < comparison->section_count; i++)
		if (comparison->sections[i].subject == subject)
			return &comparison->sections[i];
	return NULL;
}

/* The nth row of a name, by its line. */
static inline const struct hp_compared_row *row_of(const struct hp_compared_section *section,
						   const char *name, uint32_t line)
{
	for (size_t i = 0; section && i < section->row_count; i++)
		if (strcmp(section->rows[i].name, name) == 0 &&
		    (!line || section->rows[i].line == line))
			return &section->rows[i];
	return NULL;
}

static inline const struct hp_compared_cell *cell_of(const struct hp_compared_section *section,
						     const struct hp_compared_row *row,
						     const char *column)
{
	for (size_t i = 0; section && row && i < section->column_count; i++)
		if (strcmp(section->columns[i].name, column) == 0)
			return &row->cells[i];
	return NULL;
}

#endif
