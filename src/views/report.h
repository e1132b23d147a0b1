/* SPDX-License-Identifier: MIT */
/* A report: the sections of a model, as a table or as JSON. */
#ifndef HP_REPORT_H
#define HP_REPORT_H

#include "json_writer.h"
#include "model.h"
#include "report_options.h"
#include "text.h"

/** Whether a report shows the call tree, so that it must be read. */
bool hp_report_shows_tree(const struct hp_report_options *options);

/** What the profiler cost the program, in percent of the time that it took, or of its CPU time if that is more. */
double hp_report_cost_percent(const struct hp_model *model);

/** Above this percentage, the report mentions the cost of measuring next to the times. */
#define HP_COST_PERCENT 5.0

/**
 * Write a report.
 *
 * @param text
 *         Grows; out of memory is remembered there.
 */
void hp_report_write(const struct hp_model *model, const struct hp_report_options *options,
		     struct hp_text *text);

/** The same without its first line: the tables, and the notes on what was dropped or is not known. */
void hp_report_write_sections(const struct hp_model *model, const struct hp_report_options *options,
			      struct hp_text *text);

/** The members of the report in JSON, into an object that has begun. */
void hp_report_put_members(const struct hp_model *model, const struct hp_report_options *options,
			   struct hp_json *json);

#endif
