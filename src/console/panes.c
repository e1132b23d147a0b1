/* SPDX-License-Identifier: MIT */
/* What there is to be seen. */
#include "panes.h"

#include <string.h>

#define NO_CHANNEL                                                                                 \
	"No channel has been seen yet.\n\n"                                                        \
	"Tell of channels with HOTPATH_CHANNEL_NEW(), HOTPATH_CHANNEL_SEND() and\n"                \
	"HOTPATH_CHANNEL_RECV() (hotpath.h), or start a program that uses GLib with\n"             \
	"'hotpath run --probes=glib PROGRAM'."

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
	{ 2, "Data flow", "Channels", &hp_section_channels, NO_CHANNEL },
	{ 2, "Data flow", "Latency", &hp_section_latency, NO_CHANNEL },
	{ 2, "Data flow", "Streams", &hp_section_streams,
	  "No stream has been seen yet.\n\n"
	  "Tell of streams with HOTPATH_STREAM_NEW() and HOTPATH_STREAM_YIELD() (hotpath.h)." },
	{ 2, "Data flow", "Futures", &hp_section_futures,
	  "No future has been seen yet.\n\n"
	  "Tell of async work with HOTPATH_FUTURE_NEW() and HOTPATH_FUTURE_POLL()\n"
	  "(hotpath.h), or start a program that uses libuv or GLib with\n"
	  "'hotpath run --probes=uv,glib PROGRAM'." },
	{ 2, "Data flow", "Loops", &hp_section_loops,
	  "No event loop has been seen yet.\n\n"
	  "Start a program that uses libuv or GLib with\n"
	  "'hotpath run --probes=uv,glib PROGRAM'." },
	{ 3, "Threads", NULL, &hp_section_threads, "No thread has been seen yet." },
	{ 4, "Debug", NULL, &hp_section_debug,
	  "No value has been seen yet.\n\n"
	  "Show values with HOTPATH_DBG(), HOTPATH_VAL() and HOTPATH_GAUGE_SET()\n"
	  "(hotpath.h). What functions return is among their recent calls, key 'o',\n"
	  "where the program logs it with HOTPATH_RETURN()." },
};

static bool is_preferred(const struct hp_section *section, const struct hp_report_options *options)
{
	return !section->is_preferred || section->is_preferred(options);
}

const struct hp_section *pane_section(const struct pane *pane,
				      const struct hp_report_options *options)
{
	/* Channels are told of in two sections that are no choice. */
	for (size_t i = 0; pane->section->is_preferred && hp_sections[i]; i++)
		if (strcmp(hp_sections[i]->json_key, pane->section->json_key) == 0 &&
		    is_preferred(hp_sections[i], options))
			return hp_sections[i];
	return pane->section;
}

bool pane_has_data(const struct pane *pane, const struct hp_model *model)
{
	if (pane->section->is_available)
		return pane->section->is_available(model);
	return hp_model_has_calls(model);
}

int pane_first(const struct hp_model *model)
{
	for (int i = 0; i < PANES; i++)
		if (panes[i].section != &hp_section_threads && pane_has_data(&panes[i], model))
			return i;
	return 0;
}

const struct pane *pane_tab(int tab)
{
	const struct pane *pane = panes;

	while (pane->tab != tab)
		pane++;
	return pane;
}

int pane_of_tab(int tab, int present, const struct hp_model *model)
{
	int first = (int)(pane_tab(tab) - panes), next = present + 1;

	if (panes[present].tab == tab)
		return next < PANES && panes[next].tab == tab ? next : first;
	for (int i = first; i < PANES && panes[i].tab == tab; i++)
		if (pane_has_data(&panes[i], model))
			return i;
	return first;
}
