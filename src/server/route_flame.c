/* SPDX-License-Identifier: MIT */
/* GET /api/flame: a flame graph of a program, as a tree of frames. */
#include "asked.h"
#include "page_write.h"
#include "route.h"
#include "window.h"

static const char *asked_what(const struct hp_request *request)
{
	const char *what = hp_request_value(request, "what");

	return what ? what : "cpu";
}

static void answer_flame(struct hp_request *request, const struct hp_program *program,
			 const struct hp_model *model)
{
	struct hp_text text = HP_TEXT_INIT;
	struct hp_json json = hp_json_start(&text, false);

	if (hp_page_put_flame(model, asked_what(request), &json)) {
		hp_request_answer(request, 200, "application/json", &text);
		return;
	}
	hp_text_free(&text);
	hp_request_fail(request, 404,
			"%s has nothing for a flame graph of '%.40s'; what=cpu, alloc, live, wait "
			"or tree, of what was recorded",
			program->name, asked_what(request));
}

static void answer(struct hp_request *request)
{
	struct hp_program *program = hp_asked_program(request);

	if (program)
		hp_window_answer(request, program, "window", answer_flame);
}

const struct hp_route hp_route_flame = {
	.path = "/api/flame",
	.help = "a flame graph in JSON: program=ID, what=cpu|alloc|live|wait|tree, window=SECONDS",
	.answer = answer,
};
