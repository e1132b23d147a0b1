/* SPDX-License-Identifier: MIT */
/* GET /: the paths that there are, for people. */
#include "request.h"
#include "route.h"

static void answer(struct hp_request *request)
{
	struct hp_text text = HP_TEXT_INIT;

	for (size_t i = 0; hp_routes[i]; i++)
		hp_text_printf(&text, "%-24s%s\n", hp_routes[i]->path, hp_routes[i]->help);
	hp_request_answer(request, 200, "text/plain; charset=utf-8", &text);
}

const struct hp_route hp_route_index = {
	.path = "/",
	.help = "the paths that there are",
	.answer = answer,
};
