/* SPDX-License-Identifier: MIT */
/* GET /api/report: the report of a program, as `hotpath report --format json` prints it. */
#include "asked.h"
#include "report.h"
#include "route.h"
#include "window.h"

static void answer_report(struct hp_request *request, const struct hp_program *program,
			  const struct hp_model *model)
{
	struct hp_report_options options;
	struct hp_text text = HP_TEXT_INIT;

	if (!hp_asked_options(request, program, &options))
		return;
	hp_report_write(model, &options, &text);
	hp_request_answer(request, 200, "application/json", &text);
}

static void answer(struct hp_request *request)
{
	struct hp_program *program = hp_asked_program(request);
	struct hp_report_options options;

	/* Wrong options are told before the time of a window begins. */
	if (program && hp_asked_options(request, program, &options))
		hp_window_answer(request, program, "window", answer_report);
}

const struct hp_route hp_route_report = {
	.path = "/api/report",
	.help = "the report of a program in JSON: program=ID, section=NAME,NAME, limit=N, percentiles=50,99, "
		"window=SECONDS",
	.answer = answer,
};
