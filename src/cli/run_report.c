/* SPDX-License-Identifier: MIT */
/* Writes the report of a run: one for all processes, or one for each. */
#include "run_report.h"

#include "command.h"
#include "output.h"
#include "page_write.h"
#include "run_model.h"
#include "section.h"

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

int run_report_check(const struct input *input)
{
	if (input->report.format == HP_FORMAT_HTML && input_option(input, "each"))
		return complain("%s: --each: a page shows one report; choose a process with "
				"--process, or print json",
				input->command->name);
	return STATUS_OK;
}

void run_report_prepare(struct hp_model *run, const struct hp_report_options *options)
{
	const struct hp_section *section = hp_section_find(hp_kind_processes.tables[0].name);
	bool done = true;

	if (!hp_section_is_named(section, options))
		return;
	for (size_t i = 0; i < run->member_count; i++)
		done &= run_add_row(run->members[i]);
	if (!run_add_row(run) || !done)
		complain("out of memory: the section of processes is incomplete");
}

static void write_one(const struct hp_model *model, const struct hp_report_options *options,
		      struct hp_text *text)
{
	if (options->format == HP_FORMAT_HTML)
		hp_page_write(model, options, text);
	else
		hp_report_write(model, options, text);
}

void run_report_write(const struct hp_model *run, const struct hp_report_options *options,
		      bool each, struct hp_text *text)
{
	if (!each || run->member_count == 0) {
		write_one(run, options, text);
		return;
	}
	for (size_t i = 0; i < run->member_count; i++) {
		if (options->format == HP_FORMAT_TABLE)
			write_heading(run->members[i], i == 0, text);
		write_one(run->members[i], options, text);
	}
}
