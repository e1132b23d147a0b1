/* SPDX-License-Identifier: MIT */
/* Saves a report completely, so that it can be loaded again without loss. */
#include "whole_report.h"

#include "output.h"
#include "report.h"

#include <unistd.h>

int whole_report_save(const struct hp_model *model, const char *path)
{
	struct hp_text text = HP_TEXT_INIT;
	struct hp_report_options options;

	hp_report_options_init(&options);
	options.format = HP_FORMAT_JSON;
	options.complete = true;
	hp_report_write(model, &options, &text);
	int status = output_write(&text, path, STDOUT_FILENO);
	hp_text_free(&text);
	return status;
}
