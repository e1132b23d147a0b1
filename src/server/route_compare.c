/* SPDX-License-Identifier: MIT */
/* GET /api/compare: what has changed in a program since its mark. */
#include "asked_marks.h"
#include "route.h"

static void answer(struct hp_request *request)
{
	struct hp_marked *marked = hp_asked_marked(request);

	if (marked)
		hp_asked_answer_marked(request, marked);
}

const struct hp_route hp_route_compare = {
	.path = "/api/compare",
	.help = "what has changed in a program since its mark, in JSON; windows of it are read while "
		"this is asked for: program=ID, window=SECONDS",
	.answer = answer,
};
