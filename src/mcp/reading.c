/* SPDX-License-Identifier: MIT */
/* Programs as hosts have read them, and windows of time. */
#include "mcp.h"

#include "since.h"
#include "tool.h"

#include <errno.h>

bool hp_mcp_goes_on(const struct hp_mcp_reading *reading, struct hp_error *error)
{
	if (!reading->report.model->exit.running)
		hp_mcp_error(error, -EINVAL,
			     "a window is of a program that runs; ask without 'window'");
	return reading->report.model->exit.running;
}

int hp_mcp_window(struct hp_mcp_reading *reading, const struct hp_mcp_reading *before,
		  struct hp_error *error)
{
	struct hp_model *between = hp_model_since(reading->report.model, before->report.model,
						  error);

	if (between && between->elapsed_ns == 0) {
		hp_mcp_error(error, -EINVAL,
			     "nothing was recorded in this time; ask without 'window'");
		hp_model_free(between);
		between = NULL;
	}
	hp_model_free(reading->report.model);
	reading->report.model = between;
	reading->since = NULL;
	if (between)
		return 0;
	hp_mcp_reading_free(reading);
	return -EINVAL;
}

void hp_mcp_reading_free(struct hp_mcp_reading *reading)
{
	hp_model_free(reading->report.model);
	hp_image_free(&reading->image);
	*reading = (struct hp_mcp_reading){ 0 };
}
