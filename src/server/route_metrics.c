/* SPDX-License-Identifier: MIT */
/* GET /metrics: the figures of all programs that run, for Prometheus. */
#include "asked.h"
#include "metrics.h"
#include "route.h"
#include "server_state.h"

enum {
	/* Rows of a kind, if somebody asks for more. */
	LIMIT_MAX = 1000000,
};

/* Figures may be so old: several servers of Prometheus may scrape one of ours. */
#define FRESH_NS UINT64_C(500000000)

/* What is scraped: programs that have ended do not change any more, and would be many. */
struct scraped {
	struct hp_metrics_program programs[HP_PROGRAMS_MAX];
	size_t count;
};

static void add(struct scraped *scraped, const struct hp_program *program,
		const struct hp_model *model)
{
	if (model && scraped->count < HP_PROGRAMS_MAX)
		scraped->programs[scraped->count++] = (struct hp_metrics_program){
			model, program->state == HP_PROGRAM_SAVED ? program->id : NULL
		};
}

/*
 * All programs that run, or those of a run. Its sum has no metrics: who adds up series would count all twice. A program may turn out
 * to have ended when it is read: then its clock was corrected, and its times may be less than before.
 */
static void add_all(struct scraped *scraped, struct hp_programs *programs,
		    const struct hp_program *run)
{
	struct hp_error ignored;
	size_t count;

	hp_programs_find_again(programs);
	struct hp_program *const *list = hp_programs_list(programs, &count);
	for (size_t i = 0; i < count; i++) {
		if (list[i]->state == HP_PROGRAM_ENDED || hp_program_is_sum(list[i]) ||
		    (run && hp_programs_run_of(programs, list[i]) != run))
			continue;
		const struct hp_model *model = hp_program_exact(programs, list[i], FRESH_NS,
								&ignored);
		if (list[i]->state != HP_PROGRAM_ENDED)
			add(scraped, list[i], model);
	}
}

static void add_asked(struct scraped *scraped, struct hp_programs *programs,
		      struct hp_program *program)
{
	struct hp_error ignored;

	if (hp_program_is_sum(program))
		add_all(scraped, programs, program);
	else
		add(scraped, program, hp_program_exact(programs, program, FRESH_NS, &ignored));
}

static void answer(struct hp_request *request)
{
	struct hp_programs *programs = request->server->programs;
	unsigned limit = request->server->metrics_limit;
	struct scraped scraped = { .count = 0 };
	struct hp_text text = HP_TEXT_INIT;

	if (!hp_request_number(request, "limit", 0, LIMIT_MAX, &limit))
		return;
	if (hp_request_value(request, "program")) {
		struct hp_program *program = hp_asked_program(request);
		if (!program)
			return;
		add_asked(&scraped, programs, program);
	} else {
		add_all(&scraped, programs, NULL);
	}
	struct hp_metrics_options options = {
		.format = hp_metrics_accepted(hp_request_header(request, "Accept")), .limit = limit
	};
	hp_metrics_write(scraped.programs, scraped.count, &options, &text);
	hp_request_answer(request, 200, hp_metrics_content_type(options.format), &text);
}

const struct hp_route hp_route_metrics = {
	.path = "/metrics",
	.help = "figures of all running programs, for Prometheus: program=ID, limit=N",
	.answer = answer,
};
