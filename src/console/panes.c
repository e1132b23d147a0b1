/* SPDX-License-Identifier: MIT */
/* What there is to be seen. */
#include "panes.h"

#include <string.h>

struct pane panes[PANES_MAX];
int pane_count;
int tab_count;

static bool has_tab(const char *tab)
{
	for (int i = 0; i < pane_count; i++)
		if (strcmp(panes[i].section->pane.tab, tab) == 0)
			return true;
	return false;
}

static void add_tab(const char *tab)
{
	tab_count++;
	for (size_t i = 0; hp_sections[i] && pane_count < PANES_MAX; i++) {
		const char *other = hp_sections[i]->pane.tab;
		if (other && strcmp(other, tab) == 0)
			panes[pane_count++] = (struct pane){ tab_count, hp_sections[i] };
	}
}

void panes_list(void)
{
	pane_count = tab_count = 0;
	for (size_t i = 0; hp_sections[i]; i++) {
		const char *tab = hp_sections[i]->pane.tab;
		if (tab && !has_tab(tab))
			add_tab(tab);
	}
}

const struct hp_section *pane_section(const struct pane *pane,
				      const struct hp_report_options *options)
{
	/* Channels are told of in two sections that are no choice. */
	for (size_t i = 0; pane->section->is_preferred && hp_sections[i]; i++)
		if (strcmp(hp_sections[i]->json_key, pane->section->json_key) == 0 &&
		    hp_section_is_preferred(hp_sections[i], options))
			return hp_sections[i];
	return pane->section;
}

bool pane_has_data(const struct pane *pane, const struct hp_model *model)
{
	/* Functions are always available: the section says that there are none. */
	if (pane->section->kind == &hp_kind_timing)
		return hp_model_has_calls(model);
	return hp_section_is_available(pane->section, model);
}

int pane_first(const struct hp_model *model)
{
	for (int i = 0; i < pane_count; i++)
		if (panes[i].section->kind != &hp_kind_threads && pane_has_data(&panes[i], model))
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
		return next < pane_count && panes[next].tab == tab ? next : first;
	for (int i = first; i < pane_count && panes[i].tab == tab; i++)
		if (pane_has_data(&panes[i], model))
			return i;
	return first;
}
