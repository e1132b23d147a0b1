/* SPDX-License-Identifier: MIT */
/* What requests ask about marks. */
#include "asked_marks.h"

#include "asked.h"
#include "server_state.h"

enum {
	/* Seconds of a window. */
	WINDOW_MAX = 300,
};

struct hp_marked *hp_asked_marked(struct hp_request *request)
{
	struct hp_program *program = hp_asked_program(request);
	struct hp_error error = { "" };
	unsigned window_s = 0;

	if (!program || !hp_request_number(request, "window", 1, WINDOW_MAX, &window_s))
		return NULL;
	if (program->state == HP_PROGRAM_SAVED) {
		hp_request_fail(
			request, 400,
			"program: a saved report does not change; 'hotpath compare' compares two");
		return NULL;
	}
	struct hp_marked *marked = hp_marks_ask(request->server->marks, program, window_s, &error);
	if (!marked)
		hp_request_fail(request, 503, "%s", error.text);
	return marked;
}

void hp_asked_answer_marked(struct hp_request *request, struct hp_marked *marked)
{
	struct hp_text text = HP_TEXT_INIT;

	hp_marked_put_json(marked, &text);
	hp_request_answer(request, 200, "application/json", &text);
}
