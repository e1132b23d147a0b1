/* SPDX-License-Identifier: MIT */
/* Writes the report of a run: one for all processes, or one for each. */
#include "run_report.h"

#include <inttypes.h>

enum {
	/* Bytes of arguments that are shown, to tell processes of one program apart in one line. */
	ARGUMENTS_SHOWN = 60,
};

static void write_heading(const struct hp_model *member, bool is_first, struct hp_text *text)
{
	struct hp_process_name process = hp_model_process(member);

	hp_text_printf(text, "%s== ", is_first ? "" : "\n");
	hp_process_put(text, &process, ARGUMENTS_SHOWN);
	if (member->processes > 1)
		hp_text_printf(text, " (%" PRIu32 " processes) ==\n", member->processes);
	else
		hp_text_printf(text, " (pid %" PRIu32 ") ==\n", member->pid);
}

void run_report_write(const struct hp_model *run, const struct hp_report_options *options,
		      bool each, struct hp_text *text)
{
	if (!each || run->member_count == 0) {
		hp_report_write(run, options, text);
		return;
	}
	for (size_t i = 0; i < run->member_count; i++) {
		if (options->format == HP_FORMAT_TABLE)
			write_heading(run->members[i], i == 0, text);
		hp_report_write(run->members[i], options, text);
	}
}
