/* SPDX-License-Identifier: MIT */
/* What there is to be seen. */
#include "panes.h"

#include <string.h>

const struct pane panes[PANES] = {
	{ 1, "Functions", "Timing", &hp_section_timing,
	  "No function has been measured yet.\n\n"
	  "Measure functions with HOTPATH_MEASURE() (hotpath.h), or compile the program\n"
	  "with 'hotpath cc' instead of 'cc'; then start it with 'hotpath run'." },
	{ 1, "Functions", "Memory", &hp_section_alloc_bytes,
	  "Allocations are not recorded.\n\n"
	  "Start the program with 'hotpath run --alloc PROGRAM'." },
	{ 1, "Functions", "CPU", &hp_section_cpu,
	  "CPU time is not sampled.\n\n"
	  "Start the program with 'hotpath run --cpu PROGRAM'." },
	{ 2, "Data flow", NULL, NULL,
	  "No channels, streams or futures are recorded.\n\n"
	  "This version of hotpath measures functions, memory, CPU time and threads." },
	{ 3, "Threads", NULL, &hp_section_threads, "No thread has been seen yet." },
	{ 4, "Debug", NULL, NULL,
	  "No values are recorded.\n\n"
	  "What functions return is among their recent calls, key 'o', where the program\n"
	  "logs it with HOTPATH_RETURN()." },
};

static bool is_preferred(const struct hp_section *section, const struct hp_report_options *options)
{
	return !section->is_preferred || section->is_preferred(options);
}

const struct hp_section *pane_section(const struct pane *pane,
				      const struct hp_report_options *options)
{
	for (size_t i = 0; pane->section && hp_sections[i]; i++)
		if (strcmp(hp_sections[i]->json_key, pane->section->json_key) == 0 &&
		    is_preferred(hp_sections[i], options))
			return hp_sections[i];
	return pane->section;
}

bool pane_has_data(const struct pane *pane, const struct hp_model *model)
{
	if (!pane->section)
		return false;
	if (pane->section->is_available)
		return pane->section->is_available(model);
	return hp_model_has_calls(model);
}

int pane_first(const struct hp_model *model)
{
	for (int i = 0; i < PANES && panes[i].tab == panes[0].tab; i++)
		if (pane_has_data(&panes[i], model))
			return i;
	return 0;
}

int pane_of_tab(int tab, int present)
{
	int next = present + 1;

	if (panes[present].tab == tab && next < PANES && panes[next].tab == tab)
		return next;
	for (int i = 0; i < PANES; i++)
		if (panes[i].tab == tab)
			return i;
	return present;
}
