/* SPDX-License-Identifier: MIT */
/* Warns about an --exclude pattern that matches nothing: it is probably mistyped. */
#include "unmatched.h"

#include "output.h"

static bool matches_frame(const struct hp_focus *focus, const struct hp_cpu_frame *frame)
{
	for (uint32_t level = 0; level < hp_cpu_frame_levels(frame); level++)
		if (hp_focus_matches(focus, hp_cpu_frame_level(frame, level)))
			return true;
	return false;
}

static bool matches_any(const struct hp_focus *focus, const struct hp_model *model)
{
	for (size_t i = 0; i < model->function_count; i++)
		if (hp_focus_matches(focus, model->functions[i].name))
			return true;
	/* Without measured functions, these are the rows of the section about CPU time. */
	for (size_t i = 0; i < model->cpu.frame_count; i++)
		if (matches_frame(focus, &model->cpu.frames[i]))
			return true;
	for (size_t i = 0; i < model->entries.count; i++)
		if (hp_focus_matches(focus, model->entries.items[i].name))
			return true;
	return false;
}

void warn_unmatched(const struct input *input, const struct hp_model *model)
{
	const char *pattern = input->report.exclude;
	char problem[HP_PROBLEM_SIZE];
	struct hp_focus focus;

	if (!*pattern || input->report.format == HP_FORMAT_NONE ||
	    hp_focus_open(&focus, pattern, problem))
		return;
	bool matched = matches_any(&focus, model);
	hp_focus_close(&focus);
	if (!matched)
		complain("%s '%s' matches no function",
			 input_option(input, "exclude") ? "--exclude" : "HOTPATH_EXCLUDE", pattern);
}
