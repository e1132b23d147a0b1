/* SPDX-License-Identifier: MIT */
/* The figures of a row as members of an object in JSON, by their fields. */
#ifndef HP_FIELDS_JSON_H
#define HP_FIELDS_JSON_H

#include "json_writer.h"
#include "kind.h"
#include "model.h"
#include "report_options.h"

/** Write those of a table of the fields, but for histograms. */
void hp_fields_json(struct hp_json *json, const struct hp_field *fields, unsigned table,
		    const struct hp_model *model, const struct hp_report_options *options,
		    const void *row);

/** Write the histograms. */
void hp_histograms_json(struct hp_json *json, const struct hp_field *fields, const void *row);

#endif
