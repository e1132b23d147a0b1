/* SPDX-License-Identifier: MIT */
/* The list of programs in JSON. */
#include "programs_json.h"

#include "json_writer.h"

#include <hotpath/version.h>

#include <limits.h>
#include <unistd.h>

const char *hp_program_state_name(enum hp_program_state state)
{
	static const char *const names[] = {
		[HP_PROGRAM_RUNNING] = "running",
		[HP_PROGRAM_STOPPED] = "stopped",
		[HP_PROGRAM_ENDED] = "ended",
		[HP_PROGRAM_SAVED] = "saved",
	};

	return names[state];
}

static void put_program(struct hp_json *json, const struct hp_programs *programs,
			const struct hp_program *program)
{
	const struct hp_program *run = hp_programs_run_of(programs, program);

	hp_json_begin_object(json);
	hp_json_member_string(json, "id", program->id);
	hp_json_member_string(json, "kind", hp_program_kind_name(program));
	hp_json_member_string(json, "run", run ? run->id : NULL);
	hp_json_member_u64(json, "processes", program->processes);
	hp_json_member_string(json, "name", program->name);
	hp_json_member_u64(json, "pid", program->pid);
	hp_json_member_string(json, "state", hp_program_state_name(program->state));
	hp_json_member_u64(json, "started_unix_ns", program->started_unix_ns);
	hp_json_member_known(json, "elapsed_ns", program->elapsed_ns, program->is_known);
	hp_json_member_known(json, "threads", program->threads, program->is_known);
	hp_json_member_known(json, "functions", program->functions, program->is_known);
	hp_json_member_string(json, "error", *program->error.text ? program->error.text : NULL);
	hp_json_end_object(json);
}

void hp_programs_put_json(const struct hp_programs *programs, struct hp_text *text)
{
	struct hp_json json = hp_json_start(text, false);
	char host[HOST_NAME_MAX + 1] = "";
	size_t count;
	struct hp_program *const *list = hp_programs_list(programs, &count);

	gethostname(host, sizeof(host) - 1);
	hp_json_begin_object(&json);
	hp_json_member_string(&json, "version", HOTPATH_VERSION);
	hp_json_member_string(&json, "host", host);
	hp_json_key(&json, "programs");
	hp_json_begin_array(&json);
	for (size_t i = 0; i < count; i++)
		put_program(&json, programs, list[i]);
	hp_json_end_array(&json);
	hp_json_member_string(&json, "error", hp_programs_error(programs));
	hp_json_end_object(&json);
}
