/* SPDX-License-Identifier: MIT */
/* What requests ask about: a program, and sections of its report. */
#include "asked.h"

#include "server_state.h"

#include <string.h>

static void tell_missing(struct hp_request *request, const char *id, size_t count)
{
	const char *error = hp_programs_error(request->server->programs);

	if (error && (id || !count))
		hp_request_fail(request, 503, "%s", error);
	else if (id)
		hp_request_fail(request, 404,
				"no program has the id '%.100s'; /api/programs lists them", id);
	else if (count)
		hp_request_fail(request, 400,
				"there are %zu programs; say which one with program=ID, as "
				"/api/programs lists them",
				count);
	else
		hp_request_fail(request, 404,
				"no program is measured; start one with 'hotpath run PROGRAM'");
}

struct hp_program *hp_asked_program(struct hp_request *request)
{
	struct hp_programs *programs = request->server->programs;
	const char *id = hp_request_value(request, "program");
	size_t count;

	hp_programs_find_again(programs);
	hp_programs_list(programs, &count);
	struct hp_program *program = id ? hp_programs_get(programs, id)
					: hp_programs_only(programs);
	if (!program)
		tell_missing(request, id, count);
	return program;
}

/* A report without histograms has only its own percentiles. */
static void use_known(const struct hp_saved *saved, struct hp_report_options *options)
{
	if (!saved->model || saved->complete)
		return;
	options->alloc_cumulative = saved->alloc_cumulative;
	options->percentile_count = saved->known.count;
	memcpy(options->percentiles, saved->known.items,
	       saved->known.count * sizeof(*saved->known.items));
}

/* Set an option of reports, which may have another name on the command line. */
static bool set(struct hp_request *request, const char *name, const char *option, const char *value,
		struct hp_report_options *options)
{
	char problem[HP_PROBLEM_SIZE] = "";

	if (hp_report_option_set(options, option, value, problem, sizeof(problem)) == 0)
		return true;
	const char *colon = strchr(problem, ':');
	hp_request_fail(request, 400, "%s%s", name, colon ? colon : ": this value is wrong");
	return false;
}

bool hp_asked_options(struct hp_request *request, const struct hp_program *program,
		      struct hp_report_options *options)
{
	const char *sections = hp_request_value(request, "section");
	const char *limit = hp_request_value(request, "limit");
	const char *percentiles = hp_request_value(request, "percentiles");

	hp_report_options_init(options);
	options->format = HP_FORMAT_JSON;
	if (percentiles && !set(request, "percentiles", "percentiles", percentiles, options))
		return false;
	if (program)
		use_known(&program->saved, options);
	return set(request, "limit", "limit", limit ? limit : "0", options) &&
	       (!sections || set(request, "section", "report", sections, options));
}
