/* SPDX-License-Identifier: MIT */
/* The figures of a row as members of an object in JSON, by their fields. */
#ifndef HP_FIELDS_JSON_H
#define HP_FIELDS_JSON_H

#include "figure.h"
#include "json_writer.h"
#include "report_options.h"

/** Write those of a table of the fields, or of HP_ANY_TABLE, but for histograms. */
void hp_fields_json(struct hp_json *json, const struct hp_field *fields, unsigned table,
		    const struct hp_totals *totals, const struct hp_report_options *options,
		    const void *row);

/** Write the histograms, if the options want them. */
void hp_histograms_json(struct hp_json *json, const struct hp_field *fields,
			const struct hp_report_options *options, const void *row);

#endif
