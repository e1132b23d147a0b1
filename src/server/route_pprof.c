/* SPDX-License-Identifier: MIT */
/* GET /debug/pprof/…: profiles for go tool pprof, under the paths that programs in Go have. */
#include "asked.h"
#include "export.h"
#include "route.h"
#include "waiting.h"
#include "waits.h"
#include "window.h"

#include <string.h>

/* Which subject of `hotpath export` a path gives. */
struct profile {
	const struct hp_route *route;
	const char *subject;
	/* Only waits for locks. */
	bool of_locks;
};

static const struct profile profiles[] = {
	{ &hp_route_pprof_profile, "cpu", false }, { &hp_route_pprof_allocs, "alloc", false },
	{ &hp_route_pprof_heap, "live", false },   { &hp_route_pprof_mutex, "waits", true },
	{ &hp_route_pprof_block, "waits", false },
};

/* ---- waits for locks ---- */

/* The innermost frame of a wait is named by its reason, and for what: "lock queue". */
static bool is_of_lock(const struct hp_cpu *cpu, const struct hp_cpu_stack *stack)
{
	const char *name = stack->depth ? cpu->frames[stack->frames[0]].name : "";
	const char *word = hp_wait_reasons[HP_REASON_LOCK];
	size_t length = strlen(word);

	return strncmp(name, word, length) == 0 && (!name[length] || name[length] == ' ');
}

static struct hp_values lock_values(const struct hp_cpu *cpu, const struct hp_cpu_stack *stack)
{
	return (struct hp_values){ { is_of_lock(cpu, stack) ? stack->samples * cpu->period_ns
							    : 0 } };
}

static struct hp_values locks_in(const struct hp_model *model, uint32_t thread)
{
	const struct hp_cpu *waits = &model->waits;
	struct hp_values sum = { { 0 } };

	for (size_t i = 0; i < waits->stack_count; i++) {
		struct hp_values values = lock_values(waits, &waits->stacks[i]);
		if (waits->stacks[i].thread == thread)
			hp_values_add(&sum, &values);
	}
	return sum;
}

/* ---- any ---- */

static struct hp_export_subject subject_of(const struct hp_route *route)
{
	const struct profile *profile = profiles;

	while (profile->route != route)
		profile++;
	struct hp_export_subject subject = *hp_export_subject_find(profile->subject);
	if (profile->of_locks) {
		subject.values_of = lock_values;
		subject.values_in = locks_in;
		subject.zero = "waits for locks";
	}
	return subject;
}

static void answer_profile(struct hp_request *request, const struct hp_program *program,
			   const struct hp_model *model)
{
	struct hp_export_subject subject = subject_of(request->route);
	struct hp_text text = HP_TEXT_INIT;

	if (!hp_export_subject_is_recorded(&subject, model)) {
		hp_request_fail(request, 404, "%s has no %s", program->name, subject.missing);
		return;
	}
	if (hp_export_write(model, &subject, &hp_export_pprof, &text)) {
		hp_request_answer(request, 200, "application/octet-stream", &text);
		return;
	}
	hp_text_free(&text);
	hp_request_fail(request, 404, "%s has no %s", program->name,
			subject.zero ? subject.zero : subject.missing);
}

static void answer(struct hp_request *request)
{
	struct hp_program *program = hp_asked_program(request);

	if (program)
		hp_window_answer(request, program, "seconds", answer_profile);
}

static void list(struct hp_request *request)
{
	struct hp_text text = HP_TEXT_INIT;

	for (size_t i = 0; i < sizeof(profiles) / sizeof(*profiles); i++)
		hp_text_printf(&text, "%-24s%s\n", profiles[i].route->path,
			       profiles[i].route->help);
	hp_request_answer(request, 200, "text/plain; charset=utf-8", &text);
}

const struct hp_route hp_route_pprof = {
	.path = "/debug/pprof/",
	.help = "the profiles below, for 'go tool pprof'",
	.answer = list,
};

const struct hp_route hp_route_pprof_profile = {
	.path = "/debug/pprof/profile",
	.help = "CPU time in the format of pprof: program=ID, seconds=N",
	.answer = answer,
};

const struct hp_route hp_route_pprof_allocs = {
	.path = "/debug/pprof/allocs",
	.help = "allocations in the format of pprof: program=ID, seconds=N",
	.answer = answer,
};

const struct hp_route hp_route_pprof_heap = {
	.path = "/debug/pprof/heap",
	.help = "live blocks in the format of pprof: program=ID, seconds=N",
	.answer = answer,
};

const struct hp_route hp_route_pprof_mutex = {
	.path = "/debug/pprof/mutex",
	.help = "waits for locks in the format of pprof: program=ID, seconds=N",
	.answer = answer,
};

const struct hp_route hp_route_pprof_block = {
	.path = "/debug/pprof/block",
	.help = "waits in the format of pprof: program=ID, seconds=N",
	.answer = answer,
};
