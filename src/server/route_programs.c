/* SPDX-License-Identifier: MIT */
/* GET /api/programs: what can be asked about. */
#include "programs_json.h"
#include "request.h"
#include "route.h"
#include "server_state.h"

static void answer(struct hp_request *request)
{
	struct hp_programs *programs = request->server->programs;
	struct hp_text text = HP_TEXT_INIT;

	hp_programs_find_again(programs);
	hp_programs_read(programs);
	hp_programs_put_json(programs, &text);
	hp_text_putc(&text, '\n');
	hp_request_answer(request, 200, "application/json", &text);
}

const struct hp_route hp_route_programs = {
	.path = "/api/programs",
	.help = "the programs that can be asked about, in JSON",
	.answer = answer,
};
