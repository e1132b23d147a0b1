/* SPDX-License-Identifier: MIT */
/* POST /api/mark: from now on, a program is compared with what it did before. */
#include "asked_marks.h"
#include "route.h"

static void answer(struct hp_request *request)
{
	unsigned is_cleared = 0;

	if (!hp_request_number(request, "clear", 0, 1, &is_cleared))
		return;
	struct hp_marked *marked = hp_asked_marked(request);
	if (!marked)
		return;
	if (is_cleared)
		hp_marked_clear(marked);
	else
		hp_marked_set(marked);
	hp_asked_answer_marked(request, marked);
}

const struct hp_route hp_route_mark = {
	.path = "/api/mark",
	.help = "sets the mark of a program (POST): program=ID, window=SECONDS, clear=1 to forget it and all "
		"windows",
	.takes_post = true,
	.answer = answer,
};
