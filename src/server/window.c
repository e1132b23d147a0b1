/* SPDX-License-Identifier: MIT */
/* What a program does in the next seconds, for requests that are answered after these. */
#include "window.h"

#include "server_state.h"
#include "since.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	/* Seconds that a request may wait. */
	WINDOW_MAX = 300,
};

struct window {
	struct hp_request *request;
	/* The program may be forgotten meanwhile. */
	char *id;
	struct hp_earlier before;
	struct event *timer;
	void (*answer)(struct hp_request *request, const struct hp_program *program,
		       const struct hp_model *model);
};

static void free_window(void *context)
{
	struct window *window = context;

	hp_earlier_clear(&window->before);
	if (window->timer)
		libevent.event_free(window->timer);
	free(window->id);
	free(window);
}

/* The two models are freed at once: the answer takes memory, too. */
static struct hp_model *read_difference(struct window *window, struct hp_program *program,
					struct hp_error *error)
{
	struct hp_model *after = hp_program_whole(program, error);
	struct hp_model *model = after ? hp_model_since_reduced(after, &window->before, NULL, error)
				       : NULL;

	hp_earlier_clear(&window->before);
	hp_model_free(after);
	return model;
}

static void answer_difference(struct window *window, struct hp_program *program)
{
	struct hp_error error = { "" };
	struct hp_model *model = read_difference(window, program, &error);

	if (model)
		window->answer(window->request, program, model);
	else
		hp_request_fail(window->request, 503, "%s", error.text);
	hp_model_free(model);
}

static void time_is_over(evutil_socket_t unused, short what, void *context)
{
	struct window *window = context;
	struct hp_program *program = hp_programs_get(window->request->server->programs, window->id);

	(void)unused;
	(void)what;
	if (program)
		answer_difference(window, program);
	else
		hp_request_fail(window->request, 404, "the program '%.100s' is not there any more",
				window->id);
	free_window(window);
}

static struct window *new_window(struct hp_request *request, const struct hp_program *program)
{
	struct window *window = calloc(1, sizeof(*window));

	if (!window)
		return NULL;
	window->request = request;
	window->id = strdup(program->id);
	window->timer = libevent.event_new(request->server->base, -1, 0, time_is_over, window);
	if (window->id && window->timer)
		return window;
	free_window(window);
	return NULL;
}

/* The request is kept first: one too many costs no reading. */
static void wait_for(struct window *window, struct hp_program *program, unsigned seconds)
{
	struct hp_error error = { "" };

	if (!hp_request_keep(window->request, free_window, window)) {
		free_window(window);
		return;
	}
	struct hp_model *before = hp_program_whole(program, &error);
	if (before && hp_earlier_take(&window->before, before)) {
		hp_request_wait(window->request, window->timer, seconds);
		return;
	}
	if (before)
		snprintf(error.text, sizeof(error.text), "out of memory");
	hp_request_fail(window->request, 503, "%s", error.text);
	free_window(window);
}

static void begin(struct hp_request *request, struct hp_program *program, unsigned seconds,
		  void (*answer)(struct hp_request *request, const struct hp_program *program,
				 const struct hp_model *model))
{
	struct window *window = new_window(request, program);

	if (!window) {
		hp_request_fail(request, 503, "out of memory");
		return;
	}
	window->answer = answer;
	wait_for(window, program, seconds);
}

/* Why a program has no window; NULL if it has. */
static const char *why_none(const struct hp_program *program)
{
	if (program->state == HP_PROGRAM_SAVED)
		return "a saved report does not change";
	return program->state == HP_PROGRAM_ENDED ? "the program has ended" : NULL;
}

void hp_window_answer(struct hp_request *request, struct hp_program *program, const char *name,
		      void (*answer)(struct hp_request *request, const struct hp_program *program,
				     const struct hp_model *model))
{
	struct hp_error error = { "" };
	unsigned seconds = 0;

	if (!hp_request_number(request, name, 1, WINDOW_MAX, &seconds))
		return;
	if (seconds && why_none(program)) {
		hp_request_fail(request, 400, "%s: %s", name, why_none(program));
		return;
	}
	if (seconds) {
		begin(request, program, seconds, answer);
		return;
	}
	const struct hp_model *model = hp_program_complete(request->server->programs, program,
							   &error);
	if (model)
		answer(request, program, model);
	else
		hp_request_fail(request, 503, "%s", error.text);
}
